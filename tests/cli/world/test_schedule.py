"""A week of the bundled schedule: dead APIs are dropped, flaky ones are visible.

One lost night drops no API.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from dragoman.benchmarks.itc.world.api_data import apis
from dragoman.cli.curate_steps import filter_operations, monitor_operations, verify_operations
from dragoman.curation.api_datasets.probing.api_client import CallOptions
from dragoman.curation.api_datasets.probing.filter import FilterRules
from dragoman.store.dataset import Dataset
from dragoman.testing.itc_server import SimulatedApiServer, load_faults, write_documents

pytestmark = pytest.mark.slow

Cli = Callable[..., CompletedProcess[str]]

WEDNESDAY = datetime(2026, 3, 11, 10, tzinfo=UTC)
LOST_NIGHT = datetime(2026, 3, 13, 3, tzinfo=UTC)
ROUNDS = sorted([*(WEDNESDAY + timedelta(days=day) for day in (1, 4, 5)), LOST_NIGHT])


def test_of_a_week_only_what_is_gone_is_dropped(
    dragoman: Cli,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = folder / "mine"
    monkeypatch.setenv("MY_KEY", "oeffentlich")
    with SimulatedApiServer(load_faults("schedule"), now=WEDNESDAY) as server:
        key = f"{server.origin.removeprefix('http://')}/X-API-Key"
        terms = CallOptions(allow_local=True, pause=0, keys={key: "MY_KEY"})
        write_documents(folder / "apis", server.origin)
        assert dragoman("curate", "collect", "mine", "apis").returncode == 0
        assert verify_operations(data, 1, terms, as_json=True, clock=lambda: server.now) == 0
        for moment in ROUNDS:
            server.now = moment
            monitor_operations(data, terms, as_json=True, clock=lambda: server.now)
    filter_operations(data, FilterRules(), as_json=False)

    assert "round 2026-03-13T03:00:00Z is ignored" in capsys.readouterr().out
    with Dataset(data) as dataset:
        lines = [line for line in dataset.ledger("filter") if line.kind == "operation"]
    assert len(lines) == 51
    dropped = {line.name.partition("/")[2]: line.reason for line in lines if line.verdict != "kept"}
    assert dropped == {apis()["mx-sismos"].name: "good in 1 of 3 rounds (4xx 2)"}
