"""Single-turn suite of BFCL: functions on offer, one reply, and a check of its calls."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Literal

import msgspec

from dragoman.benchmarks.bfcl.ast_checker.reply_check import WrittenReply, judge_reply
from dragoman.benchmarks.bfcl.entry_files import Question
from dragoman.benchmarks.bfcl.localization import single_turn_values, unsupported_language_reason
from dragoman.benchmarks.bfcl.prompts import PromptFormat, PromptTexts, read_format
from dragoman.benchmarks.bfcl.reply_parser import MODEL_FORMATS, Form
from dragoman.benchmarks.bfcl.rules import RULES, BfclRules
from dragoman.benchmarks.bfcl.single_turn_entries import CATEGORY as FORMATS
from dragoman.benchmarks.bfcl.single_turn_entries import Entry, shown_tools
from dragoman.benchmarks.bfcl.text_tool_calls import CALL_FORMS, SingleTurnTextCalls
from dragoman.benchmarks.bfcl.verdicts import reward_component
from dragoman.benchmarks.kit.environment import OfferedTools
from dragoman.benchmarks.kit.turn_protocols import SingleTurn
from dragoman.core.conditions import Condition
from dragoman.core.episodes import COMPLETE, Episode, Message
from dragoman.core.protocols import (
    Environment,
    EnvironmentFactory,
    Limits,
    Provenance,
    TurnProtocol,
)
from dragoman.core.replies import Reply, TextReply, ToolCallReply, UnparsedReply
from dragoman.core.rules import Rules
from dragoman.core.scores import ComponentScore, Evidence, Scored, Unscored
from dragoman.core.tasks import Task
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.core.texts.expected_values import ExpectedValue
from dragoman.core.tools import ToolCall, Toolset

STORED_FORMS: Mapping[str, tuple[Literal["items", "object_items"], bool]] = {
    "": ("items", True),
    "items": ("items", True),
    "items-dotted": ("items", False),
    "objects": ("object_items", True),
    "objects-dotted": ("object_items", False),
    "named": ("items", True),
    "named-dotted": ("items", False),
}
"""Forms of native calls: how they are stored, and whether names were shown with `_` for dots."""

CALL_FORM_NAMES: Mapping[str, tuple[str, bool]] = {
    f"{name}-underscored" if underscored else name: (name, underscored)
    for name, underscored in product(MODEL_FORMATS, (False, True))
}
"""Forms that models have of their own, in replies that were imported: the same."""


class CallsCheck:
    """CALLS: the reply holds the expected calls, or none where none is wanted."""

    def __init__(self, entries: Mapping[str, Entry], rules: BfclRules) -> None:
        self._entries = entries
        self._rules = rules

    def components(self, task: Task, episode: Episode) -> tuple[ComponentScore, ...]:
        """Return the one component of a question's reward."""
        return self._components(task, episode, None)

    def components_meant(
        self, task: Task, episode: Episode, meant: Callable[[ToolCall], ToolCall]
    ) -> tuple[ComponentScore, ...]:
        """Return the same for a reply that may have labels in the place of values."""
        return self._components(task, episode, meant)

    def _components(
        self, task: Task, episode: Episode, meant: Callable[[ToolCall], ToolCall] | None
    ) -> tuple[ComponentScore, ...]:
        move = _reply(task, episode)
        if move is None:
            return (_score_missing_reply(episode),)
        question = self._entries[task.id].question
        reply = format_reply(move, question)
        if meant is not None:
            reply = msgspec.structs.replace(reply, meant=meant)
        return (reward_component(judge_reply(question, reply, self._rules)),)


def _score_missing_reply(episode: Episode) -> ComponentScore:
    """Return the score of a question without a reply: time that ran out is the agent's."""
    reason = f"the agent gave no reply: {episode.ending.reason}"
    if episode.ending.reason in COMPLETE:
        return ComponentScore("CALLS", True, Unscored(reason))
    return ComponentScore("CALLS", True, Scored(0.0), (Evidence("no reply", False, reason),))


def _reply(task: Task, episode: Episode) -> Message | None:
    new = episode.events[len(task.history) :]
    moves = [event for event in new if isinstance(event, Message) and event.by == "agent"]
    return moves[-1] if moves else None


