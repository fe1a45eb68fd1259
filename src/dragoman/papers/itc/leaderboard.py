"""Leaderboard style of International Tool Calling: scores and errors of calls of web APIs."""

from typing import get_args

import msgspec

from dragoman.core.apis.metrics import AVERAGES, ApiAveraging
from dragoman.core.errors import UsageError
from dragoman.dataframes.text_files import as_csv, as_markdown
from dragoman.papers.itc.summary import api_frame, summarize_api_runs
from dragoman.papers.itc.tables import api_tables
from dragoman.report.capabilities import StyleRequest, StyleResult
from dragoman.report.table_markup import latex_tables


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
        tables = tuple(api_tables(found.board))
        document = {"facts": dict(found.facts), "board": msgspec.to_builtins(found.board)}
        return StyleResult(
            (*tables, "", *(f"{name}: {value}" for name, value in found.facts)),
            document,
            {
                ".tex": lambda: latex_tables(tables).encode(),
                ".json": lambda: msgspec.json.format(msgspec.json.encode(document)),
                ".md": lambda: as_markdown(
                    "International Tool Calling", tables, found.facts
                ).encode(),
                ".csv": lambda: as_csv(api_frame(found.board)).encode(),
            },
        )


ITC = _ItcStyle()


def _averaging(given: object) -> ApiAveraging:
    for name in AVERAGES:
        if given in {None, name}:
            return name
    raise UsageError(f"--averaging {given!r:.80}: choose {', '.join(get_args(ApiAveraging))}")
