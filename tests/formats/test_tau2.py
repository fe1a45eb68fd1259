import asyncio
import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dragoman.benchmarks.tau2.benchmark import TAU2
from dragoman.benchmarks.tau2.result_import import ImportedFile
from dragoman.benchmarks.tau2.sample_suite import sample_suite
from dragoman.benchmarks.tau2.suite import DomainSuite
from dragoman.composition.setup import Setup, build_setup
from dragoman.config.run_config import RunConfig
from dragoman.core.episodes import Episode, Event, Message
from dragoman.core.errors import DataError, StoreError, UsageError
from dragoman.core.rules import TAU2_RULES
from dragoman.core.scores import IMPORTED, METRIC_VERSION, Score
from dragoman.core.tools import ToolResult
from dragoman.dataframes.results import chosen_scoring
from dragoman.formats.result_files import export_results, import_run
from dragoman.runs.executor import execute, pending_cells
from dragoman.runs.jobs import resume_job, start_job
from dragoman.runs.manifest import read_manifest
from dragoman.runs.measure_runner import rescore
from dragoman.scoring.judges import AssumeMet
from dragoman.store.run_file import FILE
from dragoman.store.run_store import RunStore, open_run

Record = dict[str, Any]

TASKS = json.loads((files("dragoman.benchmarks.tau2") / "sample_data/tasks.json").read_bytes())
SHOP = "tau2:retail"
"""The sample shop under the name of the domain that it is made of."""


@pytest.fixture(autouse=True)
def _no_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing here needs benchmark data."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def shop() -> DomainSuite:
    folder = files("dragoman.benchmarks.tau2") / "sample_data"
    return DomainSuite(SHOP, lambda name: (folder / name).read_bytes(), sample_suite().provenance)


def setup_of(shop: DomainSuite, *agents: str) -> Setup:
    config = RunConfig("sample:shop", agents, judge="assume-met", rules=TAU2_RULES.name, trials=2)
    return msgspec.structs.replace(
        build_setup(config),
        config=msgspec.structs.replace(config, suite=SHOP),
        suite=shop,
        tasks=tuple(shop.tasks),
    )


def played(shop: DomainSuite, folder: Path, *agents: str) -> Path:
    job = start_job(setup_of(shop, *(agents or ("gold",))), folder, 1767225600.0)
    with job.store:
        pending = pending_cells(job.cells, job.store)
        asyncio.run(execute(job.setup, pending, job.store, lambda *_: None))
    return folder


def exported(folder: Path, out: Path, *, as_folder: bool = False, **names: str) -> Record:
    """Export a run and return the file, as JSON."""
    with open_run(folder, write=False) as store:
        scoring = chosen_scoring(store, names.get("rules"), names.get("judge"))
        form = TAU2.result_format()
        found = export_results(store, scoring, form, names.get("agent"))
        form.write(out, found.head, found.simulations, as_folder=as_folder)
    record: Record = json.loads((out / "results.json" if as_folder else out).read_bytes())
    return record


def imported(record: Record, folder: Path) -> Path:
    """Import a file, given as JSON."""
    path = folder.with_suffix(".json")
    path.write_text(json.dumps(record, indent=2))
    import_run(path, folder, 0.0)
    return folder


@pytest.fixture
def foreign(shop: DomainSuite, tmp_path: Path) -> Record:
    """A foreign file with unknown fields at every level."""
    record = exported(played(shop, tmp_path / "theirs"), tmp_path / "theirs.json")
    record["tasks"] = TASKS
    record["novel"] = {"big": 10**30, "text": "é\u2028", "price": 1.10, "none": None}
    record["info"]["novel"] = [1, [2]]
    record["info"]["environment_info"]["novel"] = {}
    record["tasks"][0]["novel"] = "task"
    for simulation in record["simulations"]:
        simulation["novel"] = {"of": simulation["id"]}
        simulation["reward_info"]["novel"] = 0.5
        for message in simulation["messages"]:
            message["novel"] = message["role"]
            for call in message.get("tool_calls") or ():
                call["novel"] = True
    return record


def contents(store: RunStore, rules: str, judge: str) -> dict[tuple[str, int], Any]:
    """Return events, counts and score by task and trial, as far as the format holds them."""
    scores = store.scores(rules, judge, METRIC_VERSION)
    episodes = {key: episode for key, _, episode in store.episodes()}
    return {
        (cell.task, cell.trial): (*counted(episodes[cell.key]), outcome(scores[cell.key]))
        for cell in store.cells()
    }


