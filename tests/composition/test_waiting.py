"""Timeouts and concurrency of a run, by the location of its servers."""

import pytest

from dragoman.composition.concurrency import concurrency_limits, default_concurrency, local_servers
from dragoman.composition.conditions.personas import BY_MODEL
from dragoman.composition.setup import model_clients
from dragoman.config.concurrency_limits import ConcurrencyLimits, LocalEndpoint
from dragoman.config.run_config import RunConfig

HERE = "compatible/qwen?base_url=http://127.0.0.1:8080/v1"
AT = "http://127.0.0.1:8080"
THERE = "compatible/qwen?base_url=https://models.example.com/v1"


def test_a_server_on_this_machine_is_waited_for_longer_and_asked_less() -> None:
    assert concurrency_limits(RunConfig("courier", (HERE,))) == ConcurrencyLimits(
        4, 300.0, 1_800.0, (LocalEndpoint(HERE, AT),), ("concurrency", "read_timeout")
    )
    assert concurrency_limits(RunConfig("courier", (THERE,))) == ConcurrencyLimits(
        64, 300.0, 1_800.0
    )


def test_options_that_are_given_win_wherever_the_server_is() -> None:
    both = concurrency_limits(RunConfig("courier", (HERE,), concurrency=64, read_timeout=300.0))
    one = concurrency_limits(RunConfig("courier", (HERE,), read_timeout=20.0))

    assert (both.concurrency, both.local_read_timeout, both.chosen) == (64, 300.0, ())
    assert (one.concurrency, one.local_read_timeout, one.chosen) == (4, 20.0, ("concurrency",))


@pytest.mark.parametrize(
    "named",
    [
        {"agents": ("gold", "http://127.0.0.1:8080/agent")},
        {"user": HERE},
        {"judge": HERE},
        {"user_judge": HERE},
        {"clarify": ("none", HERE)},
        {"exposures": (f"{BY_MODEL}{HERE}",)},
        {"asr": ("openai/whisper-1?base_url=http://127.0.0.1:8080/v1",)},
        {"speakers": ("openai/alloy?model=tts-1&base_url=http://127.0.0.1:8080/v1",)},
    ],
)
def test_whoever_takes_part_in_a_run_counts(named: dict[str, object]) -> None:
    config = RunConfig(**{"suite": "courier", "agents": ("gold",), **named})  # type: ignore[arg-type]

    assert [server.address for server in local_servers(config)] == [AT]
    assert default_concurrency(config) == 4


def test_providers_on_this_machine_need_no_address() -> None:
    assert local_servers(RunConfig("courier", ("ollama/qwen3",))) == (
        LocalEndpoint("ollama/qwen3", "http://localhost:11434"),
    )


def test_names_that_cannot_be_read_are_somebody_elses_to_refuse() -> None:
    names = ("gold", "my.module:agent", "nobody/knows", "vllm/x?nonsense=1", "local/folder")

    assert local_servers(RunConfig("courier", names)) == ()


def test_batches_go_on_with_enough_conversations_to_fill_one() -> None:
    assert default_concurrency(RunConfig("courier", (HERE,), batches=("compatible",))) == 5_000


@pytest.mark.parametrize(
    ("read_timeout", "total"), [(None, 900.0), (60.0, 900.0), (2_000.0, 2_000.0)]
)
def test_the_limit_on_silence_bounds_that_on_a_whole_answer(
    read_timeout: float | None, total: float
) -> None:
    connections = model_clients(RunConfig("courier", (THERE,), read_timeout=read_timeout), None)

    assert (connections.timeouts.read, connections.timeouts.total) == (read_timeout or 300.0, total)
