"""Before a training, rows are compared with evaluation data, and drawn reproducibly."""

import json
import struct
from pathlib import Path

import msgspec
import pytest

from dragoman.core.errors import UsageError
from dragoman.core.training_examples import ExampleOrigin, TrainingExample
from dragoman.finetuning.contamination import evaluated_tasks
from dragoman.finetuning.preparation import prepare
from dragoman.finetuning.recipe import Recipe

CONFIG = {"model_type": "qwen3", "hidden_size": 4, "num_hidden_layers": 2, "vocab_size": 10}


def row(name: str, request: str, origin: ExampleOrigin) -> TrainingExample:
    messages: tuple[dict[str, object], ...] = (
        {"role": "user", "content": request},
        {"role": "assistant", "content": "Yes."},
    )
    return TrainingExample(name, messages, origin=origin)


@pytest.fixture
def recipe(tmp_path: Path) -> Recipe:
    base = tmp_path / "base"
    base.mkdir()
    (base / "config.json").write_text(json.dumps(CONFIG))
    (base / "tokenizer.json").write_text("{}")
    (base / "model.safetensors").write_bytes(struct.pack("<Q", 2) + b"{}")
    known = evaluated_tasks(["itc:world/ja"])[0]
    rows = [
        row(f"r{number}", f"Frage {number * 7919}", ExampleOrigin("mine", f"t{number}"))
        for number in range(20)
    ]
    rows += [
        row("leak1", "nothing alike", ExampleOrigin("itc:world/ja", known.task)),
        row("leak2", known.request, ExampleOrigin("mine", "x", language="ja")),
        row("leak3", "something", ExampleOrigin("mine", "y", known.apis)),
    ]
    lines = (msgspec.json.encode(each) + b"\n" for each in rows)
    (tmp_path / "rows.jsonl").write_bytes(b"".join(lines))
    return Recipe(
        str(base), (str(tmp_path / "rows.jsonl"),), str(tmp_path / "out"), ("itc:world/ja",)
    )


def test_rows_of_the_evaluation_are_refused_and_listed(recipe: Recipe) -> None:
    found = prepare(recipe)

    assert len(found.rows) == 20
    kinds = {name: [leak.kind for leak in leaks] for name, leaks in found.leaks.items()}
    assert kinds == {"leak1": ["task"], "leak2": ["text"], "leak3": ["api"]}


def test_apis_that_are_evaluated_may_be_allowed(recipe: Recipe) -> None:
    found = prepare(msgspec.structs.replace(recipe, forbid_apis=False))

    assert set(found.leaks) == {"leak1", "leak2"}


def test_rows_are_drawn_by_the_seed_and_not_by_their_order(recipe: Recipe) -> None:
    some = msgspec.structs.replace(recipe, limit=5)
    first = prepare(some)
    file = Path(recipe.rows[0])
    file.write_bytes(b"\n".join(reversed(file.read_bytes().splitlines())))

    assert {each.id for each in prepare(some).rows} == {each.id for each in first.rows}
    assert len(first.rows) == 5


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"limit": 21}, "no more than 20 rows may be learnt from"),
        ({"languages": ("th",)}, "no row has a language of th"),
        (
            {"languages": ("ja",)},
            "no row of 1 may be learnt from: leak2 has the text of itc:world/ja",
        ),
        ({"model": "none"}, "no such model"),
    ],
)
def test_what_leaves_nothing_to_learn_is_told(
    recipe: Recipe, given: dict[str, object], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        prepare(msgspec.structs.replace(recipe, **given))
