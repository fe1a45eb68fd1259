"""Usage and cost of making artifacts and models, as `dragoman usage` reports them."""

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import msgspec
import pytest

from dragoman.core.usage import Usage
from dragoman.finetuning.result import with_price
from dragoman.store.dataset import Dataset, StepLine, StepOutcome
from dragoman.store.training_results import RESULT, TrainingResult, TrainingUse
from dragoman.store.translation_memory import FILE, TranslationMemory
from dragoman.testing.chat_requests import ChatBody
from dragoman.testing.responses import CannedReply
from dragoman.testing.server import ModelServer

Cli = Callable[..., CompletedProcess[str]]
Refused = Callable[..., str]
RunJson = Callable[..., Any]

PRICES = """
[[lists]]
as_of = 2026-05-01
[lists.prices]
"compatible/any" = { input = 100, output = 1000 }
"""


@pytest.fixture(autouse=True)
def prices(folder: Path) -> None:
    (folder / "prices.toml").write_text(PRICES)


def made(result: dict[str, Any]) -> dict[str, Any]:
    return {each["path"]: each for each in result["made"]}


def repeated(request: ChatBody) -> CannedReply:
    """Say a text as it was typed."""
    text = json.loads(request.messages[-1].text)["text"]
    return CannedReply(json.dumps({"said": text}))


def test_what_an_audio_set_took_is_told_by_purpose_and_priced(run_json: RunJson) -> None:
    with ModelServer(repeated) as server:
        model = f"compatible/any?base_url={server.url}"
        run_json(
            "speak", "courier", "--texts-only", "--sample", 2, "--rewriter", model, "--out", "set"
        )

    found = run_json("usage", "set", "--prices", "prices.toml")

    (line,) = made(found)["set"]["lines"]
    cost = line["tokens_in"] * 100e-6 + line["tokens_out"] * 1000e-6
    assert (line["model"], line["calls"]) == ("compatible/any", 2)
    assert line["cost"] == made(found)["set"]["cost"] == pytest.approx(cost)
    assert found["usage"] == []


def test_a_dataset_and_translations_tell_what_they_took(run_json: RunJson, folder: Path) -> None:
    asked = Usage("generator", "compatible/any", 3, 2_000, 100)
    with Dataset(folder / "apis") as dataset:
        line = StepLine("generate", "query", "q", "kept")
        dataset.put([StepOutcome(line, usage=(asked,))])
    with TranslationMemory(folder / FILE) as memory:
        memory.put((), [Usage("translation", "nobody/knows", 1, 10, 10)])

    found = made(run_json("usage", "apis", FILE, "--prices", "prices.toml"))

    assert (found["apis"]["kind"], found["apis"]["cost"]) == ("dataset", pytest.approx(0.3))
    assert (found[FILE]["kind"], found[FILE]["cost"]) == ("translations", None)


@pytest.mark.parametrize(("hour", "cost"), [(2.5, 1.25), (None, None)])
def test_a_training_costs_what_its_hours_do_and_is_unknown_without_a_price(
    run_json: RunJson, dragoman: Cli, folder: Path, hour: float | None, cost: float | None
) -> None:
    used = TrainingUse(1_800, 1_234_567)
    found = TrainingResult(("out/model",), 3, (), 8, 4, 2.0, 0.5, "cpu", "key", used)
    (folder / RESULT).write_bytes(msgspec.json.encode(with_price(found, hour)))

    (line,) = made(run_json("usage", "."))["."]["lines"]

    assert (line["for"], line["tokens_in"], line["seconds"]) == ("trainer", 1_234_567, 1_800)
    assert line["cost"] == cost
    shown = dragoman("usage", ".").stdout
    assert "30 min 0 s" in shown
    assert ("1.25 USD" if hour else "unknown") in shown


def test_runs_and_artifact_costs_stand_in_tables_of_their_own(
    run_json: RunJson, dragoman: Cli, folder: Path
) -> None:
    run_json("speak", "courier", "--texts-only", "--sample", 1, "--out", "set")
    run_json("run", "sample:shop", "--agent", "gold", "--limit", 1, "--out", "mine")

    shown = dragoman("usage", "mine", "set", "--out", "costs.md").stdout

    assert "conversations" in shown
    assert "no usage" in shown
    written = (folder / "costs.md").read_text()
    assert "| scenario | conversations |" in written
    assert "| set | audio set | no usage |" in written


def test_a_damaged_card_or_training_is_named_in_one_line(refused: Refused, folder: Path) -> None:
    (folder / RESULT).write_text("{")
    assert RESULT in refused("usage", ".", status=1)
    (folder / "settings.json").write_text("{}")
    assert "card.json" in refused("usage", ".", status=1)


def test_a_training_that_does_not_tell_its_use_and_an_axis_without_runs_are_refused(
    run_json: RunJson, refused: Refused, folder: Path
) -> None:
    unreported = TrainingResult(("out/model",), 3, (), 8, 4, 2.0, 0.5, "cpu", "key", None)
    (folder / RESULT).write_bytes(msgspec.json.encode(unreported))
    assert "does not tell what the training used" in refused("usage", ".", status=1)
    run_json("speak", "courier", "--texts-only", "--sample", 1, "--out", "set")
    asked = ("usage", "set", "--by", "language")
    assert "--by language: none of these folders is a run" in refused(*asked, status=2)


def test_another_folder_is_taken_for_a_run(refused: Refused, folder: Path) -> None:
    (folder / "empty").mkdir()
    assert "no run here" in refused("usage", "empty", status=1)
