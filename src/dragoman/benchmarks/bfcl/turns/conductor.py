"""The protocol of a multi-turn entry: fixed turns, each going on while the agent calls tools."""

from collections.abc import Iterator, Sequence

from dragoman.benchmarks.bfcl.rules import BfclRules
from dragoman.benchmarks.bfcl.turns.records import NOT_EXECUTED
from dragoman.core.episodes import Ending, Event, Move
from dragoman.core.protocols import Ask, Directive, Execute, Progress, Speak
from dragoman.core.speech import Called, say
from dragoman.core.tasks import FixedTurn
from dragoman.core.tools import Role, ToolCall, Toolset

MAX_STEPS = 20
"""Of executed replies in a turn; one more ends the conversation."""


class FixedTurns:
    """Says each turn's words, then asks the agent until it replies without calls.

    A reply that is neither words nor calls ends its turn, as in the reference. A turn without words
    is still the agent's.
    """

    sides: tuple[Role, ...] = ("agent",)

    def __init__(
        self, turns: Sequence[FixedTurn], toolsets: Sequence[Toolset], rules: BfclRules
    ) -> None:
        """Prepare the protocol.

        Args:
            turns: What the user says, turn by turn.
            toolsets: The tools that are visible in each turn.
            rules: What follows a call that cannot be read.
        """
        self._turns = tuple(zip(turns, toolsets, strict=True))
        self._rules = rules
        self._events: Sequence[Event] = ()
        self._directives = self._conversation()

    def opening(self) -> tuple[Event, ...]:
        """Return nothing: the user speaks first, as a turn's first directive."""
        return ()

    def next(self, progress: Progress) -> Directive:
        """Return the next directive of the script."""
        self._events = progress.events
        return next(self._directives)

    def _conversation(self) -> Iterator[Directive]:
        for number, (turn, tools) in enumerate(self._turns):
            for message in turn.messages:
                yield Speak("user", say(message), number)
            steps = 0
            ask = Ask("agent", tools, number)
            yield ask
            while calls := self._called():
                if self._gives_up(calls):
                    yield Execute(calls, NOT_EXECUTED)
                    break
                yield Execute(calls)
                steps += 1
                if steps > MAX_STEPS:
                    yield Ending("max_steps", f"turn {number}: more than {MAX_STEPS} steps")
                    return
                yield ask
        yield Ending("turns_done")

    def _called(self) -> tuple[ToolCall, ...]:
        """Return the calls of the agent's last reply."""
        match self._events[-1]:
            case Move(reply=Called(calls=calls)):
                return calls
            case _:
                return ()

    def _gives_up(self, calls: Sequence[ToolCall]) -> bool:
        if self._rules.malformed_calls_are_answered:
            return False
        return any(call.malformed for call in calls)
