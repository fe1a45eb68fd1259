"""A dataset of web APIs made by a plan, with APIs and a model that misbehave, killed and taken up again."""

import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest
from tests.chaos.sizes import KILLS

from dragoman.formats.api_dataset_export import MARK
from dragoman.store.dataset import FILE, Dataset
from dragoman.testing.fake_curation_llm import CurationMistakes, FakeCurationLlm
from dragoman.testing.fault_injection import Cut, Faults, RateLimited, Reset, ServerError
from dragoman.testing.itc_server import ApiFault, ApiFaultPlan, SimulatedApiServer, write_documents
from dragoman.testing.server import ModelServer
from dragoman.testing.server_config import Capacity, ServerConfig

TIME_LIMIT = 120
MOST_RUNS = 12

EVERY_MISTAKE = CurationMistakes(
    bad_json=0.08,
    prose=0.05,
    extra_field=0.05,
    out_of_range=0.05,
    names_api=0.1,
    loses_letter=0.1,
    calls_unknown=0.1,
)
EVERY_FAULT = Faults(
    transport=(
        RateLimited(rate=0.08, retry_after=0),
        ServerError(rate=0.05),
        Cut(rate=0.05),
        Reset(rate=0.05),
    )
)
WORLD_FAULTS = ApiFaultPlan(
    (
        ApiFault("br-ddd", "not_found_html"),
        ApiFault("mx-festivos", "error_in_body"),
        ApiFault("pl-nbp", "empty"),
        ApiFault("g-hash", "csv_as_json"),
        ApiFault("fr-commune", "windows_1251"),
        ApiFault("*", "server_error", rate=0.1),
        ApiFault("*", "limited", rate=0.1),
        ApiFault("*", "half", rate=0.05),
    )
)
PLAN = """
dataset = "mine"
[[collect]]
sources = ["apis"]
[calls]
allow_local = true
pause = 0
[models]
concurrency = 6
[verify]
calls = 1
[monitor]
[filter]
last_bad = 0
[generate]
model = "MODEL"
count = 2
kinds = { single = 40, repeated = 6, parallel = 6, nested = 6 }
[rate]
model = "MODEL,OTHER"
threshold = 3.8
[answer]
model = "MODEL,OTHER,THIRD"
calls = "recorded"
[check]
model = "OTHER"
[split]
share = 0.3
[[export]]
to = "suite"
out = "suite"
"""
OBSERVED = re.compile(r'"x-observed":"[^"]*"')
"""Time at which an answer was observed, in exported data."""

FEW = [f"apis/{name}" for name in ("br.yaml", "de.yaml", "jp.yaml", "id.json")]
SMALL = (
    PLAN.replace('["apis"]', str(FEW))
    .replace("40", "12")
    .replace("= 6, ", "= 1, ")
    .replace("= 6 }", "= 2 }")
    .replace("[split]\nshare = 0.3\n", "")
)
"""Of a few tasks a side may be empty: ids, from which sides are drawn, depend on the server's port."""

Run = Callable[..., subprocess.CompletedProcess[str]]


class Servers(NamedTuple):
    """Servers that a plan sends requests to."""

    apis: SimulatedApiServer
    model: ModelServer
    answers: FakeCurationLlm

    @property
    def asked(self) -> int:
        """Number of requests received."""
        return int(self.apis.log.started + self.model.log.started)


def prepared(folder: Path, plan: str, servers: Servers) -> Path:
    folder.mkdir()
    write_documents(folder / "apis", servers.apis.origin)
    for name in ("MODEL", "OTHER", "THIRD"):
        spec = f"compatible/{name.lower()}?base_url={servers.model.url}&seed=off"
        plan = plan.replace(name, spec)
    (folder / "plan.toml").write_text(plan)
    return folder


def killed(folder: Path, servers: Servers, until: Callable[[float, int], bool]) -> bool:
    """Start the plan and kill its process; return whether it was still at work."""
    began, asked = time.monotonic(), servers.asked
    with (folder / "log.txt").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "dragoman", "curate", "run", "plan.toml"],
            cwd=folder,
            env={**os.environ, "XDG_CACHE_HOME": str(folder / "no-cache")},
            stdout=log,
            stderr=log,
        )
        while process.poll() is None and not until(time.monotonic() - began, servers.asked - asked):
            assert time.monotonic() - began < TIME_LIMIT, (folder / "log.txt").read_text()
            time.sleep(0.002)
        was_at_work = process.poll() is None
        process.kill()
        process.wait()
    return was_at_work


def failed(folder: Path) -> list[str]:
    """Return the reasons of failures that another attempt can correct."""
    with Dataset(folder / "mine", write=False) as dataset:
        reasons = [line.reason for line in dataset.ledger() if line.verdict == "failed"]
    return [reason for reason in reasons if not reason.startswith("no model answered")]


def finished(folder: Path, run: Run) -> None:
    """Run the plan until no failure is left that another attempt can correct."""
    for _ in range(MOST_RUNS):
        done = run("curate", "run", "plan.toml", cwd=folder)
        assert done.returncode in {0, 1}, done.stderr
        if not failed(folder):
            return
    raise AssertionError(failed(folder))


