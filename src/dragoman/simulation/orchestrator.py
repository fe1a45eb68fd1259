"""Orchestrator: the conversation loop, turn by turn, between agent, user and environment.

It carries out the actions of a turn protocol until the protocol ends the conversation. It knows no
benchmark, no language and no voice: words go through channels, tools through views.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cache
from typing import TypeVar, cast

import msgspec

from dragoman.core.clarifications import Clarification, Decide
from dragoman.core.episodes import (
    Episode,
    Event,
    InstructionUpdate,
    Message,
    Termination,
    TerminationReason,
)
from dragoman.core.errors import (
    CodeError,
    ParticipantError,
    RunHalted,
    StoreError,
    attached_delay,
    error_with_location,
)
from dragoman.core.layers import (
    AcceptsInstructionUpdates,
    AcceptsUserProfile,
    ConversationContext,
    InstructionSource,
    ProvidesUserProfile,
    RetriesReplies,
)
from dragoman.core.personas import UserContext
from dragoman.core.progress import NOBODY, AwaitedParty, ReportsAwaitedParty
from dragoman.core.protocols import (
    Ask,
    AsyncEnvironment,
    Channel,
    Consult,
    Environment,
    Execute,
    Session,
    SessionInput,
    SessionReply,
    Speak,
    ToolView,
    TurnProtocol,
)
from dragoman.core.replies import (
    UNKNOWN_LATENCY,
    Latency,
    Reply,
    TextReply,
    ToolCallReply,
    UnparsedReply,
)
from dragoman.core.stop_tokens import is_silent, normalize_stop_tokens
from dragoman.core.texts.decoding import escape_surrogates
from dragoman.core.texts.model_output import separate_reasoning
from dragoman.core.texts.tool_call_parsing import parse_text_calls
from dragoman.core.tools import Role, ToolCall, ToolResult
from dragoman.core.usage import Usage, total_usage
from dragoman.simulation.participant_errors import participant_error, stops_run

Clock = Callable[[], float]
Result = TypeVar("Result")

MAX_CALLS = 10_000
"""Limit for one reply; limits on errors and steps are checked only between replies."""

_REPLY: Mapping[Role, str] = {"agent": "the agent's reply", "user": "the user's reply"}
_SIDE: Mapping[Role, AwaitedParty] = {"agent": AwaitedParty("agent"), "user": AwaitedParty("user")}
_LINE, _INSTRUCTIONS = AwaitedParty("line"), AwaitedParty("instructions")
_JUDGE = AwaitedParty("judge of clarifications")
_DECISION = "the judge of clarifications"
_INSTRUCTION_SOURCE = "the source of instructions"
_TOO_SLOW: Mapping[str, TerminationReason] = {
    "the agent": "timeout",
    "the user": "user_error",
    "a tool": "infrastructure_error",
    "the line": "infrastructure_error",
    _DECISION: "infrastructure_error",
    _INSTRUCTION_SOURCE: "infrastructure_error",
}
"""Endings of a conversation that timed out, by the activity that took the time."""

_OTHER: Mapping[Role, Role] = {"agent": "user", "user": "agent"}


class ConversationIO(msgspec.Struct, frozen=True):
    """Channels, tool views and instructions of one conversation's sides.

    Attributes:
        channels: Channel of each side's words.
        views: View of the tools for each side.
        instruction_source: Source of instructions, asked before each reply; None without one.
        instructions: Instructions of each side when its session opened.
        context: Context that distinguishes the conversation from others; None without layers.
        is_timed: Whether the response times of the agent are recorded.
    """

    channels: Mapping[Role, Channel]
    views: Mapping[Role, ToolView]
    instruction_source: InstructionSource | None = None
    instructions: Mapping[Role, str] = {}
    context: ConversationContext | None = None
    is_timed: bool = False


class Conversation:
    """A conversation in progress; turn protocols read it as their `ConversationProgress`.

    Attributes:
        awaited: The party that the conversation waits for, for display.
        moved: Time of the last reply, by its clock.
    """

    def __init__(
        self,
        environment: Environment,
        sessions: Mapping[Role, Session],
        surfaces: ConversationIO,
        clock: Clock,
        seconds: float | None = None,
    ) -> None:
        self.events: list[Event] = []
        self.steps = 0
        self.errors = 0
        self._malformed = 0
        self._calls_in_text = 0
        self._usage: list[Usage] = []
        self._environment = environment
        self._waiting = _waiting(environment)
        self._sessions = sessions
        self._surfaces = surfaces
        self._clock = clock
        self._started = clock()
        self._limit = seconds
        self._instructions_by_side = surfaces.instructions
        self._instruction_updates: list[InstructionUpdate] = []
        self._clarifications: list[Clarification] = []
        self._took: dict[str, float] = {}
        self._awaited, self._awaited_since = "the agent", 0.0
        self._unheard: dict[Role, list[SessionInput]] = {"agent": [], "user": []}
        self._waits_for: AwaitedParty | ReportsAwaitedParty = NOBODY
        self.moved = self._started

    @property
    def awaited(self) -> AwaitedParty:
        """The party that the conversation waits for now; any thread may read it."""
        waits_for = self._waits_for
        return waits_for if isinstance(waits_for, AwaitedParty) else waits_for.awaited

    @property
    def seconds(self) -> float:
        """Wall-clock time since the start."""
        return self._clock() - self._started

    async def run(self, turn_protocol: TurnProtocol) -> Episode:
        """Play the conversation to its end; a broken participant is an ending, not an exception."""
        for event in turn_protocol.opening():
            self._remember(event)
        try:
            self._awaited_since = asyncio.get_running_loop().time() if self._limit else 0.0
            async with asyncio.timeout(self._limit):
                ending = await self._play(turn_protocol)
        except TimeoutError as error:
            ending = self._out_of_time(attached_delay(error.__cause__))
        except ParticipantError as error:
            ending = termination_for(error)
            if isinstance(error.usage, Usage):
                self._usage.append(error.usage)
        except (RunHalted, StoreError):
            raise
        except BaseException as error:
            if stops_run(error):
                raise
            # A suite that breaks ends its conversation only.
            ending = Termination(
                "code_error", escape_surrogates(f"the suite broke: {error_with_location(error)}")
            )
        self._add_usage()
        return Episode(
            events=tuple(self.events),
            ending=ending,
            steps=self.steps,
            errors=self.errors,
            malformed_calls=self._malformed,
            calls_in_text=self._calls_in_text,
            usage=total_usage(self._usage),
            seconds=self.seconds,
            instruction_updates=tuple(self._instruction_updates),
            clarifications=tuple(self._clarifications),
            contexts=self._contexts(),
        )

    def _add_usage(self) -> None:
        """Add the usage of everything other than the sessions."""
        for channel in self._surfaces.channels.values():
            self._usage += channel.take_usage()
        if self._surfaces.instruction_source is not None:
            self._usage += self._surfaces.instruction_source.take_usage()
        if self._waiting is not None:
            self._usage += self._waiting.take_usage()

    def _contexts(self) -> tuple[UserContext, ...]:
        instruction_source = self._surfaces.instruction_source
        if instruction_source is None or not isinstance(instruction_source, ProvidesUserProfile):
            return ()
        return instruction_source.take_contexts()

    def _out_of_time(self, delay: ParticipantError | None) -> Termination:
        """Return the ending of a conversation that took too long, by the slowest party.

        If an endpoint delayed the call that was cut off, the ending is an infrastructure error;
        otherwise it belongs to the party that took the most time.
        """
        if delay is not None:
            if isinstance(delay.usage, Usage):
                self._usage.append(delay.usage)
            return Termination(
                "infrastructure_error", escape_surrogates(f"the time limit was reached: {delay}")
            )
        self._count_time_of(self._awaited)
        slowest = max(self._took, key=lambda who: self._took[who])
        return Termination(_TOO_SLOW[slowest], f"{slowest} did not answer in time")

    def _count_time_of(self, who: str) -> None:
        """Add the elapsed time to the awaited party, and start the time of another."""
        now = asyncio.get_running_loop().time()
        took = self._took.get(self._awaited, 0.0)
        self._took[self._awaited] = took + now - self._awaited_since
        self._awaited, self._awaited_since = who, now

    async def _play(self, turn_protocol: TurnProtocol) -> Termination:
        while True:
            match turn_protocol.next(self):
                case Ask(side=side, is_step=is_step) as ask:
                    await self._ask(side, ask)
                    self.steps += is_step
                case Execute(calls=calls, refused=refused):
                    await self._execute(calls, refused)
                    self.steps += 1
                case Speak(side=side, reply=reply, turn=turn, aloud=aloud):
                    reply = await self._carried(side, reply) if aloud else reply
                    self._record(Message(side, reply, True, turn))
                    self.steps += 1
                case Consult(decide=decide):
                    await self._consult(decide)
                case Termination() as ending:
                    return ending

    async def _ask(self, side: Role, ask: Ask) -> None:
        heard, self._unheard[side] = self._unheard[side], []
        tools = self._surfaces.views[side].show(ask.tools)
        if self._surfaces.instruction_source is not None:
            await self._brief(side, self._surfaces.instruction_source)
        what, self._waits_for = _REPLY[side], _SIDE[side]
        if self._limit is not None:
            self._count_time_of(f"the {side}")
        session = self._sessions[side]
        answer = await self._answer(side, session.reply(heard, tools), what)
        is_again = (
            ask.needs_words and _says_nothing(answer.reply) and isinstance(session, RetriesReplies)
        )
        if is_again:
            again = cast("RetriesReplies", session).reply_again(tools)
            answer = await self._answer(side, again, what)
        reply, near_token = _check_reply(answer.reply, side), ""
        if ask.near_tokens:
            reply, near_token = _with_meant_tokens(reply)
        if ask.needs_words and _says_nothing(reply):
            reply = UnparsedReply(_raw_of(reply), f"the {side} said nothing{', twice' * is_again}")
        if side == "agent" and isinstance(reply, TextReply) and not answer.call_form:
            self._calls_in_text += parse_text_calls(reply.text, tools.by_name) is not None
        reply = await self._carried(side, reply)
        latency = self._latency(side, answer) if self._surfaces.is_timed else None
        self._record(
            Message(
                *(side, reply, False, ask.turn, answer.raw, answer.call_form, latency),
                reasoning=escape_surrogates(answer.reasoning) if answer.reasoning else "",
                near_token=near_token,
                asked_again=is_again,
            )
        )

    async def _answer(self, side: Role, work: Awaitable[SessionReply], what: str) -> SessionReply:
        """Return a session's answer, its usage counted."""
        answer = await run_guarded(work, what)
        self.moved = self._clock()
        if not isinstance(answer, SessionReply):
            raise CodeError(f"the {side} returned {type(answer).__name__}, not an Answer")
        if answer.usage is not None:
            self._usage.append(answer.usage)
        return _without_reasoning(answer)

    def _latency(self, side: Role, answer: SessionReply) -> Latency | None:
        """Return the latency of an agent's reply.

        The result is None for a user, whose latency is that of the simulator and has no
        meaning.
        """
        if side == "user":
            return None
        return answer.latency if isinstance(answer.latency, Latency) else UNKNOWN_LATENCY

    async def _consult(self, decide: Decide) -> None:
        """Store a judge's decision on the last words.

        The other side never receives a question that the judge answered.
        """
        what, self._waits_for = _DECISION, _JUDGE
        if self._limit is not None:
            self._count_time_of(what)
        context = self._surfaces.context
        verdict = await run_guarded(decide("" if context is None else context.draw), what)
        if verdict.usage is not None:
            self._usage.append(verdict.usage)
        self._clarifications.append(
            Clarification(
                at=len(self.events) - 1,
                reason=verdict.reason,
                judge=verdict.judge,
                reply=escape_surrogates(verdict.reply),
                answer=escape_surrogates(verdict.answer),
            )
        )
        if verdict.is_allowed:
            self._unheard[_OTHER[self.events[-1].by]].pop()

    async def _brief(self, side: Role, instruction_source: InstructionSource) -> None:
        """Pass changed instructions to a session."""
        self._waits_for = _INSTRUCTIONS
        if self._limit is not None:
            self._count_time_of(_INSTRUCTION_SOURCE)
        text = escape_surrogates(
            await run_guarded(
                instruction_source.instructions(side, self), f"the instructions of the {side}"
            )
        )
        if text == self._instructions_by_side.get(side, ""):
            return
        self._instructions_by_side = {**self._instructions_by_side, side: text}
        session = self._sessions[side]
        if isinstance(session, AcceptsUserProfile) and isinstance(
            instruction_source, ProvidesUserProfile
        ):
            session.set_user_profile(instruction_source.user_profile())
        if isinstance(session, AcceptsInstructionUpdates):
            session.update_instructions(text)
            self._instruction_updates.append(InstructionUpdate(len(self.events), side, text))

    async def _carried(self, side: Role, reply: Reply) -> Reply:
        if isinstance(reply, TextReply):
            channel = self._surfaces.channels[side]
            says = _says_awaited(type(channel))
            self._waits_for = cast("ReportsAwaitedParty", channel) if says else _LINE
            if self._limit is not None:
                self._count_time_of("the line")
            carried_words = await channel.carry(reply.utterance)
            return TextReply(carried_words, reply.clarifies)
        return reply

    def _record(self, event: Event) -> None:
        self.events.append(event)
        if isinstance(event, Message) and isinstance(event.reply, TextReply):
            self._unheard[_OTHER[event.by]].append(event.reply)

    def _remember(self, event: Event) -> None:
        """Record an earlier event; a side that has moved since then has received it."""
        if isinstance(event, Message):
            self._unheard[event.by].clear()
            self._record(event)
        else:
            self.events.append(event)
            self._unheard[event.by].append(event)

    async def _execute(self, calls: Sequence[ToolCall], refused: str) -> None:
        for call in calls:
            view = self._surfaces.views[call.by]
            executed = view.canonical(call)
            if refused and not call.malformed:
                result = ToolResult(call.id, call.name, refused, call.by, error=True)
            elif self._waiting is None:
                result = self._environment.call(executed)
            else:
                what, self._waits_for = f"calling {call.name}", AwaitedParty("tool", call.name)
                if self._limit is not None:
                    self._count_time_of("a tool")
                result = await run_guarded(self._waiting.call_waiting(executed), what)
            shown = view.present(result, call)
            self.errors += result.error
            self._malformed += bool(call.malformed)
            self._unheard[call.by].append(shown)
            self.events.append(self._complete(call, executed, result, shown))

    def _complete(
        self, call: ToolCall, executed: ToolCall, result: ToolResult, shown: ToolResult
    ) -> ToolResult:
        """Return a result with what it changed and with what its view made differ."""
        writes = self._environment.kind(call.name) == "write"
        changes = self._environment.take_changes() if writes else ()
        if not changes and executed is call and shown is result:
            return result
        return msgspec.structs.replace(
            result,
            changes=changes,
            executed=None if executed is call else executed.arguments,
            shown=None if shown is result else shown.content,
        )