def counted(episode: Episode) -> tuple[object, ...]:
    events = tuple(map(without_changes, episode.events))
    return events, episode.ending, episode.steps, episode.errors, episode.usage


def without_changes(event: Event) -> Event:
    return event if isinstance(event, Message) else msgspec.structs.replace(event, changes=())


def outcome(score: Score) -> object:
    parts = {
        part.component: (part.in_basis, part.verdict, part.assumed)
        for part in score.components
        if part.in_basis
    }
    return score.reward, score.note, parts


def test_what_is_not_known_survives_import_and_export(foreign: Record, tmp_path: Path) -> None:
    run = imported(foreign, tmp_path / "run")

    assert exported(run, tmp_path / "again.json") == foreign


def test_the_folder_form_survives_import_and_export(foreign: Record, tmp_path: Path) -> None:
    run = imported(foreign, tmp_path / "run")
    exported(run, tmp_path / "folder", as_folder=True)
    simulations = foreign.pop("simulations")
    index = [{"id": it["id"], "reward": None, "novel": 1} for it in reversed(simulations)]
    (tmp_path / "folder/results.json").write_text(
        json.dumps({**foreign, "simulation_index": index, "format_version": 2})
    )

    import_run(tmp_path / "folder", tmp_path / "second", 0.0)
    head = exported(tmp_path / "second", tmp_path / "out", as_folder=True)

    assert head == {**foreign, "simulation_index": index, "format_version": 2}
    written = {path.stem: json.loads(path.read_bytes()) for path in (tmp_path / "out").rglob("*/*")}
    assert written == {simulation["id"]: simulation for simulation in simulations}


def test_an_own_run_comes_back_with_equal_events_and_scores(
    shop: DomainSuite, tmp_path: Path
) -> None:
    own = played(shop, tmp_path / "own")

    run = imported(exported(own, tmp_path / "own.json"), tmp_path / "run")

    with open_run(own, write=False) as ours, open_run(run, write=False) as theirs:
        expected = contents(ours, TAU2_RULES.name, "assume-met")
        assert contents(theirs, IMPORTED, IMPORTED) == expected
        assert len(expected) == 2 * len(shop.tasks)


def test_an_own_run_fills_what_the_format_demands(shop: DomainSuite, tmp_path: Path) -> None:
    record = exported(played(shop, tmp_path / "own"), tmp_path / "own.json")

    info = record["info"]
    assert (info["num_trials"], info["max_steps"], info["max_errors"]) == (2, 200, 10)
    assert info["agent_info"] == {"implementation": "gold", "llm": None, "llm_args": None}
    assert info["environment_info"]["domain_name"] == "retail"
    assert info["environment_info"]["policy"] is None
    assert record["timestamp"] == "2026-01-01T00:00:00+00:00"
    assert [task["id"] for task in record["tasks"]] == [task["id"] for task in TASKS]
    seeds = {simulation["seed"] for simulation in record["simulations"]}
    assert len(seeds) == len(record["simulations"]) == 2 * len(TASKS)
    for simulation in record["simulations"]:
        assert simulation["agent_cost"] is None
        assert simulation["reward_info"]["info"]["dragoman"]["judge"] == "assume-met"


def test_an_imported_run_is_scored_again_with_the_files_own_tasks(
    shop: DomainSuite, foreign: Record, tmp_path: Path
) -> None:
    foreign["tasks"][0]["description"] = {"purpose": "of another version"}
    for simulation in foreign["simulations"]:
        simulation["reward_info"]["reward"] = 0.0
    foreign["simulation_index"] = [
        {"id": simulation["id"], "reward": 0.0, "novel": 1} for simulation in foreign["simulations"]
    ]
    run = imported(foreign, tmp_path / "run")

    with open_run(run, write=True) as store:
        setup = msgspec.structs.replace(setup_of(shop), tasks=tuple(store.tasks().values()))
        asyncio.run(rescore(setup, store, lambda: None))
    again = exported(run, tmp_path / "again.json")

    assert AssumeMet().name == "assume-met"
    rewards = {simulation["reward_info"]["reward"] for simulation in again["simulations"]}
    assert rewards == {1.0}
    assert [entry["reward"] for entry in again["simulation_index"]] == [1.0] * 10
    assert {entry["novel"] for entry in again["simulation_index"]} == {1}
    for simulation, original in zip(again["simulations"], foreign["simulations"], strict=True):
        assert {**simulation, "reward_info": None} == {**original, "reward_info": None}
    assert exported(run, tmp_path / "theirs.json", rules=IMPORTED) == foreign


