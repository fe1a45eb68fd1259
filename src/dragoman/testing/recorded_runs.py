"""Recordings made from stored runs: the requests of an LLM participant, and their answers.

The histories are not imitated: the recorded replies are played through the participant itself.
Arguments that were given by position get names, since messages of a chat carry arguments by name
only.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

import msgspec

from dragoman.core.episodes import Episode, Event, Message
from dragoman.core.errors import StoreError
from dragoman.core.prompts import PromptSet
from dragoman.core.protocols import ChatRequest, Completion, Session, SessionInput, SessionStart
from dragoman.core.replies import Reply, TextReply, ToolCallReply, text_reply
from dragoman.core.rules import RULES, UNNAMED_RULES, Rules
from dragoman.core.tasks import Task
from dragoman.core.texts.decoding import TranslatedErrors
from dragoman.core.tools import NO_TOOLS, Role, ToolCall, ToolResult, Toolset, ToolSpec
from dragoman.core.usage import Usage
from dragoman.registry.suites import load_suite, prompts_for
from dragoman.simulation.participants.llm import LlmParticipant
from dragoman.simulation.prompts import default_prompts
from dragoman.store.run_store import open_run
from dragoman.testing.chat_requests import ChatMessage
from dragoman.testing.scripted_answers import RecordedAnswers, RecordedConversation


def has_unnamed(episode: Episode) -> bool:
    """Whether any call of a conversation has arguments without a name."""
    return any(
        call.positionals
        for event in episode.events
        if isinstance(event, Message) and isinstance(event.reply, ToolCallReply)
        for call in event.reply.calls
    )


def with_names(reply: Reply, tools: Toolset) -> Reply:
    """Return a reply whose calls have a name for every argument: those of the tool, in its order.

    A call of a tool that is not there, or with more arguments than it has, stays as it is.
    """
    if not isinstance(reply, ToolCallReply) or not any(call.positionals for call in reply.calls):
        return reply
    names = {tool.name: _names(tool.parameters) for tool in tools}
    calls = tuple(_name_positionals(call, names.get(call.name, ())) for call in reply.calls)
    return msgspec.structs.replace(reply, calls=calls)


def _names(parameters: Mapping[str, object]) -> tuple[str, ...]:
    properties = parameters.get("properties")
    return tuple(properties) if isinstance(properties, Mapping) else ()


def _name_positionals(call: ToolCall, names: tuple[str, ...]) -> ToolCall:
    if len(call.positionals) > len(names):
        return call
    given = dict(zip(names, call.positionals, strict=False))
    return msgspec.structs.replace(call, arguments=given | call.arguments, positionals=())


Signatures = Callable[[Task], Toolset]
"""Finds a task's tools."""

_SOME_TOOL = Toolset((ToolSpec("any", "", {"type": "object", "properties": {}}),))


class _Dictated:
    """A chat model that replies as it is told and keeps the last history it was sent."""

    name = "dictated"

    def __init__(self) -> None:
        self.next: Reply = text_reply("")
        self.history: Sequence[object] = ()

    async def complete(self, request: ChatRequest, purpose: str) -> Completion:
        self.history = list(request.messages)
        return Completion(self.next, msgspec.Raw(b"{}"), Usage(purpose, self.name))


async def answers_from_episodes(
    episodes: Iterable[tuple[Task, Episode]],
    side: Role,
    prompts: PromptSet | None = None,
    signatures: Signatures = lambda _: NO_TOOLS,
) -> RecordedAnswers:
    """Return an answerer that plays one side of episodes again.

    Args:
        episodes: Each with its task. Of several that begin alike and go on differently, only those
            with different system messages can be told apart.
        side: Whose replies to give.
        prompts: The prompts that the asking participants will use; ours where none are given. They
            tell conversations apart that begin alike, as those of users do.
        signatures: The tools by which arguments without a name are given theirs.
    """
    chosen = prompts or default_prompts()
    recordings = [
        await _record(task, named, side, chosen, tools)
        for task, episode in episodes
        for named in [_with_names(task, episode, signatures)]
        for tools in _toolsets(named, side)
    ]
    return RecordedAnswers(recordings)


