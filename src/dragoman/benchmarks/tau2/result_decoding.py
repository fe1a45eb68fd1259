"""Decoder of tau2-bench's results: run settings, tasks and simulations."""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from typing import Annotated, get_args

import msgspec

from dragoman.benchmarks.kit.turn_protocols import GREETING
from dragoman.benchmarks.tau2.messages import decode_messages
from dragoman.benchmarks.tau2.reported_settings import FULL_DUPLEX, ReportedSettings
from dragoman.benchmarks.tau2.result_files import holds_nothing
from dragoman.benchmarks.tau2.reward_info import OURS, decode_reward, unscored_result
from dragoman.benchmarks.tau2.suite import ALL_DOMAINS
from dragoman.benchmarks.tau2.tasks import decode_tasks
from dragoman.core.conditions import ENGLISH, PLAIN, Condition
from dragoman.core.episodes import Episode, Event, Message, Termination, TerminationReason
from dragoman.core.errors import DataError
from dragoman.core.replies import TextReply
from dragoman.core.scores import Score
from dragoman.core.tasks import Task
from dragoman.core.texts.decoding import DECODING_ERRORS, TranslatedErrors
from dragoman.core.tools import ToolResult
from dragoman.core.usage import Usage, total_usage

SOLO_AGENT = "llm_agent_solo"
"""The reference's agent that works alone; the format has no other sign of it."""

MAX_SIMULATION_BYTES = 64 * 1024 * 1024

_REASONS: Mapping[str, TerminationReason] = {
    reason: reason
    for reason in get_args(TerminationReason)
    if reason not in {"turns_done", "code_error"}
}
_DOMAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,79}")
_NULL = msgspec.Raw(b"null")
Trial = Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]


class PlayerInfo(msgspec.Struct, frozen=True):
    """The agent or the user simulator of a run."""

    implementation: str | None = None
    llm: str | None = None

    @property
    def name(self) -> str:
        """The name in tables."""
        return self.llm or self.implementation or "unnamed"


class EnvironmentInfo(msgspec.Struct, frozen=True):
    """The domain of a run; `solo_mode` is a field of ours."""

    domain_name: str
    solo_mode: bool | None = None


class _UserSettings(msgspec.Struct, frozen=True):
    """The part of a user's settings that describes the persona."""

    persona: object = None
    persona_config: object = None


class Info(msgspec.Struct, frozen=True):
    """The settings of a run."""

    environment_info: EnvironmentInfo
    agent_info: PlayerInfo | None = None
    user_info: PlayerInfo | None = None
    git_commit: str | None = None
    num_trials: int | None = None
    max_steps: int | None = None
    max_errors: int | None = None
    seed: int | None = None

    @property
    def agent(self) -> PlayerInfo:
        """The agent; without a name where the file says nothing of it."""
        return self.agent_info or PlayerInfo()

    @property
    def user(self) -> PlayerInfo:
        """The user simulator, in the same way."""
        return self.user_info or PlayerInfo()

    @property
    def domain(self) -> str:
        """The domain by our name."""
        name = self.environment_info.domain_name
        return f"{name}-solo" if self.is_solo else name

    @property
    def is_solo(self) -> bool:
        """Whether the agent worked alone."""
        return bool(self.environment_info.solo_mode) or self.agent.implementation == SOLO_AGENT

    @property
    def is_known(self) -> bool:
        """Whether the domain is one of ours, whose conversations can be scored again."""
        return self.domain in ALL_DOMAINS


class Tau2File(msgspec.Struct, frozen=True):
    """A result file without its simulations.

    Attributes:
        info: The settings of the run.
        suite: The suite's name.
        tasks: The file's tasks by id.
        where: The file's name in errors.
        played_under: The settings that the file reports for all of its conversations.
    """

    info: Info
    suite: str
    tasks: Mapping[str, Task]
    where: str
    played_under: ReportedSettings = ReportedSettings()


class Simulation(msgspec.Struct, frozen=True):
    """One simulation of a file, with the file's own verdict.

    Attributes:
        id: Its id in the file.
        task: The task that it played; the reader of the file determines which one its record names.
        trial: Its trial.
        episode: The conversation.
        score: The file's verdict.
        condition: The condition under which it was played.
        has_trial: Whether its record says which trial it is.
        unknown_language: Text of its record or its file in place of a language.
    """

    id: str
    task: Task
    trial: int
    episode: Episode
    score: Score
    condition: Condition = PLAIN
    has_trial: bool = True
    unknown_language: str = ""


