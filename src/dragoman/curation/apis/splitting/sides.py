"""Which operations are for tests only, and on which side each task is.

Test operations are drawn by the content of their ids, so that one more operation moves no other. A task
that needs one is a test; all others are for training, and what they offer holds no test operation. So
tests of one operation need one that was never seen; of several, at least one (section 4 of the source).
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Literal

import msgspec

from dragoman.core.content_keys import derive_seed
from dragoman.core.errors import UsageError

Side = Literal["train", "test"]

_SCALE = 2**31


class SplitPlan(msgspec.Struct, frozen=True):
    """How tasks are parted.

    Attributes:
        share: Of operations that are for tests.
        seed: What they are drawn from.
        test: Operations that are for tests whatever is drawn.
    """

    share: float = 0.1
    seed: int = 0
    test: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """See that it parts anything.

        Raises:
            UsageError: For a share that is none.
        """
        if not 0 < self.share < 1:
            raise UsageError(
                f"--share {self.share:g}: of operations that are for tests, between 0 and 1"
            )


class NeededOperations(msgspec.Struct, frozen=True):
    """The ids of operations that a task's calls are of, and of those that it offers."""

    used: tuple[str, ...]
    offered: tuple[str, ...]


class TaskSide(msgspec.Struct, frozen=True):
    """Where a task is.

    Attributes:
        split: Its side.
        offered: The operations that it offers there.
        unseen: Those of its calls that no task for training has.
    """

    split: Side
    offered: tuple[str, ...]
    unseen: tuple[str, ...] = ()


def operations_for_tests(names: Iterable[str], plan: SplitPlan) -> frozenset[str]:
    """Return the ids of operations that are for tests only."""
    drawn = (
        name for name in names if derive_seed(name, f"split {plan.seed}") < plan.share * _SCALE
    )
    return frozenset(drawn) | frozenset(plan.test)


def sides_of(tasks: Mapping[str, NeededOperations], plan: SplitPlan) -> dict[str, TaskSide]:
    """Return the sides of tasks, by id.

    Raises:
        UsageError: Where one side would be empty.
    """
    test = operations_for_tests({name for task in tasks.values() for name in task.used}, plan)
    sides = {name: _side(task, test) for name, task in tasks.items()}
    splits = {side.split for side in sides.values()}
    if tasks and len(splits) == 1:
        missing = "test" if splits == {"train"} else "train"
        raise UsageError(
            f"split: no task would be for {missing} (share {plan.share:g}, seed {plan.seed}): take "
            "another seed or share"
        )
    return sides


def _side(task: NeededOperations, test: Collection[str]) -> TaskSide:
    unseen = tuple(name for name in task.used if name in test)
    if unseen:
        return TaskSide("test", task.offered, unseen)
    return TaskSide("train", tuple(name for name in task.offered if name not in test))
