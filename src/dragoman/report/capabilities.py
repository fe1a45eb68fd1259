"""Protocols for extensions of results: leaderboard styles and report sections.

Other packages register a style under the entry point `dragoman.leaderboards` and a section under
`dragoman.report_sections`. Those that ship are rows of the tables in `dragoman.report.catalog`.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import msgspec

from dragoman.analysis.cell_summary import ConversationResult
from dragoman.report.figure_spec import FigureSpec
from dragoman.report.text_tables import PaperTable, TextTable
from dragoman.store.run_store import RunStore

if TYPE_CHECKING:
    import polars as pl

# Of a leaderboard


class StyleRequest(msgspec.Struct, frozen=True):
    """The runs that a leaderboard is made of, and how they are read.

    Attributes:
        folders: The runs.
        rules: The rule set that they were scored by; None for the newest scoring.
        judge: The judge of that scoring; None for the newest.
        options: Values of the options that the style takes, by option name.
    """

    folders: tuple[Path, ...]
    rules: str | None = None
    judge: str | None = None
    options: Mapping[str, str | float] = {}


class StyleResult(msgspec.Struct, frozen=True):
    """A leaderboard in all its forms.

    Attributes:
        text: The terminal output, in this order: tables and lines.
        document: The output of `--json`.
        files: By file ending, the function that makes the file's content.
        tables: The tables as numbers, for papers; empty for tables of texts alone. With them the
            command writes all formats of `--to`.
        notes: Lines for stderr in every format, such as the runs without a place in it.
    """

    text: tuple[TextTable | str, ...]
    document: Mapping[str, object]
    files: Mapping[str, Callable[[], bytes]] = {}
    tables: tuple[PaperTable, ...] = ()
    notes: tuple[str, ...] = ()


class LeaderboardStyle(Protocol):
    """A leaderboard style: makes the tables of a paper or a benchmark from runs."""

    @property
    def name(self) -> str:
        """Its name for `dragoman leaderboard --style`."""
        ...

    @property
    def about(self) -> str:
        """A line about it."""
        ...

    @property
    def options(self) -> Collection[str]:
        """The command's options that it takes: `weights`, `averaging`, `kept`, `definitions`."""
        ...

    @property
    def endings(self) -> Sequence[str]:
        """The endings of files that it writes, such as `.md`; empty for none."""
        ...

    def make(self, request: StyleRequest) -> StyleResult:
        """Return the leaderboard of all runs together.

        Raises:
            UsageError: For an invalid option, or runs that the style cannot use.
            StoreError: If a run cannot be read.
        """
        ...


# Of a report


class StoredResults(msgspec.Struct, frozen=True):
    """An open run and its conversations, with one scoring.

    `rows` have scores and measures, and no events: the store has these.
    """

    store: RunStore
    rules: str
    judge: str
    rows: Sequence[ConversationResult]


class ReportSection(Protocol):
    """A section of the report on runs.

    It extracts one value from each run, called its part. Figures, tables and the template are made
    from parts alone, so that a report does not need the run.
    """

    @property
    def key(self) -> str:
        """Its name: its address in the page, and the `section` of its figures."""
        ...

    @property
    def title(self) -> str:
        """Its title in the contents of the page."""
        ...

    @property
    def heading(self) -> str:
        """The heading above it."""
        ...

    def part(self, results: StoredResults) -> object | None:
        """Return its part of a run; None if the run has no data for it."""
        ...

    def figures(self, part: Any) -> Iterable[FigureSpec]:  # noqa: ANN401 - its own
        """Return the figures of a part: for the page, and for `dragoman plots`."""
        ...

    def tables(self, part: Any) -> Iterable[TextTable]:  # noqa: ANN401 - its own
        """Return the tables of a part, which stand below the figures."""
        ...


@runtime_checkable
class OwnTemplate(Protocol):
    """A section with a layout of its own."""

    @property
    def template(self) -> str:
        """Jinja that makes the section; a section with an empty result is omitted.

        It gets `parts` (a list of `run`, `part` and `tables`), `several` (whether the page has
        several runs), `key`, `drawings` (all figures of the page), and the macros of the report's
        templates. Every value that it writes is escaped.
        """
        ...


@runtime_checkable
class OffersFrames(Protocol):
    """A section whose figures are also data frames of a run, which `dragoman export` writes."""

    @property
    def frame_names(self) -> Sequence[str]:
        """The names of its frames, which are names in Python."""
        ...

    def frames(self, results: StoredResults) -> "Mapping[str, pl.DataFrame]":
        """Return its frames by name, with all columns; a run without data gives no rows."""
        ...


class LeadSection(msgspec.Struct, frozen=True):
    """The first section of a report, about all its runs together.

    `hides` is the key of a section with the same content for each run; the page omits it.
    """

    section: ReportSection
    part: object
    hides: str = ""


@runtime_checkable
class LeadsReport(Protocol):
    """A style that `dragoman report --style` can begin with, and write as files."""

    def lead(self, request: StyleRequest) -> LeadSection:
        """Return the section on all runs together.

        Raises:
            UsageError: For an invalid option, or runs that the style cannot use.
            StoreError: If a run cannot be read.
        """
        ...
