"""Leaderboards, sections of reports and run folders: what a paper's package adds to results."""

from typing import TYPE_CHECKING

from dragoman.core.lazy_names import lazy_names

if TYPE_CHECKING:
    from dragoman.analysis.cell_summary import ConversationResult
    from dragoman.analysis.intervals import Interval
    from dragoman.dataframes.results import ScoredRun, run_facts, scored_runs
    from dragoman.dataframes.text_files import as_csv, as_markdown
    from dragoman.formats.run_folders import ImportedFolder, RunFolderFormat, WrittenFolder
    from dragoman.report.capabilities import (
        LeaderboardStyle,
        LeadSection,
        LeadsReport,
        OffersFrames,
        OwnTemplate,
        ReportSection,
        StoredResults,
        StyleRequest,
        StyleResult,
    )
    from dragoman.report.figure_spec import Datum, FigureSpec
    from dragoman.report.table_markup import latex_tables
    from dragoman.report.text_tables import TextTable

__all__ = [
    "ConversationResult",
    "Datum",
    "FigureSpec",
    "ImportedFolder",
    "Interval",
    "LeadSection",
    "LeaderboardStyle",
    "LeadsReport",
    "OffersFrames",
    "OwnTemplate",
    "ReportSection",
    "RunFolderFormat",
    "ScoredRun",
    "StoredResults",
    "StyleRequest",
    "StyleResult",
    "TextTable",
    "WrittenFolder",
    "as_csv",
    "as_markdown",
    "latex_tables",
    "run_facts",
    "scored_runs",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "dragoman.analysis.cell_summary": ("ConversationResult",),
            "dragoman.analysis.intervals": ("Interval",),
            "dragoman.dataframes.results": ("ScoredRun", "run_facts", "scored_runs"),
            "dragoman.dataframes.text_files": ("as_csv", "as_markdown"),
            "dragoman.formats.run_folders": (
                "ImportedFolder",
                "RunFolderFormat",
                "WrittenFolder",
            ),
            "dragoman.report.capabilities": (
                "LeadSection",
                "LeaderboardStyle",
                "LeadsReport",
                "OffersFrames",
                "OwnTemplate",
                "ReportSection",
                "StoredResults",
                "StyleRequest",
                "StyleResult",
            ),
            "dragoman.report.figure_spec": ("Datum", "FigureSpec"),
            "dragoman.report.table_markup": ("latex_tables",),
            "dragoman.report.text_tables": ("TextTable",),
        },
    )