def decode_head(head: Mapping[str, msgspec.Raw], where: str) -> Tau2File:
    """Decode what a file says about all of its simulations.

    Domains that we do not have are decoded too: what they hold can be shown, and not be scored.

    Raises:
        DataError: Naming the field that is missing or damaged.
    """
    for field in ("info", "tasks"):
        if field not in head:
            raise DataError(f"{where}: not a tau2 result file: it has no {field!r}")
    with TranslatedErrors(DataError, f"{where}: its info is damaged"):
        info = msgspec.json.decode(head["info"], type=Info)
        played_under = msgspec.json.decode(head["info"], type=ReportedSettings)
        user = msgspec.json.decode(head["info"], type=_WithUser).user_info or _UserSettings()
    played_under = ReportedSettings(persona=user.persona, persona_config=user.persona_config).over(
        played_under
    )
    if _DOMAIN_NAME.fullmatch(info.domain) is None:
        raise DataError(f"{where}: {info.domain!r:.80} cannot be the name of a domain")
    suite = f"tau2:{info.domain}"
    tasks = decode_tasks(bytes(head["tasks"]), suite, ALL_DOMAINS.get(info.domain), where)
    return Tau2File(info, suite, {task.id: task for task in tasks}, where, played_under)


class _WithUser(msgspec.Struct):
    user_info: _UserSettings | None = None


class _Ours(msgspec.Struct, frozen=True):
    unscored: str = ""
    usage: tuple[Usage, ...] = ()


class _SimulationInfo(msgspec.Struct, rename={"ours": OURS}):
    error: object = None
    ours: _Ours = _Ours()


class _Simulation(msgspec.Struct):
    id: str
    termination_reason: str
    task_id: str | None = None
    trial: Trial | None = None
    start_time: str | None = None
    duration: float | None = None
    messages: list[msgspec.Raw] | None = None
    reward_info: msgspec.Raw = _NULL
    info: _SimulationInfo | None = None


class _Stored(msgspec.Struct):
    """The form in which a simulation's conversation is stored."""

    mode: object = None
    ticks: msgspec.Raw = _NULL
    messages: msgspec.Raw = _NULL


def is_full_duplex(record: msgspec.Raw) -> bool:
    """Return whether a simulation is a full-duplex conversation, which is stored as ticks of audio.

    Its mode says so; where it names none, that there are ticks and no messages.
    """
    try:
        stored = msgspec.json.decode(record, type=_Stored)
    except DECODING_ERRORS:
        return False
    if stored.mode is not None:
        return stored.mode == FULL_DUPLEX
    return not holds_nothing(stored.ticks) and holds_nothing(stored.messages)


def compact_json(record: msgspec.Raw) -> msgspec.Raw:
    """Return a record as runs keep it: value for value, without white space."""
    return msgspec.Raw(msgspec.json.format(bytes(record), indent=-1))


def decode_simulation(
    record: msgspec.Raw, number: int, file: Tau2File, task_id: str | None = None
) -> Simulation:
    """Decode one simulation; its record is kept as the episode's source.

    Args:
        record: The simulation.
        number: Its place in the file.
        file: The rest of the file.
        task_id: The task that it played; None for the one that its record names.

    Raises:
        DataError: Naming the simulation and what is wrong with it.
    """
    where = f"{file.where}: simulation {number}"
    if len(bytes(record)) > MAX_SIMULATION_BYTES:
        raise DataError(f"{where} is larger than {MAX_SIMULATION_BYTES // 2**20} MiB")
    with TranslatedErrors(DataError, f"{where} is damaged"):
        given = msgspec.json.decode(record, type=_Simulation)
        source = compact_json(record)
        own = msgspec.json.decode(record, type=ReportedSettings)
    where = f"{where} ({given.id})"
    task = _task(given, file, where, task_id)
    played_under = own.over(file.played_under)
    condition = played_under.condition
    info = given.info or _SimulationInfo()
    ending = _ending(given, info.error)
    score = _score(given, info, ending, where)
    events = _events(given, condition, task, where)
    new = events[len(task.history) :]
    episode = Episode(
        events,
        ending,
        steps=_steps(new, is_solo=file.info.is_solo),
        errors=sum(isinstance(event, ToolResult) and event.error for event in new),
        usage=info.ours.usage or _usage(given.messages or (), file.info),
        started=_parse_timestamp(given.start_time or ""),
        seconds=given.duration or 0.0,
        source=source,
    )
    return Simulation(
        given.id,
        task,
        given.trial or 0,
        episode,
        score,
        condition,
        has_trial=given.trial is not None,
        unknown_language=played_under.unknown_language,
    )


