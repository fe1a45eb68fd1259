"""Plans of studies are read strictly, and say which runs they mean."""

from pathlib import Path

import pytest

from dragoman.core.errors import UsageError
from dragoman.experiments.training_plan import Measuring, plan_of, read_plan
from dragoman.experiments.training_study import planned_runs
from dragoman.finetuning.recipe import Recipe

PLAN = """
out = "study"
suites = ["itc:world"]
outside = ["itc:seal-tools", "itc:world"]
calls = "thought-action"
options = "max_tokens=200"

[recipe]
model = "base"
rows = ["rows.jsonl"]

[arms.ALL]

[arms.EN]
languages = ["en"]
weights = "all"
"""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "plan.toml"
    path.write_text(text)
    return path


def test_arms_are_the_recipe_with_what_differs(tmp_path: Path) -> None:
    plan = read_plan(written(tmp_path, PLAN))

    suites = ("itc:world", "itc:seal-tools", "itc:world")
    assert [arm.recipe for arm in plan.arms] == [
        Recipe("base", ("rows.jsonl",), "study/ALL", suites),
        Recipe("base", ("rows.jsonl",), "study/EN", suites, languages=("en",), weights="all"),
    ]
    assert plan.outside == ("itc:seal-tools",)


def test_all_sides_play_all_suites_in_one_way(tmp_path: Path) -> None:
    runs = planned_runs(read_plan(written(tmp_path, PLAN)))

    assert [(run.side, run.suite) for run in runs] == [
        (side, suite)
        for side in ("before", "ALL", "EN")
        for suite in ("itc:world", "itc:seal-tools")
    ]
    end = "max_tokens=200&calls=thought-action"
    assert list(dict.fromkeys(run.config.agents[0] for run in runs)) == [
        f"local/base?{end}",
        f"local/base?adapter=study/ALL/adapter&{end}",
        f"local/study/EN/model?{end}",
    ]
    assert len({run.folder for run in runs}) == 6


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('out = "study"', "", "missing required field `out`"),
        ('out = "study"', 'out = "study"\nsuits = []', "unknown field `suits`"),
        ('rows = ["rows.jsonl"]', 'rowz = ["x"]', r"\[arms.ALL\]: unknown key 'rowz'"),
        ("[arms.ALL]", "[arms.before]", "an arm needs a short name"),
        ("[arms.ALL]", '[arms."../x"]', "an arm needs a short name"),
        ('model = "base"', 'model = "base"\nout = "x"', "out is the study's"),
        ("[arms.ALL]", "[arms.ALL]\nagent = 3", "agent must be a name"),
        ('"thought-action"', '"xml"', "Invalid enum value 'xml'"),
        ("[recipe]", "[recipe", "not a TOML file"),
        ('suites = ["itc:world"]', "suites = []", "length >= 1"),
    ],
)
def test_a_mistake_is_one_line(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in PLAN
    with pytest.raises(UsageError, match=said) as raised:
        read_plan(written(tmp_path, PLAN.replace(old, new)))
    assert "\n" not in str(raised.value)


def test_a_plan_without_a_model_says_who_is_to_be_played(tmp_path: Path) -> None:
    text = 'out = "s"\nsuites = ["itc:world"]\n[arms.A]\nagent = "gold"\n'
    with pytest.raises(UsageError, match="nobody is played untrained"):
        read_plan(written(tmp_path, text))
    with pytest.raises(UsageError, match="cannot read the plan"):
        read_plan(tmp_path / "none.toml")


def test_a_recipe_is_measured_by_its_own_suites() -> None:
    recipe = Recipe("base", ("rows.jsonl",), "out", ("itc:world",))

    plan = plan_of(recipe, Measuring(("itc:mine", "itc:world"), after="openai/tuned"))

    assert (plan.before, plan.suites, plan.outside) == ("local/base", ("itc:world",), ("itc:mine",))
    assert [run.config.agents[0] for run in planned_runs(plan)] == [
        *["local/base"] * 2,
        *["openai/tuned"] * 2,
    ]
    with pytest.raises(UsageError, match="names no suite"):
        plan_of(Recipe("base", ("rows.jsonl",), "out"), Measuring())


def test_the_plan_in_the_docs_is_read() -> None:
    plan = read_plan(Path(__file__).parents[3] / "docs" / "examples" / "study_plan.toml")

    recipes = {arm.name: arm.recipe for arm in plan.arms}
    assert [recipe.languages if recipe else None for recipe in recipes.values()] == [(), ("en",)]
