"""Calls as text in the way of the suite that a task is of."""

from collections.abc import Mapping, Sequence

from dragoman.core.facets import TextProtocol
from dragoman.core.speech import Reply
from dragoman.core.tasks import Task
from dragoman.core.tools import ToolCall, Toolset, ToolSpec


class JoinedTexts:
    """Offers functions and reads calls as each task's own suite does."""

    def __init__(self, protocols: Mapping[str, TextProtocol]) -> None:
        """Take the protocols by the ids of tasks; they are of one benchmark."""
        self._protocols = protocols
        self._any = next(iter(protocols.values()))

    def call_form(self, task: Task) -> str:
        """Return the name of the form in which calls are asked for."""
        return self._protocols[task.id].call_form(task)

    def offer(self, task: Task, tools: Toolset) -> str:
        """Return the system text that offers the functions."""
        return self._protocols[task.id].offer(task, tools)

    def read(self, task: Task, text: str) -> Reply:
        """Return what a model's text is: calls, words, or calls that cannot be read."""
        return self._protocols[task.id].read(task, text)

    def appearing(self, task: Task, tools: Sequence[ToolSpec], words: str) -> str:
        """Return the user's words in a turn in which functions appear."""
        return self._protocols[task.id].appearing(task, tools, words)

    def results(self, answered: Sequence[tuple[ToolCall, str]]) -> str:
        """Return what calls returned, as all suites of the benchmark tell it."""
        return self._any.results(answered)
