"""Output and files of each command, on the bundled sample."""

import json
import re
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from dragoman.models.catalog import load_provider_catalog
from dragoman.registry.suites import suite_names

Cli = Callable[..., CompletedProcess[str]]
RunJson = Callable[..., Any]
Refused = Callable[..., str]

COMMANDS = (
    "list",
    "run",
    "resume",
    "score",
    "show",
    "report",
    "compare",
    "check",
    "demo",
    "data pull",
)
IDS = ["larger-jacket", "return-poles", "two-swaps", "too-late", "cancel-by-mistake"]


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_every_command_has_an_example(dragoman: Cli, command: str) -> None:
    done = dragoman(*command.split(), "--help")

    assert done.returncode == 0, done.stderr
    assert f"Example: dragoman {command}" in done.stdout


def test_the_help_of_run_shows_how_to_estimate(dragoman: Cli) -> None:
    shown = dragoman("run", "--help", COLUMNS="200").stdout

    assert "--dry-run --like runs/few" in shown


def test_the_help_names_every_command(dragoman: Cli) -> None:
    done = dragoman("--help")

    assert done.returncode == 0, done.stderr
    named = {line.split()[0] for line in done.stdout.splitlines() if line.startswith("  ")}
    assert {command.split()[0] for command in COMMANDS} <= named


def test_the_version_is_that_of_the_package(dragoman: Cli) -> None:
    done = dragoman("--version")

    assert (done.returncode, done.stdout) == (0, f"dragoman {version('dragoman')}\n")


@pytest.mark.parametrize(
    ("what", "names"),
    [
        ("suites", [*suite_names(), "tau2:DOMAIN:SPLIT"]),
        (
            "agents",
            [
                *("gold", "careful", "attentive", "literal", "lexical", "silent", "human"),
                *("MODULE:ATTRIBUTE", "PROVIDER/MODEL", "scripted/FILE", "local/FOLDER"),
            ],
        ),
        (
            "users",
            [
                "offline",
                "gold",
                "human",
                "MODULE:ATTRIBUTE",
                "PROVIDER/MODEL",
                "scripted/FILE",
                "local/FOLDER",
            ],
        ),
        (
            "judges",
            ["none", "rule", "assume-met", "PROVIDER/MODEL", "scripted/FILE", "local/FOLDER"],
        ),
        (
            "models",
            [
                *(f"{name}/MODEL" for name in load_provider_catalog().providers),
                *("openai-realtime/MODEL", "compatible-realtime/MODEL"),
            ],
        ),
        (
            "rules",
            [
                "dragoman-2",
                "dragoman-1",
                "tau2-1.0.1",
                "dragoman-2-lenient",
                "dragoman-1-lenient",
                "tau2-1.0.1-lenient",
                "dragoman-2-records",
                "dragoman-1-records",
                "seatau",
                "bfcl-v4",
                "itc-2",
            ],
        ),
    ],
)
def test_list_names_what_there_is_with_a_word_about_each(
    dragoman: Cli, what: str, names: list[str]
) -> None:
    done = dragoman("list", what)

    assert done.returncode == 0, done.stderr
    rows = [line.split(maxsplit=1) for line in done.stdout.splitlines()]
    assert [row[0] for row in rows] == names
    assert all(len(row) == 2 for row in rows)


def test_list_alone_lists_suites(dragoman: Cli) -> None:
    assert dragoman("list").stdout == dragoman("list", "suites").stdout


def test_a_dry_run_prints_the_plan_and_leaves_nothing(dragoman: Cli, folder: Path) -> None:
    done = dragoman(
        "run", "sample:shop", "--agent", "gold", "--agent", "silent", "--trials", 2, "--dry-run"
    )

    assert done.returncode == 0, done.stderr
    planned, *_ = done.stdout.splitlines()
    assert planned.startswith("20 conversations planned")
    assert list(folder.iterdir()) == []


