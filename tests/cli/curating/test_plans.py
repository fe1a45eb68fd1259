"""`dragoman curate run plan.toml` on the command line."""

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from dragoman.core.apis.tasks import ApiTask, TaskSolution
from dragoman.curation.api_datasets.plan import example_plan, read_plan
from dragoman.store.dataset import Dataset
from dragoman.testing.fake_curation_llm import FakeCurationLlm
from dragoman.testing.itc_server import ApiFault, ApiFaultPlan, SimulatedApiServer, write_documents
from dragoman.testing.server import ModelServer

Cli = Callable[..., CompletedProcess[str]]
RunJson = Callable[..., Any]
Refused = Callable[..., str]

LOCAL = (
    example_plan()
    .replace("allow_local = false", "allow_local = true")
    .replace("= 0.5", "= 0")
    .replace("share = 0.1", "share = 0.3")
)
"""Sides are drawn from ids, and these depend on the server's port: of many operations none is left empty."""


def written(folder: Path, plan: str) -> Path:
    path = folder / "plan.toml"
    path.write_text(plan, "utf-8")
    return path


def counts(funnel: list[dict[str, Any]]) -> dict[str, tuple[int, ...]]:
    """Return the counts of each step for one kind of items: kept, dropped, merged, failed."""
    verdicts = ("kept", "dropped", "merged", "failed")
    return {
        f"{each['step']} {each['kind']}": tuple(each.get(name, 0) for name in verdicts)
        for each in funnel
    }


@pytest.mark.slow
def test_a_plan_makes_a_dataset_and_a_suite_and_the_second_time_the_same(
    run_json: RunJson, folder: Path
) -> None:
    with SimulatedApiServer(ApiFaultPlan((ApiFault("br-ddd", "not_found_html"),))) as server:
        write_documents(folder / "apis", server.origin)
        plan = written(folder, LOCAL)
        first = counts(run_json("curate", "run", plan)["funnel"])
        asked = server.log.started
        second = counts(run_json("curate", "run", plan)["funnel"])
        assert server.log.started == asked

    assert second == first
    assert first["verify operation"] == (49, 8, 0, 0)
    # Everything that a step kept is seen by the next one.
    for before, after in (
        ("merge found", "collect entry"),
        ("draw draft", "generate brief"),
        ("generate brief", "answer task"),
        ("answer task", "check solution"),
        ("check solution", "split task"),
    ):
        kept = first[before if before != "merge found" else "collect entry"][0]
        seen = sum(first[after if before != "merge found" else "merge found"])
        assert seen == kept, (before, after)
    tasks = (folder / "queries_suite" / "tasks.jsonl").read_text("utf-8").splitlines()
    assert len(tasks) == first["split task"][0] > 50
    assert not (folder / "queries_suite.draft").exists()


@pytest.mark.slow
def test_rounds_that_are_missing_wait_for_the_next_run_of_the_plan(
    run_json: RunJson, dragoman: Cli, folder: Path
) -> None:
    with SimulatedApiServer() as server:
        write_documents(folder / "apis", server.origin)
        plan = written(folder, LOCAL.replace("rounds = 1 ", "rounds = 2 "))
        done = dragoman("curate", "run", plan)
        assert done.returncode == 1
        assert "monitor: 1 of 2 rounds" in done.stderr
        assert "generate" not in done.stdout
        run_json("curate", "run", written(folder, LOCAL))
    assert (folder / "queries_suite").is_dir()


def test_what_is_added_to_a_plan_that_is_done_is_checked_too(
    run_json: RunJson, folder: Path
) -> None:
    with SimulatedApiServer() as server:
        write_documents(folder / "apis", server.origin)
        made = LOCAL.partition("[split]")[0]
        one = made.replace('["apis"]', '["apis/global.json"]')
        few = counts(run_json("curate", "run", written(folder, one))["funnel"])
        both = made.replace('["apis"]', '["apis/global.json", "apis/jp.yaml"]')
        found = run_json("curate", "run", written(folder, both))["funnel"]
    assert few["monitor operation"] == (7, 0, 0, 0)
    checked = {each["source"]: each["kept"] for each in found if each["step"] == "monitor"}
    assert checked == {"global.json": 7, "jp.yaml": 5}
    assert all(each.get("failed", 0) == 0 for each in found)


@pytest.mark.slow
def test_an_export_takes_the_place_of_an_older_one_and_of_nothing_else(
    dragoman: Cli, folder: Path
) -> None:
    with SimulatedApiServer() as server:
        write_documents(folder / "apis", server.origin)
        plan = written(folder, LOCAL)
        (folder / "queries_suite").mkdir()
        (folder / "queries_suite" / "notes.txt").write_text("queries")
        done = dragoman("curate", "run", plan)
    assert done.returncode == 2
    assert "queries_suite has other files" in done.stderr
    assert [path.name for path in (folder / "queries_suite").iterdir()] == ["notes.txt"]


