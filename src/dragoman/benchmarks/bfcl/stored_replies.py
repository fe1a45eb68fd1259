"""Stored results of BFCL as conversations, with the format of calls detected per model.

Multi-turn results are executed again in fresh environments.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, Protocol

import msgspec

from dragoman.benchmarks.bfcl.apis.environment import ApiEnvironment
from dragoman.benchmarks.bfcl.apis.results import LongTexts
from dragoman.benchmarks.bfcl.ast_checker.reply_check import classify_reply, read_reply
from dragoman.benchmarks.bfcl.call_parsers.json_calls import read_items, read_object_items
from dragoman.benchmarks.bfcl.call_parsers.limits import UnreadableError
from dragoman.benchmarks.bfcl.call_parsers.model_formats import calls_of
from dragoman.benchmarks.bfcl.entry_files import Question
from dragoman.benchmarks.bfcl.multi_turn_check import entry_question
from dragoman.benchmarks.bfcl.multi_turn_entries import MultiTurnEntry
from dragoman.benchmarks.bfcl.multi_turn_execution import entry_environment
from dragoman.benchmarks.bfcl.multi_turn_suite import MAX_STEPS
from dragoman.benchmarks.bfcl.reply_parser import MODEL_FORMATS
from dragoman.benchmarks.bfcl.rules import BFCL_V4, DEFAULT_RULES, BfclRules
from dragoman.benchmarks.bfcl.single_turn_entries import Entry
from dragoman.benchmarks.bfcl.single_turn_suite import CALL_FORM_NAMES, STORED_FORMS, format_reply
from dragoman.benchmarks.bfcl.text_tool_calls import CALL_FORMS, number_calls
from dragoman.core.episodes import Episode, Event, Message, Termination
from dragoman.core.errors import UsageError
from dragoman.core.replies import Reply, ToolCallReply, UnparsedReply, text_reply
from dragoman.core.tasks import Task
from dragoman.core.texts.decoding import SERIALIZATION_ERRORS
from dragoman.core.tools import ToolCall, ToolResult

Kind = Literal["items", "objects", "named"]
"""Form of native calls: by name with JSON texts or objects, or as `{"name": ...}`."""

DEFAULT = "python"
"""The form in which BFCL asks for calls in text, and the first of those that read equally many."""

_SIGNS: Mapping[str, tuple[str, ...]] = {
    **{name: ("<TOOLCALL>",) if tagged else () for name, (_, tagged) in CALL_FORMS.items()},
    **{name: found.signs for name, found in MODEL_FORMATS.items()},
}
"""Marks in replies that indicate a form of text, in the order in which forms are tried."""

TEXT_FORMS = tuple(_SIGNS)
"""The names of the forms of text."""


_NATIVE: Mapping[str, Callable[[object], tuple[ToolCall, ...]]] = {
    "items": read_items,
    "objects": read_object_items,
    "named": calls_of,
}


class StoredAnswer(msgspec.Struct, frozen=True):
    """A question with the result that is stored for it."""

    question: Question
    result: object


class ReplyReading(msgspec.Struct, frozen=True):
    """The form of a model's replies, and by form how many of the replies speak for it."""

    form: str
    spoken_for: Mapping[str, int] = {}


def detect_reply_format(
    answered: Sequence[StoredAnswer], model: str, chosen: str | None = None
) -> ReplyReading:
    """Return the way in which a model's replies are read.

    Args:
        answered: All questions that the model was asked, in any category.
        model: The model's name; by default, models whose names end in `-FC` call natively.
        chosen: The form of its texts, if one was chosen; lists are read as they are.

    Raises:
        UsageError: If the form does not exist.
    """
    if chosen is not None and chosen not in TEXT_FORMS:
        raise UsageError(f"unknown format {chosen!r}: choose one of {', '.join(TEXT_FORMS)}")
    kind = _kind(answered)
    if kind is not None:
        return ReplyReading(_native(kind, answered))
    if chosen is not None:
        return ReplyReading(_detect_underscoring(chosen, answered))
    counts = _counts(answered)
    form = max(counts, key=counts.__getitem__) if counts else DEFAULT
    if form == DEFAULT and model.endswith("-FC"):
        return ReplyReading(_native("items", answered), counts)
    return ReplyReading(_detect_underscoring(form, answered), counts)


def reply_of_result(answered: StoredAnswer, form: str, rules: BfclRules = DEFAULT_RULES) -> Reply:
    """Return what a stored result is: calls, words, or calls that cannot be read."""
    if isinstance(answered.result, str):
        return _reply_of_text(answered.result, answered.question, form, rules)
    return _reply_of_list(answered.result, form.removesuffix("-dotted"))


