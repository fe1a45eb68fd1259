import json
from typing import Any

import msgspec
import pytest

from dragoman.benchmarks.tau2.result_decoding import Simulation, decode_head, decode_simulation
from dragoman.benchmarks.tau2.result_export import encode_head, encode_simulation
from dragoman.core.episodes import Episode, Message, Termination
from dragoman.core.errors import DataError
from dragoman.core.protocols import Limits
from dragoman.core.replies import ToolCallReply, text_reply
from dragoman.core.result_files import ResultFileFacts
from dragoman.core.scores import Score, Scored, Unscored
from dragoman.core.tasks import Scenario, Task
from dragoman.core.tools import ToolCall, ToolResult, Toolset, ToolSpec
from dragoman.core.usage import Usage

TASK = Task("7", "tau2:telecom-solo", "", Scenario("x"), ticket="no signal")
FACTS = ResultFileFacts(
    "tau2:telecom-solo", "lab/agent", "gold", "dragoman 1", 0.0, 1, Limits(50, 5), seed=3
)
EVENTS = (
    Message("agent", ToolCallReply((ToolCall("a", "reboot", {}),))),
    ToolResult("a", "reboot", "ok"),
    Message("agent", ToolCallReply((ToolCall("b", "done", {}),))),
)
SCORE = Score("tau2-1.0.1", "none", Scored(1.0), ())


def written(episode: Episode, score: Score = SCORE) -> msgspec.Raw:
    return encode_simulation(Simulation("s", TASK, 0, episode, score), seed=9)


def read_back(episode: Episode, score: Score = SCORE) -> Simulation:
    file = decode_head(encode_head(FACTS, [TASK]), "f.json")
    return decode_simulation(written(episode, score), 1, file)


def info(facts: ResultFileFacts) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(bytes(encode_head(facts, [])["info"]))
    return record


def test_a_solo_run_comes_back_as_one() -> None:
    episode = Episode(
        EVENTS, Termination("agent_stop"), steps=2, errors=0, started=5.0, seconds=1.5
    )

    file = decode_head(encode_head(FACTS, [TASK]), "f.json")
    read = read_back(episode).episode

    assert file.suite == "tau2:telecom-solo"
    assert info(FACTS)["environment_info"]["domain_name"] == "telecom"
    assert info(FACTS)["agent_info"]["implementation"] == "llm_agent_solo"
    assert msgspec.structs.replace(read, source=msgspec.UNSET) == episode


def test_only_models_have_a_name_of_a_model() -> None:
    assert info(FACTS)["agent_info"]["llm"] == "lab/agent"
    assert info(FACTS)["user_info"]["implementation"] == "gold"
    assert info(FACTS)["user_info"]["llm"] is None


def test_policy_and_tools_are_written_where_they_are_known() -> None:
    tool = ToolSpec("reboot", "Restart.", {"type": "object"})
    known = msgspec.structs.replace(FACTS, policy="Be kind.", tools=Toolset((tool,)))

    assert info(FACTS)["environment_info"]["policy"] is None
    environment = info(known)["environment_info"]
    assert environment["policy"] == "Be kind."
    assert environment["tool_defs"] == {
        "reboot": {
            "name": "reboot",
            "doc": "Restart.",
            "params": {"type": "object"},
            "returns": None,
        }
    }


def test_what_broke_and_what_it_cost_come_back() -> None:
    usage = (Usage("agent", "lab/agent", 2, 30, None),)
    episode = Episode(EVENTS[:2], Termination("infrastructure_error", "cut"), 1, 0, usage=usage)

    read = read_back(episode, Score("r", "j", Unscored("infrastructure: cut"), ()))

    assert read.episode.ending == episode.ending
    assert read.episode.usage == usage
    assert read.score.reward == Unscored("infrastructure: cut")


def test_why_there_is_no_reward_comes_back() -> None:
    episode = Episode(EVENTS, Termination("agent_stop"), 2, 0)

    read = read_back(episode, Score("r", "none", Unscored("no judge"), ()))

    assert read.score.reward == Unscored("no judge")


def test_fixed_turns_have_no_such_form() -> None:
    with pytest.raises(DataError, match="task 7: the format has no conversations of fixed turns"):
        written(Episode((Message("agent", text_reply("Hi")),), Termination("turns_done"), 1, 0))
