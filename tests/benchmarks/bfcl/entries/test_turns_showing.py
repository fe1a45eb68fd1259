from collections.abc import Callable

import msgspec

from dragoman.benchmarks.bfcl.multi_turn_entries import (
    MultiTurnEntry,
    appearing_text,
    spoken_messages,
    system_prompt,
    toolsets,
)
from dragoman.benchmarks.bfcl.prompts import PromptTexts

MakeEntry = Callable[..., MultiTurnEntry]


def withholding(make_entry: MakeEntry) -> MultiTurnEntry:
    turns = ("Average.", None, "Add.")
    return make_entry(turns, ((), ("mean([1])",), ()), missed_function={"1": ["mean"]})


def test_withheld_tools_are_visible_from_their_turn_on(
    make_entry: MakeEntry, texts: PromptTexts
) -> None:
    found = toolsets(withholding(make_entry), texts)
    assert [[tool.name for tool in tools] for tools in found] == [
        ["add"],
        ["add", "mean"],
        ["add", "mean"],
    ]
    assert found[2] is found[1]


def test_tools_that_appear_later_carry_no_note_on_their_language(
    make_entry: MakeEntry, texts: PromptTexts
) -> None:
    tools = toolsets(withholding(make_entry), texts)[1].tools
    assert [tool.description for tool in tools] == ["Does. (Python)", "Does."]
    assert tools[0].parameters["properties"] == {
        "x": {"type": "number", "format": "float", "description": "A. (float)"}
    }


def test_in_prompting_mode_the_functions_stand_in_the_system_message_with_their_results(
    make_entry: MakeEntry, texts: PromptTexts
) -> None:
    prompt = system_prompt(withholding(make_entry), texts)
    assert prompt.startswith('You help.\n[\n    {\n        "name": "add"')
    assert '"response": {' in prompt
    assert "mean" not in prompt


def test_in_prompting_mode_functions_that_appear_stand_in_what_the_user_says(
    make_entry: MakeEntry, texts: PromptTexts
) -> None:
    entry = withholding(make_entry)
    assert spoken_messages(entry, 0, texts) == ("Average.",)
    (said,) = spoken_messages(entry, 1, texts)
    assert said.startswith("[{'name': 'mean', 'description': 'Does.', 'parameters': {'type': ")
    assert said.endswith("}]\nMore functions. Now?")


def test_in_prompting_mode_functions_are_described_as_their_tools_are_shown(
    make_entry: MakeEntry, texts: PromptTexts
) -> None:
    entry = withholding(make_entry)
    tools = toolsets(entry, texts)[-1]
    shown = [msgspec.structs.replace(tool, description="คำนวณ") for tool in tools]

    prompt = system_prompt(entry, texts, tools=shown)
    assert '"description": "คำนวณ"' in prompt
    assert "Does. (Python)" not in prompt
    assert system_prompt(entry, texts, tools=tools) == system_prompt(entry, texts)

    said = appearing_text(entry, ["mean"], texts, shown[1:])
    assert said.startswith("[{'name': 'mean', 'description': 'คำนวณ', ")
