"""Result files of tau2-bench on the command line: in, scored again, compared, and out."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

Cli = Callable[..., CompletedProcess[str]]
Refused = Callable[..., str]
RunJson = Callable[..., Any]
Record = dict[str, Any]

FILE: Record = {
    "info": {
        "user_info": {"implementation": "user_simulator", "llm": "lab/user"},
        "agent_info": {"implementation": "llm_agent", "llm": "lab/agent"},
        "environment_info": {"domain_name": "retail"},
    },
    "tasks": [{"id": "7", "user_scenario": {"instructions": "Say hello."}}],
    "simulations": [
        {
            "id": "one",
            "task_id": "7",
            "termination_reason": "user_stop",
            "reward_info": {"reward": 1.0},
            "messages": [{"role": "user", "content": "Hello. ###STOP###"}],
        }
    ],
}


@pytest.fixture
def theirs(folder: Path) -> Path:
    """A small file, in the folder that commands run in."""
    path = folder / "theirs.json"
    path.write_text(json.dumps(FILE))
    return path


@pytest.fixture(params=["airline", "retail", "telecom"])
def recorded(request: pytest.FixtureRequest, truth_folder: Path, data_folder: Path) -> Record:
    """A result file of the trajectories and verdicts that the reference recorded."""
    domain = str(request.param)
    tasks = data_folder / "tau2" / domain / "tasks.json.gz"
    trajectories = truth_folder / "tau2" / f"eval_{domain}.jsonl.gz"
    for path in (tasks, trajectories):
        if not path.exists():
            pytest.skip(f"{path} is absent: nothing to compare with")
    trials: dict[str, int] = {}
    simulations: list[Record] = []
    for line in gzip.decompress(trajectories.read_bytes()).splitlines():
        record = json.loads(line)
        trial = trials[record["task_id"]] = trials.get(record["task_id"], -1) + 1
        simulations.append(
            {
                "id": f"{record['variant']}-{len(simulations)}",
                "task_id": record["task_id"],
                "trial": trial,
                "start_time": "2026-01-01T00:00:00",
                "end_time": "2026-01-01T00:01:00",
                "duration": 60.0,
                "termination_reason": record["termination_reason"],
                "reward_info": reward_info(record["result"]),
                "messages": record["messages"],
                "seed": trial,
            }
        )
    info = {
        **FILE["info"],
        "environment_info": {"domain_name": domain, "policy": "", "tool_defs": None},
        "num_trials": max(trials.values()) + 1,
        "seed": 300,
    }
    content = json.loads(gzip.decompress(tasks.read_bytes()))
    return {"timestamp": "2026", "info": info, "tasks": content, "simulations": simulations}


def reward_info(result: Record) -> Record | None:
    if "exception" in result:
        return None
    return {name: result[name] for name in ("reward", "reward_basis", "reward_breakdown", "info")}


def reward(simulation: Record) -> float | None:
    info = simulation["reward_info"]
    return None if info is None else info["reward"]


@pytest.mark.slow
@pytest.mark.conformance
@pytest.mark.nightly
def test_recorded_trajectories_come_in_score_as_recorded_and_go_out_unchanged(
    dragoman: Cli, pulled: Path, folder: Path, recorded: Record
) -> None:
    (folder / "f.json").write_text(json.dumps(recorded, indent=2))

    def done(*arguments: str) -> str:
        result = dragoman(*arguments, cache=pulled)
        assert result.returncode == 0, result.stderr
        return result.stdout

    done("import", "f.json", "--out", "run")
    done("export", "run", "--to", "tau2", "--out", "same.json")
    reported = done("score", "run", "--rules", "tau2-1.0.1", "--judge", "assume-met")
    rewards = [reward(simulation) for simulation in recorded["simulations"]]
    count = f"{sum(value is not None for value in rewards):,}"
    assert f"Recorded verdicts: {count} of {count} agree" in reported
    done("export", "run", "--to", "tau2", "--out", "scored/")

    assert json.loads((folder / "same.json").read_bytes()) == recorded
    files = (folder / "scored/simulations").iterdir()
    scored = {path.stem: json.loads(path.read_bytes()) for path in files}
    assert len(scored) == len(recorded["simulations"]) > 300
    for simulation in recorded["simulations"]:
        again = scored[simulation["id"]]
        assert reward(again) == reward(simulation), simulation["id"]
        assert {**again, "reward_info": None} == {**simulation, "reward_info": None}


def test_a_packed_file_of_a_domain_that_is_none_of_ours_is_shown_and_not_scored(
    dragoman: Cli, folder: Path, refused: Refused
) -> None:
    info = {**FILE["info"], "environment_info": {"domain_name": "mock"}}
    content = b"\xef\xbb\xbf" + json.dumps({**FILE, "info": info}).encode()
    (folder / "f.json.gz").write_bytes(gzip.compress(content))

    done = dragoman("import", "f.json.gz", "--out", "run")
    shown = dragoman("show", "run", "7")
    report = dragoman("report", "run")

    assert done.returncode == 0, done.stderr
    assert done.stderr == (
        "tau2:mock is not one of our suites: it can be shown and compared, not scored again\n"
    )
    assert "score       1, rules imported, judge imported" in shown.stdout
    assert report.returncode == 0, report.stderr
    assert "unknown suite 'tau2:mock'" in refused("score", "run", status=2)


def test_the_language_of_imported_files_is_an_axis_of_figures_and_comparisons(
    dragoman: Cli, theirs: Path, folder: Path
) -> None:
    seatau = {"experiment_name": "l2_interaction", "run_language": "cs"}
    czech = {**FILE["info"], "lang_id": "cs", "seatau_info": seatau}
    (folder / "czech.json").write_text(
        json.dumps({**FILE, "info": czech, "simulation_index": None})
    )
    dragoman("import", theirs, "--out", "english")

    done = dragoman("import", "czech.json", "--out", "czech", "--json")
    shown = dragoman("show", "czech", "--by", "language", "--json")
    compared = dragoman("compare", "english", "czech", "--json")

    assert json.loads(done.stdout)["conditions"] == {"cs:interaction/text/none": 1}
    assert shown.returncode == 0, shown.stderr
    assert '"cs"' in shown.stdout
    assert compared.returncode == 0, compared.stderr
    assert '"cs' in compared.stdout


def test_an_imported_run_is_shown_and_reported_at_once(
    dragoman: Cli, theirs: Path, folder: Path
) -> None:
    done = dragoman("import", theirs, "--out", "run")
    shown = dragoman("show", "run", "7", "--rules", "imported", "--judge", "imported")
    report = dragoman("report", "run")

    assert done.stdout == "1 conversation imported: run\n"
    assert "score       1, rules imported, judge imported" in shown.stdout
    assert report.returncode == 0, report.stderr
    assert "lab/agent" in (folder / "run/report.html").read_text("utf-8")


def test_an_imported_run_is_not_resumed(dragoman: Cli, refused: Refused, theirs: Path) -> None:
    dragoman("import", theirs, "--out", "run")

    line = refused("resume", "run", status=1)

    assert "run: an imported run cannot be played on" in line


def test_an_own_run_goes_out_and_comes_in(
    dragoman: Cli, run_json: RunJson, pulled: Path, folder: Path
) -> None:
    run_json("run", "tau2:retail", "--agent", "gold", "--limit", "2", "--out", "own", cache=pulled)
    dragoman("export", "own", "--to", "tau2", "--out", "out/", cache=pulled)

    done = dragoman("import", "out", "--out", "back")

    assert done.stdout == "2 conversations imported: back\n"
    head = json.loads((folder / "out/results.json").read_bytes())
    assert "retail" in head["info"]["environment_info"]["policy"].lower()
    assert "get_order_details" in head["info"]["environment_info"]["tool_defs"]


@pytest.mark.parametrize(
    ("arguments", "status", "what"),
    [
        (("import", "missing.json", "--out", "run"), 1, "missing.json: cannot read results"),
        (("import", "damaged.json", "--out", "run"), 1, "damaged.json: not recognized"),
        (("export", "run", "--to", "tau2", "--out", "f"), 1, "run: no run here"),
        (("export", "run", "--to", "bfcl", "--out", "f"), 2, "cannot export to 'bfcl'"),
    ],
)
def test_a_mistake_is_one_line(
    refused: Refused, folder: Path, arguments: tuple[str, ...], status: int, what: str
) -> None:
    (folder / "damaged.json").write_text('{"info": ')

    assert what in refused(*arguments, status=status)


def test_a_hostile_name_does_not_leave_the_folder(
    dragoman: Cli, refused: Refused, folder: Path
) -> None:
    (simulation,) = FILE["simulations"]
    hostile = {**FILE, "simulations": [{**simulation, "id": "../../x"}]}
    (folder / "f.json").write_text(json.dumps(hostile))
    dragoman("import", "f.json", "--out", "run")

    line = refused("export", "run", "--to", "tau2", "--out", "deep/er/", status=1)

    assert "'../../x' cannot be the name of a file" in line
    assert not list(folder.parent.rglob("x.json"))