def _reply_of_text(text: str, question: Question, form: str, rules: BfclRules) -> Reply:
    said = text_reply(text)
    if not text.strip():
        return UnparsedReply(text, "neither words nor calls")
    if form in STORED_FORMS:
        return said
    found = format_reply(Message("agent", said, call_form=form), question)
    return number_calls(classify_reply(found, question.functions, rules), text)


def _reply_of_list(stored: object, kind: str) -> Reply:
    try:
        calls = _NATIVE.get(kind, read_items)(stored)
    except UnreadableError as error:
        return UnparsedReply(msgspec.json.encode(stored).decode(), str(error))
    if not calls:
        return UnparsedReply("[]", "an empty list of calls")
    if any(not _is_carried(call.arguments) for call in calls):
        # Judged as it was stored: what was read could not be kept as it is.
        return UnparsedReply(msgspec.json.encode(stored).decode(), "values that JSON cannot carry")
    return ToolCallReply(calls)


def _is_carried(arguments: Mapping[str, object]) -> bool:
    """Return whether arguments stay the same when written and read; NaN does not."""
    try:
        read_again: object = msgspec.json.decode(msgspec.json.encode(arguments))
    except SERIALIZATION_ERRORS:
        return False
    return read_again == arguments


def _kind(answered: Sequence[StoredAnswer]) -> Kind | None:
    """Return how native calls are stored; None where there are none."""
    lists = [entry.result for entry in answered if isinstance(entry.result, list)]
    items = [item for listed in lists for item in listed if isinstance(item, dict)]
    if items and all({"name", "arguments"} <= item.keys() for item in items):
        return "named"
    if any(isinstance(value, dict) for item in items for value in item.values()):
        return "objects"
    return "items" if lists else None


def _counts(answered: Sequence[StoredAnswer]) -> dict[str, int]:
    """Return by form how many replies bear its signs and hold calls that it reads."""
    counts = dict.fromkeys(TEXT_FORMS, 0)
    for entry in answered:
        text = entry.result
        if isinstance(text, str):
            for form, signs in _SIGNS.items():
                counts[form] += all(sign in text for sign in signs) and bool(_calls(entry, form))
    return {form: count for form, count in counts.items() if count}


def _calls(answered: StoredAnswer, form: str) -> tuple[ToolCall, ...]:
    """Return the calls that a form reads in a text; none where it reads nothing."""
    move = Message("agent", text_reply(str(answered.result)), call_form=form)
    try:
        return read_reply(format_reply(move, answered.question), DEFAULT_RULES)
    except UnreadableError:
        return ()


def _native(kind: Kind, answered: Sequence[StoredAnswer]) -> str:
    called = [
        (entry, name) for entry in answered for name in _iterate_called_names(entry.result, kind)
    ]
    return f"{kind}-dotted" if _balance(called) > 0 else kind


def _detect_underscoring(form: str, answered: Sequence[StoredAnswer]) -> str:
    """Return a form of text; one of a model's own says whether names were underscored for it."""
    if f"{form}-underscored" not in CALL_FORM_NAMES:
        return form
    texts = [entry for entry in answered if isinstance(entry.result, str)]
    called = [(entry, call.name) for entry in texts for call in _calls(entry, form)]
    return f"{form}-underscored" if _balance(called) < 0 else form


def _iterate_called_names(result: object, kind: Kind) -> Iterator[str]:
    for item in result if isinstance(result, list) else ():
        if isinstance(item, dict):
            yield from [str(item.get("name"))] if kind == "named" else item


def _balance(called: Sequence[tuple[StoredAnswer, str]]) -> int:
    """Return how many more calls spell a dotted name as it is than with `_` for dots."""
    balance = 0
    for entry, name in called:
        dotted = {each.name for each in entry.question.functions if "." in each.name}
        balance += (name in dotted) - (name in {each.replace(".", "_") for each in dotted})
    return balance


FAULT = "Error during inference:"
"""Beginning of the text that upstream's program stores if a model could not be reached."""


_NO_TURNS = Termination("agent_error", "the result holds no turns")


class Replies(Protocol):
    """A maker of conversations from stored results, by the ids of entries."""

    tasks: Mapping[str, Task]

    def answered(self, name: str, result: object) -> Iterator[StoredAnswer]:
        """Yield every reply that a result holds, with what it answers."""
        ...

    def episode(self, name: str, result: object, form: str) -> Episode:
        """Return the conversation as the benchmark plays it, with the replies that were stored."""
        ...