def _task(given: _Simulation, file: Tau2File, where: str, task_id: str | None) -> Task:
    if given.task_id is None:
        raise DataError(f"{where} names no task: it has no 'task_id'")
    if given.task_id not in file.tasks:
        raise DataError(f"{where} plays the task {given.task_id!r}, which the file does not have")
    return file.tasks[given.task_id if task_id is None else task_id]


def _score(given: _Simulation, info: _SimulationInfo, ending: Termination, where: str) -> Score:
    """Return what the file says of a simulation."""
    if ending.reason == "infrastructure_error":
        return unscored_result(f"infrastructure: {ending.detail}")
    if bytes(given.reward_info) == b"null" and info.ours.unscored:
        return unscored_result(info.ours.unscored)
    return decode_reward(given.reward_info, where)


def _ending(given: _Simulation, error: object) -> Termination:
    """Return how a simulation ended; reasons that we do not have are faults, by their own names.

    A conversation without a message is a fault too: nothing in it is the agent's.
    """
    reason, text = given.termination_reason, error if isinstance(error, str) else ""
    known = _REASONS.get(reason)
    if known is None:
        return Termination("infrastructure_error", f"{reason}: {text}" if text else reason)
    if known == "infrastructure_error":
        return Termination(known, text or reason)
    if not given.messages:
        return Termination("infrastructure_error", f"the file has no messages of it ({reason})")
    return Termination(known, text)


def _events(given: _Simulation, condition: Condition, task: Task, where: str) -> tuple[Event, ...]:
    events = decode_messages(given.messages or (), where)
    if not events or task.history:
        return events
    first = events[0]
    if (
        not isinstance(first, Message)
        or first.by != "agent"
        or not isinstance(first.reply, TextReply)
    ):
        return events
    in_another = condition.language != ENGLISH and _is_unspent((given.messages or [])[0])
    if first.reply.text != GREETING and not in_another:
        return events
    return (msgspec.structs.replace(first, scripted=True), *events[1:])


def _steps(events: Sequence[Event], *, is_solo: bool) -> int:
    """Return replies and rounds of tool execution; alone, the first reply is not a step."""
    replies = sum(isinstance(event, Message) and not event.scripted for event in events)
    rounds = sum(
        isinstance(before, Message) and isinstance(after, ToolResult)
        for before, after in pairwise(events)
    )
    return replies + rounds - (is_solo and replies > 0)


class _Spent(msgspec.Struct):
    role: str
    usage: object = None


def _is_unspent(record: msgspec.Raw) -> bool:
    """Return whether no model was asked for a message, as for a greeting in another language."""
    return not msgspec.json.decode(record, type=_Spent).usage


def _usage(records: Sequence[msgspec.Raw], info: Info) -> tuple[Usage, ...]:
    """Return what the messages say was consumed; a shape that we do not know says nothing."""
    entries = []
    for record in records:
        message = msgspec.json.decode(record, type=_Spent)
        if isinstance(message.usage, dict):
            purpose, player = (
                ("user", info.user) if message.role == "user" else ("agent", info.agent)
            )
            tokens = (message.usage.get("prompt_tokens"), message.usage.get("completion_tokens"))
            sent, received = (count if isinstance(count, int) else None for count in tokens)
            entries.append(Usage(purpose, player.name, input_tokens=sent, output_tokens=received))
    return total_usage(entries)


def _parse_timestamp(text: str) -> float:
    """Return a time as seconds since the epoch; 0 where it cannot be told."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return 0.0
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
