"""Protocols of the main components: environments, suites, participants, models and judges.

Any object that obeys a protocol can replace a built-in one.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, cast, runtime_checkable

import msgspec

from dragoman.core.audio import NULL_AUDIO_STORE, Audio, AudioStore
from dragoman.core.clarifications import Decide
from dragoman.core.conditions import Condition
from dragoman.core.episodes import Episode, Event, Termination
from dragoman.core.language.phrasebook import Phrasebook
from dragoman.core.lazy_names import old_names
from dragoman.core.personas import PLAIN_BEHAVIOR, UserBehavior, UserProfile
from dragoman.core.renamed_members import RenamedFields, renamed_method
from dragoman.core.replies import Latency, Reply, TextReply, Utterance
from dragoman.core.rules import Rules
from dragoman.core.scores import ComponentScore
from dragoman.core.tasks import FunctionCall, Task
from dragoman.core.tools import Change, Role, ToolCall, ToolKind, ToolResult, Toolset
from dragoman.core.usage import Usage

StateDelta = Mapping[tuple[str, ...], bytes]
"""Where a world differs from the shared data: record path to canonical bytes (b"" if deleted)."""


class Environment(Protocol):
    """The state that tools read and change; one per conversation, cheap to make."""

    def tools(self, side: Role) -> Toolset:
        """Return the tools that a side has in this world."""
        ...

    def kind(self, name: str) -> ToolKind | None:
        """Return what a tool does, or None where no side has such a tool."""
        ...

    def owner(self, call: ToolCall) -> Role | None:
        """Return whose tool a call reaches; None where its caller has no such tool."""
        ...

    def call(self, call: ToolCall) -> ToolResult:
        """Execute a call; a refusal is a result with `error`, never an exception."""
        ...

    def take_changes(self) -> tuple[Change, ...]:
        """Return what changed since the last time this was asked."""
        ...

    def delta(self) -> StateDelta:
        """Return the records that differ from the shared data; equal deltas are equal states."""
        ...


@runtime_checkable
class SynchronizedEnvironment(Protocol):
    """What a world has besides, where something keeps its databases in step after a call."""

    def unsynchronized(self) -> Environment:
        """Return this same world without it."""
        ...


@runtime_checkable
class SetupEnvironment(Protocol):
    """What a world has besides, where functions that no participant sees set it up and assert."""

    def run_function(self, call: FunctionCall) -> object:
        """Run one.

        Raises:
            DataError: Where there is no such function.
        """
        ...


@runtime_checkable
class AsyncEnvironment(Protocol):
    """The additional interface of a world whose calls wait for an external service.

    A search engine is an example.
    """

    async def call_waiting(self, call: ToolCall) -> ToolResult:
        """Execute a call; whatever it waits for, other conversations go on.

        Raises:
            ParticipantError: Where what is outside broke.
        """
        ...

    def take_usage(self) -> tuple[Usage, ...]:
        """Return what was consumed outside since this was last asked."""
        ...


class EnvironmentFactory(Protocol):
    """Makes worlds; scoring is handed one and never builds its own."""

    def __call__(self, task: Task) -> Environment:
        """Return a fresh world in the task's initial state."""
        ...


class Limits(msgspec.Struct, frozen=True):
    """What ends a conversation that does not end itself; the defaults are tau2-bench's.

    `seconds` is wall-clock time; None sets no limit.
    """

    steps: int = 200
    errors: int = 10
    seconds: float | None = None


class Check(Protocol):
    """A suite's own way of judging, where states, sayings and assertions do not tell."""

    def components(self, task: Task, episode: Episode) -> tuple[ComponentScore, ...]:
        """Return the components of a finished conversation's reward, with their evidence."""
        ...


@runtime_checkable
class LabelCheck(Protocol):
    """The additional interface of a check that judges calls as written.

    Such calls may contain labels.
    """

    def components_meant(
        self, task: Task, episode: Episode, meant: Callable[[ToolCall], ToolCall]
    ) -> tuple[ComponentScore, ...]:
        """Return the components of a reward, with calls read as `meant` returns them."""
        ...


