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
"""Difference of a world from the shared data: canonical bytes by record path.

The bytes of a deleted record are b"".
"""


class Environment(Protocol):
    """The state that tools read and change; one per conversation, cheap to make."""

    def tools(self, side: Role) -> Toolset:
        """Return the tools of a side in this world."""
        ...

    def kind(self, name: str) -> ToolKind | None:
        """Return the kind of a tool, or None if no side has such a tool."""
        ...

    def owner(self, call: ToolCall) -> Role | None:
        """Return the side whose tool a call reaches; None if its caller has no such tool."""
        ...

    def call(self, call: ToolCall) -> ToolResult:
        """Execute a call; a refusal is a result with `error`, never an exception."""
        ...

    def take_changes(self) -> tuple[Change, ...]:
        """Return the changes since the last call of this method."""
        ...

    def delta(self) -> StateDelta:
        """Return the records that differ from the shared data; equal deltas are equal states."""
        ...


@runtime_checkable
class SynchronizedEnvironment(Protocol):
    """Optional interface of a world whose databases are synchronized after each call."""

    def unsynchronized(self) -> Environment:
        """Return this same world without the synchronization."""
        ...


@runtime_checkable
class SetupEnvironment(Protocol):
    """Optional interface of a world with hidden functions for set-up and assertions.

    No participant sees these functions.
    """

    def run_function(self, call: FunctionCall) -> object:
        """Run one function.

        Raises:
            DataError: If the function does not exist.
        """
        ...


@runtime_checkable
class AsyncEnvironment(Protocol):
    """The additional interface of a world whose calls wait for an external service.

    A search engine is an example.
    """

    async def call_waiting(self, call: ToolCall) -> ToolResult:
        """Execute a call; other conversations go on while it waits.

        Raises:
            ParticipantError: If the external service broke.
        """
        ...

    def take_usage(self) -> tuple[Usage, ...]:
        """Return the usage of external services since the last call of this method."""
        ...


class EnvironmentFactory(Protocol):
    """Factory of worlds; scoring receives one and never builds its own."""

    def __call__(self, task: Task) -> Environment:
        """Return a fresh world in the task's initial state."""
        ...


class Limits(msgspec.Struct, frozen=True):
    """Limits that end a conversation; the defaults are those of tau2-bench.

    `seconds` is wall-clock time; None sets no limit.
    """

    steps: int = 200
    errors: int = 10
    seconds: float | None = None


class Check(Protocol):
    """A suite's own check, for outcomes beyond states, phrases and assertions."""

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
    """The origin of a suite's data, for reports and content keys."""

    source: str
    licence: str
    notice: str
    digest: str


class Suite(Protocol):
    """A loaded benchmark: its tasks, and factories of their worlds and turn protocols.

    `core.capabilities` has its optional capabilities.
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
        """The origin of the data."""
        ...

    def not_applicable(self, condition: Condition) -> str:
        """Return why the suite cannot be played under a condition; "" if it can."""
        ...

    def policy(self, task: Task, environment: Environment) -> str:
        """Return the text that the agent must follow, for a world before the first word."""
        ...

    def factory(self, rules: Rules) -> "EnvironmentFactory":
        """Return the factory of worlds under a rule set."""
        ...

    def turn_protocol(
        self, task: Task, environment: Environment, rules: Rules, limits: Limits
    ) -> "TurnProtocol":
        """Return the turn protocol of one conversation."""
        ...


def suite_turn_protocol(
    suite: Suite,
) -> "Callable[[Task, Environment, Rules, Limits], TurnProtocol]":
    """Return the factory of a suite's turn protocols; its old method name works too."""
    found = renamed_method(suite, "conductor", "turn_protocol")
    return cast("Callable[[Task, Environment, Rules, Limits], TurnProtocol]", found)


class Channel(Protocol):
    """A channel that carries words one way between user and agent."""

    async def carry(self, utterance: Utterance) -> Utterance:
        """Return the utterance with its spoken and heard texts filled in."""
        ...

    def take_usage(self) -> tuple[Usage, ...]:
        """Return the usage of synthesis and recognition since the last call of this method."""
        ...


class ToolView(Protocol):
    """The tools as one participant sees them: schemas, arguments and results."""

    def show(self, tools: Toolset) -> Toolset:
        """Return the tools as this participant sees them."""
        ...

    def canonical(self, call: ToolCall) -> ToolCall:
        """Return the call in the world's own values."""
        ...

    def present(self, result: ToolResult, call: ToolCall) -> ToolResult:
        """Return the result of this participant's call as the participant sees it."""
        ...


