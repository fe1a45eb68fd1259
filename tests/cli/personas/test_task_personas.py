"""Personas that tasks state of their users: an axis without any option, as telecom has them."""

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

import dragoman as package

pytestmark = pytest.mark.slow

Cli = Callable[..., CompletedProcess[str]]
Refused = Callable[..., str]
RunJson = Callable[..., Any]

NOBODY = "[mobile_data_issue]airplane_mode_on|user_abroad_roaming_enabled_off[PERSONA:None]"
HARD = "[mobile_data_issue]airplane_mode_on|bad_network_preference[PERSONA:Hard]"
EASY = "[mobile_data_issue]data_saver_mode_on|user_abroad_roaming_enabled_off[PERSONA:Easy]"
THREE = ("run", "tau2:telecom", "--tasks", f"{NOBODY},{HARD},{EASY}", "--agent", "gold")
KEYS = {
    NOBODY: "e76d5de797107d3f1b76d7ca5728fd80",
    HARD: "c60496ced25edcf5c1141e2c4bd00b05",
    EASY: "350b6e56b922364931a6b8f47cabe4df",
}
"""Of cells that were played before tasks' personas were shown."""


def test_a_plain_run_shows_the_personas_of_its_tasks(
    dragoman: Cli, run_json: RunJson, refused: Refused, pulled: Path, folder: Path
) -> None:
    (cell,) = run_json(*THREE, "--out", "mine", cache=pulled)["cells"]
    assert cell["condition"] == "en/text/none"
    shown = {each["persona"]: (each["tasks"], each["value"]) for each in cell["personas"]}
    assert shown == {"task:none": (1, 1.0), "task:easy": (1, 1.0), "task:hard": (1, 1.0)}
    groups = run_json("show", "mine", "--by", "persona", cache=pulled)["groups"]
    assert {each["values"]["persona"] for each in groups} == set(shown)
    assert dragoman("figures", "mine", "--out", "drawn", cache=pulled).returncode == 0
    assert (folder / "drawn" / "pass-1-by-persona-tau2-telecom.svg").is_file()
    assert set(package.load(folder / "mine").cells["persona"]) == {"none"}
    line = refused("compare", "mine", "--by", "persona", status=2)
    assert line.endswith("pass^1 by persona: dragoman show mine --by persona")


def test_an_imported_run_shows_them_too(dragoman: Cli, run_json: RunJson, pulled: Path) -> None:
    run_json(*THREE, "--out", "mine", cache=pulled)
    exported = ("export", "mine", "--to", "tau2", "--out", "theirs.json")
    assert dragoman(*exported, cache=pulled).returncode == 0
    run_json("import", "theirs.json", "--out", "theirs", cache=pulled)
    groups = run_json("show", "theirs", "--by", "persona", cache=pulled)["groups"]
    assert len({each["values"]["persona"] for each in groups}) == 3


def test_the_personas_of_tasks_change_no_key(run_json: RunJson, pulled: Path) -> None:
    for option in ((), ("--persona", "task,none")):
        planned = run_json(*THREE, *option, "--dry-run", cache=pulled)["cells"]
        assert {cell["task"]: cell["key"] for cell in planned} == KEYS


def test_a_card_that_contradicts_tasks_is_refused_in_one_line(
    refused: Refused, run_json: RunJson, pulled: Path
) -> None:
    line = refused(*THREE, "--persona", "none,hard", status=2, cache=pulled)
    assert line == (
        "dragoman: --persona hard: 2 of 3 tasks of tau2:telecom state a persona of their own (easy 1, "
        "hard 1), which a card would contradict: leave --persona out for figures by these, or choose "
        "others with --tasks"
    )
    alone = ("run", "tau2:telecom", "--tasks", NOBODY, "--agent", "gold", "--persona", "hard")
    assert len(run_json(*alone, "--dry-run", cache=pulled)["cells"]) == 1


def test_exposure_gives_the_agent_what_its_task_states(
    run_json: RunJson, pulled: Path, folder: Path
) -> None:
    (folder / "seen.py").write_text(
        "import json, pathlib\n\n\n"
        "def agent(messages, tools, user=None):\n"
        "    with pathlib.Path('seen.jsonl').open('a') as file:\n"
        "        print(json.dumps(messages[0]['content']), file=file)\n"
        "    return 'Goodbye.'\n"
    )
    named = ("--agent", "seen:agent", "--exposure", "1", "--max-steps", "2")
    run_json(*THREE[:4], *named, cache=pulled)
    seen = "".join((folder / "seen.jsonl").read_text("utf-8"))
    assert "told the following about itself" in seen
    assert "retired librarian" in seen
    assert "41-year-old office administrator" in seen


@pytest.mark.parametrize("card", ["task", "none"])
def test_where_tasks_state_nobody_the_option_changes_nothing(run_json: RunJson, card: str) -> None:
    planned = ("run", "sample:shop", "--agent", "gold", "--dry-run")
    assert run_json(*planned)["cells"] == run_json(*planned, "--persona", card)["cells"]
