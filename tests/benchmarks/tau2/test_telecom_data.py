"""The telecom domain over the real data: its reference plans pass, doing nothing does not."""

import gzip
from pathlib import Path

import msgspec
import pytest

from dragoman.benchmarks.tau2.suite import DOMAINS, DomainSuite
from dragoman.core.protocols import Provenance
from dragoman.core.rules import DEFAULT_RULES, TAU2_RULES, Rules
from dragoman.core.tasks import Task
from dragoman.core.tools import ToolCall
from dragoman.scoring.reward import Scorer

BOTH = pytest.mark.parametrize("rules", [DEFAULT_RULES, TAU2_RULES], ids=lambda rules: rules.name)


def read(folder: Path, name: str) -> bytes:
    raw = folder / name
    packed = folder / f"{name}.gz"
    return raw.read_bytes() if raw.exists() else gzip.decompress(packed.read_bytes())


@pytest.fixture(scope="module")
def folder(data_folder: Path) -> Path:
    return data_folder / "tau2" / "telecom"


@pytest.fixture(scope="module")
def telecom(folder: Path) -> DomainSuite:
    source = Provenance("tau2-bench", "MIT", "", "")
    return DomainSuite("tau2:telecom", lambda name: read(folder, name), source, DOMAINS["telecom"])


def passes(suite: DomainSuite, task: Task, rules: Rules, *, plan: bool) -> bool:
    """Return whether a task's own assertions hold, with or without its reference plan."""
    environment = suite.factory(rules)(task)
    assert task.criteria is not None
    for action in (task.criteria.actions or ()) if plan else ():
        result = environment.call(ToolCall(action.id, action.name, action.arguments, action.by))
        assert not result.error, result.content
    return all(
        environment.run_function(entry.call) == entry.expected
        for entry in task.criteria.env_assertions or ()
    )


def test_untouched_data_have_the_reference_hashes(telecom: DomainSuite) -> None:
    task = msgspec.structs.replace(telecom.tasks[0], initial_state=None)
    assert telecom.factory(TAU2_RULES)(task).fingerprint() == {
        "agent": "304cf5ef059852e117ea801ab9a5efc24c9713ec887679dc2e30acceb4b6742d",
        "user": "e1f3a8637388808221228ff3f87294444e6b64caf721f5eb243a85d0a9380b28",
    }


@pytest.mark.slow
@BOTH
def test_every_reference_plan_holds_its_assertions(telecom: DomainSuite, rules: Rules) -> None:
    assert len(telecom.tasks) == 2285
    failing = [task.id for task in telecom.tasks if not passes(telecom, task, rules, plan=True)]
    assert failing == []


def test_doing_nothing_holds_only_what_asks_for_handing_over(telecom: DomainSuite) -> None:
    free = [task for task in telecom.tasks if passes(telecom, task, DEFAULT_RULES, plan=False)]
    assert len(free) == 32
    for task in free:
        assert task.criteria is not None
        assert task.criteria.reward_basis == ("ENV_ASSERTION", "ACTION")
        assert [entry.name for entry in task.criteria.actions or ()] == ["transfer_to_human_agents"]


def test_the_rules_decide_whether_a_plans_payment_is_booked(telecom: DomainSuite) -> None:
    name = "[service_issue]overdue_bill_suspension[PERSONA:Easy]"
    task = next(task for task in telecom.tasks if task.id == name)
    statuses = []
    for rules in (DEFAULT_RULES, TAU2_RULES):
        expected = Scorer(telecom.factory(rules), rules, None).expected_state(task)
        statuses.append(msgspec.json.decode(expected["agent", "bills", "B1234321"])["status"])
    assert statuses == ["Paid", "Awaiting Payment"]


@pytest.mark.slow
def test_the_policy_is_both_documents(telecom: DomainSuite, folder: Path) -> None:
    policy = telecom.policy_text
    main = (folder / "main_policy.md").read_text("utf-8")
    manual = (folder / "tech_support_manual.md").read_text("utf-8")
    assert policy.startswith(f"<main_policy>\n{main}")
    assert policy.endswith(f"{manual}\n</tech_support_policy>")
