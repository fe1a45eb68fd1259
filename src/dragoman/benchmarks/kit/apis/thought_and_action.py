"""Functions offered and called as text, in the form of International Tool Calling."""

from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files

import msgspec

from dragoman.core.apis.written.answers import FORM, read_answer
from dragoman.core.apis.written.calls import longest_first
from dragoman.core.speech import Called, Reply, Unparsed, say
from dragoman.core.tasks import Task
from dragoman.core.tools import ToolCall, Toolset, ToolSpec

Names = Callable[[Task], Mapping[str, str]]
"""Returns what a task's functions are called in text, by the names of native calls."""


def prompt(name: str) -> str:
    """Return one of the texts that an agent is told."""
    path = files("dragoman.benchmarks.kit.apis") / "prompts" / f"{name}.txt"
    return path.read_text("utf-8").strip()


class ThoughtAndAction:
    """The functions of tasks as text.

    Args:
        names: What they are called in text.
    """

    def __init__(self, names: Names) -> None:
        self._names = names
        self._form, self._results = prompt("form"), prompt("results")

    def call_form(self, task: Task) -> str:  # noqa: ARG002 - one form serves all
        """Return the name of the form in which calls are asked for."""
        return FORM

    def offer(self, task: Task, tools: Toolset) -> str:
        """Return the system text that offers the functions by their own names."""
        names = self._names(task)
        offered = [
            {
                "name": names[tool.name],
                "description": tool.description.removeprefix(f"{names[tool.name]}: "),
                "parameters": tool.parameters,
            }
            for tool in tools
        ]
        return f"{self._form}\n{msgspec.json.encode(offered).decode()}"

    def read(self, task: Task, text: str) -> Reply:
        """Return what a model's text is: calls, words, or calls that cannot be read."""
        names = self._names(task)
        native = {own: wire for wire, own in names.items()}
        answer = read_answer(text, longest_first({*native, *names}))
        if answer.fault:
            return Unparsed(text, answer.fault)
        if not answer.calls:
            return say(text)
        calls = tuple(
            ToolCall(f"text_{number}", native.get(call.tool, call.tool), call.arguments)
            for number, call in enumerate(answer.calls)
        )
        return Called(calls, text)

    def appearing(self, task: Task, tools: Sequence[ToolSpec], words: str) -> str:  # noqa: ARG002 - none appears
        """Return the words: no function appears later."""
        return words

    def results(self, answered: Sequence[tuple[ToolCall, str]]) -> str:
        """Return what calls returned, one JSON object a line."""
        lines = (
            msgspec.json.encode({"function": call.name, "result": content}).decode()
            for call, content in answered
        )
        return "\n".join((self._results, *lines))
