"""The trainings of a study: equal numbers of rows, and none that is done already."""

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from dragoman.finetuning.extra import has_extra
from dragoman.finetuning.learnable import learnable_rows
from dragoman.finetuning.preparing import Prepared, prepare, with_rows
from dragoman.finetuning.progress import TrainingProgress
from dragoman.finetuning.trained import Trained, priced, read_trained
from dragoman.studies.tuning.plan import ArmPlan, StudyPlan


class PreparedArm(msgspec.Struct, frozen=True):
    """An arm and what it learns from; None where nothing is known of that."""

    arm: ArmPlan
    prepared: Prepared | None

    @property
    def trains(self) -> bool:
        """Whether it is trained here."""
        return self.prepared is not None and not self.arm.agent


def prepared_arms(plan: StudyPlan) -> tuple[PreparedArm, ...]:
    """Read the rows of all arms, and draw as many for each where that is asked for.

    Rows that a model cannot learn from go first, so that as many are learnt; without the extra, which has
    the tokenizers, none is told from the others.

    Raises:
        UsageError: Where a recipe, its rows or a suite is to be corrected.
        DataError: Where rows or data cannot be read.
    """
    are_equal = plan.equal_rows and sum(arm.recipe is not None for arm in plan.arms) > 1
    sieve = learnable_rows if are_equal and has_extra() else None
    arms = [
        PreparedArm(arm, None if arm.recipe is None else prepare(arm.recipe, sieve))
        for arm in plan.arms
    ]
    counts = [len(each.prepared.rows) for each in arms if each.prepared is not None]
    if not plan.equal_rows or len(set(counts)) < 2:  # noqa: PLR2004 - nothing to make equal
        return tuple(arms)
    return tuple(_with_rows(each, min(counts)) for each in arms)


def trained_arms(
    arms: Sequence[PreparedArm], say: Callable[[str], None], price_per_hour: float | None = None
) -> dict[str, Trained | None]:
    """Train what is not trained yet; return by arm what came of it, None for one that is not ours.

    Raises:
        UsageError: Where the extra is missing, or a folder holds another training.
        DataError: Where something cannot be written.
    """
    return {
        each.arm.name: None
        if not each.trains or each.prepared is None
        else priced(_trained(each.arm.name, each.prepared, say), price_per_hour)
        for each in arms
    }


def _trained(name: str, prepared: Prepared, say: Callable[[str], None]) -> Trained:
    done = read_trained(Path(prepared.recipe.out), prepared.identity)
    if done is not None:
        say(f"{name}: trained already, {done.steps} steps over {done.rows} rows")
        return done
    from dragoman.finetuning.training import train

    say(f"{name}: {len(prepared.rows)} rows")
    return train(prepared, TrainingProgress(lambda line: say(f"{name}: {line}")))


def _with_rows(each: PreparedArm, count: int) -> PreparedArm:
    if each.prepared is None or len(each.prepared.rows) == count:
        return each
    prepared = with_rows(each.prepared, count)
    return PreparedArm(msgspec.structs.replace(each.arm, recipe=prepared.recipe), prepared)
