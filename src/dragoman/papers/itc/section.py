"""Report section on calls of web APIs, in the layout of International Tool Calling."""

from collections.abc import Iterable

from dragoman.core.apis.metrics import CALLS
from dragoman.papers.itc.summary import ApiSummary, summarize_api_calls
from dragoman.papers.itc.tables import api_figures, api_tables
from dragoman.report.capabilities import StoredResults
from dragoman.report.figure_spec import FigureSpec
from dragoman.report.text_tables import TextTable


class _ApiSection:
    """Scores and errors of calls of web APIs."""

    key = "apis"
    title = "Web APIs"
    heading = "Calls of web APIs"

    def part(self, results: StoredResults) -> ApiSummary | None:
        """Return the rates of calls; None where none were counted."""
        if not any(each.measure == CALLS for row in results.rows for each in row.measures):
            return None
        labels = {(task.suite, task.id): task.labels for task in results.store.tasks().values()}
        summary = summarize_api_calls(results.rows, labels, "macro")
        return summary if summary.groups else None

    def figures(self, part: ApiSummary) -> Iterable[FigureSpec]:
        """Return its figures."""
        return api_figures(part)

    def tables(self, part: ApiSummary) -> Iterable[TextTable]:
        """Return its tables."""
        return api_tables(part)


APIS = _ApiSection()
