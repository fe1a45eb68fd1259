"""Recipes are read strictly, and their defaults are the source's."""

from pathlib import Path

import pytest

from dragoman.core.errors import UsageError
from dragoman.finetuning.recipe import Recipe, read_recipe

LEAST = 'model = "base"\nrows = ["rows.jsonl"]\nout = "trained"\n'


def read(folder: Path, text: str) -> Recipe:
    (folder / "recipe.toml").write_text(text)
    return read_recipe(folder / "recipe.toml")


def test_the_defaults_are_the_sources(tmp_path: Path) -> None:
    recipe = read(tmp_path, LEAST)

    assert (recipe.epochs, recipe.batch, recipe.accumulation) == (3, 1, 8)
    assert (recipe.learning_rate, recipe.schedule, recipe.warmup) == (1e-4, "cosine", 0.1)
    assert recipe.weights == "lora"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("learning_rat = 1e-3", "unknown key 'learning_rat': did you mean 'learning_rate'?"),
        ("batch = 0", "Expected `int` >= 1 - at `$.batch`"),
        ("batch = 1.5", "Expected `int`, got `float` - at `$.batch`"),
        ("warmup = 1.0", "Expected `float` < 1.0 - at `$.warmup`"),
        ("batch = 2\nbatch = 3", "not a TOML file"),
    ],
)
def test_a_wrong_line_is_told_by_its_key(tmp_path: Path, line: str, said: str) -> None:
    with pytest.raises(UsageError) as reported:
        read(tmp_path, LEAST + line)

    assert said in str(reported.value)
    assert "recipe.toml" in str(reported.value)


def test_a_recipe_without_rows_or_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"length >= 1 - at `\$\.rows`"):
        read(tmp_path, 'model = "base"\nrows = []\nout = "x"')
    with pytest.raises(UsageError, match="cannot read the recipe"):
        read_recipe(tmp_path / "none.toml")


def test_where_it_is_written_to_changes_no_digest_and_its_rate_does(tmp_path: Path) -> None:
    first = read(tmp_path, LEAST)

    assert read(tmp_path, LEAST.replace("trained", "elsewhere")).digest == first.digest
    assert read(tmp_path, LEAST + "learning_rate = 2e-4").digest != first.digest


@pytest.mark.parametrize("name", ["tiny_recipe", "world_recipe", "gpu_recipe"])
def test_recipes_of_the_documentation_are_read(name: str) -> None:
    folder = Path(__file__).parents[2] / "docs" / "examples"

    assert read_recipe(folder / f"{name}.toml").weights == "all"