async def answers_from_run(folder: Path, side: Role) -> RecordedAnswers:
    """Return an answerer that plays one side of a run's conversations again.

    Raises:
        StoreError: Where the folder holds no readable run.
        DataError: Where the run's prompts are not pulled, or its suite where calls have arguments
            without a name.
        UsageError: Where such a suite is not known here.
    """
    with open_run(folder, write=False) as store:
        with TranslatedErrors(StoreError, f"{folder}: the run's manifest is damaged"):
            config = msgspec.json.decode(store.manifest(), type=_Manifest).config
        tasks = store.tasks()
        played = {cell.key: tasks[cell.task] for cell in store.cells()}
        episodes = [(played[key], episode) for key, _, episode in store.episodes()]
    rules = RULES.find(config.rules)
    return await answers_from_episodes(
        episodes, side, prompts_for(config.suite, rules), _signatures(config.suite, rules)
    )


def _signatures(name: str, rules: Rules) -> Signatures:
    """Return what finds a task's tools; the suite is loaded when they are first wanted."""
    loaded = cache(lambda: load_suite(name))

    def tools_of(task: Task) -> Toolset:
        factory = loaded().factory(rules)
        tools = factory(task).tools("agent")
        if not task.withheld_tools:
            return tools
        # What appears later is there from the first turn on in other tasks.
        all_tools = (tool for each in loaded().tasks for tool in factory(each).tools("agent"))
        later = {tool.name: tool for tool in all_tools if tool.name in task.withheld_tools}
        return Toolset((*tools, *later.values()))

    return tools_of


def _with_names(task: Task, episode: Episode, signatures: Signatures) -> Episode:
    if not has_unnamed(episode):
        return episode
    tools = signatures(task)
    events = tuple(
        msgspec.structs.replace(event, reply=with_names(event.reply, tools))
        if isinstance(event, Message)
        else event
        for event in episode.events
    )
    return msgspec.structs.replace(episode, events=events)


class _Config(msgspec.Struct):
    suite: str
    rules: str = UNNAMED_RULES


class _Manifest(msgspec.Struct):
    config: _Config


async def _record(
    task: Task, episode: Episode, side: Role, prompts: PromptSet, tools: Toolset
) -> RecordedConversation:
    """Play a side's recorded replies through a participant.

    One more reply is played to see the last of them.
    """
    model = _Dictated()
    history = _opening(task, episode.events)
    session = await LlmParticipant(model, prompts).open(
        SessionStart(task, side, seed=0, history=history)
    )
    heard = _unheard(history, side)
    for event in episode.events[len(history) :]:
        if isinstance(event, Message) and event.by == side:
            if not event.scripted:
                await _dictate(session, model, event.reply, heard, tools)
                heard = []
        elif (part := _reaching(event, side)) is not None:
            heard.append(part)
    await _dictate(session, model, text_reply("."), heard, tools)
    return RecordedConversation(task.id, msgspec.convert(model.history, tuple[ChatMessage, ...]))


async def _dictate(
    session: Session, model: _Dictated, reply: Reply, heard: Sequence[SessionInput], tools: Toolset
) -> None:
    model.next = reply
    await session.reply(heard, tools)


def _opening(task: Task, events: Sequence[Event]) -> tuple[Event, ...]:
    """Return the events that were there before anybody was asked."""
    if task.history:
        return tuple(events[: len(task.history)])
    count = 0
    while count < len(events) and _is_scripted(events[count]):
        count += 1
    return tuple(events[:count])


def _is_scripted(event: Event) -> bool:
    return isinstance(event, Message) and event.scripted


def _unheard(history: Sequence[Event], side: Role) -> list[SessionInput]:
    """Return what reached a side since its own last move."""
    heard: list[SessionInput] = []
    for event in history:
        if isinstance(event, Message) and event.by == side:
            heard.clear()
        elif (part := _reaching(event, side)) is not None:
            heard.append(part)
    return heard


def _reaching(event: Event, side: Role) -> SessionInput | None:
    if isinstance(event, ToolResult):
        return event if event.by == side else None
    is_heard = event.by != side and isinstance(event.reply, TextReply)
    return event.reply if is_heard and isinstance(event.reply, TextReply) else None


def _toolsets(episode: Episode, side: Role) -> tuple[Toolset, ...]:
    """Return the tools that may have shaped the first messages.

    Which tools there were is not recorded. An agent that was alone had to call; whether a user had
    tools can decide its guidelines, so both are recorded.
    """
    if side == "user":
        return NO_TOOLS, _SOME_TOOL
    moves = [event for event in episode.events if isinstance(event, Message)]
    is_alone = all(move.by == side and not move.scripted for move in moves)
    return (Toolset((), must_call=is_alone),)
