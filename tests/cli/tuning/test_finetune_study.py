"""Studies of trainings from the command line, with agents in the place of trained models."""

import json
import shutil
import struct
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import polars as pl
import pytest

from dragoman.store.run_store import open_run

Cli = Callable[..., CompletedProcess[str]]

PLAN = """
out = "study"
suites = ["itc:world/de"]
outside = ["itc:world/en"]
before = "silent"
limit = 6

[arms.ALL]
agent = "gold"

[arms.EN]
agent = "lexical"
"""

FILES = ("study.csv", "study.html", "study.json", "study.md", "study.parquet", "study.tex")


@pytest.fixture
def planned(tmp_path: Path) -> Path:
    (tmp_path / "plan.toml").write_text(PLAN)
    return tmp_path


def attempts(folder: Path) -> dict[str, tuple[int, bool]]:
    with open_run(folder, write=False) as store:
        return store.attempts()


@pytest.mark.slow
def test_all_sides_are_set_against_each_other_in_every_form(in_process: Cli, planned: Path) -> None:
    done = in_process("finetune-study", "plan.toml", cwd=planned)

    assert done.returncode == 0, done.stderr
    assert "In domain, before and after (as Table 5)" in done.stdout
    frame = pl.read_parquet(planned / "study" / "study.parquet")
    exact = frame.filter(
        (pl.col("figure") == "exact")
        & (pl.col("by") == "all")
        & (pl.col("suite") == "itc:world/de")
    )
    found = {(row["a"], row["b"]): row["difference"] for row in exact.iter_rows(named=True)}
    assert found["before", "ALL"] == 1.0
    assert found["EN", "ALL"] == pytest.approx(1.0 - found["before", "EN"])
    page = (planned / "study" / "study.html").read_text()
    assert "<script" not in page
    assert "Out of domain, after minus before: tool selection" in page
    markdown = (planned / "study" / "study.md").read_text()
    assert "By language, before and after" in markdown
    assert r"\begin{table}" in (planned / "study" / "study.tex").read_text()
    assert sorted(each.name for each in (planned / "study").iterdir()) == sorted([*FILES, "runs"])


@pytest.mark.slow
@pytest.mark.nightly
def test_what_is_done_is_not_done_again_and_what_was_cut_off_is_gone_on_with(
    in_process: Cli, planned: Path
) -> None:
    first = in_process("finetune-study", "plan.toml", "--json", cwd=planned)
    shutil.rmtree(planned / "study" / "runs" / "itc-world-en-EN")
    for name in FILES:
        (planned / "study" / name).unlink()
    kept = planned / "study" / "runs" / "itc-world-en-ALL"
    before = attempts(kept)

    again = in_process("finetune-study", "plan.toml", "--json", cwd=planned)

    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["contrasts"] == json.loads(first.stdout)["contrasts"]
    assert attempts(kept) == before
    assert {attempt for attempt, _ in before.values()} == {0}


@pytest.mark.slow
@pytest.mark.nightly
def test_another_plan_does_not_go_on_with_its_runs(in_process: Cli, planned: Path) -> None:
    in_process("finetune-study", "plan.toml", cwd=planned)
    (planned / "plan.toml").write_text(PLAN.replace("limit = 6", "limit = 5"))

    refused = in_process("finetune-study", "plan.toml", cwd=planned)

    assert refused.returncode != 0
    assert "was played by another plan" in refused.stderr
    assert refused.stderr.count("\n") == 1


def test_a_dry_run_writes_nothing_and_names_every_run(in_process: Cli, planned: Path) -> None:
    done = in_process("finetune-study", "plan.toml", "--dry-run", cwd=planned)

    assert done.returncode == 0
    assert "EN on itc:world/en: lexical, in study/runs/itc-world-en-EN" in done.stdout
    assert not (planned / "study").exists()


@pytest.fixture
def written_recipe(tmp_path: Path) -> Path:
    """A recipe with rows and a model that is large enough to be priced."""
    shape = [1_000, 100_000]
    size = 4 * shape[0] * shape[1]
    tensor = {"dtype": "F32", "shape": shape, "data_offsets": [0, size]}
    head = json.dumps({"w": tensor}).encode()
    config = {"model_type": "qwen3", "hidden_size": 4, "num_hidden_layers": 2, "vocab_size": 10}
    base = tmp_path / "base"
    base.mkdir()
    (base / "config.json").write_text(json.dumps(config))
    (base / "tokenizer.json").write_text("{}")
    with (base / "model.safetensors").open("wb") as file:
        file.write(struct.pack("<Q", len(head)) + head)
        file.truncate(8 + len(head) + size)
    messages = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}]
    (tmp_path / "rows.jsonl").write_text(json.dumps({"messages": messages}))
    (tmp_path / "recipe.toml").write_text('model = "base"\nrows = ["rows.jsonl"]\nout = "out"\n')
    return tmp_path


