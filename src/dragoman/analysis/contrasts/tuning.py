"""What trainings bought: a model before, the same after each training, and one training against another."""

from itertools import combinations

import msgspec

from dragoman.analysis.contrasts.board import (
    ContrastSide,
    Seen,
    SideContrast,
    TaskLabels,
    contrasts,
)

BEFORE = "before"
"""What the untrained model is called."""


class TuningBoard(msgspec.Struct, frozen=True):
    """All contrasts of a study.

    Attributes:
        arms: The trainings, in their order.
        inside: Suites like those that rows are of.
        outside: Suites of other projects.
        contrasts: Of each training with the model before, and of each with those named after it.
        facts: What it was made of: labels and values.
    """

    arms: tuple[str, ...]
    inside: tuple[str, ...]
    outside: tuple[str, ...]
    contrasts: tuple[SideContrast, ...]
    facts: tuple[tuple[str, str], ...] = ()

    def of(self, axis: str, *, arms: bool = False) -> tuple[SideContrast, ...]:
        """Return the contrasts along an axis: with the model before, or of trainings among each other."""
        return tuple(
            each for each in self.contrasts if each.axis == axis and (each.a != BEFORE) == arms
        )


def tuning_board(
    before: ContrastSide,
    arms: tuple[ContrastSide, ...],
    labels: TaskLabels,
    seen: Seen,
    suites: tuple[tuple[str, ...], tuple[str, ...]],
) -> TuningBoard:
    """Return all contrasts.

    Args:
        before: The untrained model; its name is `BEFORE`.
        arms: The same model after each training.
        labels: What tasks are labelled with.
        seen: By training whether its rows call the APIs of a task.
        suites: In domain, and out of it.
    """
    bought = contrasts([(before, arm) for arm in arms], labels, seen)
    ablated = contrasts([(b, a) for a, b in combinations(arms, 2)], labels, {})
    return TuningBoard(tuple(arm.name for arm in arms), *suites, (*bought, *ablated))
