"""Functions offered and called as text, in the form of International Tool Calling."""

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.resources import files

import msgspec

from dragoman.core.apis.tasks import ApiCall
from dragoman.core.apis.written.answers import FORM, ITS_FORM_ALONE, read_answer
from dragoman.core.apis.written.calls import longest_first
from dragoman.core.apis.written.writing import written_answer
from dragoman.core.speech import Called, Reply, Said, Unparsed, say
from dragoman.core.tasks import Task
from dragoman.core.tools import ToolCall, Toolset, ToolSpec

Names = Callable[[Task], Mapping[str, str]]
"""Returns what a task's functions are called in text, by the names of native calls."""


@functools.cache
def prompt(name: str) -> str:
    """Return one of the texts that an agent is told."""
    path = files("dragoman.benchmarks.kit.apis") / "prompts" / f"{name}.txt"
    return path.read_text("utf-8").strip()


class ThoughtAndAction:
    """The functions of tasks as text.

    Args:
        names: What they are called in text.
        reader: The version of the reader of answers.
    """

    def __init__(self, names: Names, reader: int = ITS_FORM_ALONE) -> None:
        self._names = names
        self._reader = reader

    def call_form(self, task: Task) -> str:  # noqa: ARG002 - one form serves all
        """Return the name of the form in which calls are asked for."""
        return FORM

    def offer(self, task: Task, tools: Toolset) -> str:
        """Return the system text that offers the functions by their own names."""
        return offered_text(tools, self._names(task))

    def read(self, task: Task, text: str) -> Reply:
        """Return what a model's text is: calls, words, or calls that cannot be read."""
        names = self._names(task)
        native = {own: wire for wire, own in names.items()}
        answer = read_answer(text, longest_first({*native, *names}), self._reader)
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
        return results_text((call.name, content) for call, content in answered)

    def written(self, task: Task, reply: Reply) -> str:
        """Return a reply in the form; words beside calls, or alone, are the thought."""
        names = self._names(task)
        match reply:
            case Called(calls=calls, text=text):
                own = (ApiCall(names.get(call.name, call.name), call.arguments) for call in calls)
                return written_answer(text or "", own)
            case Said():
                return written_answer(reply.text, ())
            case Unparsed(raw=raw):
                return raw


def offered_text(tools: Iterable[ToolSpec], names: Mapping[str, str]) -> str:
    """Return the system text that offers functions.

    Args:
        tools: The functions.
        names: What they are called in text, by the names of native calls.
    """
    offered = [
        {
            "name": names[tool.name],
            "description": tool.description.removeprefix(f"{names[tool.name]}: "),
            "parameters": tool.parameters,
        }
        for tool in tools
    ]
    return f"{prompt('form')}\n{msgspec.json.encode(offered).decode()}"


def results_text(answered: Iterable[tuple[str, str]]) -> str:
    """Return what functions returned, by their names, one JSON object a line."""
    lines = (
        msgspec.json.encode({"function": name, "result": content}).decode()
        for name, content in answered
    )
    return "\n".join((prompt("results"), *lines))
