"""Docs, docstrings, comments and printed text are plain English: no banned word, no banned sentence form."""

import re
from pathlib import Path

import pytest
from tests import prose
from tests.prose import Kind, Text

ROOT = Path(__file__).resolve().parents[1]


def found_in(kind: Kind, text: str) -> list[str]:
    """Return what is found in a text of some kind."""
    return [each.found for each in prose.find_in(Text("x.py", 1, kind, text))]


@pytest.mark.slow
def test_prose_breaks_no_rule() -> None:
    excepted = [
        (each["path"], re.compile(each["sentence"])) for each in prose.RULES.get("exceptions", ())
    ]
    found = [
        f"{each.path}:{each.line}: {each.found!r} (use: {each.use}): {each.sentence}"
        for each in prose.find_all(prose.prose_files([ROOT / root for root in prose.ROOTS]))
        if not any(
            each.path.startswith(path) and pattern.search(each.sentence)
            for path, pattern in excepted
        )
    ]

    assert found == []


def test_every_exception_has_a_reason() -> None:
    listed = [*prose.RULES.get("exceptions", ()), *prose.RULES.get("exempt", ())]

    assert [each for each in listed if not each.get("reason")] == []


@pytest.mark.parametrize(
    "text",
    [
        "What comes back is judged text by text.",
        "Who waits is told.",
        "How hosts are asked.",
        "Where nothing was heard, nothing is counted.",
        '"Which of them holds" is not known.',
        "- What a call costs.",
        "3. Where a run lies.",
    ],
)
def test_a_sentence_that_begins_with_a_clause_is_found(text: str) -> None:
    assert len(found_in("docstring", text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "What does a call cost?",
        "Return the cost of a call.",
        "How to add a language.",
        "0 where it is not known.",
        "`what` names the kind.",
    ],
)
def test_a_plain_sentence_and_a_question_are_not_found(text: str) -> None:
    assert found_in("docstring", text) == []


@pytest.mark.parametrize("kind", ["docstring", "comment", "message", "page", "template"])
def test_a_banned_word_is_found_in_every_kind_of_text(kind: Kind) -> None:
    assert found_in(kind, "The run is played anew, and the report lies beside it.") == [
        "anew",
        "beside",
    ]


def test_an_old_term_is_found_as_a_whole_word_alone() -> None:
    assert found_in("page", "The crew is told.") == ["crew"]
    assert found_in("page", "The screw and the `crew` of the code are fine.") == []


def test_whether_may_begin_the_description_of_an_attribute_but_not_of_a_function() -> None:
    assert found_in("attribute", "Whether the run is finished.") == []
    assert found_in("docstring", "Whether the run is finished.") == ["Whether"]


def test_a_heading_of_a_page_may_begin_with_any_word() -> None:
    assert found_in("page", "## What next, and where") == []


def test_code_of_a_page_and_of_a_template_is_not_prose(tmp_path: Path) -> None:
    page, template = tmp_path / "page.md", tmp_path / "page.j2"
    page.write_text("A sentence.\n\n```\nWhat is printed here is code.\n```\n", "utf-8")
    template.write_text("<p title='x'>{{ what_is_printed }}</p>\n<p>What it is.</p>\n", "utf-8")

    assert list(prose.find_all([page])) == []
    assert [(each.line, each.found) for each in prose.find_all([template])] == [(2, "What")]


def test_docstrings_comments_and_messages_of_code_are_read(tmp_path: Path) -> None:
    code = tmp_path / "src" / "x.py"
    code.parent.mkdir()
    code.write_text(
        '"""What it is."""\n\n# What comes next is said anew.\nX = 1\n"""Whether it is so."""\n',
        "utf-8",
    )

    assert [(each.kind, each.found) for each in prose.find_all([code])] == [
        ("docstring", "What"),
        ("comment", "anew"),
        ("comment", "What"),
    ]