class SessionStart(RenamedFields, frozen=True):
    """The facts that a session gets when it opens.

    `conversation` names it uniquely within a run and `seed` derives from its cell. `policy` is the
    benchmark's text for the agent. `history` holds the moves before the first reply. `draw` is the
    same in every attempt at one draw of the cell, and in no other. `instructions` say in which
    language the side is to speak; they are empty if this is not stated. `phrases` are those of the
    language of the task, for participants without a model; None for English. `sounds` holds the
    audio of what is said, for participants that hear it themselves, and stores the audio of a side
    that speaks by itself. `user_behavior` is the behavior of a user without a model. `key` is the
    same for all conversations with the same user: it covers the task, the trial and the run's seed,
    but not the agent. `user` is the agent's user profile, as data; the instructions say it in
    words. `may_ask` says whether a question about spelling may be answered within a turn.
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
    """A session's reply with its raw form and its usage.

    `call_form` names the form in which calls were asked for as text; it is empty for native calls.
    `latency` is None if it is unknown. `reasoning` is what a model thought before it replied.
    """

    reply: Reply
    raw: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    usage: Usage | None = None
    call_form: str = ""
    latency: Latency | None = None
    reasoning: str = ""


SessionInput = TextReply | ToolResult
"""Input of a participant: the other side's words, or the result of its own call."""


class Session(Protocol):
    """One participant in one conversation."""

    async def reply(self, heard: Sequence[SessionInput], tools: Toolset) -> SessionReply:
        """Return the reply to the input since the last reply, with the tools visible now."""
        ...

    async def close(self) -> None:
        """Release the session's resources; called once, whatever happened."""
        ...


class Participant(Protocol):
    """An agent or a user simulator: opens one session per conversation.

    A participant that can hear audio itself implements `core.audio.HearsAudio`.
    """

    @property
    def name(self) -> str:
        """The name in tables."""
        ...

    async def open(self, opening: SessionStart) -> Session:
        """Open a session."""
        ...


class Ask(msgspec.Struct, frozen=True):
    """Directive: this side must reply and sees these tools.

    `is_step` counts the reply against limits. With `near_tokens`, an almost correct stop token
    counts as the token. With `needs_words`, an empty reply is asked for once more, and a second one
    is unusable.
    """

    side: Role
    tools: Toolset
    turn: int = 0
    is_step: bool = True
    near_tokens: bool = False
    needs_words: bool = False


class Speak(msgspec.Struct, frozen=True):
    """Directive: the benchmark itself makes this side's reply (a fixed message).

    A reply that is not said `aloud` goes through no channel and arrives as written.
    """

    side: Role
    reply: Reply
    turn: int = 0
    aloud: bool = True


class Execute(msgspec.Struct, frozen=True):
    """Directive: the calls of the last move are executed, in order.

    With `refused`, no call is executed, and each readable call gets `refused` as its error.
    """

    calls: tuple[ToolCall, ...]
    refused: str = ""


class Consult(msgspec.Struct, frozen=True):
    """Directive: a judge decides about the last words; the conversation keeps the decision."""

    decide: Decide


TurnAction = Ask | Speak | Execute | Consult | Termination
"""The next action, which a turn protocol decides."""


class ConversationProgress(Protocol):
    """The state of a conversation that a turn protocol may use for its decisions."""

    @property
    def events(self) -> Sequence[Event]:
        """All events so far, in order."""
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
        """Wall-clock time since the conversation started, in seconds."""
        ...


class TurnProtocol(Protocol):
    """A benchmark's turn protocol: participants, order of moves, tools, and the end."""

    @property
    def sides(self) -> tuple[Role, ...]:
        """The sides that reply themselves; the turn protocol speaks for the others, if at all."""
        ...

    def opening(self) -> tuple[Event, ...]:
        """Return the events before the first directive (a greeting, a history)."""
        ...

    def next(self, progress: ConversationProgress) -> TurnAction:
        """Return the next action; called once after every directive was carried out."""
        ...