def test_a_dry_run_as_json_gives_every_cell_a_key_of_its_own(
    run_json: RunJson, folder: Path
) -> None:
    plan = run_json("run", "sample:shop", "--agent", "silent", "--trials", 3, "--dry-run")

    assert plan["planned"] == 15
    (power,) = plan["power"]
    assert (power["tasks"], power["trials"], power["drop"]) == (5, 3, None)
    assert (power["variance"]["basis"], power["tasks_for_small"]) == ("assumed", 442)
    assert len({cell["key"] for cell in plan["cells"]}) == 15
    assert {cell["task"] for cell in plan["cells"]} == set(IDS)
    assert list(folder.iterdir()) == []


def test_the_plan_of_a_cell_does_not_depend_on_the_rest_of_the_grid(run_json: RunJson) -> None:
    small = run_json("run", "sample:shop", "--agent", "silent", "--tasks", "too-late", "--dry-run")
    large = run_json(
        *("run", "sample:shop", "--agent", "gold", "--agent", "silent", "--trials", 2, "--dry-run")
    )

    (cell,) = small["cells"]
    assert cell["key"] in {entry["key"] for entry in large["cells"]}


def test_only_the_named_tasks_are_played_in_the_order_given(run_json: RunJson) -> None:
    plan = run_json(
        *("run", "sample:shop", "--agent", "gold", "--dry-run", "--tasks", "too-late,return-poles")
    )

    assert [cell["task"] for cell in plan["cells"]] == ["too-late", "return-poles"]


def test_blanks_around_the_named_tasks_do_not_matter(run_json: RunJson) -> None:
    plan = run_json(
        *("run", "sample:shop", "--agent", "gold", "--dry-run", "--tasks", "too-late, return-poles")
    )

    assert [cell["task"] for cell in plan["cells"]] == ["too-late", "return-poles"]


def test_a_limit_takes_the_first_tasks(run_json: RunJson) -> None:
    plan = run_json("run", "sample:shop", "--agent", "gold", "--dry-run", "--limit", 2)

    assert [cell["task"] for cell in plan["cells"]] == IDS[:2]


def test_a_run_ends_with_one_object_that_names_its_folder(run_json: RunJson, folder: Path) -> None:
    result = run_json(
        *("run", "sample:shop", "--agent", "gold", "--agent", "silent", "--trials", 2),
        *("--judge", "assume-met", "--out", "mine"),
    )

    assert result["run"] == "mine"
    assert (folder / "mine" / "run.sqlite").is_file()
    gold, silent = result["cells"]
    assert (gold["agent"], gold["tasks"], gold["pass_hat"]) == ("gold", 5, {"1": 1, "2": 1})
    assert (silent["agent"], silent["tasks"], silent["pass_hat"]) == (
        *("silent", 5),
        {"1": 0.2, "2": 0.2},
    )
    for cell in result["cells"]:
        for k in ("1", "2"):
            low, high = cell["interval"][k]
            assert 0 <= low <= cell["pass_hat"][k] <= high <= 1


def test_a_run_without_a_folder_makes_a_new_one_each_time(run_json: RunJson, folder: Path) -> None:
    runs = [
        run_json("run", "sample:shop", "--agent", "gold", "--limit", 1)["run"] for _ in range(2)
    ]

    assert runs[0] != runs[1]
    assert sorted(path.name for path in (folder / "runs").iterdir()) == sorted(
        Path(run).name for run in runs
    )


def test_a_run_prints_a_table_and_where_it_lies(dragoman: Cli) -> None:
    done = dragoman(
        "run", "sample:shop", "--agent", "gold", "--judge", "rule", "--out", "mine", "--full"
    )

    assert done.returncode == 0, done.stderr
    assert "gold" in done.stdout
    assert "without a verdict" in done.stdout
    assert "bounds" in done.stdout
    assert "mine" in done.stderr


def test_assumed_figures_are_marked_in_the_table(dragoman: Cli) -> None:
    done = dragoman("run", "sample:shop", "--agent", "gold", "--judge", "assume-met", "--full")

    assert "ASSUMED" in done.stdout


def test_a_grid_file_is_run_and_options_are_laid_over_it(run_json: RunJson, folder: Path) -> None:
    (folder / "grid.toml").write_text(
        'suite = "sample:shop"\nagents = ["gold", "silent"]\ntrials = 3\nlimit = 2\n'
    )

    plan = run_json("run", "grid.toml", "--dry-run", "--trials", 1)

    assert plan["planned"] == 4


