"""Tables with headings in groups, in a terminal and as LaTeX."""

from dragoman.report.table_markup import latex_tables, latex_text
from dragoman.report.text_tables import GroupedTable

TABLE = GroupedTable(
    "Table 2: 50 % & more",
    ("Metric",),
    (("log", "p=0", "courier"), ("log", "p=1", "courier"), ("big_judge", "p=0", "courier")),
    (("CFA", "0.5\n[0.4, 0.6]", "0.7", "-"),),
    best=frozenset({(0, 2)}),
)


def test_a_level_joins_the_columns_that_share_it_and_all_above_it() -> None:
    assert TABLE.levels == (
        (("log", 2), ("big_judge", 1)),
        (("p=0", 1), ("p=1", 1), ("p=0", 1)),
        (("courier", 1), ("courier", 1), ("courier", 1)),
    )


def test_in_a_terminal_a_heading_has_the_levels_that_tell_columns_apart_and_the_best_a_star() -> (
    None
):
    flat = TABLE.flat()

    assert flat.headings == ("Metric", "log, p=0", "log, p=1", "big_judge, p=0")
    assert flat.rows == (("CFA", "0.5\n[0.4, 0.6]", "0.7 *", "-"),)


def test_in_latex_groups_span_their_columns_and_no_sign_of_the_data_acts() -> None:
    text = latex_tables([TABLE])

    assert r"\caption{Table 2: 50 \% \& more}" in text
    assert r"\multicolumn{2}{c}{log} & \multicolumn{1}{c}{big\_judge}" in text
    assert r"\textbf{0.7}" in text
    assert "\n & {}[0.4, 0.6] & " in text, "a bracket behind a line's end would be its length"
    assert "\\\\\n\\midrule" in text, "nothing stands between a row's end and the line below it"


def test_hostile_text_is_text_in_latex() -> None:
    assert latex_text(r"\input{/etc/passwd} ~^<$|#") == (
        r"\textbackslash{}input\{/etc/passwd\} "
        r"\textasciitilde{}\textasciicircum{}\textless{}\$\textbar{}\#"
    )