class ChatRequest(msgspec.Struct, frozen=True):
    """One call of a chat model: OpenAI-shaped messages, tools as encoded once, and a label.

    `label` is the task's id; scripted models answer by it and usage ledgers show it. `session`
    names the conversation for endpoints that keep sessions. `draw` keeps cached replies apart: two
    trials never share one. `key` names the question itself: endpoints that know such keys answer a
    repeated question without another charge. `reply_schema` is the JSON schema that the reply must
    follow, if there is one. `user` is the user profile as data, for agents that get it in addition
    to the messages.
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
    """A chat model's reply: its raw body, the parsed reply, and its latency.

    `latency` is None if unknown. A cached reply has the latency of the first answer. `spoken` is
    the sound of words that the model spoke itself; the raw body holds its hash instead. `reasoning`
    is what the model thought before it replied; it is never part of the words.
    """

    reply: Reply
    raw: msgspec.Raw
    usage: Usage
    latency: Latency | None = None
    spoken: Audio | None = None
    reasoning: str = ""


class ChatModel(Protocol):
    """Any chat model on any wire."""

    @property
    def name(self) -> str:
        """The name in tables and usage ledgers."""
        ...

    async def complete(self, request: ChatRequest, purpose: str) -> Completion:
        """Return the model's reply; raise ParticipantError if the provider broke."""
        ...


class IdentifiedModel(ChatModel, Protocol):
    """A chat model from another package, with its own content key."""

    @property
    def identity(self) -> str:
        """The content key of everything that can change an answer."""
        ...

    async def close(self) -> None:
        """Release its resources; called once, after the last request."""
        ...


class SynthesisResult(msgspec.Struct, frozen=True):
    """The result of a synthesizer: the audio, and the usage."""

    audio: Audio
    usage: Usage | None = None


class Synthesizer(Protocol):
    """Text to speech in one voice."""

    @property
    def name(self) -> str:
        """Engine and voice, as in tables."""
        ...

    @property
    def identity(self) -> str:
        """The content key of everything that can change the audio of a text."""
        ...

    async def speak(self, text: str, language: str, seed: int) -> SynthesisResult:
        """Return the text as audio; the same text, language and seed give the same bytes.

        Raises:
            ParticipantError: If the engine broke.
            UsageError: For a language that the voice does not speak.
        """
        ...


class Transcript(msgspec.Struct, frozen=True):
    """The result of a recognizer: the recognized words ("" for none), and the usage."""

    text: str
    usage: Usage | None = None


class Recognizer(Protocol):
    """Speech to text."""

    @property
    def name(self) -> str:
        """Engine and model, as in tables."""
        ...

    @property
    def identity(self) -> str:
        """The content key of everything that can change a transcript."""
        ...

    async def transcribe(self, audio: Audio, language: str) -> Transcript:
        """Return the recognized words.

        Raises:
            ParticipantError: If the engine broke.
            UsageError: For a language that it does not know.
        """
        ...


class AssertionVerdict(msgspec.Struct, frozen=True):
    """A judge's answer to one assertion; `met` is None if it did not decide.

    `is_answered` is False if the judge's reply omits the assertion.
    """

    assertion: str
    met: bool | None
    why: str
    is_answered: bool = True


class Judgement(msgspec.Struct, frozen=True):
    """One verdict per assertion, in the order of the questions, and the usage."""

    verdicts: tuple[AssertionVerdict, ...]
    usage: Usage | None = None


class JudgeContext(msgspec.Struct, frozen=True):
    """The conversation that is judged: its task's id as a label, and its draw.

    Two trials never share a cached verdict, even if they went alike.
    """

    label: str
    draw: str = ""


class Judge(Protocol):
    """Judge of natural-language assertions about a conversation."""

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
        """Whether a call consumes something; if so, none is made that cannot matter."""
        ...

    async def judge(
        self, assertions: Sequence[str], events: Sequence[Event], case: JudgeContext
    ) -> Judgement:
        """Return one verdict per assertion; raise JudgeError if the reply is unusable."""
        ...


class UserJudge(Protocol):
    """Judge of statements about a simulated user; it knows the user's instructions."""

    @property
    def name(self) -> str:
        """The judge's name and version, part of the score's key."""
        ...

    async def judge(
        self, assertions: Sequence[str], events: Sequence[Event], case: JudgeContext, scenario: str
    ) -> Judgement:
        """Return one verdict per assertion; raise JudgeError if the reply is unusable."""
        ...


if not TYPE_CHECKING:
    __getattr__ = old_names(__name__)
