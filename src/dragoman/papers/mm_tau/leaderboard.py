"""Leaderboard style of MM-tau-p2: its twelve metrics and mm-tap."""

from io import BytesIO

import msgspec

from dragoman.analysis.persona_fidelity import KEPT
from dragoman.core.errors import UsageError
from dragoman.dataframes.text_files import as_csv, as_markdown
from dragoman.papers.mm_tau.definitions import definitions_named
from dragoman.papers.mm_tau.figures import mm_tau_page
from dragoman.papers.mm_tau.frames import MmTauResults, mm_tau_frame, mm_tau_results
from dragoman.papers.mm_tau.mm_tap import MmTapWeights
from dragoman.papers.mm_tau.section import LEAD, PERSONAS
from dragoman.papers.mm_tau.tables import grouped_tables, summary_tables, terminal_tables
from dragoman.report.capabilities import LeadSection, StyleRequest, StyleResult
from dragoman.report.table_markup import latex_tables

_WEIGHTS = 4
_TITLE = "The metrics of MM-tau-p2"
_FURTHER = (
    "Tables 3 and 4, the changes between exposures: --out FILE.md, or `dragoman report RUN "
    "--style mm-tau-p2`"
)


class _MmTauStyle:
    """The twelve metrics and mm-tap of every cell."""

    name = "mm-tau-p2"
    about = "its twelve metrics and mm-tap"
    options = ("weights", "kept", "definitions")
    endings = (".md", ".csv", ".json", ".parquet", ".tex")

    def make(self, request: StyleRequest) -> StyleResult:
        """Return the metrics by each set of definitions.

        Raises:
            UsageError: For weights that are none, a set of definitions that there is not, and what
                `mm_tau_results` raises.
        """
        found = _results(request)
        has_changes = any(summary.changes for summary in found.summaries)
        document = mm_tau_document(found)
        return StyleResult(
            (
                *terminal_tables(found.summaries),
                *("", *([_FURTHER] if has_changes else [])),
                *(f"{name}: {value}" for name, value in found.facts),
            ),
            document,
            {
                ".md": lambda: as_markdown(
                    _TITLE, summary_tables(found.summaries), found.facts
                ).encode(),
                ".tex": lambda: latex_tables(grouped_tables(found.summaries)).encode(),
                ".json": lambda: msgspec.json.format(msgspec.json.encode(document)),
                ".csv": lambda: as_csv(mm_tau_frame(found.summaries)).encode(),
                ".parquet": lambda: _parquet(found),
            },
        )

    def lead(self, request: StyleRequest) -> LeadSection:
        """Return its Tables 2 to 5 and Figures 2 and 3, and what each axis does.

        Raises:
            UsageError: As `make`.
        """
        found = _results(request)
        return LeadSection(LEAD, mm_tau_page(found.summaries, found.facts), hides=PERSONAS.key)


MM_TAU = _MmTauStyle()


def _results(request: StyleRequest) -> MmTauResults:
    options = request.options
    return mm_tau_results(
        *(request.folders, request.rules, request.judge),
        mm_tap_weights(_text(options.get("weights"))),
        float(options.get("kept", KEPT)),
        definitions_named(_text(options.get("definitions"))),
    )


def _text(given: str | float | None) -> str | None:
    return None if given is None else str(given)


def mm_tau_document(found: MmTauResults) -> dict[str, object]:
    """Return the summaries for JSON: the first, and all by definition where there are several."""
    first = {"facts": dict(found.facts), "board": msgspec.to_builtins(found.summaries[0])}
    if len(found.summaries) == 1:
        return first
    return {
        **first,
        "boards": {
            summary.definitions: msgspec.to_builtins(summary) for summary in found.summaries
        },
    }


def _parquet(found: MmTauResults) -> bytes:
    buffer = BytesIO()
    mm_tau_frame(found.summaries).write_parquet(buffer)
    return buffer.getvalue()


def mm_tap_weights(text: str | None) -> MmTapWeights:
    """Read the weights of mm-tap; the source's where none are given.

    Raises:
        UsageError: If they are not four numbers that sum to 1.
    """
    if text is None:
        return MmTapWeights()
    try:
        values = [float(part) for part in text.split(",")]
    except ValueError:
        values = []
    if len(values) != _WEIGHTS:
        raise UsageError(
            f"--weights {text:.80}: give four numbers that sum to 1, as 0.35,0.35,0.2,0.1"
        )
    return MmTapWeights(*values)
