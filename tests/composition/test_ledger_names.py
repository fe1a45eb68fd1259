"""Model names as they are written, their names in ledgers, and names of limits."""

import pytest

from dragoman.core.errors import UsageError
from dragoman.registry.agents import ledger_name
from dragoman.simulation.participants.canonical_arguments import canonical_name

AT = "http://localhost:1"


def test_a_model_is_known_by_its_provider_and_its_addresses() -> None:
    written = f"compatible/m?base_url={AT}/v1|http://localhost:2/v1&temperature=0"
    assert ledger_name(written, {}) == (
        "compatible/m",
        ("compatible", AT, "http://localhost:2"),
    )


@pytest.mark.parametrize("named", ["compatible", AT])
def test_a_batch_by_provider_or_address_ends_the_name(named: str) -> None:
    model, _ = ledger_name(f"compatible/m?base_url={AT}/v1", {named: 5.0})
    assert model == "compatible/m (batch)"


def test_an_agent_that_calls_in_its_text_or_canonically_is_its_model() -> None:
    written = f"compatible/m?base_url={AT}/v1&calls=python"
    assert ledger_name(written, {}).model == "compatible/m"
    assert ledger_name(canonical_name(written), {}) == ledger_name(written, {})


def test_an_agents_server_is_its_whole_address_and_asked_in_no_batch() -> None:
    assert ledger_name(f"{AT}/agent?hears=on", {AT: 5.0}) == (f"{AT}/agent?hears=on", ("", AT))


def test_a_realtime_model_is_known_by_its_provider_too() -> None:
    written = f"compatible-realtime/m?base_url={AT}/v1"
    assert ledger_name(written, {}) == (
        "compatible-realtime/m",
        ("compatible-realtime", "ws://localhost:1"),
    )


def test_a_model_without_an_address_is_told() -> None:
    with pytest.raises(UsageError, match="where is it"):
        ledger_name("compatible/m", {})
