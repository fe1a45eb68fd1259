"""`dragoman curate verify`, `monitor` and `filter` on the command line."""

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from dragoman.benchmarks.itc.world.api_data import countries
from dragoman.benchmarks.itc.world.api_documents import documents_of
from dragoman.store.dataset import Dataset, NewItem, StepLine, StepOutcome
from dragoman.testing.itc_server import ApiFault, ApiFaultPlan, SimulatedApiServer

Cli = Callable[..., CompletedProcess[str]]
RunJson = Callable[..., Any]

FAST = ("--pause", "0")


def collected(folder: Path, origin: str) -> Path:
    with Dataset(folder) as dataset:
        for document in documents_of(countries(), origin):
            if document.country == "Brazil":
                made = (NewItem("document", document.id, document),)
                dataset.put([StepOutcome(StepLine("collect", "file", "br", "kept"), made)])
    return folder


def test_a_dataset_is_verified_monitored_and_filtered(run_json: RunJson, tmp_path: Path) -> None:
    faults = ApiFaultPlan((ApiFault("br-ddd", "not_found_html"),))
    with SimulatedApiServer(faults) as server:
        mine = str(collected(tmp_path / "mine", server.origin))
        verified = run_json("curate", "verify", mine, "--allow-local", *FAST)
        watched = run_json("curate", "monitor", mine, "--allow-local", *FAST)
    left = run_json("curate", "filter", mine)
    counts = [each["funnel"][0] for each in (verified, watched, left)]
    assert [(each["kept"], each.get("dropped", 0)) for each in counts] == [(3, 1), (3, 0), (3, 0)]
    (line,) = verified["lines"]
    assert (line["name"], line["reason"]) == ("br/Consulta DDD", "status 404")


def test_a_server_of_ones_own_is_refused_unless_it_is_allowed(
    run_json: RunJson, tmp_path: Path
) -> None:
    with SimulatedApiServer() as server:
        mine = str(collected(tmp_path / "mine", server.origin))
        found = run_json("curate", "verify", mine, *FAST)
        assert server.log.started == 0
    assert {each["reason"] for each in found["lines"]} == {"refused: loopback address"}


def test_what_failed_exits_with_1(run_json: RunJson, tmp_path: Path) -> None:
    with SimulatedApiServer(ApiFaultPlan((ApiFault("br-*", "server_error"),))) as server:
        mine = str(collected(tmp_path / "mine", server.origin))
        run_json("curate", "verify", mine, "--allow-local", *FAST, status=1)
    run_json("curate", "filter", mine, status=1)


def test_a_dataset_is_verified_again_without_a_network(run_json: RunJson, tmp_path: Path) -> None:
    with SimulatedApiServer() as server:
        mine = str(collected(tmp_path / "mine", server.origin))
        run_json("curate", "verify", mine, "--allow-local", *FAST)
        again = str(collected(tmp_path / "again", server.origin))
    found = run_json("curate", "verify", again, "--cassettes", mine, *FAST)
    assert found["funnel"][0]["kept"] == 4


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("verify", "mine", "--calls", "0"), "--calls 0: at least 1"),
        (("verify", "mine", "--timeout", "0"), "--timeout 0: more than 0"),
        (("monitor", "mine", "--pause", "-1"), "--pause -1: at least 0"),
        (("filter", "mine", "--good", "2"), "--good 2: from 0 to 1"),
        (("filter", "none"), "collect"),
        (("monitor", "mine", "--import", "none.json"), "none.json: no report of link checks"),
    ],
)
def test_mistakes_are_one_line(
    dragoman: Cli, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    collected(tmp_path / "mine", "http://127.0.0.1:9")
    where = [str(tmp_path / each) if each in {"mine", "none"} else each for each in arguments]
    done = dragoman("curate", *where)
    assert done.returncode != 0
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
