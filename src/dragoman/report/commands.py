"""Commands that show what a line of a terminal tells of."""

from shlex import quote

from dragoman.analysis.places import PlaceInRun


def show_command(run: str, place: PlaceInRun) -> str:
    """Return the command that shows one conversation.

    Args:
        run: The run's folder.
        place: Where it stands.
    """
    words = ["dragoman", "show", run, place.task, "--agent", place.agent]
    words += ["--condition", place.condition]
    if place.trial:
        words += ["--trial", str(place.trial)]
    return " ".join(map(quote, words))
