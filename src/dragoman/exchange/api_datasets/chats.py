"""A task as messages with native tool calls, in the form that OpenAI's fine-tuning takes."""

from collections.abc import Iterator, Mapping

import msgspec

from dragoman.benchmarks.kit.api_tools import native_tool_names, operation_tool, prompt_text
from dragoman.core.apis.tasks import SolutionStep
from dragoman.core.tools import openai_schema
from dragoman.curation.apis.rows import DatasetRow


class ToolChat(msgspec.Struct, frozen=True):
    """One task: messages, and the functions on offer."""

    messages: tuple[dict[str, object], ...]
    tools: tuple[dict[str, object], ...]


def chat_of(row: DatasetRow) -> ToolChat:
    """Return a task as messages.

    A step's thought is the content beside its calls. What the last calls returned is left out where the
    assistant said nothing to it: the last message is the assistant's.
    """
    wire = native_tool_names(row.tools)
    messages: list[dict[str, object]] = [
        {"role": "system", "content": prompt_text("policy")},
        {"role": "user", "content": row.task.query},
    ]
    for number, step in enumerate(row.solution.steps, 1):
        messages += _messages(step, number, wire)
    while messages[-1]["role"] == "tool":
        messages.pop()
    tools = tuple(
        openai_schema(operation_tool(each.operation, wire[name]))
        for name, each in row.tools.items()
    )
    return ToolChat(tuple(messages), tools)


def _messages(
    step: SolutionStep, number: int, wire: Mapping[str, str]
) -> Iterator[dict[str, object]]:
    message: dict[str, object] = {"role": "assistant", "content": step.thought}
    if step.calls:
        message["tool_calls"] = [
            {
                "id": f"call_{number}_{place}",
                "type": "function",
                "function": {
                    "name": wire.get(call.tool, call.tool),
                    "arguments": msgspec.json.encode(call.arguments).decode(),
                },
            }
            for place, call in enumerate(step.calls, 1)
        ]
    yield message
    for place, result in enumerate(step.results, 1):
        yield {"role": "tool", "tool_call_id": f"call_{number}_{place}", "content": result}
