"""One turn: the user's words, and one reply of the agent, or as many as its calls need."""

from collections.abc import Sequence

from dragoman.core.episodes import Ending, Event, Move
from dragoman.core.protocols import Ask, Directive, Execute, Progress, Speak, World
from dragoman.core.speech import Called, say
from dragoman.core.tasks import Task
from dragoman.core.tools import Role, ToolResult


class SingleTurn:
    """The protocol of one question.

    Args:
        task: The question.
        world: Whose tools are shown.
        steps: How many replies with calls are executed, each followed by another reply; with none,
            whatever the agent replies first ends the conversation.
    """

    sides: tuple[Role, ...] = ("agent",)

    def __init__(self, task: Task, world: World, steps: int = 0) -> None:
        self._history: Sequence[Event] = task.history
        self._words = [message for turn in task.turns for message in turn.messages]
        self._ask = Ask("agent", world.tools("agent"))
        self._steps = steps
        self._left = steps

    def opening(self) -> tuple[Event, ...]:
        """Return what was said before."""
        return tuple(self._history)

    def next(self, progress: Progress) -> Directive:
        """Speak the user's words, ask the agent, execute what is to be executed, and end."""
        new = progress.events[len(self._history) :]
        if len(new) < len(self._words):
            return Speak("user", say(self._words[len(new)]))
        if not new:
            return self._ask
        match new[-1]:
            case Move(by="agent", reply=Called(calls=calls)) if self._left:
                self._left -= 1
                return Execute(calls)
            case Move(by="agent", reply=Called()) if self._steps:
                return Ending("max_steps", f"more than {self._steps} replies with calls")
            case Move(by="agent"):
                return Ending("turns_done")
            case ToolResult() | Move():
                return self._ask
