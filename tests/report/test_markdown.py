"""Tables as Markdown: no text of data acts in them."""

from dragoman.report.table_markup import markdown_tables, markdown_text
from dragoman.report.text_tables import TextTable


def test_a_table_has_its_title_its_columns_and_its_note() -> None:
    table = TextTable(
        ("agent", "tasks"),
        (("clerk", "3"), ("two\nlines", "4")),
        "All agents",
        "and a note",
        frozenset({"tasks"}),
    )

    assert markdown_tables([table]).splitlines() == [
        "### All agents",
        "",
        "| agent | tasks |",
        "| --- | ---: |",
        "| clerk | 3 |",
        "| two<br>lines | 4 |",
        "",
        "and a note",
    ]


def test_signs_of_markdown_and_markup_are_text() -> None:
    hostile = "a|b `c` *d* _e_ [f](http://g) <script> &amp; \\ ~h~ $i$\n# j \x1b[31m"

    found = markdown_text(hostile)

    assert found == (
        r"a\|b \`c\` \*d\* \_e\_ \[f](http://g) &lt;script&gt; &amp;amp; \\ \~h\~ \$i\$ # j \\x1b\[31m"
    )
    assert "\n" not in found


def test_names_in_snake_case_stay_as_they_are() -> None:
    assert markdown_text("multi_turn_base") == "multi_turn_base"


def test_a_cell_of_a_hostile_name_stays_one_cell() -> None:
    table = TextTable(("agent",), (("a|b\r\n| c",),))

    (row,) = markdown_tables([table]).splitlines()[2:]
    assert row == r"| a\|b\\r<br>\| c |"