async def run_guarded(work: Awaitable[Result], what: str) -> Result:
    """Await a participant's work; whatever it raises is that participant's failure, in one line."""
    try:
        return await work
    except (ParticipantError, RunHalted):
        raise
    except BaseException as error:
        if stops_run(error):
            raise
        raise participant_error(what, error) from error


def termination_for(error: ParticipantError) -> Termination:
    """Return how a conversation ends whose participant broke."""
    reason: TerminationReason = (
        "code_error" if isinstance(error, CodeError) else "infrastructure_error"
    )
    return Termination(reason, escape_surrogates(str(error)))


def _waiting(environment: Environment) -> AsyncEnvironment | None:
    """Return a world whose calls wait as one of these, and None for any other."""
    # The class is asked, since its answer is remembered; an object is looked through every time.
    return (
        cast("AsyncEnvironment", environment)
        if issubclass(type(environment), AsyncEnvironment)
        else None
    )


def _with_meant_tokens(reply: Reply) -> tuple[Reply, str]:
    """Return a reply in which stop tokens are exact, and how the first was written that was not."""
    match reply:
        case TextReply(utterance=utterance, clarifies=clarifies):
            meant = normalize_stop_tokens(utterance.intended)
            if not meant.written:
                return reply, ""
            exact = msgspec.structs.replace(utterance, intended=meant.text)
            return TextReply(exact, clarifies), meant.written
        case ToolCallReply(calls=calls, text=str() as text):
            meant = normalize_stop_tokens(text)
            return (
                (ToolCallReply(calls, meant.text), meant.written) if meant.written else (reply, "")
            )
        case _:
            return reply, ""