class Provenance(msgspec.Struct, frozen=True):
    """Where a suite's data come from: what reports must say and keys must contain."""

    source: str
    licence: str
    notice: str
    digest: str


class Suite(Protocol):
    """One benchmark, loaded: tasks, and how to make worlds and conductors for them.

    What it may offer besides stands in `core.capabilities`.
    """

    @property
    def name(self) -> str:
        """The name on the command line, for example `tau2:retail`."""
        ...

    @property
    def tasks(self) -> Sequence[Task]:
        """All tasks, in the order of the data."""
        ...

    @property
    def provenance(self) -> Provenance:
        """Where the data come from."""
        ...

    def not_applicable(self, condition: Condition) -> str:
        """Return why the suite cannot be played under a condition; "" where it can."""
        ...

    def policy(self, task: Task, environment: Environment) -> str:
        """Return the text that the agent must follow in a world in which nothing was said yet."""
        ...

    def factory(self, rules: Rules) -> "EnvironmentFactory":
        """Return what makes worlds under a rule set."""
        ...

    def turn_protocol(
        self, task: Task, environment: Environment, rules: Rules, limits: Limits
    ) -> "TurnProtocol":
        """Return the protocol of one conversation."""
        ...


def suite_turn_protocol(
    suite: Suite,
) -> "Callable[[Task, Environment, Rules, Limits], TurnProtocol]":
    """Return what makes a suite's protocols; a package's suite may have it by its old name."""
    found = renamed_method(suite, "conductor", "turn_protocol")
    return cast("Callable[[Task, Environment, Rules, Limits], TurnProtocol]", found)


class Channel(Protocol):
    """Carries words one way between user and agent."""

    async def carry(self, utterance: Utterance) -> Utterance:
        """Return the utterance with what was spoken and heard filled in."""
        ...

    def take_usage(self) -> tuple[Usage, ...]:
        """Return what synthesis and recognition consumed since this was last asked."""
        ...


class ToolView(Protocol):
    """How one participant sees tools: schemas, arguments and results in its own surface."""

    def show(self, tools: Toolset) -> Toolset:
        """Return the tools as this participant sees them."""
        ...

    def canonical(self, call: ToolCall) -> ToolCall:
        """Return the call in the world's own values."""
        ...

    def present(self, result: ToolResult, call: ToolCall) -> ToolResult:
        """Return the result of a call, which its caller made, as this participant sees it."""
        ...


class SessionStart(RenamedFields, frozen=True):
    """What a session is told when it opens.

    `conversation` names it uniquely within a run and `seed` derives from its cell. `policy` is the
    benchmark's text for the agent. `history` holds the moves before the first reply. `draw` is the
    same in every attempt at one draw of the cell, and in no other. `instructions` say in which
    language the side is to speak; it is empty where nothing is said of that. `phrases` are those of
    the language that the task is told in, for who speaks without a model; None for English.
    `sounds` holds the audio of what is said, for who hears it themselves, and keeps that of a side
    that speaks by itself. `user_behavior` is how a user without a model plays its part. `key` is
    the same for all that are to meet the same user: task, trial and the run's seed, but not the
    agent.
    `user` is what the agent is told of its user, as data; the instructions say it in words.
    `may_ask` says whether a question about how something is written may be answered within a turn.
    """

    task: Task
    side: Role
    seed: int
    policy: str = ""
    history: tuple[Event, ...] = ()
    conversation: str = ""
    draw: str = ""
    instructions: str = ""
    phrases: Phrasebook | None = None
    sounds: AudioStore = NULL_AUDIO_STORE
    user_behavior: UserBehavior = msgspec.field(default=PLAIN_BEHAVIOR, name="manner")
    key: str = ""
    user: UserProfile = {}  # noqa: RUF012 - copied for each record
    may_ask: bool = False


class SessionReply(msgspec.Struct, frozen=True):
    """A session's reply with its raw form and what it consumed.

    `call_form` names the form in which calls were asked for as text; it is empty for native calls.
    `latency` is None where nobody knows how long the reply took. `reasoning` is what a model
    thought before it replied.
    """

    reply: Reply
    raw: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    usage: Usage | None = None
    call_form: str = ""
    latency: Latency | None = None
    reasoning: str = ""


