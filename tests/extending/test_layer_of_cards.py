"""Cost of a persona-like axis: cards as data, one function, one entry point."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

import dragoman

Cli = Callable[..., CompletedProcess[str]]

CARDS = """
[hurried]
agent = "The customer is in a hurry: keep it short."
user = "You have two minutes."

[patient]
agent = "The customer has all day."
user = "You have all day."
"""
MODULE = '''
import tomllib
from pathlib import Path

import msgspec

from dragoman.ext.errors import UsageError
from dragoman.ext.identity import content_key
from dragoman.ext.layers import Layer, StaticInstructions


def cards(value, suite):
    """Realise one card: the user has it in its scenario, the agent is told of it."""
    known = tomllib.loads(Path(__file__).with_name("cards.toml").read_text())
    if value not in known:
        raise UsageError(f"no card {value!r}: choose {', '.join(known)}")
    card = known[value]

    def with_card(task):
        scenario = msgspec.structs.replace(task.scenario, persona=card["user"])
        return msgspec.structs.replace(task, scenario=scenario)

    return Layer(
        name="cards",
        identity=content_key("cards-1", card),
        record=card,
        task=with_card,
        instruction_source=lambda context: StaticInstructions({"agent": card["agent"]}),
    )


def agent(messages, tools):
    with Path("heard.txt").open("a") as file:
        file.write(messages[0]["content"])
    return "Goodbye."
'''
ENTRY_POINTS = "[dragoman.layers]\ncards = own_cards:cards\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "own_cards.py").write_text(MODULE)
    (tmp_path / "cards.toml").write_text(CARDS)
    package = tmp_path / "own_cards-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: own-cards\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text(ENTRY_POINTS)
    return tmp_path


def test_cards_are_an_axis_of_the_grid(folder: Path, in_process: Cli) -> None:
    grid = ("--axis", "cards=none", "--axis", "cards=hurried", "--voice", "text")
    options = ("--agent", "gold", "--agent", "own_cards:agent", "--limit", 2, *grid)
    done = in_process("run", "sample:shop", *options, "--json", "--out", "mine", cwd=folder)

    assert done.returncode == 0, done.stderr
    cells = json.loads(done.stdout)["cells"]
    assert [(cell["agent"], cell["axes"]["cards"]) for cell in cells] == [
        ("gold", "none"),
        ("own_cards:agent", "none"),
        ("gold", "hurried"),
        ("own_cards:agent", "hurried"),
    ]
    assert {cell["condition"] for cell in cells} == {"en/text/none", "en/text/none/cards=hurried"}
    heard = (folder / "heard.txt").read_text()
    assert heard.count("The customer is in a hurry") == 2
    frame = dragoman.load(folder / "mine").episodes
    assert sorted(set(frame["cards"])) == ["hurried", "none"]
    shown = in_process("show", "mine", "--by", "cards,agent", cwd=folder).stdout
    assert "hurried" in shown
    assert "0.000 to 0.975" in shown
    figures = dragoman.load(folder / "mine").by("cards", "agent")
    assert figures.select("cards", "agent", "pass_hat", "tasks").rows() == [
        ("none", "gold", 1.0, 1),
        ("none", "own_cards:agent", 0.0, 1),
        ("hurried", "gold", 1.0, 1),
        ("hurried", "own_cards:agent", 0.0, 1),
    ]


@pytest.mark.slow
def test_cells_are_compared_by_the_card_alone(folder: Path, in_process: Cli) -> None:
    cards = ("--axis", "cards=none", "--axis", "cards=hurried")
    voices = ("--voice", "text", "--voice", "simulated:15")
    options = ("--agent", "literal", "--limit", 2, *cards, *voices)
    in_process("run", "sample:shop", *options, "--out", "mine", cwd=folder)

    found = json.loads(in_process("compare", "mine", "--by", "cards", "--json", cwd=folder).stdout)
    assert [entry["differs"] for entry in found["comparisons"]] == [["cards"], ["cards"]]


def test_adding_a_card_changes_no_other_cell(folder: Path, in_process: Cli) -> None:
    def keys(*axes: str) -> set[str]:
        grid = [word for axis in axes for word in ("--axis", axis)]
        options = ("--agent", "gold", "--limit", 2, *grid, "--dry-run", "--json")
        planned = json.loads(in_process("run", "sample:shop", *options, cwd=folder).stdout)
        return {cell["key"] for cell in planned["cells"]}

    assert keys() == keys("cards=none")
    assert keys("cards=none") < keys("cards=none", "cards=hurried", "cards=patient")
    before = keys("cards=patient")
    (folder / "cards.toml").write_text(CARDS.replace("all day", "an hour"))
    assert keys("cards=patient").isdisjoint(before)


@pytest.mark.parametrize(
    ("axis", "complaint"),
    [
        ("cards=angry", "no card 'angry': choose hurried, patient"),
        ("cards", "--axis cards: write NAME=VALUE"),
        ("moods=angry", "--axis moods: no such axis: choose of cards"),
        ("voice=telephone", "--axis voice: it has an option of its own, --voice"),
    ],
)
def test_a_mistake_is_one_line(folder: Path, in_process: Cli, axis: str, complaint: str) -> None:
    done = in_process("run", "sample:shop", "--agent", "gold", "--axis", axis, cwd=folder)
    assert (done.returncode, done.stderr) == (2, f"dragoman: {complaint}\n")


def test_a_run_is_shown_where_the_package_is_gone(folder: Path, in_process: Cli) -> None:
    options = ("--agent", "gold", "--tasks", "two-swaps", "--axis", "cards=hurried")
    in_process("run", "sample:shop", *options, "--out", "mine", cwd=folder)
    shutil.rmtree(folder / "own_cards-1.0.dist-info")

    assert in_process("show", "mine", "two-swaps", cwd=folder).returncode == 0
    refused = in_process("resume", "mine", cwd=folder)
    assert refused.returncode == 2
    assert "--axis cards: no such axis" in refused.stderr


def test_the_axis_is_listed(folder: Path, in_process: Cli) -> None:
    assert "own_cards:cards" in in_process("list", "axes", cwd=folder).stdout
