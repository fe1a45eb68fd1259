"""State and response checks of multi-turn entries, compared with the reference's verdict.

Calls of imported results are read from their stored texts, as upstream's program executed them.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress

import msgspec

from dragoman.benchmarks.bfcl.ast_checker.reply_check import read_reply
from dragoman.benchmarks.bfcl.ast_checker.value_types import is_same
from dragoman.benchmarks.bfcl.call_parsers.limits import UnreadableError, check_bounds
from dragoman.benchmarks.bfcl.entry_files import FunctionDocument, Parameters, Question
from dragoman.benchmarks.bfcl.multi_turn_entries import MultiTurnEntry
from dragoman.benchmarks.bfcl.multi_turn_execution import (
    Expectations,
    PlayedTurn,
    TurnRecord,
    count_turns_begun,
    played_turns,
)
from dragoman.benchmarks.bfcl.rules import BFCL_V4, DEFAULT_RULES, BfclRules
from dragoman.benchmarks.bfcl.single_turn_suite import CALL_FORM_NAMES, format_reply
from dragoman.benchmarks.bfcl.text_tool_calls import CALL_FORMS, call_string
from dragoman.benchmarks.bfcl.verdicts import (
    CallFault,
    CallJudgement,
    Judged,
    compare_with_reference,
)
from dragoman.core.episodes import Episode, Event, Message
from dragoman.core.errors import ReplayError
from dragoman.core.replies import ToolCallReply
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.core.tools import ToolCall


def entry_question(entry: MultiTurnEntry) -> Question:
    """Return an entry as a question, for reading replies: its functions by name."""
    functions = tuple(FunctionDocument(each.name, Parameters({})) for each in entry.documents)
    return Question(entry.task.id, entry.category, functions)


def imported_turns(entry: MultiTurnEntry, events: Sequence[Event]) -> tuple[PlayedTurn, ...]:
    """Return the turns of a stored result; the results of its calls were not recorded.

    Args:
        entry: The entry that was played.
        events: The conversation made from the result, with at most as many turns as the entry.
    """
    question = entry_question(entry)
    moves = [event for event in events if isinstance(event, Message)]
    turns: list[list[ToolCall]] = [
        [] for _ in range(1 + max((each.turn for each in moves), default=-1))
    ]
    for move in moves:
        turns[move.turn] += _find_executed_calls(move, question)
    return tuple(PlayedTurn(tuple(calls)) for calls in turns)


def restore_call_values(
    entry: MultiTurnEntry, events: Sequence[Event], rules: BfclRules
) -> tuple[Event, ...]:
    """Return a conversation with the values of its calls restored from its texts.

    This applies where the text and the stored message have the same calls.
    """
    question = entry_question(entry)
    return tuple(
        msgspec.structs.replace(
            event, reply=ToolCallReply(_same_calls(event, question, rules), event.reply.text)
        )
        if isinstance(event, Message) and isinstance(event.reply, ToolCallReply)
        else event
        for event in events
    )


def _find_executed_calls(move: Message, question: Question) -> tuple[ToolCall, ...]:
    """Return the calls of a stored reply that upstream's program executed.

    It writes calls of a text as Python once more, which an empty object cannot be: such a reply is
    dropped. Keys become texts on that way.
    """
    if not isinstance(move.reply, ToolCallReply):
        return ()
    if move.call_form not in CALL_FORMS:
        calls = _read(move, question, BFCL_V4) if move.call_form in CALL_FORM_NAMES else None
        kept = move.reply.calls if calls is None else calls
        return tuple(call for call in kept if not call.malformed)
    calls = _read(move, question, BFCL_V4)
    try:
        for call in calls or ():
            call_string(call)
    except UnreadableError:
        return ()
    return tuple(
        msgspec.structs.replace(
            call, arguments={name: _with_text_keys(value) for name, value in call.arguments.items()}
        )
        for call in calls or ()
    )


def _same_calls(move: Message, question: Question, rules: BfclRules) -> tuple[ToolCall, ...]:
    """Return the calls of a message's text with the ids of the stored calls.

    If the two differ, return the stored calls.
    """
    stored = move.reply.calls if isinstance(move.reply, ToolCallReply) else ()
    found = _read(move, question, rules) if move.call_form in CALL_FORMS else None
    if found is None or len(found) != len(stored):
        return stored
    return tuple(
        call
        if call.malformed or call.name != again.name
        else msgspec.structs.replace(call, arguments=again.arguments, positionals=again.positionals)
        for call, again in zip(stored, found, strict=True)
    )


def _read(move: Message, question: Question, rules: BfclRules) -> tuple[ToolCall, ...] | None:
    """Return the calls of a reply's text, or None if the text is missing or unreadable."""
    try:
        return read_reply(format_reply(move, question), rules)
    except UnreadableError:
        return None


def _with_text_keys(value: object) -> object:
    if not isinstance(value, dict):
        return value
    return {str(key): _with_text_keys(entry) for key, entry in value.items()}


