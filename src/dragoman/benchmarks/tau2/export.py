"""Runs of ours written in the format of tau2-bench's result files.

Costs are null, for they are not known; token counts stand in a simulation's free `info`.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

import msgspec

from dragoman.benchmarks.tau2.messages import encode_messages
from dragoman.benchmarks.tau2.results import SOLO_AGENT, Simulation
from dragoman.benchmarks.tau2.task_records import Record, encode_task
from dragoman.benchmarks.tau2.verdicts import OURS, encode_reward
from dragoman.core.errors import DataError
from dragoman.core.result_files import RunFacts
from dragoman.core.scores import Unscored
from dragoman.core.tasks import Task
from dragoman.core.tools import Toolset

_SOLO = "-solo"


def encode_head(facts: RunFacts, tasks: Iterable[Task]) -> dict[str, msgspec.Raw]:
    """Return a file without its simulations, field by field."""
    fields = {
        "timestamp": _iso(facts.started),
        "info": _info(facts),
        "tasks": list(map(encode_task, tasks)),
    }
    return {name: msgspec.Raw(msgspec.json.encode(value)) for name, value in fields.items()}


def _info(facts: RunFacts) -> Record:
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
        DataError: Where it ended in a way that the format does not have.
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
