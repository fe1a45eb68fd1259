"""Errors by severity, side by side for agent and user, in the form of SEATauBench's Figure 5."""

from collections.abc import Iterator, Mapping, Sequence

from dragoman.analysis.cells import Outcome
from dragoman.analysis.errors.reviewed import Reviewed, SideFigures, side_figures
from dragoman.analysis.measure_figures import newest
from dragoman.core.judged_errors import ErrorReview, JudgedError
from dragoman.core.measures import Measured
from dragoman.core.tools import Role
from dragoman.report.figures.making.grid import GridCell, setting
from dragoman.report.figures.records import Datum, Drawing, Section, distinct, file_name
from dragoman.scoring.measures.error_review import ERRORS

_SIDES: tuple[Role, ...] = ("agent", "user")


def error_drawings(
    cells: Sequence[GridCell], outcomes: Mapping[int, Sequence[Outcome]]
) -> Iterator[Drawing]:
    """Yield what judges found in conversations: a bar for each language and scenario, a figure for each side.

    Args:
        cells: The cells.
        outcomes: Their conversations, by the cells' numbers.
    """
    judges = distinct(
        _judge(each) for rows in outcomes.values() for row in rows for each in _reviews(row)
    )
    section: Section = "summary" if all(cell.is_english for cell in cells) else "languages"
    for suite in distinct(cell.suite for cell in cells):
        own = [cell for cell in cells if cell.suite == suite]
        for judge in judges:
            for side in _SIDES:
                data = tuple(_data(own, outcomes, judge, side))
                if data:
                    yield Drawing(
                        file_name("errors", side, suite, *([judge] if len(judges) > 1 else [])),
                        section,
                        "stack",
                        f"Errors of the {side} by severity, {suite}",
                        f"Conversations by the gravest error of the {side}, as judged by {judge}, in the form "
                        "of SEATauBench's Figure 5. Conversations without a usable judgement are in no bar; "
                        "intervals over tasks are in the data.",
                        data,
                        axis="of conversations",
                        of="conversation",
                    )


def _data(
    cells: Sequence[GridCell], outcomes: Mapping[int, Sequence[Outcome]], judge: str, side: Role
) -> Iterator[Datum]:
    has_agents = len({cell.who for cell in cells}) > 1
    for cell in cells:
        found = _figures(outcomes[cell.number], judge, side)
        place = setting(cells, cell)
        for level in ("critical", "minor", "correct"):
            share = getattr(found, level)
            if share.value is not None:
                yield Datum(
                    f"{place}, {cell.who}" if has_agents else place,
                    *(share.value, share.interval, share.n, level),
                    note=f"{share.count} of {share.n}, {found.unscored} unscored",
                    cell=cell.number,
                )


def _figures(rows: Sequence[Outcome], judge: str, side: Role) -> SideFigures:
    return side_figures([Reviewed(row.task, _review(row, judge)) for row in rows], side, ())


def _review(row: Outcome, judge: str) -> ErrorReview | None:
    """Return the severities that a judge gave; tags are of no matter here."""
    found = next((each for each in _reviews(row) if _judge(each) == judge), None)
    if found is None or found.unscored:
        return None
    return ErrorReview(tuple(JudgedError(each.by, each.severity, (), 0) for each in found.errors))


def _reviews(row: Outcome) -> Iterator[Measured]:
    return (each for each in newest(row.measures) if each.measure == ERRORS)


def _judge(measured: Measured) -> str:
    return f"{measured.judge}, {measured.measure} {measured.version}"