@pytest.mark.parametrize("calls", ["live", "recorded"])
def test_calls_of_nested_queries_are_made(run_json: RunJson, folder: Path, calls: str) -> None:
    with SimulatedApiServer() as apis, ModelServer(FakeCurationLlm()) as server:
        write_documents(folder / "apis", apis.origin)
        model = f"compatible/any?base_url={server.url}&seed=off"
        run_json("curate", "collect", "queries", "apis")
        run_json("curate", "verify", "queries", "--allow-local", "--pause", 0)
        kinds = "single=2,repeated=0,parallel=0,nested=3"
        run_json("curate", "generate", "queries", "--model", model, "--count", 1, "--kinds", kinds)
        how = ("--calls", calls, "--allow-local", "--pause", 0)
        run_json("curate", "answer", "queries", "--model", model, *how)
    with Dataset(folder / "queries", write=False) as dataset:
        kinds_of = {each.name: each.record(ApiTask).kind for each in dataset.items("task")}
        solutions = {each.name: each.record(TaskSolution) for each in dataset.items("solution")}
        reasons = {
            line.name: line.reason for line in dataset.ledger("answer") if line.verdict == "dropped"
        }
    assert kinds_of.keys() == solutions.keys() | reasons.keys()
    # A model that omits a call has no valid answer.
    assert all("rules: 1 calls of 1 tools" in reason for reason in reasons.values())
    nested = [each for name, each in solutions.items() if kinds_of[name] == "nested"]
    assert nested
    results = [
        json.loads(text) for each in nested for s in each.solution.steps for text in s.results
    ]
    assert results
    assert any("error" not in each for each in results if isinstance(each, dict)) or any(
        isinstance(each, list) for each in results
    )


@pytest.mark.slow
def test_a_nested_query_waits_where_nobody_says_how_calls_are_made(
    run_json: RunJson, folder: Path
) -> None:
    with SimulatedApiServer() as apis, ModelServer(FakeCurationLlm()) as server:
        write_documents(folder / "apis", apis.origin)
        model = f"compatible/any?base_url={server.url}&seed=off"
        run_json("curate", "collect", "queries", "apis")
        run_json("curate", "verify", "queries", "--allow-local", "--pause", 0)
        kinds = "single=0,repeated=0,parallel=0,nested=1"
        run_json("curate", "generate", "queries", "--model", model, "--count", 1, "--kinds", kinds)
        found = run_json("curate", "answer", "queries", "--model", model, status=1)
    assert [each["reason"] for each in found["lines"]] == [
        "its calls need what others return: say how calls are made"
    ]


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        ("share = 0.1", "shares = 0.1", "[split] has no key 'shares': did you mean 'share'?"),
        ("share = 0.1", "share = 2", "[split] --share 2"),
        ("share = 0.1", 'share = "a"', "[split] share: Expected `float`, got `str`"),
        ("[split]", "[splits]", "no key of plans: 'splits': did you mean 'split'?"),
        ("[split]", "[split", "Expected ']'"),
        ("dataset =", "datasets =", "no key of plans: 'datasets': did you mean 'dataset'?"),
        ("tries = 3", "tries = 0", "tries 0: at least 1"),
        ("tries = 3", "tries = true", "tries: of another type"),
        ("[[collect]]", "[collect]", "collect is written [[collect]]"),
        ('sources = ["apis"]', "sources = [1]", "[collect] sources: expected a path, got 1"),
        ("rounds = 1 ", "rounds = 0 ", "[monitor] rounds 0: at least 1"),
        ("# kinds = { single = 50, nested = 10 }", "kinds = { dozens = 3 }", "'dozens': no kind"),
        ('to = "suite"', 'to = "csv"', "[export]: --to csv: choose suite"),
        ('# calls = "live"', 'calls = "loud"', "[answer]: --calls loud: choose live"),
        ('model = "rules"', 'model = "openai/gpt-4.1"', "[check]: "),
    ],
)
def test_a_mistake_in_a_plan_is_one_line_that_says_where(
    refused: Refused, folder: Path, was: str, now: str, said: str
) -> None:
    assert was in example_plan()
    text = example_plan().replace(was, now, 1)
    found = refused("curate", "run", written(folder, text), status=2, OPENAI_API_KEY="")
    assert said in found
    assert "plan.toml" in found
    if ", line " in found:
        lines = text.splitlines()
        at = text[: text.index(now)].count("\n") + 1
        table = max((n for n, line in enumerate(lines[:at], 1) if line.startswith("[")), default=0)
        assert int(found.partition(", line ")[2].partition(":")[0]) in {at, table}
    else:
        assert "]: " in said or said.startswith("no dataset")
    assert not (folder / "queries").exists()


def test_no_plan_says_how_to_get_one(refused: Refused) -> None:
    assert "dragoman curate run --example" in refused("curate", "run", status=2)
    assert "none.toml" in refused("curate", "run", "none.toml", status=2)


def test_the_example_is_a_plan_and_its_remarks_are_true(dragoman: Cli, tmp_path: Path) -> None:
    printed = dragoman("curate", "run", "--example").stdout
    plan = read_plan(written(tmp_path, printed))
    assert plan.dataset == Path("queries")
    everything = "\n".join(
        line.removeprefix("# ") if " = " in line or line.startswith("# [") else line
        for line in printed.splitlines()
        if not line.startswith(("# A ", "# A step"))
    )
    whole = read_plan(written(tmp_path, everything))
    assert whole.rate is not None
    assert whole.answer is not None
    assert (whole.models.max_cost, whole.answer.calls) == ("5 USD", "live")
