"""What a run says of hearing: how much of what users said arrived."""

from collections.abc import Sequence

from dragoman.report.fitting import Table, print_table
from dragoman.runs.jobs import read_manifest
from dragoman.store.run import RunStore
from dragoman.tables.speech_figures import HeardFigure, heard_figures

_HEADINGS = (
    "condition",
    "agent",
    "utterances",
    "word errors",
    "character errors",
    "values heard",
    "clear replies",
    "recognizer",
)


def measured_hearing(store: RunStore) -> tuple[HeardFigure, ...] | None:
    """Return what was heard in the spoken cells of a run; None where nobody spoke."""
    return heard_figures(store) if read_manifest(store).voices else None


def print_hearing(store: RunStore, measured: Sequence[HeardFigure] | None) -> None:
    """Print the table of what was heard, and what recognizers were told to expect."""
    if not measured:
        return
    voices = read_manifest(store).voices
    rows = tuple(_row(row, voices.get(row.condition, {})) for row in measured)
    print_table(Table(_HEADINGS, rows))
    for about in dict.fromkeys(str(voice["language_model"]) for voice in voices.values()):
        if about:
            print(f"language model: {about}")


def _row(figure: HeardFigure, voice: dict[str, object]) -> tuple[str, ...]:
    return (
        figure.condition,
        figure.agent,
        str(figure.utterances),
        _share(figure.word_error_rate),
        _share(figure.character_error_rate),
        f"{_share(figure.values_heard)} of {figure.values}",
        f"{_share(figure.clear)} of {figure.replies}",
        str(voice.get("recognizer", "")),
    )


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.1%}"
