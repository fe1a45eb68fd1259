"""Calls of stored texts as upstream's program executed them.

A record holds what JSON can carry: a tuple comes back as a list, an endless number as nothing. The text
that calls were read from stands beside them, and is read again where their values matter.
"""

from collections.abc import Sequence

import msgspec

from dragoman.benchmarks.bfcl.checking.judging import read
from dragoman.benchmarks.bfcl.entries.turns import MultiTurnEntry
from dragoman.benchmarks.bfcl.questions import FunctionDocument, Parameters, Question
from dragoman.benchmarks.bfcl.rules import BFCL_V4, BfclRules
from dragoman.benchmarks.bfcl.single.calls_check import TOLD_FORMS, written
from dragoman.benchmarks.bfcl.text.bounds import UnreadableError
from dragoman.benchmarks.bfcl.text.call_strings import call_string
from dragoman.benchmarks.bfcl.text_calls import CALL_FORMS
from dragoman.benchmarks.bfcl.turns.records import PlayedTurn
from dragoman.core.episodes import Event, Move
from dragoman.core.speech import Called
from dragoman.core.tools import ToolCall


def question_of(entry: MultiTurnEntry) -> Question:
    """Return an entry as a question, for reading replies: its functions by name."""
    functions = tuple(FunctionDocument(each.name, Parameters({})) for each in entry.documents)
    return Question(entry.task.id, entry.category, functions)


def imported_turns(entry: MultiTurnEntry, events: Sequence[Event]) -> tuple[PlayedTurn, ...]:
    """Return the turns of a stored result; what its calls returned then nobody recorded.

    Args:
        entry: What was played.
        events: The conversation that was made of the result, of as many turns as the entry has, or less.
    """
    question = question_of(entry)
    moves = [event for event in events if isinstance(event, Move)]
    turns: list[list[ToolCall]] = [
        [] for _ in range(1 + max((each.turn for each in moves), default=-1))
    ]
    for move in moves:
        turns[move.turn] += _executed(move, question)
    return tuple(PlayedTurn(tuple(calls)) for calls in turns)


def read_again(
    entry: MultiTurnEntry, events: Sequence[Event], rules: BfclRules
) -> tuple[Event, ...]:
    """Return a conversation whose calls have the values of its texts, where they are the same calls."""
    question = question_of(entry)
    return tuple(
        msgspec.structs.replace(
            event, reply=Called(_same_calls(event, question, rules), event.reply.text)
        )
        if isinstance(event, Move) and isinstance(event.reply, Called)
        else event
        for event in events
    )


def _executed(move: Move, question: Question) -> tuple[ToolCall, ...]:
    """Return the calls of a stored reply that upstream's program executed.

    It writes calls of a text as Python once more, which an empty object cannot be: such a reply is
    dropped. Keys become texts on that way.
    """
    if not isinstance(move.reply, Called):
        return ()
    if move.call_form not in CALL_FORMS:
        calls = _read(move, question, BFCL_V4) if move.call_form in TOLD_FORMS else None
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


def _same_calls(move: Move, question: Question, rules: BfclRules) -> tuple[ToolCall, ...]:
    """Return the calls of a text with the ids of those that were stored; these where they differ."""
    stored = move.reply.calls if isinstance(move.reply, Called) else ()
    found = _read(move, question, rules) if move.call_form in CALL_FORMS else None
    if found is None or len(found) != len(stored):
        return stored
    return tuple(
        call
        if call.malformed or call.name != again.name
        else msgspec.structs.replace(call, arguments=again.arguments, positionals=again.positionals)
        for call, again in zip(stored, found, strict=True)
    )


def _read(move: Move, question: Question, rules: BfclRules) -> tuple[ToolCall, ...] | None:
    """Return the calls of a reply's text; None where there is no text, or none that can be read."""
    try:
        return read(written(move, question), rules)
    except UnreadableError:
        return None


def _with_text_keys(value: object) -> object:
    if not isinstance(value, dict):
        return value
    return {str(key): _with_text_keys(entry) for key, entry in value.items()}
