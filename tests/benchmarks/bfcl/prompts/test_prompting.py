import pytest

from dragoman.benchmarks.bfcl.prompts import (
    DEFAULT_FORMAT,
    FORMATS,
    LanguageNotes,
    ParameterNotes,
    PromptFormat,
    PromptMessage,
    PromptTexts,
    PromptWording,
    ShownDocument,
    SourceNotes,
    StyleTexts,
    compose_prompt,
    place_prompt,
)
from dragoman.core.errors import DataError

STYLE = StyleTexts(
    "You help. ",
    "Call.",
    "As {output_format}.{param_types}",
    "<T>{output_format}</T>",
    "On.",
    "In {format}:\n{functions}",
)
NOTES = SourceNotes("", "", "")
NOTHING = ShownDocument("f", "{task} {unheard_of}", {"type": "dict", "properties": {}})


def texts(layout: str = "{persona}{task}|{tool_call_format}|{available_tools}") -> PromptTexts:
    return PromptTexts(
        PromptWording(
            {"python": "[f(a=1)]", "json": '{"task": 1}'},
            {"python": "", "json": " Types."},
            {"classic": STYLE},
            {"plaintext": layout, "markdown": "# {task}\n{multiturn_behavior}"},
            "More.",
            "{functions}: more.",
        ),
        LanguageNotes("", "", ""),
        ParameterNotes(NOTES, NOTES),
        "",
    )


def test_a_prompt_is_filled_once_whatever_the_parts_hold() -> None:
    prompt = compose_prompt([NOTHING], texts(), PromptFormat(calls="json", documents="xml"))
    assert prompt == (
        'You help. Call.|As {"task": 1}. Types.|In xml:\n<function name="f">\n'
        "  <desc>{task} {unheard_of}</desc>\n  <params>\n  </params>\n</function>\n"
    )


def test_tags_are_asked_for_by_the_format() -> None:
    assert "|<T>[f(a=1)]</T>|" in compose_prompt([NOTHING], texts(), PromptFormat(tagged=True))


def test_the_layout_is_of_the_format() -> None:
    assert compose_prompt([NOTHING], texts(), PromptFormat(layout="markdown")) == "# Call.\nOn."


def test_a_place_that_nothing_fills_is_refused() -> None:
    with pytest.raises(DataError, match=r"\{surplus\} is unknown"):
        compose_prompt([NOTHING], texts("{surplus}"))


def test_formats_have_names_of_their_own() -> None:
    assert len({form.name for form in FORMATS}) == len(FORMATS) == 26
    assert DEFAULT_FORMAT in FORMATS
    assert DEFAULT_FORMAT.name == (
        "ret_fmt=python&tool_call_tag=False&func_doc_fmt=json&prompt_fmt=plaintext&style=classic"
    )


ASKED = PromptMessage("user", "Who?")


@pytest.mark.parametrize(
    ("messages", "placed"),
    [
        ((ASKED,), (PromptMessage("system", "P"), ASKED)),
        ((PromptMessage("system", "Be."), ASKED), (PromptMessage("system", "P\n\nBe."), ASKED)),
        ((), (PromptMessage("system", "P"),)),
    ],
)
def test_the_prompt_comes_first_and_takes_in_a_system_message(
    messages: tuple[PromptMessage, ...], placed: tuple[PromptMessage, ...]
) -> None:
    assert place_prompt("P", messages) == placed