def test_a_dry_run_needs_no_model_and_says_what_is_not_known(
    in_process: Cli, written_recipe: Path
) -> None:
    recipe = written_recipe / "recipe.toml"
    recipe.write_text(recipe.read_text("utf-8").replace('"base"', '"not-here"'), "utf-8")
    dry = ("finetune", "recipe.toml", "--dry-run")
    shown = in_process(*dry, cwd=written_recipe)
    found = json.loads(in_process(*dry, "--json", cwd=written_recipe).stdout)
    assert "not-here: the model is not here" in shown.stdout
    assert found["rows"] > 0
    assert (found["model"], found["needs"], found["effort"]) == (None, None, None)
    assert in_process("finetune", "recipe.toml", cwd=written_recipe).returncode == 2


def test_a_dry_run_prices_the_least_time_and_says_nothing_without_a_price(
    in_process: Cli, written_recipe: Path
) -> None:
    dry = ("finetune", "recipe.toml", "--dry-run")
    shown = in_process(*dry, "--price-per-hour", "3600000", cwd=written_recipe)
    found = json.loads(
        in_process(*dry, "--price-per-hour", "3.6", "--json", cwd=written_recipe).stdout
    )
    plain = in_process(*dry, "--json", cwd=written_recipe)

    assert "least cost at 3,600,000.0 USD an hour: H100 " in shown.stdout
    seconds = found["effort"]["operations"] / 989e12
    assert found["least_cost"]["H100"] == pytest.approx(seconds * 3.6 / 3600, rel=0.01)
    assert json.loads(plain.stdout)["least_cost"] is None


def test_what_is_no_price_of_an_hour_is_one_line(in_process: Cli, written_recipe: Path) -> None:
    for command in (("finetune", "recipe.toml"), ("finetune-study", "recipe.toml")):
        done = in_process(*command, "--price-per-hour", "nan", "--dry-run", cwd=written_recipe)
        assert done.returncode == 2
        assert done.stderr.strip().splitlines()[-1].endswith("such as 2.50")


def test_a_recipe_is_measured_with_apis_that_its_rows_call_and_others(
    in_process: Cli, tmp_path: Path
) -> None:
    head = json.dumps({"w": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}).encode()
    config = {"model_type": "qwen3", "hidden_size": 4, "num_hidden_layers": 2, "vocab_size": 10}
    base = tmp_path / "base"
    base.mkdir()
    (base / "config.json").write_text(json.dumps(config))
    (base / "tokenizer.json").write_text("{}")
    (base / "model.safetensors").write_bytes(struct.pack("<Q", len(head)) + head + bytes(4))
    called = {"function": {"name": "Feiertage", "arguments": "{}"}}
    row = {
        "messages": [
            {"role": "user", "content": "Something else altogether, thirty times over?"},
            {"role": "assistant", "content": "", "tool_calls": [called]},
        ]
    }
    (tmp_path / "rows.jsonl").write_text(json.dumps(row))
    (tmp_path / "recipe.toml").write_text(
        'model = "base"\nrows = ["rows.jsonl"]\nout = "out"\nevaluation = ["itc:world/de"]\n'
        "forbid_apis = false\n"
    )
    options = ("--before", "silent", "--after", "gold", "--json")

    done = in_process("finetune", "recipe.toml", "--measure", *options, cwd=tmp_path)

    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    groups = {each["group"] for each in found["contrasts"] if each["axis"] == "APIs"}
    assert groups == {"seen", "unseen"}
    assert dict(found["facts"])["after"].startswith("gold, 1 row (en 1)")


RECIPE = '\n[recipe]\nmodel = "base"\nrows = ["rows.jsonl"]\n'


@pytest.mark.parametrize(
    ("plan", "row", "said"),
    [
        (PLAN.replace('"silent"', '"nobody"'), "", "unknown agent 'nobody'"),
        (PLAN.replace("itc:world/en", "itc:nowhere"), "", "unknown suite 'itc:nowhere'"),
        (PLAN.replace("itc:world/en", "itc:./none"), "", "unknown suite 'itc:./none'"),
        (PLAN + RECIPE, "", "base: no such model"),
        (PLAN + RECIPE.replace('"base"', '"."'), "", "not a model: it has no config.json"),
        (PLAN.replace("limit = 6", "limit = 0"), "", ">= 1"),
    ],
)
def test_a_mistake_is_one_line_before_anything_is_done(
    in_process: Cli, tmp_path: Path, plan: str, row: str, said: str
) -> None:
    (tmp_path / "plan.toml").write_text(plan)
    (tmp_path / "rows.jsonl").write_text(row)

    refused = in_process("finetune-study", "plan.toml", cwd=tmp_path)

    assert refused.returncode == 2, refused.stderr
    assert said in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert not (tmp_path / "study").exists()
