"""Leaderboard style of International Tool Calling: scores and errors of calls of web APIs."""

from typing import get_args

import msgspec
import polars as pl

from dragoman.core.apis.metrics import AVERAGES, ApiAveraging
from dragoman.core.errors import UsageError
from dragoman.dataframes.text_files import as_csv, as_markdown
from dragoman.papers.itc.summary import ApiSummary, summarize_api_runs
from dragoman.papers.itc.tables import api_tables
from dragoman.report.capabilities import StyleRequest, StyleResult
from dragoman.report.table_markup import latex_tables

COLUMNS: dict[str, pl.DataType] = {
    **dict.fromkeys(("suite", "agent", "condition", "by", "group", "part", "figure"), pl.String()),
    **dict.fromkeys(("value", "low", "high", "n"), pl.Float64()),
    **dict.fromkeys(("conversations", "unscored"), pl.Int64()),
}


class _ItcStyle:
    """Scores and errors of every agent, and its scores by label."""

    name = "itc"
    about = "calls of web APIs"
    options = ("averaging",)
    endings = (".md", ".csv", ".json", ".tex")

    def make(self, request: StyleRequest) -> StyleResult:
        """Return the tables of all runs.

        Raises:
            UsageError: For an average that there is not, and what `summarize_api_runs` raises.
        """
        averaging = _averaging(request.options.get("averaging"))
        found = summarize_api_runs(request.folders, request.rules, request.judge, averaging)
        tables = tuple(api_tables(found.summary))
        document = {"facts": dict(found.facts), "board": msgspec.to_builtins(found.summary)}
        return StyleResult(
            (*tables, "", *(f"{name}: {value}" for name, value in found.facts)),
            document,
            {
                ".tex": lambda: latex_tables(tables).encode(),
                ".json": lambda: msgspec.json.format(msgspec.json.encode(document)),
                ".md": lambda: as_markdown(
                    "International Tool Calling", tables, found.facts
                ).encode(),
                ".csv": lambda: as_csv(api_frame(found.summary)).encode(),
            },
        )


ITC = _ItcStyle()


def _averaging(given: object) -> ApiAveraging:
    for name in AVERAGES:
        if given in {None, name}:
            return name
    raise UsageError(f"--averaging {given!r:.80}: choose {', '.join(get_args(ApiAveraging))}")


def api_frame(summary: ApiSummary) -> pl.DataFrame:
    """Return every figure of a board as a row; what is missing is null."""
    rows = [
        (
            *(group.suite, group.agent, group.condition, group.axis, group.group),
            *(figure.part, figure.name, figure.value),
            *(
                (None, None)
                if figure.interval is None
                else msgspec.structs.astuple(figure.interval)
            ),
            *(figure.n, group.conversations, group.unscored),
        )
        for group in summary.groups
        for figure in group.figures
    ]
    return pl.DataFrame(rows, schema=COLUMNS, orient="row", strict=False)
