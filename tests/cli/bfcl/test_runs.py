"""BFCL's single-turn suites, as the command line tells of them."""

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

Cli = Callable[..., CompletedProcess[str]]
Refused = Callable[..., str]
RunJson = Callable[..., Any]

TEXT = {"simple_python_0": [{"content": "[calculate_triangle_area(base=10, height=5)]"}]}


@pytest.fixture
def script(folder: Path) -> str:
    """The name of a scripted agent that answers one question in its text."""
    (folder / "script.json").write_text(json.dumps(TEXT), "utf-8")
    return "scripted/script.json"


def test_check_lists_what_no_answer_passes_with_the_reason(
    run_json: RunJson, pulled_bfcl: Path
) -> None:
    checked = run_json("check", "bfcl:live_simple", cache=pulled_bfcl, status=1)

    assert (checked["tasks"], checked["gold_passed"], checked["floor"]) == (258, 256, [0, 0])
    reasons = {entry["task"]: entry["why"] for entry in checked["unpassable"]}
    assert set(reasons) == {"live_simple_106-63-0", "live_simple_112-68-0"}
    assert all(why.startswith("no answer passes: ") for why in reasons.values())


def test_check_says_that_abstaining_is_free(run_json: RunJson, pulled_bfcl: Path) -> None:
    checked = run_json("check", "bfcl:irrelevance", cache=pulled_bfcl)

    assert checked["floor"] == [240, 240]
    assert {entry["why"] for entry in checked["free"]} == {"nothing is to be called"}


def test_gold_and_silent_are_one_and_nothing(run_json: RunJson, pulled_bfcl: Path) -> None:
    result = run_json(
        "run", "bfcl:parallel", "--agent", "gold", "--agent", "silent", cache=pulled_bfcl
    )

    assert [cell["pass_hat"]["1"] for cell in result["cells"]] == [1, 0]
    assert [cell["tasks"] for cell in result["cells"]] == [200, 200]
    assert {cell["rules"] for cell in result["cells"]} == {"dragoman-2"}


def test_a_model_may_write_its_calls(run_json: RunJson, pulled_bfcl: Path, script: str) -> None:
    options = ("--tasks", "simple_python_0", "--agent", f"{script}?calls=python")

    (cell,) = run_json("run", "bfcl:simple_python", *options, cache=pulled_bfcl)["cells"]

    assert (cell["agent"], cell["pass_hat"]) == (f"{script}?calls=python", {"1": 1})


def test_words_that_look_like_calls_are_none_to_a_model_with_native_calls(
    run_json: RunJson, pulled_bfcl: Path, script: str
) -> None:
    options = ("--tasks", "simple_python_0", "--agent", script)

    (cell,) = run_json("run", "bfcl:simple_python", *options, cache=pulled_bfcl)["cells"]

    assert cell["pass_hat"] == {"1": 0}


def test_a_verdict_that_differs_from_the_references_names_the_rule(
    dragoman: Cli, pulled_bfcl: Path, folder: Path
) -> None:
    written = [{"content": "[calculate_triangle_area(10, height=5)]"}]
    (folder / "script.json").write_text(json.dumps({"simple_python_0": written}), "utf-8")
    agent = "scripted/script.json?calls=python"
    options = ("--tasks", "simple_python_0", "--agent", agent, "--out", "here")
    assert dragoman("run", "bfcl:simple_python", *options, cache=pulled_bfcl).returncode == 0

    shown = dragoman("show", "here", "simple_python_0", cache=pulled_bfcl).stdout

    assert "as expected" in shown
    assert "bfcl-v4" in shown
    assert "positionals_are_bound decides" in " ".join(shown.split())


def test_the_leaderboard_names_what_is_missing_and_bounds_it(
    run_json: RunJson, pulled_bfcl: Path
) -> None:
    run_json("run", "bfcl:multiple", "--agent", "gold", "--out", "a", cache=pulled_bfcl)
    run_json("run", "bfcl:live_parallel", "--agent", "gold", "--out", "b", cache=pulled_bfcl)

    (summary,) = run_json("leaderboard", "a", "b", cache=pulled_bfcl)["boards"]

    aggregates = {entry["name"]: entry for entry in summary["aggregates"]}
    assert [entry["name"] for entry in summary["categories"]] == ["multiple", "live_parallel"]
    assert aggregates["non_live_ast"]["value"] is None
    assert aggregates["non_live_ast"]["missing"] == ["simple_ast", "parallel", "parallel_multiple"]
    assert aggregates["non_live_ast"]["bounds"] == [0.25, 1]
    assert aggregates["overall"]["bounds"] == [
        pytest.approx(0.1 * 0.25 + 0.1 * 16 / 1351),
        pytest.approx(1),
    ]