def rescored(shop: DomainSuite, run: Path) -> Path:
    """Score an imported run by our rules, with the tasks of its file."""
    with open_run(run, write=True) as store:
        setup = msgspec.structs.replace(setup_of(shop), tasks=tuple(store.tasks().values()))
        asyncio.run(rescore(setup, store, lambda: None))
    return run


@pytest.fixture
def of_2026(foreign: Record) -> Record:
    """A file as tau2-bench 1.0.x and its forks write it: unknown values are null."""
    foreign["simulation_index"] = None
    foreign["info"] |= {"speech_complexity": None, "audio_native_config": None, "seed": None}
    for simulation in foreign["simulations"]:
        simulation |= {"ticks": None, "speech_environment": None, "effect_timeline": None}
        simulation["info"] = None
        simulation["reward_info"]["info"] = {"note": "theirs", "language_correctness": {"th": 1}}
        for message in simulation["messages"]:
            message |= {"turn_taking_action": None, "is_audio": False}
    return foreign


def without_rewards(record: Record) -> Record:
    simulations = [{**each, "reward_info": None} for each in record["simulations"]]
    return {**record, "simulations": simulations}


@pytest.mark.parametrize("as_folder", [False, True])
def test_a_file_of_2026_survives_import_scoring_and_export(
    shop: DomainSuite, of_2026: Record, as_folder: bool, tmp_path: Path
) -> None:
    run = imported(of_2026, tmp_path / "run")
    if as_folder:
        exported(run, tmp_path / "folder", as_folder=True)
        import_run(tmp_path / "folder", tmp_path / "second", 0.0)
        run = tmp_path / "second"
        of_2026["simulations"].sort(key=lambda each: each["id"])  # a folder has no order
    assert exported(run, tmp_path / "before.json") == of_2026

    rescored(shop, run)
    after = exported(run, tmp_path / "after.json")

    assert exported(run, tmp_path / "theirs.json", rules=IMPORTED) == of_2026
    assert without_rewards(after) == without_rewards(of_2026)
    for now, then in zip(after["simulations"], of_2026["simulations"], strict=True):
        assert now["reward_info"].keys() >= then["reward_info"].keys()
        assert now["reward_info"]["novel"] == 0.5
        info = now["reward_info"]["info"]
        assert (info["note"], info["language_correctness"]) == (None, {"th": 1})
        assert info["dragoman"]["rules"] == TAU2_RULES.name


def test_a_head_beside_a_folder_may_have_an_empty_list_of_simulations(
    of_2026: Record, tmp_path: Path
) -> None:
    exported(imported(of_2026, tmp_path / "run"), tmp_path / "folder", as_folder=True)
    head = tmp_path / "folder/results.json"
    head.write_text(json.dumps(json.loads(head.read_bytes()) | {"simulations": []}))

    import_run(tmp_path / "folder", tmp_path / "second", 0.0)

    out = exported(tmp_path / "second", tmp_path / "out", as_folder=True)
    assert (out["simulations"], out["simulation_index"]) == ([], None)
    of_2026["simulations"].sort(key=lambda each: each["id"])
    assert exported(tmp_path / "second", tmp_path / "one.json") == of_2026


def test_the_language_of_a_file_is_the_condition_of_its_conversations(
    shop: DomainSuite, of_2026: Record, tmp_path: Path
) -> None:
    components = ["agent_system", "greeting", "user_system"]
    of_2026["info"] |= {
        "lang_id": "th",
        "lang_components": components,
        "seatau_info": {"experiment_name": "l2_interaction", "run_language": "th"},
    }
    for simulation in of_2026["simulations"]:
        simulation["messages"][0] |= {
            "content": "\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35",
            "usage": None,
        }

    run = rescored(shop, imported(of_2026, tmp_path / "run"))

    with open_run(run, write=False) as store:
        assert {cell.condition.label for cell in store.cells()} == {"th:interaction/text/none"}
        (episode, *_) = [episode for _, _, episode in store.episodes()]
        assert (
            read_manifest(store).localization_records["th:interaction/text/none"].detector == "th"
        )
        assert getattr(episode.events[0], "scripted", False)
    after = exported(run, tmp_path / "after.json")
    assert {each["reward_info"]["reward"] for each in after["simulations"]} == {1.0}
    assert exported(run, tmp_path / "theirs.json", rules=IMPORTED) == of_2026


