"""Risk profiles of tau2-bench: existing tools, and locked SIM cards that users unlock."""

import re
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import msgspec
import pytest
from tests.conftest import read_file

from dragoman.benchmarks.tau2.suite import DOMAINS, DomainSuite, domain_risk_profile
from dragoman.core.protocols import Provenance
from dragoman.scoring.measures.escalation import escalation_duties, planned_handover


@pytest.mark.parametrize("domain", DOMAINS)
def test_tools_at_stake_change_something_and_exist(domain: str) -> None:
    risk_profile, kinds = domain_risk_profile(domain), DOMAINS[domain].kinds["agent"]
    assert risk_profile.irreversible
    assert {kinds[name] for name in risk_profile.irreversible} == {"write"}
    assert kinds[risk_profile.escalation_tool] == "generic"


def test_variants_of_telecom_have_its_risk_profile() -> None:
    assert domain_risk_profile("telecom-workflow-solo") == domain_risk_profile("telecom")
    assert domain_risk_profile("bakery").irreversible == ()


def test_the_fields_of_a_suite_are_shown(in_process: Callable[..., CompletedProcess[str]]) -> None:
    shown = in_process("fields", "courier", "--full").stdout
    assert "cancel_shipment" in shown
    assert "escalation duty (minor)" in shown
    assert "policy: When a person must take over; 1 task: mother-is-not-home" in shown
    assert "escalate_to_human is planned in 5 tasks: gas-in-the-box" in shown


def test_duties_are_told_task_by_task(in_process: Callable[..., CompletedProcess[str]]) -> None:
    shown = msgspec.json.decode(in_process("fields", "courier", "--json").stdout)
    gas = {"task": "gas-in-the-box", "reasons": ["dangerous_goods"], "is_planned": True}
    assert shown["duties"][0] == gas
    assert shown["escalations_due"][0] == "gas-in-the-box"


def of_data(domain: str, folder: Path) -> DomainSuite:
    return DomainSuite(
        f"tau2:{domain}",
        lambda name: read_file(folder / "tau2" / domain, name),
        Provenance("tau2-bench", "MIT", "", ""),
        DOMAINS[domain],
    )


@pytest.mark.parametrize(
    ("domain", "planned", "by_duty_alone"),
    [("retail", 4, ["25"]), ("airline", 1, ["9", "37"]), ("telecom", 32, [])],
)
def test_a_duty_explains_every_plan_that_hands_over(
    data_folder: Path, domain: str, planned: int, by_duty_alone: list[str]
) -> None:
    suite, risk_profile = of_data(domain, data_folder), domain_risk_profile(domain)
    plans = {task.id for task in suite.tasks if planned_handover(task, risk_profile) is not None}
    duties = {task.id: escalation_duties(task, risk_profile) for task in suite.tasks}
    assert len(plans) == planned
    assert [name for name in plans if not duties[name]] == []
    assert [name for name, found in duties.items() if found and name not in plans] == by_duty_alone
    named = {duty.reason for found in duties.values() for duty in found}
    assert named == {duty.reason for duty in risk_profile.escalations}


def test_a_duty_stands_under_a_heading_of_the_policy(data_folder: Path) -> None:
    for domain in DOMAINS:
        for duty in domain_risk_profile(domain).escalations:
            file, _, heading = duty.place.partition(": ")
            lines = read_file(data_folder / "tau2", file).decode().splitlines()
            assert any(line.strip("# ") == heading for line in lines if line.startswith("#"))


def test_the_flown_reservations_are_those_that_users_want_cancelled(data_folder: Path) -> None:
    database = msgspec.json.decode(read_file(data_folder / "tau2" / "airline", "db.json"))
    flights = database["flights"]
    flown = {
        name
        for name, reservation in database["reservations"].items()
        for part in reservation["flights"]
        if flights[part["flight_number"]]["dates"][part["date"]]["status"] in {"landed", "flying"}
    }
    wanted = [
        task["id"]
        for task in msgspec.json.decode(read_file(data_folder / "tau2" / "airline", "tasks.json"))
        for why in [task["user_scenario"]["instructions"]["reason_for_call"]]
        if "cancel" in why and flown & set(re.findall(r"\b[A-Z0-9]{6}\b", why))
    ]
    assert wanted == ["9", "37"]
    assert domain_risk_profile("airline").escalations[0].tasks == ("9", "37")
