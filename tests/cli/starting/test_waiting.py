"""Timeout and concurrency options: defaults for local servers, and on resumption."""

from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from dragoman.composition.setup import build_setup
from dragoman.config.concurrency_limits import ConcurrencyLimits, LocalEndpoint
from dragoman.config.run_config import RunConfig
from dragoman.models.chat.scripted import ScriptedReply
from dragoman.runs.jobs import resume_job, start_job
from dragoman.runs.manifest import read_manifest
from dragoman.store.run_store import open_run
from dragoman.testing.scripted_answers import Rule, RuleAnswers
from dragoman.testing.server import ModelServer
from dragoman.testing.server_config import Capacity, ServerConfig

Cli = Callable[..., CompletedProcess[str]]
RunJson = Callable[..., Any]
Refused = Callable[..., str]

SHOP = ("run", "sample:shop", "--limit", "2")
WAITING = (
    *("--timeout", "600", "--concurrency", "3", "--read-timeout", "50", "--patience", "60"),
    *("--hedge", "40", "--rate", "compatible=6000rpm"),
)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(RuleAnswers([Rule(ScriptedReply("I cannot help you."))])) as served:
        yield served


def _manifest_waiting(folder: Path) -> ConcurrencyLimits | None:
    with open_run(folder, write=False) as store:
        return read_manifest(store).waiting


def test_a_dry_run_and_the_manifest_say_what_was_chosen(
    dragoman: Cli, run_json: RunJson, folder: Path, server: ModelServer
) -> None:
    agent = f"compatible/any?base_url={server.url}"
    address = server.url.removesuffix("/v1")

    planned = run_json(*SHOP, "--agent", agent, "--dry-run")["waiting"]
    printed = " ".join(dragoman(*SHOP, "--agent", agent, "--dry-run", "--full").stdout.split())
    dragoman(*SHOP, "--agent", agent, "--out", "mine")

    assert planned == {
        "concurrency": 4,
        "read_timeout": 300.0,
        "local_read_timeout": 1800.0,
        "local_servers": [{"name": agent, "address": address}],
        "chosen": ["concurrency", "read_timeout"],
    }
    assert f"on this machine: {agent}: 4 conversations at a time (--concurrency), " in printed
    assert _manifest_waiting(folder / "mine") == ConcurrencyLimits(
        4, 300.0, 1800.0, (LocalEndpoint(agent, address),), ("concurrency", "read_timeout")
    )


def test_what_is_given_wins_and_no_key_of_a_cell_depends_on_it(
    run_json: RunJson, server: ModelServer
) -> None:
    asked = (*SHOP, "--agent", f"compatible/any?base_url={server.url}", "--dry-run")

    chosen = run_json(*asked)
    given = run_json(*asked, "--concurrency", "64", "--read-timeout", "300", "--patience", "9")

    assert given["waiting"]["chosen"] == []
    assert (given["waiting"]["concurrency"], given["waiting"]["local_read_timeout"]) == (64, 300.0)
    assert given["cells"] == chosen["cells"]


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_run_goes_on_with_other_options_of_waiting_and_keeps_its_keys(
    dragoman: Cli, run_json: RunJson, folder: Path, server: ModelServer, workers: int
) -> None:
    agent = f"compatible/any?base_url={server.url}"
    config = RunConfig("sample:shop", (agent,), limit=2, timeout=0.000001)
    start_job(build_setup(config), folder / "mine", 0.0).store.close()
    planned = run_json(*SHOP, "--agent", agent, "--timeout", "0.000001", "--dry-run")

    done = dragoman("resume", "mine", *WAITING, "--workers", workers, "--trust", "--json")

    assert done.returncode == 0, done.stderr
    with open_run(folder / "mine", write=False) as store:
        keys = [cell.key for cell in store.cells()]
        episodes = [store.episode(key) for key in keys]
        resumed = store.resumed()
    assert keys == [cell["key"] for cell in planned["cells"]]
    assert [each and each.ending.reason for each in episodes] == ["user_stop", "user_stop"]
    assert [each["timeout"] for each in resumed] == [600]
    assert resumed[0].keys() >= {"concurrency", "read_timeout", "patience", "hedge", "rates"}
    assert run_json("verify", "mine")["problems"] == []


def test_going_on_uses_the_options_that_are_given(dragoman: Cli, folder: Path) -> None:
    dragoman(*SHOP, "--agent", "gold", "--timeout", "60", "--out", "mine")

    job = resume_job(folder / "mine", {"timeout": 600.0, "concurrency": 3, "read_timeout": 50.0})

    with job.store:
        assert job.setup.config.limits.seconds == 600.0
        assert job.setup.limits.seconds == 60.0
        assert job.setup.at_once == 3
        assert job.setup.connections is not None
        assert job.setup.connections.timeouts.read == 50.0


def test_score_takes_them_too(run_json: RunJson, server: ModelServer) -> None:
    run_json(*SHOP, "--agent", "gold", "--out", "mine")
    waiting = ("--read-timeout", "50", "--concurrency", "1", "--patience", "60", "--hedge", "40")

    scored = run_json("score", "mine", "--judge", f"compatible/any?base_url={server.url}", *waiting)

    assert [cell["agent"] for cell in scored["cells"]] == ["gold"]


def test_a_cut_for_silence_says_which_option_waits_longer(
    dragoman: Cli, caplog: pytest.LogCaptureFixture
) -> None:
    slow = ServerConfig(capacity=Capacity(latency_seconds=30))
    answers = RuleAnswers([Rule(ScriptedReply("I cannot help you."))])
    with ModelServer(answers, slow) as server:
        agent = f"compatible/any?base_url={server.url}"
        run = ("run", "sample:shop", "--limit", "1", "--agent", agent, "--out", "mine")
        done = dragoman(*run, "--read-timeout", "0.02", "--patience", "0.2")

    advice = (
        "no answer in time, the call is sent again; a server may be silent for 0.02 s and take "
        "900 s for an answer: --read-timeout SECONDS waits longer"
    )
    assert sum(advice in line for line in [*caplog.messages, *done.stderr.splitlines()]) == 1


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("resume", "mine", "--concurrency", "0"), "concurrency must be above 0, not 0"),
        (("resume", "mine", "--read-timeout", "nan"), "read-timeout must be above 0, not nan"),
        (("resume", "mine", "--timeout", "-1"), "timeout must be above 0, not -1"),
        (("resume", "mine", "--rate", "nonsense"), "nonsense"),
        (("score", "mine", "--concurrency", "0"), "concurrency must be above 0, not 0"),
        (("score", "mine", "--retry-for", "-1"), "retry-for must be above 0, not -1"),
        (("blame", "mine", "--read-timeout", "0"), "read-timeout must be above 0, not 0"),
        (
            ("translate", "courier", "--to", "th", "--read-timeout", "0", "--out", "out"),
            "--read-timeout 0: seconds above 0",
        ),
        (("speak", "courier", "--out", "s", "--read-timeout", "inf"), "--read-timeout inf: "),
        (("curate", "check", "mine", "--read-timeout", "-1"), "--read-timeout -1: seconds above 0"),
    ],
)
def test_a_wait_that_is_none_is_refused_in_one_line(
    dragoman: Cli, refused: Refused, command: tuple[str, ...], said: str
) -> None:
    dragoman(*SHOP, "--agent", "silent", "--out", "mine")

    assert said in refused(*command, status=2)
