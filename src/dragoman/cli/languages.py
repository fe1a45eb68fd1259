"""What a run says of languages: what stayed English, and how the sides kept to theirs."""

from dragoman.cli.output import print_line
from dragoman.core.errors import UsageError
from dragoman.report.fitting import Table, print_table
from dragoman.runs.jobs import read_manifest
from dragoman.store.run import RunStore
from dragoman.tables.language_figures import SideFigure, is_localized, language_figures

_HEADINGS = (
    "condition",
    "agent",
    "side",
    "turns",
    "in its language",
    "with relatives",
    "English",
    "drift r",
)


def measured_languages(store: RunStore) -> tuple[SideFigure, ...] | str | None:
    """Return how the sides of a run kept to their languages, or why that is not measured.

    None where the run is in English alone.
    """
    from dragoman.scoring.language_detection import load_detector

    if not is_localized(store):
        return None
    try:
        return language_figures(store, load_detector())
    except UsageError as error:
        return str(error)


def print_languages(store: RunStore, measured: tuple[SideFigure, ...] | str | None) -> None:
    """Print what stayed English, and the table of languages; nothing for a run in English alone."""
    for label, realised in read_manifest(store).realised.items():
        for note in realised.notes:
            print_line(f"{label}: {note}")
    if isinstance(measured, str):
        print_line(f"languages are not measured: {measured}")
    elif measured:
        print_table(Table(_HEADINGS, tuple(map(_row, measured))))
        print(f"by {measured[0].strict.rules}; turns of the benchmark itself are left out")


def _row(figure: SideFigure) -> tuple[str, ...]:
    turns = figure.strict.turns
    drift = figure.drift.r
    return (
        figure.condition,
        figure.agent,
        f"{figure.side} ({figure.expected})",
        str(turns),
        _share(figure.strict.correct, turns),
        _share(figure.tolerant.correct, figure.tolerant.turns),
        _share(figure.english, turns),
        "-" if drift is None else f"{drift:.2f} of {figure.drift.n}",
    )


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "-"
