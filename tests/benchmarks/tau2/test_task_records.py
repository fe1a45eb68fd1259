import gzip
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from dragoman.benchmarks.tau2.suite import DOMAINS, DomainSuite
from dragoman.benchmarks.tau2.tasks import decode_tasks, encode_task
from dragoman.core.episodes import Message
from dragoman.core.protocols import Provenance
from dragoman.core.replies import text_reply
from dragoman.core.tasks import (
    Action,
    Criteria,
    EnvAssertion,
    FunctionCall,
    InitialState,
    Instructions,
    Scenario,
    Task,
)

REPLAY = FunctionCall("user", "turn_airplane_mode_on", {})
FULL = Task(
    "full",
    "tau2:telecom",
    "",
    Scenario(Instructions("telecom", "no data", "be brief", known_info="a name"), persona="calm"),
    criteria=Criteria(
        ("ENV_ASSERTION", "NL_ASSERTION"),
        actions=(Action("1", "toggle_roaming", {"on": True}, "user", compare=("on",)),),
        env_assertions=(EnvAssertion(REPLAY, expected=False, message="off"),),
        communicate_info=("7",),
        assertions=("Agent is kind.",),
    ),
    initial_state=InitialState(
        {"agent": {"plans": []}}, (REPLAY,), (Message("user", text_reply("I was here before.")),)
    ),
    ticket="no data",
)
BARE = Task("bare", "tau2:telecom", "", Scenario("just ask"))


def read(folder: Path, name: str) -> bytes:
    raw = folder / name
    return raw.read_bytes() if raw.exists() else gzip.open(folder / f"{name}.gz").read()


def read_back(tasks: Sequence[Task], domain: str) -> list[Task]:
    content = msgspec.json.encode([encode_task(task) for task in tasks])
    read = decode_tasks(content, f"tau2:{domain}", DOMAINS[domain], "here")
    return [msgspec.structs.replace(task, digest="") for task in read]


def test_a_task_survives_being_written_and_read() -> None:
    assert read_back([FULL, BARE], "telecom") == [FULL, BARE]


@pytest.mark.slow
@pytest.mark.parametrize("domain", sorted(DOMAINS))
def test_every_task_of_a_domain_survives_being_written_and_read(
    domain: str, data_folder: Path
) -> None:
    folder = data_folder / "tau2" / domain
    suite = DomainSuite(
        f"tau2:{domain}",
        lambda name: read(folder, name),
        Provenance("tau2-bench", "MIT", "", ""),
        DOMAINS[domain],
    )

    plain = [msgspec.structs.replace(task, digest="") for task in suite.tasks]

    assert len(plain) > 0
    assert read_back(plain, domain) == plain
