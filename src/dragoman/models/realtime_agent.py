"""Realtime speech-to-speech model as an agent: one WebSocket session per conversation.

The endpoint keeps the conversation, so a reply cannot be requested twice. A lost connection ends
the conversation as an infrastructure error, and the conversation may be played again from its
start.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol

import msgspec

from dragoman.core.audio import AudioStore
from dragoman.core.episodes import Event, Message
from dragoman.core.errors import DataError, ParticipantError, RunHalted
from dragoman.core.protocols import SessionInput, SessionReply, SessionStart
from dragoman.core.replies import (
    SYNTHESIS,
    AudioRef,
    Latency,
    Reply,
    Stage,
    TextReply,
    ToolCallReply,
    UnparsedReply,
    Utterance,
)
from dragoman.core.tools import Role, ToolResult, Toolset
from dragoman.core.usage import Usage
from dragoman.models.budget import SpendTracker, reserve_spend
from dragoman.models.http.transport import (
    CallContext,
    CallScheduler,
    RequestRejected,
    TransportError,
)
from dragoman.models.http.websocket import HandshakeError, WebSocket
from dragoman.models.realtime_connection import (
    CompletedResponse,
    RealtimeConnection,
    SessionRejected,
    build_reply,
    response_usage,
)
from dragoman.models.realtime_protocol import (
    AppendAudio,
    ClientEvent,
    CommitAudio,
    CreateItem,
    Item,
    assistant_text_item,
    encode_audio_chunks,
    encode_realtime_tools,
    function_call_item,
    function_output_item,
    user_text_item,
)

INTERRUPTION, CALLER = "interruption", "caller"

Compose = Callable[[str, str], str]
"""A function that returns a model's instructions from a policy and additional instructions."""


class WebSocketOpener(Protocol):
    """Protocol of objects that open WebSocket connections."""

    async def open(
        self,
        url: str,
        headers: Mapping[str, str],
        proxy: str | None = None,
        secrets: tuple[str, ...] = (),
    ) -> WebSocket:
        """Open a connection."""
        ...


class RealtimeEndpoint(msgspec.Struct, frozen=True):
    """Address of a realtime endpoint, and the setup of its sessions.

    Attributes:
        label: The agent's name in tables.
        model: The model's name in ledgers.
        url: The address, including the model.
        key: Bearer token, which is removed from everything that the endpoint sends; "" for none.
        proxy: The address of a proxy, or None.
        session: Settings of a session in addition to instructions and tools.
        interrupted_after: Seconds of a spoken reply after which the caller interrupts; None for
            never.
        total: Longest time of a whole response, in seconds.
    """

    label: str
    model: str
    url: str
    key: str
    proxy: str | None
    session: Mapping[str, object]
    interrupted_after: float | None
    total: float


class SessionResources(msgspec.Struct, frozen=True):
    """Resources with which sessions reach an endpoint.

    Attributes:
        sockets: Opener of connections.
        client: Scheduler that decides when a response may be requested.
        budget: Spend tracker of the run; None for no limit.
    """

    sockets: WebSocketOpener
    client: CallScheduler
    budget: SpendTracker | None = None


class RealtimeAgent:
    """A realtime model in the role of the agent.

    Args:
        endpoint: Endpoint of the sessions.
        reach: Resources with which sessions reach the endpoint.
        compose: Function that composes the instructions.
    """

    def __init__(
        self, endpoint: RealtimeEndpoint, reach: SessionResources, compose: Compose
    ) -> None:
        self.endpoint = endpoint
        self.reach = reach
        self.compose = compose
        self.has_answered = False

    @property
    def name(self) -> str:
        """The agent's name in tables."""
        return self.endpoint.label

    @property
    def hears_audio(self) -> bool:
        """Whether the agent accepts audio itself."""
        return True

    async def open(self, opening: SessionStart) -> "RealtimeSession":
        """Open a session; the connection is opened at the first reply."""
        return RealtimeSession(self, opening)

    def refused(self, line: str, *, is_of_one: bool) -> ParticipantError | RunHalted:
        """Return the error for a refusal.

        It ends the conversation, or the run if nothing was answered so far.
        """
        if is_of_one and self.has_answered:
            return ParticipantError(f"{self.name}: the endpoint refuses: {line}")
        return RunHalted(f"{self.name}: the endpoint refuses: {line}")


