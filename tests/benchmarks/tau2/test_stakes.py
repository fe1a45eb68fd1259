"""What is at stake in tau2-bench's domains: tools that exist, and locked SIM cards that people unlock."""

from collections.abc import Callable
from subprocess import CompletedProcess

import pytest

from dragoman.benchmarks.tau2.stakes import domain_stakes
from dragoman.benchmarks.tau2.suite import DOMAINS


@pytest.mark.parametrize("domain", DOMAINS)
def test_tools_at_stake_change_something_and_exist(domain: str) -> None:
    stakes, kinds = domain_stakes(domain), DOMAINS[domain].kinds["agent"]
    assert stakes.irreversible
    assert {kinds[name] for name in stakes.irreversible} == {"write"}
    assert kinds[stakes.escalation_tool] == "generic"


def test_variants_of_telecom_have_its_stakes() -> None:
    assert domain_stakes("telecom-workflow-solo") == domain_stakes("telecom")
    assert domain_stakes("bakery").irreversible == ()


def test_the_fields_of_a_suite_are_shown(in_process: Callable[..., CompletedProcess[str]]) -> None:
    shown = in_process("fields", "courier", "--full").stdout
    assert "cancel_shipment" in shown
    assert "a person takes over (minor)" in shown
    assert "escalate_to_human is in the plan of 5 tasks: gas-in-the-box" in shown
