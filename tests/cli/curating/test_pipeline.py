"""From collected documents to a split dataset with a card, by templates, from the command line."""

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from dragoman.benchmarks.itc.world.bundled_set import load_bundled_apis
from dragoman.store.dataset import Dataset, NewItem, StepLine, StepOutcome

Cli = Callable[..., CompletedProcess[str]]
RunJson = Callable[..., Any]
Refused = Callable[..., str]


@pytest.fixture
def collected(tmp_path: Path) -> str:
    with Dataset(tmp_path / "d") as dataset:
        dataset.put(
            [
                StepOutcome(
                    StepLine("collect", "file", each.id, "kept", source="world"),
                    (NewItem("document", each.id, each),),
                )
                for each in load_bundled_apis().documents
            ]
        )
    return str(tmp_path / "d")


def test_templates_make_a_whole_dataset_and_the_second_time_nothing(
    dragoman: Cli, run_json: RunJson, collected: str
) -> None:
    for step in ("generate", "answer", "check", "split"):
        found = run_json("curate", step, collected, status=0)
        assert {each["step"] for each in found["funnel"]} == {step}
    card = run_json("curate", "card", collected)
    assert card["tasks"].keys() == {"train", "test"}
    assert sum(card["tasks"].values()) == sum(
        each["kept"] for each in card["funnel"] if each["step"] == "split"
    )
    assert card["by"]["written by"].keys() == {"template@1"}
    assert card["by"]["language"].keys() >= {"en", "pt"}
    printed = dragoman("curate", "card", collected).stdout
    assert "No training task needs or offers a test operation." in printed
    again = {step: run_json("curate", step, collected) for step in ("generate", "answer", "check")}
    assert again.keys() == {"generate", "answer", "check"}
    assert run_json("curate", "card", collected) == card


def test_the_funnel_adds_up_from_step_to_step(run_json: RunJson, collected: str) -> None:
    kept: dict[str, int] = {}
    for step in ("generate", "answer", "check", "split"):
        (count,) = run_json("curate", step, collected)["funnel"]
        assert count["kept"] + count["dropped"] + count["merged"] + count["failed"] > 0
        seen = sum(count[each] for each in ("kept", "dropped", "merged", "failed"))
        before = {"answer": "generate", "check": "answer", "split": "check"}.get(step)
        if before:
            assert seen == kept[before]
        kept[step] = count["kept"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("generate", "--kinds", "single"), "--kinds 'single': NAME=NUMBER"),
        (("generate", "--kinds", "dozens=3"), "'dozens': no kind of query"),
        (("generate", "--count", "0"), "--count 0: at least 1"),
        (("generate", "--model", "openai/a,openai/b"), "one model writes"),
        (("generate", "--concurrency", "0"), "--concurrency 0: at least 1"),
        (("rate", "--model", ","), "no model: name one"),
        (("split", "--share", "2"), "--share 2: of operations"),
    ],
)
def test_what_makes_no_sense_is_one_line(
    refused: Refused, collected: str, arguments: tuple[str, ...], said: str
) -> None:
    step, *options = arguments
    assert said in refused("curate", step, collected, *options, status=2)


def test_a_card_escapes_what_documents_say(tmp_path: Path, dragoman: Cli) -> None:
    folder = tmp_path / "a|b"
    Dataset(folder).close()
    printed = dragoman("curate", "card", str(folder)).stdout
    assert printed.startswith("# a\\|b\n")
    assert json.loads(dragoman("curate", "card", str(folder), "--json").stdout)["tasks"] == {}