@cache
def _says_awaited(kind: type[Channel]) -> bool:
    """Return whether channels of a kind are `ReportsAwaitedParty`.

    The protocol's own check costs as much as a reply.
    """
    return hasattr(kind, "awaited")


def _says_nothing(reply: Reply) -> bool:
    """Return whether a reply has no calls, and no words but those that say nothing."""
    return not isinstance(reply, ToolCallReply) and is_silent(_raw_of(reply))


def _raw_of(reply: Reply) -> str:
    match reply:
        case TextReply(utterance=utterance):
            return utterance.intended
        case UnparsedReply(raw=raw):
            return raw
        case ToolCallReply(text=text):
            return text or ""


def _without_reasoning(answer: SessionReply) -> SessionReply:
    """Return an answer whose words are free of reasoning.

    Models over the network have already separated theirs.
    """
    if not isinstance(answer.reply, TextReply) or answer.reasoning:
        return answer
    found = separate_reasoning(answer.reply.text)
    if not found.reasoning:
        return answer
    utterance = msgspec.structs.replace(answer.reply.utterance, intended=found.words)
    reply = msgspec.structs.replace(answer.reply, utterance=utterance)
    return msgspec.structs.replace(answer, reply=reply, reasoning=found.reasoning)


def _check_reply(reply: Reply, side: Role) -> Reply:
    """Return the reply as its side's own, or what is wrong with one that says and calls nothing."""
    if isinstance(reply, TextReply) and not reply.utterance.intended.strip():
        return UnparsedReply(reply.utterance.intended, "the reply has neither words nor calls")
    if not isinstance(reply, ToolCallReply):
        return reply
    if not reply.calls:
        return UnparsedReply(reply.text or "", "the reply has an empty list of calls")
    if len(reply.calls) > MAX_CALLS:
        error = f"{len(reply.calls)} calls in one reply, more than {MAX_CALLS}"
        return UnparsedReply(reply.text or "", error)
    if all(call.by == side for call in reply.calls):
        return reply
    calls = tuple(msgspec.structs.replace(call, by=side) for call in reply.calls)
    return ToolCallReply(calls, reply.text)
