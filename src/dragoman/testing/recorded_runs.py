"""Recordings made from stored runs: the requests of an LLM participant, and their answers.

The module does not imitate histories: it plays the recorded replies through the participant itself.
Positional arguments get names, because chat messages carry only named arguments.
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
    """Return whether any call of a conversation has positional arguments."""
    return any(
        call.positionals
        for event in episode.events
        if isinstance(event, Message) and isinstance(event.reply, ToolCallReply)
        for call in event.reply.calls
    )


def with_names(reply: Reply, tools: Toolset) -> Reply:
    """Return a reply whose calls name every argument, with the tool's names in order.

    A call of an unknown tool, or with more arguments than the tool has, is unchanged.
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
"""Function that returns a task's tools."""

_SOME_TOOL = Toolset((ToolSpec("any", "", {"type": "object", "properties": {}}),))


class _Dictated:
    """A chat model that gives prescribed replies and keeps the last history that it received."""

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
    """Return an answerer that replays one side of episodes.

    Args:
        episodes: Episodes with their tasks. If several begin with the same messages and continue
            differently, only system messages can distinguish them.
        side: The side whose replies are given.
        prompts: The prompts of the participants that will ask; ours by default. They distinguish
            conversations with the same beginning, which users often have.
        signatures: Function that returns the tools whose parameter names positional arguments get.
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
    """Return an answerer that replays one side of a run's conversations.

    Raises:
        StoreError: If the folder does not hold a readable run.
        DataError: If the run's prompts are not pulled, or its suite if calls have positional
            arguments.
        UsageError: If such a suite is unknown here.
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
    """Return a function that returns a task's tools; the suite is loaded on first use."""
    loaded = cache(lambda: load_suite(name))

    def tools_of(task: Task) -> Toolset:
        factory = loaded().factory(rules)
        tools = factory(task).tools("agent")
        if not task.withheld_tools:
            return tools
        # A tool that appears later in this task is available from the first turn on in other tasks.
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

    One more reply is requested, to see the request after the last of them.
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
    """Return the events before the first reply was requested."""
    if task.history:
        return tuple(events[: len(task.history)])
    count = 0
    while count < len(events) and _is_scripted(events[count]):
        count += 1
    return tuple(events[:count])


def _is_scripted(event: Event) -> bool:
    return isinstance(event, Message) and event.scripted


def _unheard(history: Sequence[Event], side: Role) -> list[SessionInput]:
    """Return the input of a side since its own last move."""
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
    """Return the toolsets that may have shaped the first messages.

    The tools of the conversation are not recorded. An agent without a user had to call tools.
    Whether a user had tools can decide its guidelines, so both variants are recorded.
    """
    if side == "user":
        return NO_TOOLS, _SOME_TOOL
    moves = [event for event in episode.events if isinstance(event, Message)]
    is_alone = all(move.by == side and not move.scripted for move in moves)
    return (Toolset((), must_call=is_alone),)