def test_equal_commands_give_equal_figures(run_json: RunJson) -> None:
    options = ("run", "sample:shop", "--agent", "literal", "--judge", "rule", "--trials", 2)
    one, other = (run_json(*options, "--out", name) for name in ("one", "other"))

    assert one.pop("run") != other.pop("run")
    assert one == other


def test_a_finished_run_can_be_resumed_and_stays_as_it_is(run_json: RunJson) -> None:
    first = run_json("run", "sample:shop", "--agent", "gold", "--out", "mine")

    assert run_json("resume", "mine") == first


def test_scoring_again_says_what_running_so_would_have_said(run_json: RunJson) -> None:
    run_json("run", "sample:shop", "--agent", "gold", "--agent", "silent", "--out", "mine")
    options = ("--rules", "dragoman-1", "--judge", "assume-met")
    wanted = run_json(
        "run", "sample:shop", "--agent", "gold", "--agent", "silent", *options, "--out", "other"
    )

    assert run_json("score", "mine", *options)["cells"] == wanted["cells"]


def test_a_conversation_is_shown_by_the_scoring_that_is_asked_for(
    dragoman: Cli, run_json: RunJson
) -> None:
    run_json("run", "sample:shop", "--agent", "gold", "--out", "mine")
    run_json("score", "mine", "--judge", "assume-met")

    first = dragoman("show", "mine", "too-late", "--judge", "none")
    second = dragoman("show", "mine", "too-late", "--judge", "assume-met")

    assert "judge none" in " ".join(first.stdout.split())
    assert "ASSUMED" not in first.stdout
    assert "judge assume-met" in " ".join(second.stdout.split())
    assert "ASSUMED" in second.stdout


def test_a_report_is_written_by_the_scoring_that_is_asked_for(
    dragoman: Cli, run_json: RunJson, folder: Path
) -> None:
    run_json("run", "sample:shop", "--agent", "gold", "--out", "mine")
    run_json("score", "mine", "--judge", "assume-met")

    for judge in ("none", "assume-met"):
        done = dragoman("report", "mine", "--judge", judge, "--out", f"{judge}.html")
        assert done.returncode == 0, done.stderr

    assert "judge none" in (folder / "none.html").read_text("utf-8")
    assert "judge assume-met" in (folder / "assume-met.html").read_text("utf-8")


def test_a_scoring_that_was_never_made_is_not_shown(run_json: RunJson, refused: Refused) -> None:
    run_json("run", "sample:shop", "--agent", "gold", "--out", "mine")

    assert "dragoman score" in refused("show", "mine", "too-late", "--judge", "rule", status=1)
    assert "dragoman score" in refused("report", "mine", "--judge", "rule", status=1)


def test_a_conversation_is_shown_with_calls_ending_and_score(
    dragoman: Cli, run_json: RunJson
) -> None:
    run_json("run", "sample:shop", "--agent", "gold", "--out", "mine")

    done = dragoman("show", "mine", "cancel-by-mistake")

    assert done.returncode == 0, done.stderr
    assert "calls cancel_pending_order" in done.stdout
    assert "changed" in done.stdout
    assert "user_stop" in done.stdout
    assert "DB (counts): 1" in done.stdout


def test_a_conversation_as_json_holds_the_events_and_the_score(run_json: RunJson) -> None:
    run_json("run", "sample:shop", "--agent", "gold", "--agent", "silent", "--out", "mine")

    shown = run_json("show", "mine", "too-late", "--agent", "silent")

    assert (shown["agent"], shown["task"], shown["trial"]) == ("silent", "too-late", 0)
    assert shown["episode"]["events"][0]["scripted"] is True
    assert {part["component"] for part in shown["score"]["components"]} == {
        *("DB", "ENV_ASSERTION", "ACTION", "COMMUNICATE", "NL_ASSERTION")
    }