def test_one_file_may_hold_several_languages(of_2026: Record, tmp_path: Path) -> None:
    first, second, *others = of_2026["simulations"]
    first["lang_id"], second["lang_id"] = "th", "cs"
    again = {**first, "id": "again", "lang_id": "vi"}
    of_2026["simulations"] = [first, second, again, *others]

    run = imported(of_2026, tmp_path / "run")

    with open_run(run, write=False) as store:
        spoken = [cell.condition.language for cell in store.cells()]
    assert spoken[:4] == ["th", "cs", "vi", "en"]
    assert exported(run, tmp_path / "again.json") == of_2026


def test_a_file_of_full_duplex_conversations_is_refused_in_one_line(
    of_2026: Record, tmp_path: Path
) -> None:
    for simulation in of_2026["simulations"]:
        simulation |= {"mode": "full_duplex", "messages": None, "ticks": [{"tick_id": 0}]}

    with pytest.raises(DataError, match=r"full-duplex voice .* cannot be read yet") as found:
        imported(of_2026, tmp_path / "run")

    assert "\n" not in str(found.value)
    assert not (tmp_path / "run" / FILE).exists()


def test_full_duplex_among_others_is_left_out_of_figures_and_not_of_the_export(
    shop: DomainSuite, of_2026: Record, tmp_path: Path
) -> None:
    for place in (0, 3, -1):
        of_2026["simulations"][place] |= {
            "mode": "full_duplex",
            "messages": None,
            "ticks": [{"tick_id": 0}],
        }
    path = tmp_path / "f.json"
    path.write_text(json.dumps(of_2026))

    read = import_run(path, tmp_path / "run", 0.0)
    rescored(shop, tmp_path / "run")

    count = len(of_2026["simulations"])
    assert isinstance(read.report, ImportedFile)
    assert (read.report.conversations, read.report.full_duplex) == (count - 3, 3)
    assert any("full-duplex" in note for note in read.notes)
    assert exported(tmp_path / "run", tmp_path / "theirs.json", rules=IMPORTED) == of_2026
    after = exported(tmp_path / "run", tmp_path / "after.json")
    assert without_rewards(after) == without_rewards(of_2026)
    folder = exported(tmp_path / "run", tmp_path / "out", as_folder=True)
    assert folder.keys() == of_2026.keys() - {"simulations"}
    assert len(list((tmp_path / "out/simulations").iterdir())) == count


@pytest.mark.parametrize("index", ["none", 7, {}, [None], [{"id": 3}], [{"reward": 1.0}], []])
def test_an_index_that_is_none_survives_scoring(
    shop: DomainSuite, of_2026: Record, index: object, tmp_path: Path
) -> None:
    of_2026["simulation_index"] = index

    run = rescored(shop, imported(of_2026, tmp_path / "run"))

    assert exported(run, tmp_path / "after.json")["simulation_index"] == index


def test_a_file_without_conversations_survives(of_2026: Record, tmp_path: Path) -> None:
    of_2026["simulations"] = []
    assert exported(imported(of_2026, tmp_path / "run"), tmp_path / "again.json") == of_2026


def test_trials_that_are_not_named_are_counted(of_2026: Record, tmp_path: Path) -> None:
    for simulation in of_2026["simulations"]:
        simulation["trial"] = None

    run = imported(of_2026, tmp_path / "run")

    with open_run(run, write=False) as store:
        places = [(cell.task, cell.trial) for cell in store.cells()]
    assert len(set(places)) == len(places) == 2 * len(TASKS)
    assert exported(run, tmp_path / "again.json") == of_2026


def test_an_imported_run_cannot_be_played_on(foreign: Record, tmp_path: Path) -> None:
    run = imported(foreign, tmp_path / "run")

    with pytest.raises(StoreError, match="an imported run cannot be played on"):
        resume_job(run)


def test_a_manifest_says_what_the_file_was_played_with(foreign: Record, tmp_path: Path) -> None:
    foreign["info"] |= {"git_commit": "abc", "seed": 300, "num_trials": 2}
    foreign["info"]["agent_info"]["llm"] = "lab/agent"

    with open_run(imported(foreign, tmp_path / "run"), write=False) as store:
        manifest = read_manifest(store)
        agents = {cell.agent for cell in store.cells()}

    assert manifest.config.suite == SHOP
    assert (manifest.config.trials, manifest.config.seed) == (2, 300)
    assert manifest.provenance.source == "tau2-bench abc"
    assert agents == {"lab/agent"}


def test_equal_simulations_have_equal_cells(foreign: Record, tmp_path: Path) -> None:
    keys = []
    for name in ("one", "two"):
        with open_run(imported(foreign, tmp_path / name), write=False) as store:
            keys.append([cell.key for cell in store.cells()])

    assert keys[0] == keys[1]
    assert len(set(keys[0])) == len(foreign["simulations"])


