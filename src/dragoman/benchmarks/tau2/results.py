"""tau2-bench's result files, read: what a run was played with, its tasks and its simulations.

Fields that we do not use are not looked at here; whoever stores a simulation keeps its record whole.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from typing import Annotated, get_args

import msgspec

from dragoman.benchmarks.kit.half_duplex import GREETING
from dragoman.benchmarks.tau2.messages import decode_messages
from dragoman.benchmarks.tau2.suite import ALL_DOMAINS
from dragoman.benchmarks.tau2.tasks import decode_tasks
from dragoman.benchmarks.tau2.verdicts import OURS, action_subject, decode_reward, unscored
from dragoman.core.episodes import Ending, EndReason, Episode, Event, Move
from dragoman.core.errors import DataError
from dragoman.core.scores import Score
from dragoman.core.speech import Said
from dragoman.core.tasks import Task
from dragoman.core.texts.decoding import OutsideErrors
from dragoman.core.tools import ToolResult
from dragoman.core.usage import Usage, total_usage

SOLO_AGENT = "llm_agent_solo"
"""The reference's agent that works alone; the format has no other sign of it."""

MAX_SIMULATION_BYTES = 64 * 1024 * 1024

_REASONS: Mapping[str, EndReason] = {
    reason: reason for reason in get_args(EndReason) if reason not in {"turns_done", "code_error"}
}
_DOMAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,79}")
_NULL = msgspec.Raw(b"null")
Trial = Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]


class PlayerInfo(msgspec.Struct, frozen=True):
    """The agent or the user simulator of a run."""

    implementation: str
    llm: str | None = None

    @property
    def name(self) -> str:
        """The name in tables."""
        return self.llm or self.implementation


class Environment(msgspec.Struct, frozen=True):
    """The domain of a run; `solo_mode` is a field of ours."""

    domain_name: str
    solo_mode: bool = False


class Info(msgspec.Struct, frozen=True):
    """What a run was played with."""

    agent_info: PlayerInfo
    user_info: PlayerInfo
    environment_info: Environment
    git_commit: str = ""
    num_trials: int = 1
    max_steps: int = 200
    max_errors: int = 10
    seed: int | None = None

    @property
    def domain(self) -> str:
        """The domain by our name."""
        name = self.environment_info.domain_name
        return f"{name}-solo" if self.is_solo else name

    @property
    def is_solo(self) -> bool:
        """Whether the agent worked alone."""
        return self.environment_info.solo_mode or self.agent_info.implementation == SOLO_AGENT

    @property
    def is_known(self) -> bool:
        """Whether the domain is one of ours, whose conversations can be scored again."""
        return self.domain in ALL_DOMAINS


class Tau2File(msgspec.Struct, frozen=True):
    """A result file without its simulations; `where` names it in errors."""

    info: Info
    suite: str
    tasks: Mapping[str, Task]
    where: str


class Simulation(msgspec.Struct, frozen=True):
    """One simulation of a file, with the file's own verdict.

    `named_task` is the task that its record names. It is another than `task` where the recorded checks
    are those of one other task of the file, and of no more.
    """

    id: str
    task: Task
    trial: int
    episode: Episode
    score: Score
    named_task: str = ""

    @property
    def is_rematched(self) -> bool:
        """Whether it was matched to another task than its record names."""
        return self.named_task not in {"", self.task.id}

    @property
    def has_other_checks(self) -> bool:
        """Whether the recorded checks are none of the task's, and no other's that could be told."""
        recorded = _recorded_actions(self.score)
        return bool(recorded) and recorded != _planned_actions(self.task)


def decode_head(head: Mapping[str, msgspec.Raw], where: str) -> Tau2File:
    """Decode what a file says about all of its simulations.

    Domains that we do not have are decoded too: what they hold can be shown, and not be scored.

    Raises:
        DataError: Naming the field that is missing or damaged.
    """
    for field in ("info", "tasks"):
        if field not in head:
            raise DataError(f"{where}: not a tau2 result file: it has no {field!r}")
    with OutsideErrors(DataError, f"{where}: its info is damaged"):
        info = msgspec.json.decode(head["info"], type=Info)
    if _DOMAIN_NAME.fullmatch(info.domain) is None:
        raise DataError(f"{where}: {info.domain!r:.80} cannot be the name of a domain")
    suite = f"tau2:{info.domain}"
    tasks = decode_tasks(bytes(head["tasks"]), suite, ALL_DOMAINS.get(info.domain), where)
    return Tau2File(info, suite, {task.id: task for task in tasks}, where)


class _Ours(msgspec.Struct, frozen=True):
    unscored: str = ""
    usage: tuple[Usage, ...] = ()


class _SimulationInfo(msgspec.Struct, rename={"ours": OURS}):
    error: object = None
    ours: _Ours = _Ours()


class _Simulation(msgspec.Struct):
    id: str
    task_id: str
    termination_reason: str
    trial: Trial | None = None
    start_time: str = ""
    duration: float = 0.0
    messages: list[msgspec.Raw] | None = None
    reward_info: msgspec.Raw = _NULL
    info: _SimulationInfo | None = None