def test_the_leaderboard_names_a_run_of_a_benchmark_that_has_none(
    dragoman: Cli, pulled_bfcl: Path
) -> None:
    for suite, out in (("bfcl:live_parallel", "calls"), ("sample:shop", "shop")):
        done = dragoman("run", suite, "--agent", "gold", "--out", out, cache=pulled_bfcl)
        assert done.returncode == 0, done.stderr

    notes = dragoman("leaderboard", "calls", "shop", cache=pulled_bfcl).stderr

    assert notes == (
        "shop is not in the leaderboard: its benchmark has none; its figures: dragoman table shop\n"
    )
    assert dragoman("leaderboard", "calls", "shop", "--quiet", cache=pulled_bfcl).stderr == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("run", "bfcl:nothing", "--agent", "gold"), "unknown suite 'bfcl:nothing'"),
        (("run", "bfcl:multiple", "--agent", "gold", "--rules", "tau2-1.0.1"), "no rules"),
        (("run", "bfcl:multiple", "--agent", "scripted/x?calls=yaml"), "calls=yaml: choose python"),
        (("run", "bfcl:multiple", "--agent", "scripted/x?tags=on"), "tags= goes with calls="),
        (("run", "bfcl:format_sensitivity", "--agent", "SCRIPT"), "?calls=task"),
        (("run", "bfcl:format_sensitivity", "--agent", "scripted/x?calls=json"), "calls=task"),
        (("run", "bfcl:multiple", "--agent", "gold?calls=python"), "calls in text are for"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(
    refused: Refused, pulled_bfcl: Path, script: str, arguments: tuple[str, ...], line: str
) -> None:
    words = [script if word == "SCRIPT" else word for word in arguments]

    assert line in refused(*words, status=2, cache=pulled_bfcl)


def test_calls_in_text_are_for_suites_that_have_a_form_for_them(
    refused: Refused, script: str
) -> None:
    line = refused("run", "sample:shop", "--agent", f"{script}?calls=python", status=2)

    assert "sample:shop has no form for calls in text" in line


def test_an_agent_that_only_one_run_has_is_named_once_with_its_number_of_suites(
    run_json: RunJson, pulled_bfcl: Path
) -> None:
    plan = ("run", "bfcl:non_live", "--tasks", "multiple_1,parallel_1", "--agent", "gold")
    run_json(*plan, "--out", "a", cache=pulled_bfcl)
    run_json(*plan, "--agent", "silent", "--out", "b", cache=pulled_bfcl)

    notes = run_json("compare", "a", "b", cache=pulled_bfcl)["notes"]

    assert notes == ["not compared in B: silent (en/text/none) in 2 suites"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("mine_result.json", '{"id": "simple_python_0", "result": ""}\n'),
        ("lines.json", '{"id": "simple_python_0", "result": ""}\n' * 2),
        ("empty/notes.txt", "nothing"),
    ],
)
def test_what_import_does_not_recognize_is_refused_with_all_that_it_reads(
    refused: Refused, folder: Path, name: str, text: str
) -> None:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, "utf-8")
    named = name.partition("/")[0]

    line = refused("import", named, "--out", "r", status=1)

    assert line.startswith(
        f"dragoman: {named}: not recognized: import reads a result file or folder of tau2-bench, "
        "BFCL files by their names (such as BFCL_v4_simple_python_result.json) or "
        "a run folder of MM-tau-p2; "
    )


@pytest.mark.parametrize(
    ("tokens", "note"),
    [
        ({}, "the imported files do not name all tokens"),
        (
            {"input_token_count": 10, "output_token_count": 5},
            "dragoman usage takes prices of its models (--prices FILE)",
        ),
    ],
)
def test_an_imported_run_leads_to_its_tables_and_says_why_its_cost_is_unknown(
    dragoman: Cli, pulled_bfcl: Path, folder: Path, tokens: dict[str, int], note: str
) -> None:
    path = folder / "lab" / "BFCL_v4_multiple_result.json"
    path.parent.mkdir()
    path.write_text(json.dumps({"id": "multiple_1", "result": "no", **tokens}), "utf-8")
    assert dragoman("import", path, "--out", "r", cache=pulled_bfcl).returncode == 0

    scored = dragoman("score", "r", "--rules", "bfcl-v4", cache=pulled_bfcl).stdout

    words = " ".join(scored.split())
    assert "dragoman leaderboard r --rules bfcl-v4 its categories and aggregates" in words
    assert "dragoman table r --rules bfcl-v4 a table for a paper" in words
    assert f"cost unknown; {note}; bfcl-v4." in words
    (folder / "prices.toml").write_text(
        "[[lists]]\nas_of = 2026-05-01\n[lists.prices]\nlab = { input = 1000, output = 1000 }\n"
    )
    usage = dragoman("usage", "r", "--prices", "prices.toml", cache=pulled_bfcl).stdout
    assert ("0.0150 USD" in usage) == bool(tokens)


def test_results_of_unknown_entries_and_of_one_entry_twice_are_refused(
    refused: Refused, pulled_bfcl: Path, folder: Path
) -> None:
    path = folder / "model" / "BFCL_v4_multiple_result.json"
    path.parent.mkdir()
    path.write_text('{"id": "multiple_999", "result": ""}\n', "utf-8")
    assert "no entry of BFCL" in refused("import", path, "--out", "r", status=1, cache=pulled_bfcl)

    path.write_text('{"id": "multiple_1", "result": ""}\n' * 2, "utf-8")
    assert "twice" in refused("import", path, "--out", "r", status=1, cache=pulled_bfcl)

    path.write_text("{", "utf-8")
    assert "line 1" in refused("import", path, "--out", "r", status=1, cache=pulled_bfcl)
