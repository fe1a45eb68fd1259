"""The step `split`: train/test split by operation; tests need unseen operations.

Test operations are drawn by a hash of their ids, so another operation does not change the draw of
the others. A task that needs a test operation is a test task. All others are training tasks, and
their offered operations contain no test operation. A test task with one operation needs an unseen
one, and a test task with several needs at least one unseen operation (section 4 of the source).
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Literal

import msgspec

from dragoman.core.apis.tasks import ApiTask, TaskSolution
from dragoman.core.content_keys import derive_seed
from dragoman.core.errors import UsageError
from dragoman.curation.api_datasets.operations import (
    active_documents,
    known_operations,
    offered_ids,
)
from dragoman.curation.api_datasets.pipeline import StepFinding, active, record_decisions
from dragoman.store.dataset import Dataset, NewItem, StoredItem

Side = Literal["train", "test"]

_SCALE = 2**31


class SplitPlan(msgspec.Struct, frozen=True):
    """A plan for the split of tasks.

    Attributes:
        share: Share of operations that are for tests.
        seed: Seed of the draw.
        test: Operations that are always for tests.
    """

    share: float = 0.1
    seed: int = 0
    test: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Validate the plan.

        Raises:
            UsageError: For a share that is not between 0 and 1.
        """
        if not 0 < self.share < 1:
            raise UsageError(
                f"--share {self.share:g}: of operations that are for tests, between 0 and 1"
            )


class NeededOperations(msgspec.Struct, frozen=True):
    """The ids of the operations that a task calls, and of those that it offers."""

    used: tuple[str, ...]
    offered: tuple[str, ...]


class TaskSplit(msgspec.Struct, frozen=True):
    """The side of a task.

    Attributes:
        split: Its side.
        offered: The operations that it offers there.
        unseen: The operations in its calls that no training task has.
    """

    split: Side
    offered: tuple[str, ...]
    unseen: tuple[str, ...] = ()


def draw_test_operations(names: Iterable[str], plan: SplitPlan) -> frozenset[str]:
    """Return the ids of operations that are for tests only."""
    drawn = (
        name for name in names if derive_seed(name, f"split {plan.seed}") < plan.share * _SCALE
    )
    return frozenset(drawn) | frozenset(plan.test)


def assign_splits(tasks: Mapping[str, NeededOperations], plan: SplitPlan) -> dict[str, TaskSplit]:
    """Return the sides of tasks, by id.

    Raises:
        UsageError: If one side would be empty.
    """
    test = draw_test_operations({name for task in tasks.values() for name in task.used}, plan)
    sides = {name: _side(task, test) for name, task in tasks.items()}
    splits = {side.split for side in sides.values()}
    if tasks and len(splits) == 1:
        missing = "test" if splits == {"train"} else "train"
        raise UsageError(
            f"split: no task would be for {missing} (share {plan.share:g}, seed {plan.seed}): take "
            "another seed or share"
        )
    return sides


def _side(task: NeededOperations, test: Collection[str]) -> TaskSplit:
    unseen = tuple(name for name in task.used if name in test)
    if unseen:
        return TaskSplit("test", task.offered, unseen)
    return TaskSplit("train", tuple(name for name in task.offered if name not in test))


STEP = "split"


def split(dataset: Dataset, plan: SplitPlan) -> None:
    """Split the tasks that have an answer; earlier splits are replaced.

    Raises:
        UsageError: If one side would be empty.
        StoreError: If the dataset cannot be read or written.
    """
    answered = {item.name: item.record(TaskSolution) for item in active(dataset, "solution", STEP)}
    items = [item for item in active(dataset, "task", STEP) if item.name in answered]
    known = known_operations(active_documents(dataset, STEP))
    tasks = {item.name: item.record(ApiTask) for item in items}
    needed = {
        name: NeededOperations(
            _used_operations(offered_ids(task, known), answered[name]), task.offered
        )
        for name, task in tasks.items()
    }
    sides = assign_splits(needed, plan)
    record_decisions(dataset, STEP, _make_split_findings(items, sides), {"plan": plan})


def _used_operations(ids: Mapping[str, str], answer: TaskSolution) -> tuple[str, ...]:
    names = [ids[call.tool] for call in answer.solution.calls if call.tool in ids]
    return tuple(dict.fromkeys(names))


def _make_split_findings(
    items: list[StoredItem], sides: Mapping[str, TaskSplit]
) -> Iterator[tuple[StoredItem, StepFinding]]:
    for item in items:
        made = NewItem("side", item.name, sides[item.name], stands_on=(("task", item.name),))
        yield item, StepFinding("kept", made=(made,))