def test_a_long_result_is_cut_unless_all_is_asked_for(dragoman: Cli, run_json: RunJson) -> None:
    run_json("run", "sample:shop", "--agent", "gold", "--out", "mine")

    assert " cut" in dragoman("show", "mine", "too-late").stdout
    full = dragoman("show", "mine", "too-late", "--full").stdout
    assert " cut" not in full
    assert "return_payment_method_id" in full


def test_a_report_is_one_file_that_names_its_path_and_fetches_nothing(
    dragoman: Cli, run_json: RunJson, folder: Path
) -> None:
    run_json("run", "sample:shop", "--agent", "gold", "--out", "mine")
    before = set(folder.rglob("*"))

    done = dragoman("report", "mine", "--out", "all.html")

    assert (done.returncode, done.stdout.strip()) == (0, "all.html")
    new = {path.name for path in set(folder.rglob("*")) - before}
    assert new == {"all.html"}
    html = (folder / "all.html").read_text("utf-8")
    assert not re.search(r"""(?:src|href)\s*=\s*["']?(?:https?:)?//""", html)


def test_a_report_covers_several_runs(dragoman: Cli, run_json: RunJson, folder: Path) -> None:
    for agent in ("gold", "silent"):
        run_json("run", "sample:shop", "--agent", agent, "--out", f"run-of-{agent}")

    done = dragoman("report", "run-of-gold", "run-of-silent", "--out", "both.html")

    assert done.returncode == 0, done.stderr
    html = (folder / "both.html").read_text("utf-8")
    assert "run-of-gold" in html
    assert "run-of-silent" in html


def test_the_one_file_of_a_finished_run_is_all_that_reading_needs(
    dragoman: Cli, run_json: RunJson, folder: Path
) -> None:
    run_json("run", "sample:shop", "--agent", "gold", "--out", "mine")
    (folder / "copy").mkdir()
    (folder / "copy" / "run.sqlite").write_bytes((folder / "mine" / "run.sqlite").read_bytes())

    assert dragoman("show", "copy", "too-late").returncode == 0
    assert run_json("resume", "copy")["cells"] == run_json("resume", "mine")["cells"]


def test_invalid_conversations_are_counted_and_can_be_played_again(
    run_json: RunJson, dragoman: Cli, folder: Path
) -> None:
    swaps = [{"content": "How may I assist you today?"}, {"content": "###STOP###"}]
    (folder / "user.json").write_text(json.dumps({"*": swaps}))
    played = run_json(
        "run", "sample:shop", "--agent", "silent", "--user", "scripted/user.json", "--out", "mine"
    )
    (cell,) = played["cells"]
    assert (cell["invalid"], cell["invalid_kinds"]) == (5, {"goal_kept": 5})
    assert cell["without_invalid"]["pass_hat"] == {"1": None}
    assert played["retried"] is None

    again = run_json("resume", "mine", "--retry-invalid")
    assert again["retried"] == {"conversations": 5, "valid": 0}

    done = dragoman("resume", "mine", "--retry-invalid")
    assert "5 conversations, 0 of them valid now" in done.stdout
    assert "5 invalid users" in done.stdout
    assert "speaks as the agent" in dragoman("show", "mine", "two-swaps", "--full").stdout
    assert dragoman("report", "mine").returncode == 0


def test_a_user_that_plays_a_script_has_no_validity(run_json: RunJson) -> None:
    run_json("run", "sample:shop", "--agent", "gold", "--out", "mine")
    resumed = run_json("resume", "mine", "--retry-invalid")
    assert resumed["retried"] == {"conversations": 0, "valid": 0}
    assert [cell["invalid"] for cell in resumed["cells"]] == [None]


def test_the_check_of_the_sample_finds_its_floor(run_json: RunJson, dragoman: Cli) -> None:
    found = run_json("check", "sample:shop")

    assert found["unpassable"] == []
    assert found["floor"] == [0, 1]
    assert "floor: 0 to 1" in dragoman("check", "sample:shop").stdout


def test_json_is_all_that_goes_to_standard_output(dragoman: Cli) -> None:
    done = dragoman("run", "sample:shop", "--agent", "gold", "--json")

    assert json.loads(done.stdout)["cells"]
    assert done.stderr == ""