def format_reply(move: Message, question: Question) -> WrittenReply:
    """Return an agent's reply with what says how it has to be read."""
    if move.call_form in CALL_FORMS:
        form, in_tags = CALL_FORMS[move.call_form]
        return WrittenReply(_text(move.reply), _in_its_language(form, question), in_tags)
    if move.call_form in CALL_FORM_NAMES:
        described_as, underscored = CALL_FORM_NAMES[move.call_form]
        text = _text(move.reply)
        return WrittenReply(
            text, question.language, underscored=underscored, described_as=described_as
        )
    stored, underscored = STORED_FORMS[move.call_form]
    match move.reply:
        case ToolCallReply(calls=calls):
            return WrittenReply(calls, "calls", underscored=underscored)
        case UnparsedReply(raw=raw) if raw.startswith("["):
            return WrittenReply(_listed_calls(raw), stored, underscored=underscored)
        case reply:
            return WrittenReply(_text(reply), stored, underscored=underscored)


def _text(reply: Reply) -> str:
    match reply:
        case ToolCallReply(text=text):
            return text or ""
        case TextReply() as said:
            return said.text
        case UnparsedReply(raw=raw):
            return raw


def _listed_calls(raw: str) -> object:
    """Return the list that an unreadable reply was stored as, or the text where it is none."""
    try:
        return msgspec.json.decode(raw)
    except DECODING_ERRORS:
        return raw


def _in_its_language(form: Form, question: Question) -> Form:
    """Return the form of calls that are asked for as code: that of the functions' language."""
    return question.language if form == "python" else form


class SingleTurnSuite:
    """Questions of one or several categories."""

    def __init__(
        self, name: str, entries: Sequence[Entry], texts: PromptTexts, source: Provenance
    ) -> None:
        self.name = name
        self.provenance = source
        self.entries = tuple(entries)
        self.tasks: Sequence[Task] = tuple(entry.task for entry in entries)
        self._entries = {entry.task.id: entry for entry in entries}
        self._texts = texts
        self._toolsets: dict[str, Toolset] = {}

    @property
    def asks_for_text(self) -> bool:
        """Whether calls are to be written as text, each entry in a form of its own."""
        return self.name == f"bfcl:{FORMATS}"

    def not_applicable(self, condition: Condition) -> str:
        """Return why the suite cannot be played under a condition; "" where it can."""
        if condition.is_localized:
            return unsupported_language_reason(condition)
        has_persona = condition.persona != "none"
        return "one fixed question leaves no room for a persona" if has_persona else ""

    def policy(self, task: Task, environment: Environment) -> str:  # noqa: ARG002 - nothing is executed
        """Return the question's own system message; "" where it has none."""
        return self.instructions(task)

    def instructions(self, task: Task) -> str:
        """Return the same without a world."""
        return self._entries[task.id].instructions

    def expected_values(self, task: Task) -> Sequence[ExpectedValue]:
        """Return the values that will do for each argument."""
        return single_turn_values(self._entries[task.id].question)

    def texts(self) -> Mapping[str, object]:
        """Return the functions on offer; no question is among them."""
        offered = {document for entry in self.entries for document in _entries_by_id(entry)}
        return {"tools": [msgspec.json.decode(document) for document in sorted(offered)]}

    def factory(self, rules: Rules) -> EnvironmentFactory:  # noqa: ARG002 - nothing is executed
        """Return what offers a question's functions."""
        return lambda task: OfferedTools(self.tools(task))

    def tools(self, task: Task) -> Toolset:
        """Return the functions of a question for native calling, encoded once."""
        found = self._toolsets.get(task.id)
        if found is None:
            found = Toolset(shown_tools(self._entries[task.id], self._texts))
            self._toolsets[task.id] = found
        return found

    def check(self, rules: Rules) -> CallsCheck:
        """Return what judges the calls of a reply.

        Raises:
            UsageError: For rules that BFCL does not have.
        """
        return CallsCheck(self._entries, RULES.find(rules.name, self.name))

    def turn_protocol(
        self,
        task: Task,
        environment: Environment,
        rules: Rules,  # noqa: ARG002 - one reply ends it
        limits: Limits,  # noqa: ARG002 - one reply ends it
    ) -> TurnProtocol:
        """Return the protocol of one question."""
        return SingleTurn(task, environment)

    def text_protocol(self, options: Mapping[str, str], rules: Rules) -> SingleTurnTextCalls:
        """Return how functions are offered and called, for the options of an agent's name.

        Raises:
            UsageError: For an option or a value that does not exist.
        """
        return self.text_calls(None if self.asks_for_text else read_format(options), rules)

    def text_calls(self, form: PromptFormat | None, rules: Rules) -> SingleTurnTextCalls:
        """Return the presentation of functions and calls as text.

        Without a form, each entry has its own way.
        """
        return SingleTurnTextCalls(self._entries, self._texts, RULES.find(rules.name), form)


def _entries_by_id(entry: Entry) -> Iterator[bytes]:
    yield from map(msgspec.json.encode, entry.documents)
