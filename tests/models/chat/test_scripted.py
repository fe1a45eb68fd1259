import asyncio
import re
from pathlib import Path

import msgspec
import pytest

from dragoman.core.errors import ParticipantError, UsageError
from dragoman.core.protocols import ChatRequest, Completion
from dragoman.core.replies import ToolCallReply, text_reply
from dragoman.core.tools import NO_TOOLS, ToolCall
from dragoman.models.chat.scripted import ScriptedCall, ScriptedModel, ScriptedReply, load_script

HI, BYE = ScriptedReply("hi"), ScriptedReply("bye")


def complete(model: ScriptedModel, label: str, *roles: str) -> Completion:
    messages = [{"role": role, "content": "x"} for role in roles]
    return asyncio.run(model.complete(ChatRequest(messages, NO_TOOLS, 0, label), "agent"))


def test_the_next_reply_follows_from_the_messages() -> None:
    model = ScriptedModel("m", {"1": [HI, BYE]}, greeted=0)
    assert complete(model, "1", "system", "user").reply == text_reply("hi")
    assert complete(model, "1", "system", "user", "assistant", "user").reply == text_reply("bye")
    assert complete(model, "1", "system", "user").reply == text_reply("hi")


def test_an_agents_greeting_is_not_its_first_reply() -> None:
    model = ScriptedModel("m", {"1": [HI]}, greeted=1)
    assert complete(model, "1", "system", "assistant", "user").reply == text_reply("hi")


def test_a_task_without_replies_of_its_own_gets_those_of_all() -> None:
    model = ScriptedModel("m", {"1": [HI], "*": [BYE]}, greeted=0)
    assert complete(model, "1", "user").reply == text_reply("hi")
    assert complete(model, "2", "user").reply == text_reply("bye")


def test_calls_come_as_from_a_wire() -> None:
    reply = ScriptedReply("wait", (ScriptedCall("a", {"x": 1}), ScriptedCall("b", "{broken")))
    said = complete(ScriptedModel("m", {"1": [reply]}, greeted=0), "1", "user").reply
    assert isinstance(said, ToolCallReply)
    assert said.text == "wait"
    assert said.calls[0] == ToolCall("call_0_0", "a", {"x": 1})
    assert (said.calls[1].id, said.calls[1].raw) == ("call_0_1", "{broken")
    assert said.calls[1].malformed


def test_the_raw_reply_is_a_completion() -> None:
    raw = complete(ScriptedModel("m", {"1": [HI]}, greeted=0), "1", "user").raw
    assert msgspec.json.decode(raw)["choices"][0]["message"]["content"] == "hi"


def test_a_script_that_lacks_the_task_is_a_broken_participant() -> None:
    with pytest.raises(ParticipantError, match="m: the script has no replies for task 2"):
        complete(ScriptedModel("m", {"1": [HI]}, greeted=0), "2", "user")


@pytest.mark.parametrize("roles", [("assistant", "user"), ("user", "assistant", "assistant")])
def test_a_script_that_is_used_up_is_a_broken_participant(roles: tuple[str, ...]) -> None:
    with pytest.raises(ParticipantError, match="m: the script of task 1 is used up"):
        complete(ScriptedModel("m", {"1": [HI]}, greeted=0), "1", *roles)


def test_a_history_without_the_greeting_is_a_broken_participant() -> None:
    with pytest.raises(ParticipantError, match="used up"):
        complete(ScriptedModel("m", {"1": [HI]}, greeted=1), "1", "user")


def test_a_script_is_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    path.write_text(
        '{"1": [{"content": "hi"}, {"tool_calls": [{"name": "a", "arguments": {"x": 1}}]}]}'
    )
    assert load_script(path) == {
        "1": (HI, ScriptedReply(tool_calls=(ScriptedCall("a", {"x": 1}),)))
    }


def test_a_script_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = tmp_path / "none.json"
    with pytest.raises(UsageError, match=re.escape(f"script {path}: No such file")):
        load_script(path)


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (b"", "truncated"),
        (b"[]", "Expected `object`"),
        (b'{"1": "hi"}', "Expected `array`"),
        (b'{"1": [{"contents": "hi"}]}', "contents"),
        (b'{"1": [{"tool_calls": [{"name": "a"}]}]}', "arguments"),
    ],
)
def test_a_file_that_is_no_script_is_refused(tmp_path: Path, content: bytes, named: str) -> None:
    path = tmp_path / "script.json"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=named):
        load_script(path)


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    path.write_bytes(b'{"1": [{"content": "\xff"}]}')
    with pytest.raises(UsageError):
        load_script(path)