SessionInput = TextReply | ToolResult
"""What reaches a participant: the other side's words, or the result of its own call."""


class Session(Protocol):
    """One participant in one conversation."""

    async def reply(self, heard: Sequence[SessionInput], tools: Toolset) -> SessionReply:
        """Answer to what was heard since the last reply, with the tools visible now."""
        ...

    async def close(self) -> None:
        """Release what the session holds; called once, whatever happened."""
        ...


class Participant(Protocol):
    """An agent or a user simulator: opens one session per conversation.

    One that can hear audio itself says so: `core.audio.HearsAudio`.
    """

    @property
    def name(self) -> str:
        """The name in tables."""
        ...

    async def open(self, opening: SessionStart) -> Session:
        """Open a session."""
        ...


class Ask(msgspec.Struct, frozen=True):
    """Directive: this side is to reply, seeing these tools; `is_step` counts it against limits.

    With `near_tokens` a stop token that is written almost right is taken for the token. With
    `needs_words` a reply that says nothing is asked for once more, and then unusable.
    """

    side: Role
    tools: Toolset
    turn: int = 0
    is_step: bool = True
    near_tokens: bool = False
    needs_words: bool = False


class Speak(msgspec.Struct, frozen=True):
    """Directive: the benchmark itself makes this side's reply (a fixed message).

    What is not said `aloud` goes through no channel: it arrives as it is written.
    """

    side: Role
    reply: Reply
    turn: int = 0
    aloud: bool = True


class Execute(msgspec.Struct, frozen=True):
    """Directive: the calls of the last move are executed, in order.

    With `refused` none is: those that could be read are answered with it as an error.
    """

    calls: tuple[ToolCall, ...]
    refused: str = ""


class Consult(msgspec.Struct, frozen=True):
    """Directive: a judge decides about the last words; the conversation keeps what it decides."""

    decide: Decide


TurnAction = Ask | Speak | Execute | Consult | Termination
"""What a turn protocol decides comes next."""


class ConversationProgress(Protocol):
    """What a conductor may look at when it decides."""

    @property
    def events(self) -> Sequence[Event]:
        """Everything that happened, in order."""
        ...

    @property
    def steps(self) -> int:
        """Replies and rounds of tool execution so far."""
        ...

    @property
    def errors(self) -> int:
        """Tool errors so far, of both sides."""
        ...

    @property
    def seconds(self) -> float:
        """Wall-clock time since the conversation started."""
        ...


class TurnProtocol(Protocol):
    """A benchmark's protocol: who takes part and moves next, with which tools, until when."""

    @property
    def sides(self) -> tuple[Role, ...]:
        """The sides that reply themselves; for the others the conductor speaks, if anybody does."""
        ...

    def opening(self) -> tuple[Event, ...]:
        """Return the events before the first directive (a greeting, a history)."""
        ...

    def next(self, progress: ConversationProgress) -> TurnAction:
        """Return what happens next; called once after every directive was carried out."""
        ...


class ChatRequest(msgspec.Struct, frozen=True):
    """One call of a chat model: OpenAI-shaped messages, tools as encoded once, and a label.

    `label` is the task's id; scripted models answer by it and ledgers show it. `session` names the
    conversation for endpoints that keep sessions. `draw` keeps remembered replies apart: two trials
    never share one. `key` names the question itself: endpoints that know such keys answer a
    repeated one without charging again. `reply_schema` is the JSON schema that the reply must
    follow, where it must. `user` is what the agent is told of its user, as data, for agents that
    are given it beside the messages.
    """

    messages: Sequence[Mapping[str, object]]
    tools: Toolset
    seed: int
    label: str
    session: str = ""
    draw: str = ""
    key: str = ""
    reply_schema: Mapping[str, object] | None = None
    user: UserProfile = {}


