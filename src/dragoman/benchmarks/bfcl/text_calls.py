"""Functions offered and called as text: what a model without native tool calls is told."""

from collections.abc import Mapping
from itertools import product

import msgspec

from dragoman.benchmarks.bfcl.entries import Entry
from dragoman.benchmarks.bfcl.judging import Written, reply_of
from dragoman.benchmarks.bfcl.prompt_texts import PromptTexts
from dragoman.benchmarks.bfcl.prompting import PromptFormat
from dragoman.benchmarks.bfcl.reading import Form
from dragoman.benchmarks.bfcl.rules import BfclRules
from dragoman.benchmarks.bfcl.showing import offer
from dragoman.core.speech import Called, Reply
from dragoman.core.tasks import Task
from dragoman.core.tools import Toolset

_FORMS: tuple[Form, ...] = ("python", "json", "verbose_xml", "concise_xml")

CALL_FORMS: Mapping[str, tuple[Form, bool]] = {
    f"{form}-tagged" if tagged else form: (form, tagged)
    for form, tagged in product(_FORMS, (False, True))
}
"""The forms in which calls are asked for, and whether between tags, by the name that moves carry."""


class TextCalls:
    """One suite's functions as text, in one format or in that of each entry."""

    def __init__(
        self,
        entries: Mapping[str, Entry],
        texts: PromptTexts,
        rules: BfclRules,
        form: PromptFormat | None,
    ) -> None:
        """Prepare the texts; without a format every entry is asked in its own."""
        self._entries = entries
        self._texts = texts
        self._rules = rules
        self._form = form

    def call_form(self, task: Task) -> str:
        """Return the name of the form in which calls are asked for."""
        form = self._format(task)
        return f"{form.calls}-tagged" if form.tagged else form.calls

    def offer(self, task: Task, tools: Toolset) -> str:  # noqa: ARG002 - all are on offer from the start
        """Return the system text that offers the functions."""
        return offer(self._entries[task.id], self._texts, self._format(task))

    def read(self, task: Task, text: str) -> Reply:
        """Return what a model's text is: calls, words, or calls that cannot be read."""
        question = self._entries[task.id].question
        form = self._format(task)
        kind: Form = question.language if form.calls == "python" else form.calls
        reply = reply_of(Written(text, kind, form.tagged), question.functions, self._rules)
        return msgspec.structs.replace(reply, text=text) if isinstance(reply, Called) else reply

    def _format(self, task: Task) -> PromptFormat:
        return self._form or self._entries[task.id].prompt_format
