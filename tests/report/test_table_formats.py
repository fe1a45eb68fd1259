"""One renderer for each table format: sound LaTeX, HTML and CSV for arbitrary names."""

import csv
from xml.etree import ElementTree as ET

import pytest
from tests.report.latex_check import latex_problems

from dragoman.analysis.intervals import Interval
from dragoman.report.table_markup import (
    RENDERERS,
    csv_table,
    html_tables,
    latex_tables,
    markdown_tables,
    page_texts,
)
from dragoman.report.text_tables import Estimate, PaperTable, TextTable, lines

HALF = Estimate(0.5, Interval(0.25, 0.75), 8, Interval(0.125, 0.875))

FIGURE_COLUMNS = ("value", "low", "high", "missing_fail", "missing_pass", "tasks")

HOSTILE = (
    r"\input{/etc/passwd}",
    r"a & b \\ c",
    "50 % $x$ #1 _^~ {}",
    "[4pt] or *",
    "<script>alert(1)</script>",
    "=HYPERLINK(1)",
    "two\nlines",
    "pass^2",
    "-5",
)


def table(*names: str) -> PaperTable:
    return PaperTable(
        "pass^1 and pass^2 by language",
        ("agent",),
        (("English", "pass^1"), ("English", "pass^2"), ("Thai", "pass^1"), ("Thai", "pass^2")),
        tuple((name, HALF, Estimate(), HALF, HALF) for name in names),
        "n = 8 \u00d7 2",
    )


@pytest.mark.parametrize("name", HOSTILE)
def test_latex_of_any_name_is_sound(name: str) -> None:
    text = latex_tables([table(name).with_texts(), TextTable((name,), ((name,),), name, name)])
    assert latex_problems(text) == []


def test_latex_has_rules_of_booktabs_and_figures_on_the_right() -> None:
    lines = latex_tables([table("gold").with_texts()]).splitlines()
    assert r"\begin{tabular}{lrrrr}" in lines
    assert r"\cmidrule(lr){2-3}\cmidrule(lr){4-5}" in lines
    assert [line for line in lines if line.endswith("rule")] == [
        r"\toprule",
        r"\midrule",
        r"\bottomrule",
    ]
    assert r"\hline" not in lines


def test_a_caption_has_no_number_and_raises_the_power() -> None:
    (caption,) = (
        line
        for line in latex_tables([table("gold").with_texts()]).splitlines()
        if "caption" in line
    )
    assert caption == (r"\caption{pass\textsuperscript{1} and pass\textsuperscript{2} by language}")


def test_a_missing_figure_is_a_dash_and_a_negative_number_has_a_minus() -> None:
    text = latex_tables([TextTable(("points", "id"), (("-5 [-7, -3]", "gpt-4.1"), ("-", "a-1")))])
    assert r"$-$5 [$-$7, $-$3] & gpt-4.1 \\" in text
    assert r"-- & a-1 \\" in text


@pytest.mark.parametrize("name", HOSTILE)
def test_html_of_any_name_is_sound_and_every_row_has_all_columns(name: str) -> None:
    text = html_tables([table(name).with_texts()])
    (found, _) = ET.fromstring(f"<page>{text}</page>")  # noqa: S314 - of our own
    widths = {
        sum(int(cell.get("colspan", "1")) for cell in row)
        for part in found
        if part.tag != "caption"
        for row in part
    }
    assert widths == {5}
    assert "script" not in {element.tag for element in found.iter()}


@pytest.mark.parametrize("name", HOSTILE)
def test_csv_has_a_row_for_each_figure_and_no_formula(name: str) -> None:
    head, first, *others = csv.reader(csv_table(table(name)).splitlines(keepends=True))
    assert head == ["agent", "group", "figure", *FIGURE_COLUMNS]
    assert first[1:] == ["English", "pass^1", "0.5", "0.25", "0.75", "0.125", "0.875", "8"]
    assert first[0].lstrip("'") == name
    assert not first[0].startswith(("=", "+", "-", "@"))
    assert [row[3] for row in others] == ["", "0.5", "0.5"]


def test_markdown_has_figures_on_the_right_and_one_line_of_headings() -> None:
    lines = markdown_tables([table("gold").with_texts()]).splitlines()
    assert "| --- | ---: | ---: | ---: | ---: |" in lines
    assert lines[2] == (
        "| agent | English, pass^1 | English, pass^2 | Thai, pass^1 | Thai, pass^2 |"
    )


def test_many_figures_have_their_intervals_below_and_few_beside_them() -> None:
    (wide,) = table("gold").with_texts().rows
    few = PaperTable("", ("agent",), (("pass^1",),), (("gold", HALF),)).with_texts()
    assert wide[1] == "0.500\n[0.250, 0.750]"
    assert few.rows == (("gold", "0.500 [0.250, 0.750]"),)


def figures_in_a_row(number: int) -> PaperTable:
    columns = tuple((f"pass^{k}",) for k in range(1, number + 1))
    return PaperTable("", ("agent",), columns, (("gold", *[HALF] * number),))


@pytest.mark.parametrize(
    ("number", "print_size", "cell"),
    [
        (3, None, "0.500 [0.250, 0.750]"),
        (4, None, "0.500\n[0.250, 0.750]"),
        (5, r"\footnotesize", "0.500\n[0.250, 0.750]"),
        (6, None, "0.500\n[0.250,\n0.750]"),
        (8, r"\small", "0.500\n[0.250,\n0.750]"),
    ],
)
def test_latex_has_the_largest_print_in_which_a_table_fits(
    number: int, print_size: str | None, cell: str
) -> None:
    texts = page_texts(figures_in_a_row(number))
    assert texts.rows[0][1] == cell
    commands = latex_tables([texts]).splitlines()
    sizes = [line for line in commands if line in {r"\small", r"\footnotesize", r"\scriptsize"}]
    assert sizes == ([] if print_size is None else [print_size])


def test_a_narrow_terminal_shows_a_figure_and_its_interval_without_a_comma() -> None:
    shown = lines(table("gold").with_texts().flat(), 40)
    assert "English, pass^1  0.500 [0.250, 0.750]" in shown


@pytest.mark.parametrize("form", RENDERERS)
def test_every_format_has_the_note(form: str) -> None:
    assert "n = 8" in RENDERERS[form]([table("gold").with_texts()])


@pytest.mark.parametrize(
    ("broken", "problem"),
    [
        (r"\begin{tabular}{lr} a \\ \end{tabular}", "1 cells in 2 columns"),
        (r"\begin{tabular}{l} a & b \\ \end{tabular}", "2 cells in 1 columns"),
        (r"\begin{tabular}{l} a_b \\ \end{tabular}", "'_' acts"),
        (r"\begin{tabular}{l} \textbf{a \\ \end{tabular}", "open braces"),
        (r"\begin{table} a", "table has no end"),
        (r"\begin{tabular}{l} a \\[4pt] b \\ \end{tabular}", "a bracket or a star"),
        (r"\begin{tabular}{l} \input a \\ \end{tabular}", r"unknown command \input"),
    ],
)
def test_the_check_sees_what_a_compiler_would(broken: str, problem: str) -> None:
    assert any(problem in each for each in latex_problems(broken))