def content(folder: Path) -> dict[str, Any]:
    """Return the content of a dataset, without the parts that no two runs share.

    Times differ, and so do digests of data with times. The observations of a monitoring round
    depend on the APIs at that moment.
    """
    with Dataset(folder / "mine", write=False) as dataset:
        kinds = {line.kind for line in dataset.ledger()} | {
            *("found", "document", "exchange", "observation"),
            *("brief", "task", "rating", "solution", "side"),
        }
        items = {
            (kind, item.name): (item.source, _timeless(item.record(dict[str, Any])))
            for kind in kinds
            for item in dataset.items(kind)
        }
        lines = {
            (line.step, line.kind, line.name): (
                line.verdict,
                "" if line.step == "monitor" else line.reason,
                line.source,
            )
            for line in dataset.ledger()
        }
    # The mark holds hashes of files with times in them.
    files = {
        path.name: OBSERVED.sub("", path.read_text("utf-8"))
        for path in (folder / "suite").iterdir()
        if path.name != MARK
    }
    return {"items": items, "ledger": lines, "suite": files}


def _timeless(record: dict[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in record.items() if name not in {"at", "seconds"}}
    if "headers" in kept:
        kept["headers"] = {n: v for n, v in kept["headers"].items() if n.lower() != "date"}
    return kept


def adds_up(folder: Path) -> dict[str, int]:
    """Check that each step saw the items that earlier steps kept; return the items seen."""
    with Dataset(folder / "mine", write=False) as dataset:
        funnel = dataset.funnel()
    kept: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    for each in funnel:
        kept[f"{each.step} {each.kind}"] += each.kept
        seen[f"{each.step} {each.kind}"] += each.seen
    assert failed(folder) == []
    chain = [
        ("collect entry", "merge found"),
        ("verify operation", "monitor operation"),
        ("monitor operation", "filter operation"),
        ("draw draft", "generate brief"),
        ("rate task", "answer task"),
        ("answer task", "check solution"),
        *([("check solution", "split task")] if "split task" in seen else []),
    ]
    assert {after: seen[after] for _, after in chain} == {after: kept[b] for b, after in chain}
    with Dataset(folder / "mine", write=False) as dataset:
        assert seen["rate task"] == sum(1 for _ in dataset.items("task"))
    return seen


def opened(faults: Faults) -> Servers:
    answers = FakeCurationLlm(EVERY_MISTAKE, seed=1)
    behaviour = ServerConfig(faults, Capacity(latency_seconds=0.02))
    return Servers(SimulatedApiServer(WORLD_FAULTS), ModelServer(answers, behaviour), answers)


def compared(folder: Path, plan: str, servers: Servers, kills: int, run: Run) -> int:
    """Make a dataset in one go and another one with kills, and compare them; return how many struck."""
    seed = time.time_ns()
    print(f"seed of the moments: {seed}")  # noqa: T201 - shown where the test fails
    moments = Random(seed)  # noqa: S311 - moments, not secrets
    with servers.apis, servers.model:
        whole = prepared(folder / "whole", plan, servers)
        began = time.monotonic()
        finished(whole, run)
        # If each kill comes within its share of the total work, some work is left for the last
        # kill.
        share = (time.monotonic() - began) / (kills + 1)
        most_requests, most_seconds = min(40, servers.asked // (kills + 1)), min(0.9, share)
        broken = prepared(folder / "broken", plan, servers)
        struck = 0
        for number in range(kills):
            requests = moments.randint(1, most_requests)
            seconds = 0.3 + moments.uniform(0, most_seconds)
            is_timed = number % 3 == 2
            struck += killed(
                broken,
                servers,
                lambda passed, asked: passed >= seconds if is_timed else asked >= requests,  # noqa: B023 - called at once
            )
        finished(broken, run)
        assert (broken / "mine" / FILE).is_file()
        seen = adds_up(broken)
        assert seen == adds_up(whole)
        assert ("split task" in seen) == ("[split]" in plan)
        one, other = content(whole), content(broken)
        for part in one:
            assert other[part].keys() == one[part].keys(), part
            differing = {
                k: (one[part][k], other[part][k])
                for k in one[part]
                if one[part][k] != other[part][k]
            }
            assert not differing, list(differing.items())[:3]
    return struck


@pytest.mark.slow
@pytest.mark.nightly
def test_killed_three_times_a_small_dataset_equals_one_made_in_one_go(
    tmp_path: Path, in_process: Run
) -> None:
    servers = opened(Faults())
    assert compared(tmp_path, SMALL, servers, 3, in_process) == 3
    assert servers.answers.asked.keys() == {"queries", "rating", "answer", "ranking", "check"}


@pytest.mark.nightly
def test_killed_many_times_a_dataset_equals_one_made_in_one_go(
    tmp_path: Path, in_process: Run
) -> None:
    servers = opened(EVERY_FAULT)
    # The last kill may come after the end.
    assert compared(tmp_path, PLAN, servers, KILLS, in_process) >= KILLS - max(1, KILLS // 10)
    assert servers.answers.mistakes.keys() >= {"bad_json", "prose", "extra_field", "loses_letter"}
    assert servers.apis.log.outcomes.keys() >= {
        "server_error",
        "limited",
        "not_found_html",
        "half",
    }