FORCED_END = "multi_turn:force_terminated"
EMPTY_TURN = "multi_turn:empty_turn_model_response"
OTHER_STATE = "multi_turn:instance_state_mismatch"
MISSING_RESULT = "multi_turn:execution_response_mismatch"

MAX_SHOWN = 4
"""Of the missing results that a fault lists."""

MAX_CHARACTERS = 160
"""Of each of them."""


class TurnProgress(msgspec.Struct, frozen=True):
    """Progress of a conversation: turns begun, all turns, and whether it ended by itself."""

    begun: int
    turns: int
    is_complete: bool = True


def check_turns(course: TurnProgress, records: Sequence[TurnRecord], rules: BfclRules) -> Judged:
    """Return the verdict on a conversation: the first turn with a fault decides.

    Args:
        course: The progress of the conversation.
        records: The outcome of each turn, with the expected outcome.
        rules: The rule set.
    """
    is_cut = rules.forced_ends_always_count and not course.is_complete
    if course.begun != course.turns or is_cut:
        why = f"ended in turn {course.begun} of {course.turns}"
        return Judged(CallFault(FORCED_END, why))
    results: list[str] = []
    for number, record in enumerate(records):
        results += record.results
        fault = _fault(record, results, rules)
        if fault is not None:
            return Judged(msgspec.structs.replace(fault, turn=number))
    return Judged()


def _fault(record: TurnRecord, results: Sequence[str], rules: BfclRules) -> CallFault | None:
    if not record.expected.results:
        return _state_fault(record) if rules.idle_turns_are_checked else None
    if not record.results:
        return CallFault(EMPTY_TURN, "no calls where some are expected")
    return _state_fault(record) or _result_fault(record, results, rules)


def _state_fault(record: TurnRecord) -> CallFault | None:
    differing = record.difference
    if differing is None:
        return None
    why = f"{differing.of_class}: not the expected {', '.join(differing.attributes)}"
    return CallFault(OTHER_STATE, why, of_class=differing.of_class, attributes=differing.attributes)


def _result_fault(record: TurnRecord, results: Sequence[str], rules: BfclRules) -> CallFault | None:
    wanted = record.expected.results
    if record.results == wanted:
        return None
    missing = _missing(wanted, results, rules)
    if not missing:
        return None
    shown = tuple(text[:MAX_CHARACTERS] for text in missing[:MAX_SHOWN])
    why = f"{len(missing)} expected results are missing, the first: {shown[0]}"
    return CallFault(MISSING_RESULT, why, missing=shown)


def _missing(wanted: Sequence[str], found: Iterable[str], rules: BfclRules) -> list[str]:
    """Return the wanted results that have no equal of their own among those found, in order."""
    left, missing = list(found), []
    for text in wanted:
        if text in left:
            left.remove(text)
        else:
            missing.append(text)
    if not missing or not rules.results_match_by_value:
        return missing
    values = [_value(text) for text in left]
    return [text for text in missing if not _remove_match(_value(text), values)]


def _remove_match(value: object, values: list[object]) -> bool:
    """Return whether a value is among others; the one that it is goes."""
    for position, other in enumerate(values):
        if is_same(value, other):
            del values[position]
            return True
    return False


def _value(text: str) -> object:
    """Return what a result holds: an object or list as such, anything else as its text."""
    if text[:1] not in {"{", "["}:
        return text
    try:
        check_bounds(text)
        return msgspec.json.decode(text)
    except (UnreadableError, *DECODING_ERRORS):
        return text


def judge_conversation(
    entry: MultiTurnEntry, expected: Expectations, episode: Episode, rules: BfclRules
) -> CallJudgement:
    """Return the verdict on a conversation; its calls run again in a fresh environment.

    Args:
        entry: The entry that was played.
        expected: The expectations of the suite's entries.
        episode: The conversation that was played.
        rules: The rule set.

    Raises:
        ReplayError: If calls do not return the results that the conversation recorded.
    """
    begun = count_turns_begun(episode.events)
    course = TurnProgress(begun, len(entry.gold), episode.ending.reason == "turns_done")
    records = [] if begun > len(entry.gold) else _records(entry, expected, episode)
    return compare_with_reference(lambda tried: check_turns(course, records, tried), rules)


def _records(
    entry: MultiTurnEntry, expected: Expectations, episode: Episode
) -> Sequence[TurnRecord]:
    if episode.source is not msgspec.UNSET:
        return expected.compare(entry, imported_turns(entry, episode.events))
    try:
        return expected.compare(entry, played_turns(episode.events, len(entry.gold)))
    except ReplayError:
        # Values that a record cannot carry stand in the text that they were read from.
        for rules in (BFCL_V4, DEFAULT_RULES):
            again = restore_call_values(entry, episode.events, rules)
            with suppress(ReplayError):
                return expected.compare(entry, played_turns(again, len(entry.gold)))
        raise
