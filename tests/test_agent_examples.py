"""The guide to agents shows the content of its examples, and the examples run."""

import asyncio
import json
import re
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "docs" / "examples"
GUIDE = (ROOT / "docs" / "reference" / "agents.md").read_text("utf-8")
NEEDED = {"langgraph_agent": "langgraph", "openai_agents_sdk": "openai-agents"}

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "find_user_id_by_email",
            "description": "Finds a user.",
            "parameters": {
                "type": "object",
                "properties": {"email": {"type": "string"}},
                "required": ["email"],
            },
        },
    }
]
MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": "Be kind."},
    {"role": "assistant", "content": "Hi! How can I help you today?"},
    {"role": "user", "content": "I am ines@example.com."},
]
AFTER_A_BAD_CALL: list[dict[str, Any]] = [
    *MESSAGES,
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "look", "arguments": "{oops"}},
            {"id": "b", "type": "function", "function": {"name": "look", "arguments": '{"x": 1}'}},
        ],
    },
    {"role": "tool", "tool_call_id": "a", "content": "Error: the arguments are no object"},
    {"role": "tool", "tool_call_id": "b", "content": "Error: no such tool"},
]
Load = Callable[[str], ModuleType]
Agent = Callable[[list[dict[str, Any]], list[dict[str, Any]]], Awaitable[dict[str, Any]]]


def needs(example: str) -> None:
    """Skip if the framework of an example is not installed."""
    package = NEEDED.get(example)
    try:
        if package is not None:
            version(package)
    except PackageNotFoundError:
        pytest.skip(f"{package} is not installed: the example {example}.py needs it")


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Iterator[Load]:
    """Import an example, or skip if it cannot run."""
    loaded: list[str] = []

    def importing(example: str) -> ModuleType:
        needs(example)
        monkeypatch.syspath_prepend(EXAMPLES)
        loaded.append(example)
        return import_module(example)

    yield importing
    for example in loaded:
        sys.modules.pop(example, None)


def reply(agent: Agent, messages: list[dict[str, Any]]) -> dict[str, Any]:
    async def asking() -> dict[str, Any]:
        return await agent(messages, TOOLS)

    return asyncio.run(asking())


def play(agent: str, out: Path) -> dict[str, Any]:
    """Play the sample with an agent named as in the examples' folder; return the result."""
    done = subprocess.run(
        [
            *(sys.executable, "-m", "dragoman", "run", "sample:shop", "--agent", agent),
            *("--judge", "rule", "--out", str(out / "run"), "--json"),
        ],
        cwd=EXAMPLES,
        env={"PATH": "", "PYTHONPATH": str(ROOT / "src"), "XDG_CACHE_HOME": str(out / "cache")},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    assert result["cells"][0]["endings"] == {"user_stop": 5}
    assert result["infrastructure_errors"] == result["cells"][0]["missing"] == 0
    return result


def test_every_example_is_named_in_the_guide() -> None:
    files = sorted(path.name for path in EXAMPLES.glob("*.py"))
    assert files == sorted(set(re.findall(r"\(\.\./examples/(\w+\.py)\)", GUIDE)))


def test_what_the_guide_shows_is_in_an_example() -> None:
    shown = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)
    examples = [path.read_text("utf-8") for path in EXAMPLES.glob("*.py")]
    assert len(shown) == 3
    assert [code for code in shown if not any(code in example for example in examples)] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("example", "replies"),
    [
        ("own_function", 7),
        ("own_async_function", 5),
        ("langgraph_agent", 7),
        ("openai_agents_sdk", 7),
    ],
)
def test_an_example_plays_the_sample(tmp_path: Path, example: str, replies: int) -> None:
    needs(example)

    result = play(f"{example}:agent", tmp_path)

    (usage,) = result["usage"]
    assert usage["calls"] == replies
    assert result["cells"][0]["tool_errors"] == 0


@pytest.mark.slow
def test_the_server_of_the_guide_plays_the_sample(tmp_path: Path) -> None:
    command = [sys.executable, str(EXAMPLES / "http_server.py")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            result = play(process.stdout.readline().strip(), tmp_path)
        finally:
            process.send_signal(signal.SIGTERM)

    (usage,) = result["usage"]
    assert (usage["calls"], usage["output_tokens"]) == (5, 50)


def test_the_langgraph_example_passes_calls_on_as_the_model_wrote_them(load: Load) -> None:
    example = load("langgraph_agent")
    core = import_module("langchain_core.messages")
    heard: list[Any] = []
    message = core.AIMessage(
        "One moment.",
        tool_calls=[{"id": "c", "name": "look", "args": {"x": 1}}],
        invalid_tool_calls=[{"id": "d", "name": "look", "args": "{oops", "error": None}],
        usage_metadata={"input_tokens": 12, "output_tokens": 3, "total_tokens": 15},
    )
    fakes = import_module("langchain_core.language_models.fake_chat_models")

    class Fake(fakes.GenericFakeChatModel):  # type: ignore[misc, name-defined] # not installed where types are checked
        def bind_tools(self, tools: object) -> Any:  # noqa: ANN401 - a runnable of LangChain's
            heard.append(tools)
            return self

        def _generate(self, messages: list[object], *rest: object, **options: object) -> Any:  # noqa: ANN401 - LangChain's
            heard.extend(messages)
            return super()._generate(messages, *rest, **options)

    answer = reply(example.make_agent(Fake(messages=iter([message]))), AFTER_A_BAD_CALL)

    assert answer == {
        "content": "One moment.",
        "tool_calls": [
            {"id": "c", "name": "look", "arguments": {"x": 1}},
            {"id": "d", "name": "look", "arguments": "{oops"},
        ],
        "usage": {"input_tokens": 12, "output_tokens": 3},
    }
    tools, *messages = heard
    assert tools == TOOLS
    assert [m.type for m in messages] == ["system", "ai", "human", "ai", "tool", "tool"]
    assert [call["args"] for call in messages[3].tool_calls] == [{"x": 1}]
    assert [call["args"] for call in messages[3].invalid_tool_calls] == ["{oops"]


def test_the_sdk_example_passes_calls_on_as_the_model_wrote_them(load: Load) -> None:
    example = load("openai_agents_sdk")
    doubles = import_module("agents.testing")
    model = doubles.ScriptedModel(
        [
            [
                doubles.assistant_message("One moment."),
                doubles.function_call("find_user_id_by_email", "{oops", call_id="c"),
                doubles.function_call("no_such_tool", {"x": 1}, call_id="d"),
            ]
        ]
    )

    answer = reply(example.make_agent(model), AFTER_A_BAD_CALL)

    assert answer["content"] == "One moment."
    assert answer["tool_calls"] == [
        {"id": "c", "name": "find_user_id_by_email", "arguments": "{oops"},
        {"id": "d", "name": "no_such_tool", "arguments": '{"x":1}'},
    ]
    (call,) = model.calls
    assert call.system_instructions == "Be kind."
    assert [tool.name for tool in call.tools] == ["find_user_id_by_email"]
    assert [item.get("type", item.get("role")) for item in call.input] == [
        *("assistant", "user", "function_call", "function_call"),
        *("function_call_output", "function_call_output"),
    ]


def test_a_reply_of_the_sdk_without_words_or_calls_is_an_empty_answer(load: Load) -> None:
    example = load("openai_agents_sdk")
    model = import_module("agents.testing").ScriptedModel([[]])

    answer = reply(example.make_agent(model), MESSAGES)

    assert (answer["content"], answer["tool_calls"]) == (None, [])
