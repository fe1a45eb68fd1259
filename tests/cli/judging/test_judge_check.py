"""Judge quality on the command line: a panel on one run, with and without labels."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

Cli = Callable[..., CompletedProcess[str]]

QUESTIONS = """
over = "agent replies"

[[question]]
name = "polite"
type = "boolean"
text = "Is it polite?"
"""


def write_judge(folder: Path, name: str, *, polite: bool) -> None:
    """Write a judge model that gives the same answer to every request."""
    reply = json.dumps({"answers": [{"id": "polite", "value": polite, "why": "so"}]})
    (folder / f"{name}.json").write_text(json.dumps({"*": [{"content": reply}]}))


@pytest.fixture
def folder(tmp_path: Path, in_process: Cli) -> Path:
    """A folder with a run of two conversations, a rubric, and two models that judge by it."""
    (tmp_path / "polite@1.md").write_text("Look at every reply.")
    (tmp_path / "polite@1.toml").write_text(QUESTIONS)
    write_judge(tmp_path, "kind", polite=True)
    write_judge(tmp_path, "harsh", polite=False)
    tasks = ("--tasks", "two-swaps,larger-jacket")
    done = in_process(
        "run", "sample:shop", "--agent", "gold", *tasks, "--out", "mine", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    return tmp_path


@pytest.fixture
def cli(folder: Path, in_process: Cli) -> Cli:
    """Run a command in the folder."""

    def run(*words: str) -> CompletedProcess[str]:
        return in_process(*words, cwd=folder)

    return run


def judged(cli: Cli, *options: str) -> CompletedProcess[str]:
    return cli("score", "mine", "--measure", "polite@1.toml", *options)


def checked(cli: Cli, *options: str) -> dict[str, Any]:
    done = cli("judge-check", "mine", *options, "--json")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def label(folder: Path, *values: str) -> None:
    """Fill the template's rows with values in turns, as a spreadsheet program of any country saves it."""
    with (folder / "template.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    with (folder / "labels.csv").open("w", encoding="utf-8-sig", newline="") as file:
        table = csv.DictWriter(file, rows[0], delimiter=";")
        table.writeheader()
        for place, row in enumerate(rows):
            table.writerow({**row, "value": values[place % len(values)]})


def test_two_judges_asked_twice_are_four_raters_whose_split_answers_are_shown(cli: Cli) -> None:
    done = judged(cli, "--judge", "scripted/kind.json,scripted/harsh.json", "--repeat", "2")
    assert done.returncode == 0, done.stderr
    found = checked(cli)
    (panel,) = found["panels"]
    assert [judge.rpartition("#")[2][-1] for judge in panel["judges"]].count("2") == 2
    assert len(panel["judges"]) == 4
    assert panel["percent"]["value"] == pytest.approx(1 / 3)
    assert panel["cohen"] is None
    assert len(panel["split"]) == panel["percent"]["items"] > 0
    assert found["labelled"] == []
    shown = cli("judge-check", "mine").stdout
    assert "no labels: judges are only compared with each other" in shown
    assert "split: polite, event" in shown
    assert "dragoman show mine larger-jacket --trial 0 --agent gold" in shown


def test_judges_are_held_against_labels_and_figures_are_corrected(folder: Path, cli: Cli) -> None:
    judged(cli, "--judge", "scripted/kind.json,scripted/harsh.json")
    assert cli("judge-check", "mine", "--template", "template.csv").returncode == 0
    label(folder, "yes", "no")
    found = checked(cli, "--labels", "labels.csv")
    harsh, kind = found["labelled"]
    assert harsh["rater"]["judge"] > ""
    items = kind["items"]
    no = sum(place % 2 == 1 for place in range(items))
    assert kind["errors"] == {
        "hits": items - no,
        "missed": 0,
        "false_alarms": no,
        "rejections": 0,
    }
    assert harsh["errors"]["rejections"] == no
    assert kind["right"]["value"] == pytest.approx((items - no) / items)
    assert kind["kappa"]["value"] == 0
    (of_harsh, of_kind) = found["corrected"]
    assert (of_kind["rate"]["raw"], of_kind["rate"]["value"]) == (1.0, None)
    assert "not better than chance" in of_kind["rate"]["why"]
    assert of_harsh["rate"]["raw"] == 0.0
    shown = cli("judge-check", "mine", "--labels", "labels.csv").stdout
    assert "agreement with human labels" in shown
    assert "not better than chance" in shown


def test_labels_left_empty_are_no_labels(folder: Path, cli: Cli) -> None:
    judged(cli, "--judge", "scripted/kind.json")
    cli("judge-check", "mine", "--template", "template.csv")
    label(folder, "true", "", "")
    (kind,) = checked(cli, "--labels", "labels.csv")["labelled"]
    with (folder / "template.csv").open(encoding="utf-8-sig", newline="") as file:
        assert kind["items"] == -(-len(list(csv.DictReader(file))) // 3)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("cell,question\n", "no column 'value'"),
        ("cell,question,value\nx,polite,maybe\n", "line 2: 'maybe' is not yes, no or a whole"),
        ("cell,question,position,value\nx,polite,first,1\n", "'first' is not the place of a reply"),
        (
            "cell,question,value\nx,polite,1\nx,polite,0\n",
            "line 3: 'polite' of 'x' is labelled twice",
        ),
        ("cell,question,value\nx,polite,1\n", "none of its 1 labels is of what was judged here"),
    ],
)
def test_labels_that_cannot_be_used_are_one_line(
    folder: Path, cli: Cli, content: str, complaint: str
) -> None:
    judged(cli, "--judge", "scripted/kind.json")
    (folder / "labels.csv").write_text(content)
    done = cli("judge-check", "mine", "--labels", "labels.csv")
    assert done.returncode in {1, 2}
    assert complaint in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_run_without_a_judged_rubric_says_what_to_do_first(cli: Cli) -> None:
    done = cli("judge-check", "mine")
    assert done.returncode == 2
    assert "no rubric was answered: `dragoman score mine" in done.stderr


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--judge", "a/b,c/d"), "several judges or --repeat are for a rubric"),
        (("--measure", "polite@1.toml", "--repeat", "2"), "--repeat needs --judge"),
        (
            ("--measure", "hearing", "--judge", "scripted/kind.json", "--repeat", "2"),
            "measure 'hearing': only rubrics are judged by several judges",
        ),
    ],
)
def test_panels_are_for_rubrics(cli: Cli, options: tuple[str, ...], complaint: str) -> None:
    done = cli("score", "mine", *options)
    assert done.returncode == 2
    assert complaint in done.stderr
