"""Tool calls as text for models without native function calling (BFCL's prompting mode)."""

from collections.abc import Mapping, Sequence
from itertools import product

import msgspec

from dragoman.benchmarks.bfcl.ast_checker.reply_check import WrittenReply, classify_reply
from dragoman.benchmarks.bfcl.call_parsers.limits import UnreadableError
from dragoman.benchmarks.bfcl.call_parsers.python_calls import NAMELESS
from dragoman.benchmarks.bfcl.entry_files import FunctionDocument, Parameters
from dragoman.benchmarks.bfcl.multi_turn_entries import (
    MultiTurnEntry,
    appearing_text,
    system_prompt,
)
from dragoman.benchmarks.bfcl.native_tools import localize_documents
from dragoman.benchmarks.bfcl.prompts import PromptFormat, PromptTexts, compose_prompt
from dragoman.benchmarks.bfcl.reply_parser import Form
from dragoman.benchmarks.bfcl.rules import BfclRules
from dragoman.benchmarks.bfcl.single_turn_entries import Entry, shown_documents
from dragoman.core.replies import Reply, ToolCallReply
from dragoman.core.tasks import Task
from dragoman.core.texts.decoding import escape_surrogates, why_not_serializable
from dragoman.core.tools import ToolCall, Toolset, ToolSpec


def call_string(call: ToolCall) -> str:
    """Return a call as text, or raise UnreadableError for an empty object among its values.

    An object whose values are all objects is written as a nested call, as the reference has it.
    """
    return f"{call.name}({_format_arguments(call.arguments)})"


def _format_arguments(arguments: Mapping[str, object]) -> str:
    return ", ".join(
        f"{'None' if name == NAMELESS else name}={_format_value(value)}"
        for name, value in arguments.items()
    )


def _format_value(value: object) -> str:
    if not isinstance(value, dict):
        return repr(value)
    if all(isinstance(entry, dict) for entry in value.values()):
        name, arguments = next(iter(value.items()), (None, None))
        if not isinstance(arguments, dict):
            raise UnreadableError("an empty object cannot be written as a call")
        return f"{name}({_format_arguments(arguments)})"
    return "{" + ", ".join(f"'{key}': {_format_value(entry)}" for key, entry in value.items()) + "}"


def storable_call(call: ToolCall) -> ToolCall:
    """Return a call as it is, or as one that cannot be read where a record could not carry it."""
    if not (why := why_not_serializable((call.name, call.arguments, call.positionals, call.raw))):
        return call
    return msgspec.structs.replace(
        call,
        name=escape_surrogates(call.name),
        arguments={},
        positionals=(),
        raw=escape_surrogates(call.raw),
        malformed=why,
    )


_FORMS: tuple[Form, ...] = ("python", "json", "verbose_xml", "concise_xml")

CALL_FORMS: Mapping[str, tuple[Form, bool]] = {
    f"{form}-tagged" if tagged else form: (form, tagged)
    for form, tagged in product(_FORMS, (False, True))
}
"""The requested forms of calls, by the name that messages carry.

Each name maps to a form, and to whether calls stand between tags.
"""


class SingleTurnTextCalls:
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
        shown = localize_documents(documents, tools, self._texts.float_note)
        texts = self._texts.for_functions(are_english=shown == documents)
        return compose_prompt(shown, texts, self._format(task))

    def read(self, task: Task, text: str) -> Reply:
        """Return a model's text as calls, words, or unreadable calls."""
        question = self._entries[task.id].question
        form = self._format(task)
        kind: Form = question.language if form.calls == "python" else form.calls
        written = WrittenReply(text, kind, form.tagged)
        return number_calls(classify_reply(written, question.functions, self._rules), text)

    def appearing(self, task: Task, tools: Sequence[ToolSpec], words: str) -> str:  # noqa: ARG002
        """Return the words: no function appears later in a single question."""
        return words

    def results(self, answered: Sequence[tuple[ToolCall, str]]) -> str:
        """Return what calls returned; nobody executes those of a single question."""
        return results_text(answered)

    def _format(self, task: Task) -> PromptFormat:
        return self._form or self._entries[task.id].prompt_format


class MultiTurnTextCalls:
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
        """Return the system text that offers the initial functions."""
        return system_prompt(self._entries[task.id], self._texts, self._form, tools)

    def read(self, task: Task, text: str) -> Reply:
        """Return a model's text as calls, words, or unreadable calls.

        If positionals are not bound to names, they are lost on the way to the environment.
        """
        form = self._form
        offered = tuple(
            FunctionDocument(document.name, Parameters({}))
            for document in self._entries[task.id].documents
        )
        reply = classify_reply(WrittenReply(text, form.calls, form.tagged), offered, self._rules)
        if isinstance(reply, ToolCallReply) and not self._rules.positionals_are_bound:
            replace = msgspec.structs.replace
            reply = ToolCallReply(tuple(replace(call, positionals=()) for call in reply.calls))
        return number_calls(reply, text)

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


def number_calls(reply: Reply, text: str) -> Reply:
    """Return a reply whose calls have numbers, with the text that they were read from."""
    if not isinstance(reply, ToolCallReply):
        return reply
    return ToolCallReply(tuple(_number_call(call, n) for n, call in enumerate(reply.calls)), text)


def _number_call(call: ToolCall, number: int) -> ToolCall:
    """Return a call with its number; one whose values a record cannot carry cannot be executed."""
    return storable_call(msgspec.structs.replace(call, id=f"text_{number}"))


def results_text(answered: Sequence[tuple[ToolCall, str]]) -> str:
    """Return the message that tells what calls returned, as upstream writes it."""
    return repr(
        [
            {"role": "tool", "name": _format_call(call), "content": content}
            for call, content in answered
        ]
    )


def _format_call(call: ToolCall) -> str:
    try:
        return call_string(call)
    except UnreadableError:
        return call.name
