"""Conversations as an agent sees them that calls in its text."""

from collections.abc import Iterator, Sequence

import msgspec

from dragoman.core.apis.itc_answers import FORM
from dragoman.core.capabilities import CallsAsText, TextProtocol, WritesAnswers
from dragoman.core.episodes import Episode, Event, Message
from dragoman.core.errors import UsageError
from dragoman.core.protocols import Suite
from dragoman.core.replies import TextReply, ToolCallReply, UnparsedReply
from dragoman.core.rules import Rules
from dragoman.core.tasks import Task
from dragoman.core.tools import ToolCall, ToolResult
from dragoman.registry.agents import split_options, text_protocol_factory
from dragoman.simulation.participants.llm import MessageDict, past_messages


class ToldConversation(msgspec.Struct, frozen=True):
    """A conversation with its task, its suite, its rules, and the form of its calls in text; None for native ones."""

    task: Task
    episode: Episode
    suite: Suite
    rules: Rules
    protocol: TextProtocol | None


class TextForms:
    """Finds the form of conversations.

    Args:
        suite: Their suite.
        rules: Theirs.
        form: In which form native calls are written; "" for native ones.

    Raises:
        UsageError: Where the suite has no such form.
    """

    def __init__(self, suite: Suite, rules: Rules, form: str) -> None:
        self._offer = text_protocol_factory(suite, rules)
        self._native = None if not form else _writing(suite, rules, form)
        self._known: dict[str, TextProtocol] = {}

    def of(self, agent: str, episode: Episode) -> TextProtocol | None:
        """Return the form of a conversation; None for native calls."""
        if not any(isinstance(each, Message) and each.call_form for each in episode.events):
            return self._native
        if agent not in self._known:
            self._known[agent] = self._offer(split_options(agent)[1])
        return self._known[agent]


def why_unwritten(protocol: TextProtocol, episode: Episode) -> str:
    """Return why a conversation cannot be told in a form; "" where it can."""
    for event in episode.events:
        if not isinstance(event, Message) or event.by != "agent":
            continue
        if not event.call_form and not isinstance(protocol, WritesAnswers):
            return "native calls among those in text"
        if event.call_form and isinstance(event.reply, ToolCallReply) and event.reply.text is None:
            return "the text of its calls was not kept"
    return ""


def written_messages(played: ToldConversation) -> list[MessageDict]:
    """Return what an agent saw and wrote, up to its last own words."""
    messages = past_messages(played.task.history, "agent")
    messages += _messages(played, played.episode.events)
    while messages and messages[-1]["role"] != "assistant":
        messages.pop()
    return messages


def _messages(played: ToldConversation, events: Sequence[Event]) -> Iterator[MessageDict]:
    results: list[tuple[ToolCall, str]] = []
    calls: dict[str, ToolCall] = {}
    for event in events:
        if isinstance(event, ToolResult):
            if event.by == "agent" and event.call_id in calls:
                shown = event.content if event.shown is None else event.shown
                results.append((calls[event.call_id], shown))
            continue
        if results and played.protocol is not None:
            yield {"role": "user", "content": played.protocol.results(results)}
            results = []
        if event.by == "agent":
            calls = (
                {c.id: c for c in event.reply.calls}
                if isinstance(event.reply, ToolCallReply)
                else {}
            )
            yield {"role": "assistant", "content": _own_words(played, event)}
        elif isinstance(event.reply, TextReply):
            yield {"role": "user", "content": event.reply.utterance.received}


def _own_words(played: ToldConversation, move: Message) -> str:
    if not move.call_form and isinstance(played.protocol, WritesAnswers):
        return played.protocol.written(played.task, move.reply)
    match move.reply:
        case TextReply() as said:
            return said.text
        case ToolCallReply(text=text):
            return text or ""
        case UnparsedReply(raw=raw):
            return raw


def _writing(suite: Suite, rules: Rules, form: str) -> TextProtocol:
    if form != FORM:
        raise UsageError(f"--calls {form}: choose {FORM}, or leave it out for native calls")
    found = (
        suite.text_protocol({"calls": form}, rules)
        if isinstance(suite, CallsAsText) and not suite.asks_for_text
        else None
    )
    if not isinstance(found, WritesAnswers):
        raise UsageError(f"{suite.name}: its calls cannot be written as {form}")
    return found
