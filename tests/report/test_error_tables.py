from dragoman.analysis.judged_errors import JudgedGroup, Reviewed, side_figures
from dragoman.core.measures import ErrorReview, JudgedError
from dragoman.report.judged_errors import severity_table

CRITICAL = ErrorReview((JudgedError("agent", "critical", (), 0),))
UNGRADED = ErrorReview((JudgedError("user", None, (), 0),))
ROWS = [
    Reviewed("a", CRITICAL),
    Reviewed("b", CRITICAL),
    Reviewed("c", ErrorReview(())),
    Reviewed("d", UNGRADED),
    Reviewed("e", None),
]


def test_the_n_of_severities_is_that_of_their_intervals_side_by_side() -> None:
    sides = (side_figures(ROWS, "agent", ()), side_figures(ROWS, "user", ()))
    group = JudgedGroup("suite", {"agent": "gold"}, "m, errors 1", sides, (), {"silent (4 s)": 1})

    table = severity_table([group])

    (row,) = table.rows
    cells = dict(zip(table.headings, row, strict=True))
    assert (cells["agent n"], cells["agent unscored"]) == ("4", "1")
    assert (cells["user n"], cells["user unscored"]) == ("3", "2")
    assert cells["agent critical"].startswith("2 [")
    assert "1 unscored: silent" in table.note
