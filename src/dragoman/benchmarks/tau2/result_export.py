"""Export of runs as tau2-bench result files."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from dragoman.benchmarks.tau2.messages import encode_messages
from dragoman.benchmarks.tau2.result_decoding import SOLO_AGENT, Simulation
from dragoman.benchmarks.tau2.result_files import (
    INDEX,
    UNREADABLE_FIELD,
    merge_unreadable,
    write_results,
)
from dragoman.benchmarks.tau2.reward_info import (
    OURS,
    encode_reward,
    unscored_result,
    update_reward_info,
)
from dragoman.benchmarks.tau2.tasks import Record, encode_task
from dragoman.core.errors import DataError
from dragoman.core.result_files import PlayedConversation, ResultFileFacts
from dragoman.core.scores import Score, Unscored
from dragoman.core.tasks import Task
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.core.tools import Toolset

_SOLO = "-solo"


def encode_head(facts: ResultFileFacts, tasks: Iterable[Task]) -> dict[str, msgspec.Raw]:
    """Return a file without its simulations, field by field."""
    fields = {
        "timestamp": _iso(facts.started),
        "info": _info(facts),
        "tasks": list(map(encode_task, tasks)),
    }
    return {name: msgspec.Raw(msgspec.json.encode(value)) for name, value in fields.items()}


def _info(facts: ResultFileFacts) -> Record:
    domain = facts.suite.split(":")[1]
    is_solo = domain.endswith(_SOLO)
    return {
        "git_commit": facts.software,
        "num_trials": facts.trials,
        "max_steps": facts.limits.steps,
        "max_errors": facts.limits.errors,
        "user_info": {
            **_player(facts.user, "user_simulator"),
            "global_simulation_guidelines": None,
        },
        "agent_info": _player(facts.agent, SOLO_AGENT if is_solo else "llm_agent"),
        "environment_info": {
            "domain_name": domain.removesuffix(_SOLO),
            "policy": facts.policy,
            "tool_defs": None if facts.tools is None else _tools(facts.tools),
            "solo_mode": is_solo,
        },
        "seed": facts.seed,
    }


def _player(name: str, implementation: str) -> Record:
    """Return a participant; only names with a slash are those of models."""
    is_model = "/" in name
    return {
        "implementation": implementation if is_model else name,
        "llm": name if is_model else None,
        "llm_args": None,
    }


def _tools(tools: Toolset) -> Mapping[str, Record]:
    return {
        tool.name: {
            "name": tool.name,
            "doc": tool.description,
            "params": tool.parameters,
            "returns": None,
        }
        for tool in tools
    }


def encode_simulation(played: Simulation, seed: int) -> msgspec.Raw:
    """Return one conversation of ours with its score as a simulation of the format.

    Raises:
        DataError: If it ended in a way that the format lacks.
    """
    episode, score = played.episode, played.score
    if episode.ending.reason == "turns_done":
        raise DataError(f"task {played.task.id}: the format has no conversations of fixed turns")
    started, ended = _iso(episode.started), _iso(episode.started + episode.seconds)
    ours: Record = {"usage": episode.usage} if episode.usage else {}
    if isinstance(score.reward, Unscored):
        ours["unscored"] = score.reward.reason
    info: Record = {"error": episode.ending.detail} if episode.ending.detail else {}
    if ours:
        info[OURS] = ours
    record = {
        "id": played.id,
        "task_id": played.task.id,
        "timestamp": ended,
        "start_time": started,
        "end_time": ended,
        "duration": episode.seconds,
        # The format has one word for all that broke; what it was stands in the error.
        "termination_reason": "infrastructure_error" if episode.is_fault else episode.ending.reason,
        "agent_cost": None,
        "user_cost": None,
        "agent_usage": None,
        "reward_info": encode_reward(score, played.task.criteria),
        "messages": encode_messages(episode.events),
        "trial": played.trial,
        "seed": seed,
        "mode": "half_duplex",
        "review": None,
        "user_only_review": None,
        "info": info or None,
        "auth_classification": None,
        "hallucination_check": None,
        "hallucination_retries_used": 0,
        "policy": None,
    }
    return msgspec.Raw(msgspec.json.encode(record))


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()


class Tau2Results:
    """The format of tau2-bench's result files."""

    name = "tau2"

    def head(self, facts: ResultFileFacts, tasks: Iterable[Task]) -> Mapping[str, msgspec.Raw]:
        """Return a file without its simulations, field by field."""
        return encode_head(facts, tasks)

    def conversation(self, played: PlayedConversation, seed: int) -> msgspec.Raw:
        """Return a simulation."""
        score = played.score or unscored_result("not scored yet")
        simulation = Simulation(played.id, played.task, played.trial, played.episode, score)
        return encode_simulation(simulation, seed)

    def id_of(self, record: msgspec.Raw) -> str:
        """Return the id of a simulation that was read."""
        return msgspec.json.decode(record, type=_Named).id

    def rescored(self, record: msgspec.Raw, task: Task, score: Score | None) -> msgspec.Raw:
        """Return a simulation that was read with another `reward_info`."""
        fields = msgspec.json.decode(record, type=dict[str, msgspec.Raw])
        reward = encode_reward(score, task.criteria)
        if reward is not None:
            reward = update_reward_info(fields.get(_REWARD), reward)
        fields[_REWARD] = msgspec.Raw(msgspec.json.encode(reward))
        return msgspec.Raw(msgspec.json.encode(fields))

    def reindexed(
        self, head: Mapping[str, msgspec.Raw], rewards: Mapping[str, float | None]
    ) -> Mapping[str, msgspec.Raw]:
        """Return a head whose index of simulations, if it has one, gives other rewards."""
        try:
            entries = msgspec.json.decode(head.get(INDEX, _NULL), type=list[_Entry] | None)
        except DECODING_ERRORS:
            # One file is read without it, whatever it is.
            return head
        for entry in entries or ():
            name = msgspec.json.decode(entry.get("id", _NULL))
            if isinstance(name, str) and name in rewards:
                entry["reward"] = msgspec.Raw(msgspec.json.encode(rewards[name]))
        return {**head, INDEX: msgspec.Raw(msgspec.json.encode(entries))} if entries else head

    def write(
        self,
        path: Path,
        head: Mapping[str, msgspec.Raw],
        records: Iterable[tuple[str, msgspec.Raw]],
        *,
        as_folder: bool,
    ) -> int:
        """Write a file, or a folder with a file per simulation; return how many there are.

        Raises:
            DataError: If an id cannot be the name of a file.
            StoreError: If the file cannot be written.
        """
        given = {name: value for name, value in head.items() if name != UNREADABLE_FIELD}
        whole = merge_unreadable(head, records)
        return write_results(path, given, whole, as_folder=as_folder)


class _Named(msgspec.Struct):
    id: str


_Entry = dict[str, msgspec.Raw]
_NULL = msgspec.Raw(b"null")
_REWARD = "reward_info"
