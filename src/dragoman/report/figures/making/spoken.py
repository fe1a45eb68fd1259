"""What is lost by voice: text, recognizers and agents that hear, then words, values and blame.

The bars by category are those of BFCL audio.
"""

from collections.abc import Iterator, Sequence

from dragoman.analysis.blame import BLAME, CULPRITS
from dragoman.analysis.voice.board import VoiceBoard, WayFigures
from dragoman.analysis.voice.tallies import tally_of
from dragoman.analysis.voice.ways import ALL_TASKS
from dragoman.core.conditions import NONE
from dragoman.report.figures.records import Datum, Drawing, Section, file_name
from dragoman.report.voice_tables import OVERALL, player

_VOICE: Section = "voice"
_LOST = "lost: "
_ONE_CATEGORY = 2
"""A category and all tasks: they are the same."""
_INTERVALS = "Whiskers are 95 % intervals over tasks."


def voice_drawings(board: VoiceBoard) -> Iterator[Drawing]:
    """Yield the figures of a grid of voices."""
    order = sorted(board.names, key=lambda name: (name != OVERALL, name != ALL_TASKS))
    if len(board.names) <= _ONE_CATEGORY:
        yield from _by_input("", [(ALL_TASKS, row, player(row)) for row in board.ways])
    else:
        for who, rows in _players(board).items():
            yield from _by_input(who, [(name, row, name) for name in order for row in rows])
    yield from _word_errors(board)
    yield from _shares_of(
        board, "values", "values", "Values lost in hearing, by kind", _kinds(board)
    )
    culprits: dict[str, str] = {name: name for name in CULPRITS}
    yield from _shares_of(board, BLAME, "lost", "Lost conversations by what lost them", culprits)


def _players(board: VoiceBoard) -> dict[str, list[WayFigures]]:
    """Return what each agent made of all its inputs, by its name and the judge of questions."""
    has_judges = any(row.way.clarify != NONE for row in board.ways)
    groups: dict[str, list[WayFigures]] = {}
    for row in board.ways:
        who = f"{player(row)}, clarify {row.way.clarify}" if has_judges else player(row)
        groups.setdefault(who, []).append(row)
    return groups


def _by_input(who: str, rows: Sequence[tuple[str, WayFigures, str]]) -> Iterator[Drawing]:
    """Yield accuracy and what is lost to text, of categories under the names of places."""
    of = f", {who}" if who else ""
    yield Drawing(
        file_name("voices", who),
        _VOICE,
        "bars",
        f"Accuracy by input{of}",
        f"Text, a line with who hears it, and an agent that is given the audio (itself). {_INTERVALS}",
        tuple(
            Datum(place, found.value, found.interval, found.tasks, _way(row))
            for name, row, place in rows
            if (found := row.standings.get(name)) is not None and found.value is not None
        ),
        axis="accuracy",
    )
    lost = tuple(
        Datum(place, less.value, less.interval, less.tasks, _way(row))
        for name, row, place in rows
        if (less := row.to_text.get(name)) is not None and less.value is not None
    )
    if lost:
        yield Drawing(
            file_name("drops", who),
            _VOICE,
            "bars",
            f"Lost to text{of}",
            f"Difference to the same agent's text in points, paired by task and trial. {_INTERVALS}",
            lost,
            "points",
            "difference to text",
        )


def _word_errors(board: VoiceBoard) -> Iterator[Drawing]:
    data = tuple(
        Datum(player(row), found.value, found.interval, found.n, _way(row))
        for row in board.ways
        for found in row.measures
        if (found.measure, found.figure) == ("hearing", "word errors") and found.value is not None
    )
    if data:
        yield Drawing(
            "word-errors",
            _VOICE,
            "bars",
            "Word errors",
            f"Words that were heard otherwise, missed or added, for each word that was said. {_INTERVALS}",
            data,
            "rate",
            "word errors",
            of="word",
        )


def _way(row: WayFigures) -> str:
    return row.way.name if row.way.clarify == NONE else f"{row.way.name}, clarify {row.way.clarify}"


def _kinds(board: VoiceBoard) -> dict[str, str]:
    found = (tally_of(row.tallies, "values") for row in board.ways)
    names = dict.fromkeys(
        name for tally in found if tally for name, count in tally.counts.items() if count
    )
    return {name: name[len(_LOST) :] for name in names if name.startswith(_LOST)}


def _shares_of(
    board: VoiceBoard, measure: str, whole: str, title: str, names: dict[str, str]
) -> Iterator[Drawing]:
    """Yield what parts of a count are, as shares of it; nothing where it was not counted."""
    data = []
    for row in board.ways:
        tally = tally_of(row.tallies, measure)
        of = tally.counts.get(whole, 0) if tally is not None else 0
        if tally is not None and of:
            place = f"{player(row)}, {_way(row)}"
            counts = {shown: tally.counts.get(name, 0) for name, shown in names.items()}
            data += [
                Datum(place, count / of, None, of, shown, note=f"{count:g} of {of:g}")
                for shown, count in counts.items()
                if any(
                    each.counts.get(_named(names, shown))
                    for other in board.ways
                    if (each := tally_of(other.tallies, measure))
                )
            ]
    if data:
        counted = (
            "values that calls need" if measure == "values" else "conversations that were lost"
        )
        yield Drawing(
            file_name(measure, "by", "kind" if measure == "values" else "stage"),
            _VOICE,
            "stack",
            title,
            f"Shares of the {counted}; counts are in the data.",
            tuple(data),
            axis=f"of {counted}",
            of="value" if measure == "values" else "conversation",
        )


def _named(names: dict[str, str], shown: str) -> str:
    return next(name for name, told in names.items() if told == shown)
