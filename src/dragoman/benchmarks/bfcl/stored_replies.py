"""Stored results as conversations: of one question, or of several turns whose calls are executed.

Upstream's program executed the calls of several turns as its rules read them, and models saw what that
returned: they are read so here too, whatever rules judge them later.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

import msgspec

from dragoman.benchmarks.bfcl.apis.long_texts import LongTexts
from dragoman.benchmarks.bfcl.apis.world import ApiWorld
from dragoman.benchmarks.bfcl.entries.single import Entry
from dragoman.benchmarks.bfcl.entries.turns import MultiTurnEntry
from dragoman.benchmarks.bfcl.reply_forms import Answered, reply_of_result
from dragoman.benchmarks.bfcl.rules import BFCL_V4
from dragoman.benchmarks.bfcl.turns.as_written import question_of
from dragoman.benchmarks.bfcl.turns.conductor import MAX_STEPS
from dragoman.benchmarks.bfcl.turns.running import entry_world
from dragoman.core.episodes import Ending, Episode, Event, Move
from dragoman.core.speech import Called, Reply, say
from dragoman.core.tasks import Task
from dragoman.core.tools import ToolCall, ToolResult

FAULT = "Error during inference:"
"""How upstream's program begins what it stores where a model could not be reached."""


_NO_TURNS = Ending("agent_error", "the result holds no turns")


class Replies(Protocol):
    """Makes conversations of stored results, by the ids of entries."""

    tasks: Mapping[str, Task]

    def answered(self, name: str, result: object) -> Iterator[Answered]:
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

    def answered(self, name: str, result: object) -> Iterator[Answered]:
        """Yield the one reply."""
        yield Answered(self._questions[name], result)

    def episode(self, name: str, result: object, form: str) -> Episode:
        """Return the question and its reply."""
        task = self.tasks[name]
        words = [message for turn in task.turns for message in turn.messages]
        spoken: list[Event] = [Move("user", say(text), scripted=True) for text in words]
        fault = _fault(result)
        if fault:
            ending = Ending("infrastructure_error", fault)
            return Episode((*task.history, *spoken), ending, steps=len(spoken), errors=0)
        reply = reply_of_result(Answered(self._questions[name], result), form)
        spoken.append(Move("agent", reply, call_form=form))
        events = (*task.history, *spoken)
        return Episode(events, Ending("turns_done"), steps=len(spoken), errors=0)


class TurnReplies:
    """Results of several turns: a list of replies for every turn."""

    def __init__(self, entries: Sequence[MultiTurnEntry], long: LongTexts | None) -> None:
        self.tasks: Mapping[str, Task] = {entry.task.id: entry.task for entry in entries}
        self._entries = {entry.task.id: entry for entry in entries}
        self._long = long

    def answered(self, name: str, result: object) -> Iterator[Answered]:
        """Yield all replies of all turns."""
        question = question_of(self._entries[name])
        for turn in result if isinstance(result, list) else ():
            for reply in turn if isinstance(turn, list) else ():
                yield Answered(question, reply)

    def episode(self, name: str, result: object, form: str) -> Episode:
        """Return the turns with what their calls return in a fresh world."""
        entry = self._entries[name]
        if not isinstance(result, list):
            fault = _fault(result)
            ending = Ending("infrastructure_error", fault) if fault else _NO_TURNS
            return Episode((), ending, steps=0, errors=0)
        play = _Play(entry, entry_world(entry, self._long), form)
        for number, replies in enumerate(result):
            play.turn(number, replies if isinstance(replies, list) else [replies])
        return play.episode(len(result))


class _Play:
    """One conversation of several turns as it is put together again."""

    def __init__(self, entry: MultiTurnEntry, world: ApiWorld, form: str) -> None:
        self._turns = entry.task.turns
        self._question = question_of(entry)
        self._world = world
        self._form = form
        self._events: list[Event] = []
        self._steps = 0
        self._is_forced = False

    def turn(self, number: int, replies: Sequence[object]) -> None:
        """Say a turn's words and take its replies."""
        words = self._turns[number].messages if number < len(self._turns) else ()
        self._events += [Move("user", say(text), True, number) for text in words]
        rounds = 0
        for stored in replies:
            reply = _numbered(
                reply_of_result(Answered(self._question, stored), self._form, BFCL_V4)
            )
            self._events.append(Move("agent", reply, turn=number, call_form=self._form))
            if isinstance(reply, Called):
                self._events += [self._executed(call) for call in reply.calls]
                rounds += 1
        self._steps += len(words) + len(replies) + rounds
        self._is_forced = self._is_forced or rounds > MAX_STEPS

    def episode(self, turns: int) -> Episode:
        """Return the conversation, of which so many turns were begun."""
        is_whole = turns == len(self._turns) and not self._is_forced
        ending = Ending("turns_done") if is_whole else Ending("max_steps", f"in turn {turns - 1}")
        results = [event for event in self._events if isinstance(event, ToolResult)]
        errors = sum(result.error for result in results)
        return Episode(tuple(self._events), ending, steps=self._steps, errors=errors)

    def _executed(self, call: ToolCall) -> ToolResult:
        result = self._world.call(call)
        if self._world.kind(call.name) != "write":
            return result
        return msgspec.structs.replace(result, changes=self._world.take_changes())


def _numbered(reply: Reply) -> Reply:
    """Return a reply whose calls have ids of their own."""
    if not isinstance(reply, Called):
        return reply
    calls = (
        call if call.id else msgspec.structs.replace(call, id=f"call_{number}")
        for number, call in enumerate(reply.calls)
    )
    return Called(tuple(calls), reply.text)


def _fault(result: object) -> str:
    """Return what kept a model from answering; "" where it answered."""
    return result[:500] if isinstance(result, str) and result.startswith(FAULT) else ""