class RealtimeSession:
    """One conversation of a realtime model."""

    def __init__(self, agent: RealtimeAgent, opening: SessionStart) -> None:
        self._agent = agent
        self._opening = opening
        self._who = CallContext(opening.side, agent.endpoint.model)
        self._connection: RealtimeConnection | None = None
        self._set_up: dict[str, object] = {}
        self._unsent: list[ClientEvent] = [CreateItem(item) for item in _past(opening)]
        self._is_greeted = False

    async def reply(self, heard: Sequence[SessionInput], tools: Toolset) -> SessionReply:
        """Send the input, and return the model's words or calls.

        Raises:
            ParticipantError: If the session failed; it cannot be continued.
            RunHalted: If the endpoint refuses every request, or the budget is spent.
        """
        budget = self._agent.reach.budget
        async with reserve_spend(budget, self._who.model):
            return await self._counted(heard, tools, budget)

    async def _counted(
        self, heard: Sequence[SessionInput], tools: Toolset, budget: SpendTracker | None
    ) -> SessionReply:
        if not self._is_greeted and tools.must_call and self._opening.task.ticket:
            self._unsent.insert(0, CreateItem(user_text_item(self._opening.task.ticket)))
        self._is_greeted = True
        for part in heard:
            self._unsent += await self._events(part)
        try:
            answer = await self._answered(tools)
        except ParticipantError as error:
            if budget is not None and isinstance(error.usage, Usage):
                budget.record(error.usage)
            raise
        if budget is not None and answer.usage is not None:
            budget.record(answer.usage)
        return answer

    def update_instructions(self, instructions: str) -> None:
        """Set the instructions from the next reply on."""
        self._opening = msgspec.structs.replace(self._opening, instructions=instructions)

    async def close(self) -> None:
        """End the session at the endpoint."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()

    async def _answered(self, tools: Toolset) -> SessionReply:
        agent = self._agent
        try:
            responded, attempts = await agent.reach.client.tried(
                lambda: self._attempt(tools), self._who
            )
        except RequestRejected as refusal:
            status = f"status {refusal.status}{_ADVICE.get(refusal.status, '')}"
            raise agent.refused(status, is_of_one=False) from refusal
        except SessionRejected as refusal:
            raise agent.refused(str(refusal), is_of_one=True) from refusal
        agent.has_answered = True
        agent.reach.client.hold(responded.pause)
        usage = msgspec.structs.replace(
            response_usage(responded.response, self._who.purpose, agent.endpoint.model),
            faults=attempts.faults,
            seconds=attempts.seconds,
        )
        is_interrupted = bool(responded.cuts) if agent.endpoint.interrupted_after else None
        latency = Latency(responded.seconds, responded.first_word_s, is_interrupted=is_interrupted)
        reply = await self._reply(responded)
        return SessionReply(reply, responded.raw, usage, latency=latency)

    async def _attempt(self, tools: Toolset) -> CompletedResponse:
        """Request one response; if the session cannot be opened, another attempt opens it again."""
        session = self._session(tools)
        if self._connection is None:
            self._connection = await self._opened(session)
        elif changed := {k: v for k, v in session.items() if v != self._set_up.get(k)}:
            await self._connection.update(changed)
        self._set_up = session
        unsent, self._unsent = self._unsent, []
        await self._connection.send(unsent)
        return await self._connection.respond(self._agent.endpoint.interrupted_after)

    async def _opened(self, session: Mapping[str, object]) -> RealtimeConnection:
        agent, endpoint = self._agent, self._agent.endpoint
        headers = {"Authorization": f"Bearer {endpoint.key}"} if endpoint.key else {}
        try:
            socket = await agent.reach.sockets.open(
                endpoint.url, headers, endpoint.proxy, (endpoint.key,)
            )
        except HandshakeError as refused:
            agent.reach.client.require_good(refused.answer)
            raise
        connection = RealtimeConnection(socket, endpoint.total)
        try:
            await connection.begin(session)
        except TransportError as fault:
            await connection.close()
            # Nothing was said yet: a retry over another connection is harmless.
            raise TransportError(fault.kind, fault.detail, fault.retry_after) from None
        except BaseException:
            await connection.close()
            raise
        return connection

    def _session(self, tools: Toolset) -> dict[str, object]:
        """Return the current settings of the session."""
        opening = self._opening
        return {
            **self._agent.endpoint.session,
            "instructions": self._agent.compose(opening.policy, opening.instructions),
            "tools": encode_realtime_tools(tools) if len(tools) else [],
            "tool_choice": "required" if tools.must_call else "auto",
        }

    async def _events(self, part: SessionInput) -> list[ClientEvent]:
        if isinstance(part, ToolResult):
            content = part.content if part.shown is None else part.shown
            return [CreateItem(function_output_item(part.call_id, content))]
        words, audio = part.utterance.received, part.utterance.audio
        if words is not None:
            return [CreateItem(user_text_item(words))]
        if audio is None:
            raise DataError("an utterance without words and without audio")
        return await asyncio.to_thread(_encode_spoken_events, self._opening.sounds, audio)

    async def _reply(self, responded: CompletedResponse) -> Reply:
        gathered, cuts = responded.gathered, responded.cuts
        reply = build_reply(gathered, responded.response, cuts)
        audio = gathered.audio(cuts)
        if audio is None or isinstance(reply, ToolCallReply):
            return reply
        if isinstance(reply, UnparsedReply):
            raise ParticipantError(f"{self._agent.name}: it spoke, and told no transcript of it")
        stages = [Stage(SYNTHESIS, self._agent.endpoint.model)]
        if cuts:
            after = self._agent.endpoint.interrupted_after
            unheard: dict[str, object] = {"after_seconds": after, "transcript": gathered.words()}
            stages.append(Stage(INTERRUPTION, CALLER, settings=unheard))
        kept = await asyncio.to_thread(self._opening.sounds.keep, audio)
        words = reply.utterance.intended
        return TextReply(Utterance(words, clean_audio=kept, stages=tuple(stages)))


def _encode_spoken_events(sounds: AudioStore, reference: AudioRef) -> list[ClientEvent]:
    return [*map(AppendAudio, encode_audio_chunks(sounds.sound(reference))), CommitAudio()]


def _past(opening: SessionStart) -> Iterator[Item]:
    """Yield the items that a side saw and made up to its own last move.

    The rest arrives as input.
    """
    history, side = opening.history, opening.side
    own = [
        at for at, event in enumerate(history) if isinstance(event, Message) and event.by == side
    ]
    for event in history[: own[-1] + 1] if own else ():
        yield from _visible_items(event, side)


def _visible_items(event: Event, side: Role) -> Iterator[Item]:
    if isinstance(event, ToolResult):
        if event.by == side:
            yield function_output_item(
                event.call_id, event.content if event.shown is None else event.shown
            )
        return
    match event.reply:
        case TextReply(utterance=utterance) if event.by == side:
            yield assistant_text_item(utterance.intended)
        case TextReply(utterance=utterance):
            # Everything that was heard before the session began was text.
            yield user_text_item(utterance.received or utterance.intended)
        case ToolCallReply(calls=calls) if event.by == side:
            yield from map(function_call_item, calls)
        case _:
            return


_ADVICE = {
    401: ": check the key in the environment",
    403: ": check the key in the environment",
    404: ": check the model's name and the address",
}
