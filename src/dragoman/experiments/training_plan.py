"""The plan of a training study: trainings of one model, and the suites that each is played on."""

import re
import tomllib
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from dragoman.analysis.training_contrasts import BEFORE
from dragoman.core.errors import UsageError
from dragoman.core.texts.decoding import MOST_BYTES, load_toml
from dragoman.finetuning.recipe import Names, Positive, Recipe, recipe_of
from dragoman.store.safe_files import read_bounded

RUNS = "runs"
"""The folder of a study's runs."""

_NAME = re.compile(r"[\w.+-]{1,40}")
_AGENT = "agent"
_OWN = ("out", "evaluation")


class Playing(msgspec.Struct, frozen=True):
    """Settings for playing every side.

    Attributes:
        calls: Form of calls: native, or thought and action in text.
        options: Options of the model as in its name, such as `max_tokens=200`.
        trials: Conversations per task.
        limit: Number of first tasks of each suite that are played; None for all.
        concurrency: Conversations at a time.
    """

    calls: Literal["native", "thought-action"] = "native"
    options: str = ""
    trials: Positive = 1
    limit: Positive | None = None
    concurrency: Positive = 16


class ArmPlan(msgspec.Struct, frozen=True):
    """One training, or a trained model that another service runs.

    Attributes:
        name: Name of the training.
        recipe: Recipe of the training, with its rows; None if it is not known.
        agent: Agent that plays for the training; "" for the weights that are trained here.
    """

    name: str
    recipe: Recipe | None
    agent: str = ""


class StudyPlan(msgspec.Struct, frozen=True):
    """A training study.

    Attributes:
        out: The folder for runs and figures.
        before: Agent of the untrained model.
        arms: The trainings.
        suites: Suites in domain.
        outside: Suites out of domain.
        playing: Settings for playing all sides.
        equal_rows: Whether all trainings use as many rows as the one with the fewest.
        price_per_hour: Price per hour of the training machine, in US dollars; None if not known.
    """

    out: Path
    before: str
    arms: tuple[ArmPlan, ...]
    suites: tuple[str, ...]
    outside: tuple[str, ...] = ()
    playing: Playing = Playing()
    equal_rows: bool = True
    price_per_hour: float | None = None


class Measuring(msgspec.Struct, frozen=True):
    """Measurement settings of a recipe's model that the recipe does not have.

    Attributes:
        outside: Suites out of domain.
        before: Agent of the untrained model; "" for the model of the recipe.
        after: Agent of the trained model; "" for the weights that are trained here.
        playing: Settings for playing both.
    """

    outside: tuple[str, ...] = ()
    before: str = ""
    after: str = ""
    playing: Playing = Playing()


class _File(Playing, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A plan as it is written."""

    out: str
    suites: Names
    outside: tuple[str, ...] = ()
    before: str = ""
    equal_rows: bool = True
    recipe: dict[str, object] = {}
    arms: Annotated[dict[str, dict[str, object]], msgspec.Meta(min_length=1)]


def read_plan(path: Path) -> StudyPlan:
    """Read a plan.

    Raises:
        UsageError: If it cannot be read; the message names the problem.
    """
    try:
        content = load_toml(read_bounded(path, MOST_BYTES).decode("utf-8"))
        written = msgspec.convert(content, _File)
    except OSError as error:
        raise UsageError(
            f"{path}: cannot read the plan ({error.strerror}): name a TOML file"
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: not a TOML file ({error})") from error
    except msgspec.ValidationError as error:
        raise UsageError(f"{path}: {error}") from error
    arms = tuple(_arm(path, written, name, own) for name, own in written.arms.items())
    model = next((arm.recipe.model for arm in arms if arm.recipe is not None), "")
    before = written.before or (f"local/{model}" if model else "")
    if not before:
        raise UsageError(f"{path}: nobody is played untrained: name a model in [recipe], or before")
    playing = msgspec.convert(
        {name: getattr(written, name) for name in Playing.__struct_fields__}, Playing
    )
    return StudyPlan(
        Path(written.out),
        before,
        arms,
        tuple(dict.fromkeys(written.suites)),
        tuple(each for each in dict.fromkeys(written.outside) if each not in written.suites),
        playing,
        written.equal_rows,
    )


def playing_of(calls: str) -> Playing:
    """Return the settings for a form of calls.

    Raises:
        UsageError: If the form does not exist.
    """
    try:
        return msgspec.convert({"calls": calls}, Playing)
    except msgspec.ValidationError as error:
        raise UsageError(f"--calls {calls}: choose native or thought-action") from error


def plan_of(recipe: Recipe, asked: Measuring) -> StudyPlan:
    """Return the study of one recipe: its model before and after, on the suites that it names.

    Args:
        recipe: The training; its folder gets a folder `measured`.
        asked: Settings that the recipe does not have.

    Raises:
        UsageError: If the recipe names no suite.
    """
    if not recipe.evaluation:
        raise UsageError('the recipe names no suite to measure by: add evaluation = ["itc:world"]')
    return StudyPlan(
        Path(recipe.out) / "measured",
        asked.before or f"local/{recipe.model}",
        (ArmPlan("after", recipe, asked.after),),
        recipe.evaluation,
        tuple(each for each in asked.outside if each not in recipe.evaluation),
        asked.playing,
    )


def _arm(path: Path, written: _File, name: str, own: dict[str, object]) -> ArmPlan:
    where = f"{path}, [arms.{name}]"
    if not _NAME.fullmatch(name) or name in {BEFORE, RUNS}:
        raise UsageError(f"{where}: an arm needs a short name of letters and digits")
    fields = {**written.recipe, **own}
    agent = fields.pop(_AGENT, "")
    if not isinstance(agent, str):
        raise UsageError(f"{where}: agent must be a name")
    for key in _OWN:
        if key in fields:
            raise UsageError(f"{where}: {key} is the study's: leave it out of the recipe")
    if agent and not fields:
        return ArmPlan(name, None, agent)
    suites = (*written.suites, *written.outside)
    fields |= {"out": str(Path(written.out) / name), "evaluation": suites}
    return ArmPlan(name, recipe_of(fields, where), agent)