def decode_simulation(record: msgspec.Raw, number: int, file: Tau2File) -> Simulation:
    """Decode one simulation, the file's `number`th; its record is kept as the episode's source.

    Raises:
        DataError: Naming the simulation and what is wrong with it.
    """
    where = f"{file.where}: simulation {number}"
    if len(bytes(record)) > MAX_SIMULATION_BYTES:
        raise DataError(f"{where} is larger than {MAX_SIMULATION_BYTES // 2**20} MiB")
    with OutsideErrors(DataError, f"{where} is damaged"):
        given = msgspec.json.decode(record, type=_Simulation)
        source = msgspec.Raw(msgspec.json.format(bytes(record), indent=-1))
    where = f"{where} ({given.id})"
    if given.task_id not in file.tasks:
        raise DataError(f"{where} plays the task {given.task_id!r}, which the file does not have")
    info = given.info or _SimulationInfo()
    ending = _ending(given.termination_reason, info.error)
    score = _score(given, info, ending, where)
    task = _task_of_checks(_recorded_actions(score), file.tasks[given.task_id], file)
    events = _events(given, ending, task, where)
    own = events[len(task.history) :]
    episode = Episode(
        events,
        ending,
        steps=_steps(own, is_solo=file.info.is_solo),
        errors=sum(isinstance(event, ToolResult) and event.error for event in own),
        usage=info.ours.usage or _usage(given.messages or (), file.info),
        started=_started(given.start_time),
        seconds=given.duration,
        source=source,
    )
    return Simulation(given.id, task, given.trial or 0, episode, score, given.task_id)


def _score(given: _Simulation, info: _SimulationInfo, ending: Ending, where: str) -> Score:
    """Return what the file says of a simulation."""
    if ending.reason == "infrastructure_error":
        return unscored(f"infrastructure: {ending.detail}")
    if bytes(given.reward_info) == b"null" and info.ours.unscored:
        return unscored(info.ours.unscored)
    return decode_reward(given.reward_info, where)


def _task_of_checks(recorded: tuple[str, ...], named: Task, file: Tau2File) -> Task:
    """Return the task whose checks were recorded; the named one where that cannot be told."""
    if not recorded or recorded == _planned_actions(named):
        return named
    fitting = [task for task in file.tasks.values() if _planned_actions(task) == recorded]
    return fitting[0] if len(fitting) == 1 else named


def _recorded_actions(score: Score) -> tuple[str, ...]:
    """Return the planned actions that a file's verdict speaks of."""
    parts = [part for part in score.components if part.component == "ACTION"]
    return tuple(entry.subject for part in parts for entry in part.evidence)


def _planned_actions(task: Task) -> tuple[str, ...]:
    actions = () if task.criteria is None else task.criteria.actions or ()
    return tuple(action_subject(action.id, action.name) for action in actions)


def _ending(reason: str, error: object) -> Ending:
    """Return how a simulation ended; reasons that we do not have are faults, by their own names."""
    text = error if isinstance(error, str) else ""
    known = _REASONS.get(reason)
    if known is None:
        return Ending("infrastructure_error", f"{reason}: {text}" if text else reason)
    if known == "infrastructure_error":
        return Ending(known, text or reason)
    return Ending(known, text)


def _events(given: _Simulation, ending: Ending, task: Task, where: str) -> tuple[Event, ...]:
    if given.messages is None and ending.reason != "infrastructure_error":
        raise DataError(f"{where} has no messages: only half-duplex text can be imported")
    events = decode_messages(given.messages or (), where)
    if not events or task.history:
        return events
    first = events[0]
    is_greeting = (
        isinstance(first, Move)
        and first.by == "agent"
        and isinstance(first.reply, Said)
        and first.reply.text == GREETING
    )
    if not is_greeting:
        return events
    return (msgspec.structs.replace(first, scripted=True), *events[1:])


def _steps(events: Sequence[Event], *, is_solo: bool) -> int:
    """Return replies and rounds of tool execution; alone, the first reply is not a step."""
    replies = sum(isinstance(event, Move) and not event.scripted for event in events)
    rounds = sum(
        isinstance(before, Move) and isinstance(after, ToolResult)
        for before, after in pairwise(events)
    )
    return replies + rounds - (is_solo and replies > 0)


class _Spent(msgspec.Struct):
    role: str
    usage: object = None


def _usage(records: Sequence[msgspec.Raw], info: Info) -> tuple[Usage, ...]:
    """Return what the messages say was consumed; a shape that we do not know says nothing."""
    entries = []
    for record in records:
        message = msgspec.json.decode(record, type=_Spent)
        if isinstance(message.usage, dict):
            purpose, player = (
                ("user", info.user_info) if message.role == "user" else ("agent", info.agent_info)
            )
            tokens = (message.usage.get("prompt_tokens"), message.usage.get("completion_tokens"))
            sent, received = (count if isinstance(count, int) else None for count in tokens)
            entries.append(Usage(purpose, player.name, input_tokens=sent, output_tokens=received))
    return total_usage(entries)


def _started(text: str) -> float:
    """Return a time as seconds since the epoch; 0 where it cannot be told."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return 0.0
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
