"""Turns of a conversation from the simulated user's side: own and received words."""

from collections.abc import Iterator

import msgspec

from dragoman.core.episodes import Episode, Event, Message
from dragoman.core.replies import TextReply, ToolCallReply, Utterance
from dragoman.core.stop_tokens import MARKER, MARKS
from dragoman.core.tasks import Scenario, Task
from dragoman.core.tools import ToolResult

_SHOWN = 160


class UserTurn(msgspec.Struct, frozen=True):
    """One message that a simulated user said.

    Attributes:
        number: Number of the message among the user's messages, from 1.
        text: The words, without stop tokens.
        tokens: The stop tokens in the message.
        heard: Everything that reached the user since its previous message.
        asked: The agent's last words before the message.
        position: Place of the message among the conversation's events, from 0.
    """

    number: int
    text: str
    tokens: tuple[str, ...]
    heard: tuple[str, ...]
    asked: str
    position: int = 0

    def describe(self, what: str, quoted: str) -> str:
        """Return a line that says what is wrong with this message, with some of its words."""
        shown = " ".join(quoted.split())
        return f"message {self.number} {what}: {shown[:_SHOWN]}{'…' * (len(shown) > _SHOWN)}"


def user_turns(task: Task, episode: Episode) -> tuple[UserTurn, ...]:
    """Return the simulated user's messages, without a task's history and fixed messages.

    Words next to tool calls are excluded, as they reach nobody.
    """
    turns: list[UserTurn] = []
    heard: list[str] = []
    asked = ""
    for at, event in enumerate(episode.events):
        said = _own_words(event) if at >= len(task.history) else None
        if said is None:
            heard += _reaching_user(event)
            asked = _agent_words(event) or asked
            continue
        tokens = tuple(MARKER.findall(said)) if MARKS in said else ()
        text = (MARKER.sub(" ", said) if tokens else said).strip()
        turns.append(UserTurn(len(turns) + 1, text, tokens, tuple(heard), asked, at))
        heard = []
    return tuple(turns)


def is_simulated(task: Task, episode: Episode) -> bool:
    """Return whether a simulated user took part at all."""
    return any(
        isinstance(event, Message) and event.by == "user" and not event.scripted
        for event in episode.events[len(task.history) :]
    )


def tools_called_by_agent(episode: Episode) -> set[str]:
    """Return the names of the tools that the agent called."""
    return {
        call.name
        for event in episode.events
        if isinstance(event, Message)
        and event.by == "agent"
        and isinstance(event.reply, ToolCallReply)
        for call in event.reply.calls
    }


def scenario_texts(scenario: Scenario) -> tuple[str, ...]:
    """Return everything that a simulated user was told."""
    script = scenario.instructions
    parts = (
        (script,)
        if isinstance(script, str)
        else (
            script.reason_for_call,
            script.known_info,
            script.unknown_info,
            script.task_instructions,
        )
    )
    return tuple(part for part in (scenario.persona, *parts) if part)


def _own_words(event: Event) -> str | None:
    if isinstance(event, Message) and event.by == "user" and not event.scripted:
        return event.reply.text if isinstance(event.reply, TextReply) else None
    return None


def _reaching_user(event: Event) -> Iterator[str]:
    """Yield the texts of an event that reach the user, including words said in its name."""
    if isinstance(event, ToolResult):
        if event.by == "user":
            yield event.content
            yield event.shown or ""
    elif isinstance(event.reply, TextReply):
        yield from _wordings(event.reply.utterance)


def _wordings(utterance: Utterance) -> Iterator[str]:
    yield utterance.intended
    if utterance.received is not None:
        yield utterance.received


def _agent_words(event: Event) -> str:
    if isinstance(event, Message) and event.by == "agent" and isinstance(event.reply, TextReply):
        return event.reply.text
    return ""