class SingleReplies:
    """Results of single questions: one reply each."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.tasks: Mapping[str, Task] = {entry.task.id: entry.task for entry in entries}
        self._questions = {entry.task.id: entry.question for entry in entries}

    def answered(self, name: str, result: object) -> Iterator[StoredAnswer]:
        """Yield the one reply."""
        yield StoredAnswer(self._questions[name], result)

    def episode(self, name: str, result: object, form: str) -> Episode:
        """Return the question and its reply."""
        task = self.tasks[name]
        words = [message for turn in task.turns for message in turn.messages]
        spoken: list[Event] = [Message("user", text_reply(text), scripted=True) for text in words]
        fault = _fault(result)
        if fault:
            ending = Termination("infrastructure_error", fault)
            return Episode((*task.history, *spoken), ending, steps=len(spoken), errors=0)
        reply = reply_of_result(StoredAnswer(self._questions[name], result), form)
        spoken.append(Message("agent", reply, call_form=form))
        events = (*task.history, *spoken)
        return Episode(events, Termination("turns_done"), steps=len(spoken), errors=0)


class TurnReplies:
    """Results of several turns: a list of replies for every turn."""

    def __init__(self, entries: Sequence[MultiTurnEntry], long: LongTexts | None) -> None:
        self.tasks: Mapping[str, Task] = {entry.task.id: entry.task for entry in entries}
        self._entries = {entry.task.id: entry for entry in entries}
        self._long = long

    def answered(self, name: str, result: object) -> Iterator[StoredAnswer]:
        """Yield all replies of all turns."""
        question = entry_question(self._entries[name])
        for turn in result if isinstance(result, list) else ():
            for reply in turn if isinstance(turn, list) else ():
                yield StoredAnswer(question, reply)

    def episode(self, name: str, result: object, form: str) -> Episode:
        """Return the turns with what their calls return in a fresh world."""
        entry = self._entries[name]
        if not isinstance(result, list):
            fault = _fault(result)
            ending = Termination("infrastructure_error", fault) if fault else _NO_TURNS
            return Episode((), ending, steps=0, errors=0)
        play = _Play(entry, entry_environment(entry, self._long), form)
        for number, replies in enumerate(result):
            play.turn(number, replies if isinstance(replies, list) else [replies])
        return play.episode(len(result))


class _Play:
    """One conversation of several turns as it is put together again."""

    def __init__(self, entry: MultiTurnEntry, environment: ApiEnvironment, form: str) -> None:
        self._turns = entry.task.turns
        self._question = entry_question(entry)
        self._environment = environment
        self._form = form
        self._events: list[Event] = []
        self._steps = 0
        self._is_forced = False

    def turn(self, number: int, replies: Sequence[object]) -> None:
        """Say a turn's words and take its replies."""
        words = self._turns[number].messages if number < len(self._turns) else ()
        self._events += [Message("user", text_reply(text), True, number) for text in words]
        rounds = 0
        for stored in replies:
            reply = _assign_call_ids(
                reply_of_result(StoredAnswer(self._question, stored), self._form, BFCL_V4)
            )
            self._events.append(Message("agent", reply, turn=number, call_form=self._form))
            if isinstance(reply, ToolCallReply):
                self._events += [self._executed(call) for call in reply.calls]
                rounds += 1
        self._steps += len(words) + len(replies) + rounds
        self._is_forced = self._is_forced or rounds > MAX_STEPS

    def episode(self, turns: int) -> Episode:
        """Return the conversation, of which so many turns were begun."""
        is_whole = turns == len(self._turns) and not self._is_forced
        ending = (
            Termination("turns_done")
            if is_whole
            else Termination("max_steps", f"in turn {turns - 1}")
        )
        results = [event for event in self._events if isinstance(event, ToolResult)]
        errors = sum(result.error for result in results)
        return Episode(tuple(self._events), ending, steps=self._steps, errors=errors)

    def _executed(self, call: ToolCall) -> ToolResult:
        result = self._environment.call(call)
        if self._environment.kind(call.name) != "write":
            return result
        return msgspec.structs.replace(result, changes=self._environment.take_changes())


def _assign_call_ids(reply: Reply) -> Reply:
    """Return a reply whose calls have ids of their own."""
    if not isinstance(reply, ToolCallReply):
        return reply
    calls = (
        call if call.id else msgspec.structs.replace(call, id=f"call_{number}")
        for number, call in enumerate(reply.calls)
    )
    return ToolCallReply(tuple(calls), reply.text)


def _fault(result: object) -> str:
    """Return what kept a model from answering; "" where it answered."""
    return result[:500] if isinstance(result, str) and result.startswith(FAULT) else ""
