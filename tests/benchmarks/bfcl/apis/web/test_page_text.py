import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.benchmarks.bfcl.apis.web_search_api import page_to_markdown, page_to_text

PAGE = """<!doctype html><html><head><title>Towers</title><style>p { color: red }</style>
<script>let x = "<p>no</p>";</script></head><body><h2>The tower
of Orla</h2><p>It is <b>88 metres</b> high &amp; old.</p>
<ul><li>red</li><li><a href="/old">old one</a></li></ul></body></html>"""


def test_words_are_the_pieces_of_text_without_scripts_and_styles() -> None:
    assert page_to_text(PAGE).splitlines() == [
        "Towers",
        "The tower",
        "of Orla",
        "It is",
        "88 metres",
        "high & old.",
        "red",
        "old one",
    ]


def test_markdown_keeps_headings_lists_and_links() -> None:
    assert page_to_markdown(PAGE) == (
        "Towers\n\n## The tower of Orla\n\nIt is 88 metres high & old.\n\n- red\n- [old one](/old)"
    )


@pytest.mark.parametrize(
    ("text", "words", "markdown"),
    [
        ("", "", ""),
        ("no page at all", "no page at all", "no page at all"),
        ("</style>shown", "shown", "shown"),
        ("<a>x", "x", "[x"),
    ],
)
def test_what_is_no_page_is_read_all_the_same(text: str, words: str, markdown: str) -> None:
    assert page_to_text(text) == words
    assert page_to_markdown(text) == markdown


@given(st.text(alphabet="<>/apstyle hrf=\"'&;#!-\n", max_size=200))
def test_no_text_breaks_the_reading(text: str) -> None:
    assert "<style>" not in page_to_text(f"<style>{text}</style>")
    assert page_to_markdown(text) == page_to_markdown(text).strip()