class Completion(msgspec.Struct, frozen=True):
    """A chat model's reply: its raw body, what was understood of it, and how long it took.

    `latency` is None where nobody knows. Of a remembered reply it is that of the first answer.
    `spoken` is the sound of words that the model spoke itself; the raw body holds its hash instead.
    `reasoning` is what the model thought before it replied; it is never part of the words.
    """

    reply: Reply
    raw: msgspec.Raw
    usage: Usage
    latency: Latency | None = None
    spoken: Audio | None = None
    reasoning: str = ""


class ChatModel(Protocol):
    """Any chat model behind any wire."""

    @property
    def name(self) -> str:
        """The name in tables and ledgers."""
        ...

    async def complete(self, request: ChatRequest, purpose: str) -> Completion:
        """Return the model's reply; raise ParticipantError where the provider broke."""
        ...


class IdentifiedModel(ChatModel, Protocol):
    """A chat model that a package brings: it knows what makes it what it is."""

    @property
    def identity(self) -> str:
        """The content key of everything that can change an answer."""
        ...

    async def close(self) -> None:
        """Release what it holds; called once, when nobody asks it any more."""
        ...


class SynthesisResult(msgspec.Struct, frozen=True):
    """What a synthesizer gave: the audio, and what making it consumed."""

    audio: Audio
    usage: Usage | None = None


class Synthesizer(Protocol):
    """Text to speech in one voice."""

    @property
    def name(self) -> str:
        """Engine and voice, as tables name them."""
        ...

    @property
    def identity(self) -> str:
        """The content key of everything that can change the audio of a text."""
        ...

    async def speak(self, text: str, language: str, seed: int) -> SynthesisResult:
        """Return the text as audio; the same text, language and seed give the same bytes.

        Raises:
            ParticipantError: Where the engine broke.
            UsageError: For a language that the voice does not speak.
        """
        ...


class Transcript(msgspec.Struct, frozen=True):
    """What a recognizer heard: the words ("" where none), and what listening consumed."""

    text: str
    usage: Usage | None = None


class Recognizer(Protocol):
    """Speech to text."""

    @property
    def name(self) -> str:
        """Engine and model, as tables name them."""
        ...

    @property
    def identity(self) -> str:
        """The content key of everything that can change what is heard."""
        ...

    async def transcribe(self, audio: Audio, language: str) -> Transcript:
        """Return the words heard.

        Raises:
            ParticipantError: Where the engine broke.
            UsageError: For a language that it does not know.
        """
        ...


class AssertionVerdict(msgspec.Struct, frozen=True):
    """A judge's answer to one assertion; `met` is None where it did not decide.

    `is_answered` is False where the judge's reply leaves the assertion out.
    """

    assertion: str
    met: bool | None
    why: str
    is_answered: bool = True


class Judgement(msgspec.Struct, frozen=True):
    """One verdict per assertion, in the order asked, and what judging consumed."""

    verdicts: tuple[AssertionVerdict, ...]
    usage: Usage | None = None


class JudgeContext(msgspec.Struct, frozen=True):
    """Which conversation is judged: its task's id as a label, and its draw.

    Two trials never share a verdict that was remembered, even where they went alike.
    """

    label: str
    draw: str = ""


class Judge(Protocol):
    """Decides natural-language assertions about a conversation."""

    @property
    def name(self) -> str:
        """The judge's name and version, part of the score's key."""
        ...

    @property
    def assumes(self) -> bool:
        """Whether its verdicts are assumed instead of judged."""
        ...

    @property
    def costs(self) -> bool:
        """Whether a call consumes something, so that none is made where it cannot matter."""
        ...

    async def judge(
        self, assertions: Sequence[str], events: Sequence[Event], case: JudgeContext
    ) -> Judgement:
        """Return one verdict per assertion; raise JudgeError where the reply is unusable."""
        ...


class UserJudge(Protocol):
    """Decides statements about a simulated user, knowing what it was told (the scenario)."""

    @property
    def name(self) -> str:
        """The judge's name and version, part of the score's key."""
        ...

    async def judge(
        self, assertions: Sequence[str], events: Sequence[Event], case: JudgeContext, scenario: str
    ) -> Judgement:
        """Return one verdict per assertion; raise JudgeError where the reply is unusable."""
        ...


if not TYPE_CHECKING:
    __getattr__ = old_names(__name__)