def test_two_simulations_of_one_trial_are_both_named(foreign: Record, tmp_path: Path) -> None:
    first, second = foreign["simulations"][:2]
    second["task_id"], second["trial"] = first["task_id"], first["trial"]
    second["reward_info"]["action_checks"] = None

    with pytest.raises(DataError) as found:
        imported(foreign, tmp_path / "run")

    assert f"simulations {first['id']} and {second['id']} are both" in str(found.value)
    assert not (tmp_path / "run" / FILE).exists()


def test_shuffled_task_ids_are_told_by_the_recorded_checks(foreign: Record, tmp_path: Path) -> None:
    named = [simulation["task_id"] for simulation in foreign["simulations"]]
    first, second = (foreign["simulations"][place] for place in (0, -1))
    first["task_id"], second["task_id"] = second["task_id"], first["task_id"]
    path = tmp_path / "f.json"
    path.write_text(json.dumps(foreign))

    found = import_run(path, tmp_path / "run", 0.0).report
    assert isinstance(found, ImportedFile)

    assert named[0] != named[-1]
    assert (found.rematched, found.mismatched) == (2, 0)
    with open_run(tmp_path / "run", write=False) as store:
        assert [cell.task for cell in store.cells()] == named


def test_names_are_kept_and_a_line_says_so_where_checks_contradict_each_other(
    foreign: Record, tmp_path: Path
) -> None:
    named = [simulation["task_id"] for simulation in foreign["simulations"]]
    first, last = foreign["simulations"][0], foreign["simulations"][-1]
    first["reward_info"]["action_checks"] = last["reward_info"]["action_checks"]
    path = tmp_path / "f.json"
    path.write_text(json.dumps(foreign))

    read = import_run(path, tmp_path / "run", 0.0)

    assert isinstance(read.report, ImportedFile)
    assert (read.report.rematched, read.report.mismatched) == (0, 1)
    assert len(read.notes) == 1
    with open_run(tmp_path / "run", write=False) as store:
        assert [cell.task for cell in store.cells()] == named
    assert exported(tmp_path / "run", tmp_path / "again.json") == foreign


def test_a_file_whose_last_simulation_is_damaged_leaves_no_run(
    foreign: Record, tmp_path: Path
) -> None:
    foreign["simulations"][-1]["messages"] = [{"role": "robot"}]

    with pytest.raises(DataError, match="message 1 is damaged"):
        imported(foreign, tmp_path / "run")

    assert not (tmp_path / "run" / FILE).exists()


def test_a_folder_that_holds_a_run_takes_no_file(foreign: Record, tmp_path: Path) -> None:
    run = imported(foreign, tmp_path / "run")

    with pytest.raises(StoreError, match="holds a run already"):
        imported({**foreign, "simulations": []}, run)

    assert exported(run, tmp_path / "again.json") == foreign


def test_of_several_agents_one_is_chosen(shop: DomainSuite, tmp_path: Path) -> None:
    run = played(shop, tmp_path / "run", "gold", "silent")

    with pytest.raises(UsageError, match="several agents played this: choose --agent of gold, "):
        exported(run, tmp_path / "file.json")
    record = exported(run, tmp_path / "file.json", agent="silent")

    assert record["info"]["agent_info"]["implementation"] == "silent"
    assert len(record["simulations"]) == 2 * len(TASKS)
    assert all(event["role"] != "tool" for it in record["simulations"] for event in it["messages"])
    with pytest.raises(UsageError, match="no conversation of agent 'nobody'"):
        exported(run, tmp_path / "file.json", agent="nobody")


def test_a_run_on_another_suite_has_no_such_form(tmp_path: Path) -> None:
    job = start_job(build_setup(RunConfig("sample:shop", ("gold",))), tmp_path / "run", 0.0)
    job.store.close()

    with pytest.raises(UsageError, match="only runs on tau2 suites"):
        exported(tmp_path / "run", tmp_path / "file.json")


def test_results_of_tools_keep_their_text(shop: DomainSuite, tmp_path: Path) -> None:
    own = played(shop, tmp_path / "own")
    run = imported(exported(own, tmp_path / "own.json"), tmp_path / "run")

    with open_run(own, write=False) as ours, open_run(run, write=False) as theirs:
        texts = [
            [
                event.content
                for _, _, episode in store.episodes()
                for event in episode.events
                if isinstance(event, ToolResult)
            ]
            for store in (ours, theirs)
        ]

    assert texts[0] == texts[1]
    assert len(texts[0]) > 10
