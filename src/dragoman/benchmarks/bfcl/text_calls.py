"""Functions offered and called as text: what a model without native tool calls is told."""

from collections.abc import Mapping, Sequence
from itertools import product

import msgspec

from dragoman.benchmarks.bfcl.checking.judging import WrittenReply, reply_of
from dragoman.benchmarks.bfcl.entries.showing import shown_documents
from dragoman.benchmarks.bfcl.entries.single import Entry
from dragoman.benchmarks.bfcl.entries.turns import MultiTurnEntry
from dragoman.benchmarks.bfcl.entries.turns_showing import appearing_text, system_prompt
from dragoman.benchmarks.bfcl.prompts.prompting import PromptFormat, compose_prompt
from dragoman.benchmarks.bfcl.prompts.shown_documents import as_shown
from dragoman.benchmarks.bfcl.prompts.texts import PromptTexts
from dragoman.benchmarks.bfcl.questions import FunctionDocument, Parameters
from dragoman.benchmarks.bfcl.reading import Form
from dragoman.benchmarks.bfcl.rules import BfclRules
from dragoman.benchmarks.bfcl.text.bounds import UnreadableError
from dragoman.benchmarks.bfcl.text.call_strings import call_string
from dragoman.benchmarks.bfcl.text.storable import storable
from dragoman.core.speech import Called, Reply
from dragoman.core.tasks import Task
from dragoman.core.tools import ToolCall, Toolset, ToolSpec

_FORMS: tuple[Form, ...] = ("python", "json", "verbose_xml", "concise_xml")

CALL_FORMS: Mapping[str, tuple[Form, bool]] = {
    f"{form}-tagged" if tagged else form: (form, tagged)
    for form, tagged in product(_FORMS, (False, True))
}
"""The forms in which calls are asked for, and whether between tags, by the name that moves carry."""


class TextCalls:
    """The functions of single questions as text, in one format or in that of each entry."""

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
        return form_name(self._format(task))

    def offer(self, task: Task, tools: Toolset) -> str:
        """Return the system text that offers the functions, described as the tools are."""
        documents = shown_documents(self._entries[task.id], self._texts)
        shown = as_shown(documents, tools, self._texts.float_note)
        texts = self._texts.for_functions(are_english=shown == documents)
        return compose_prompt(shown, texts, self._format(task))

    def read(self, task: Task, text: str) -> Reply:
        """Return what a model's text is: calls, words, or calls that cannot be read."""
        question = self._entries[task.id].question
        form = self._format(task)
        kind: Form = question.language if form.calls == "python" else form.calls
        written = WrittenReply(text, kind, form.tagged)
        return told_apart(reply_of(written, question.functions, self._rules), text)

    def appearing(self, task: Task, tools: Sequence[ToolSpec], words: str) -> str:  # noqa: ARG002 - whatever it is
        """Return the words: no function appears later in a single question."""
        return words

    def results(self, answered: Sequence[tuple[ToolCall, str]]) -> str:
        """Return what calls returned; nobody executes those of a single question."""
        return results_text(answered)

    def _format(self, task: Task) -> PromptFormat:
        return self._form or self._entries[task.id].prompt_format


class TurnTextCalls:
    """The functions of entries with several turns as text."""

    def __init__(
        self,
        entries: Mapping[str, MultiTurnEntry],
        texts: PromptTexts,
        rules: BfclRules,
        form: PromptFormat,
    ) -> None:
        self._entries = entries
        self._texts = texts
        self._rules = rules
        self._form = form

    def call_form(self, task: Task) -> str:  # noqa: ARG002 - one form serves all
        """Return the name of the form in which calls are asked for."""
        return form_name(self._form)

    def offer(self, task: Task, tools: Toolset) -> str:
        """Return the system text that offers the functions that are there at the start."""
        return system_prompt(self._entries[task.id], self._texts, self._form, tools)

    def read(self, task: Task, text: str) -> Reply:
        """Return what a model's text is: calls, words, or calls that cannot be read.

        Where positionals are not bound to names they are lost on the way to the world.
        """
        form = self._form
        offered = tuple(
            FunctionDocument(document.name, Parameters({}))
            for document in self._entries[task.id].documents
        )
        reply = reply_of(WrittenReply(text, form.calls, form.tagged), offered, self._rules)
        if isinstance(reply, Called) and not self._rules.positionals_are_bound:
            replace = msgspec.structs.replace
            reply = Called(tuple(replace(call, positionals=()) for call in reply.calls))
        return told_apart(reply, text)

    def appearing(self, task: Task, tools: Sequence[ToolSpec], words: str) -> str:
        """Return the user's words with the documents of the functions that appear."""
        names = [tool.name for tool in tools]
        return appearing_text(self._entries[task.id], names, self._texts, tools) or words

    def results(self, answered: Sequence[tuple[ToolCall, str]]) -> str:
        """Return what calls returned."""
        return results_text(answered)


def form_name(form: PromptFormat) -> str:
    """Return the name that moves carry for a format."""
    return f"{form.calls}-tagged" if form.tagged else form.calls


def told_apart(reply: Reply, text: str) -> Reply:
    """Return a reply whose calls have numbers, with the text that they were read from."""
    if not isinstance(reply, Called):
        return reply
    return Called(tuple(_told_apart(call, n) for n, call in enumerate(reply.calls)), text)


def _told_apart(call: ToolCall, number: int) -> ToolCall:
    """Return a call with its number; one whose values a record cannot carry cannot be executed."""
    return storable(msgspec.structs.replace(call, id=f"text_{number}"))


def results_text(answered: Sequence[tuple[ToolCall, str]]) -> str:
    """Return the message that tells what calls returned, as upstream writes it."""
    return repr(
        [{"role": "tool", "name": _written(call), "content": content} for call, content in answered]
    )


def _written(call: ToolCall) -> str:
    try:
        return call_string(call)
    except UnreadableError:
        return call.name
