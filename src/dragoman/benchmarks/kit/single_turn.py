"""One turn: the user's words, one reply of the agent, nothing executed."""

from collections.abc import Sequence

from dragoman.core.episodes import Ending, Event, Move
from dragoman.core.protocols import Ask, Directive, Progress, Speak, World
from dragoman.core.speech import say
from dragoman.core.tasks import Task
from dragoman.core.tools import Role


class SingleTurn:
    """The protocol of one question: whatever the agent replies ends the conversation."""

    sides: tuple[Role, ...] = ("agent",)

    def __init__(self, task: Task, world: World) -> None:
        self._history: Sequence[Event] = task.history
        self._words = [message for turn in task.turns for message in turn.messages]
        self._ask = Ask("agent", world.tools("agent"))

    def opening(self) -> tuple[Event, ...]:
        """Return what was said before."""
        return tuple(self._history)

    def next(self, progress: Progress) -> Directive:
        """Speak the user's words, ask the agent once, and end."""
        new = progress.events[len(self._history) :]
        if len(new) < len(self._words):
            return Speak("user", say(self._words[len(new)]))
        last = new[-1]
        is_answered = isinstance(last, Move) and last.by == "agent"
        return Ending("turns_done") if is_answered else self._ask
