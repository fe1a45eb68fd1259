"""The step `split`: tasks with answers are parted by operations."""

from collections.abc import Iterator, Mapping

from dragoman.core.apis.tasks import ApiTask, TaskSolution
from dragoman.curation.apis.known import known_operations
from dragoman.curation.apis.observations import offered_ids, standing_documents
from dragoman.curation.apis.splitting.sides import NeededOperations, SplitPlan, TaskSide, sides_of
from dragoman.curation.apis.steps import StepFinding, decide, standing
from dragoman.store.dataset import Dataset, NewItem, StoredItem

STEP = "split"


def split(dataset: Dataset, plan: SplitPlan) -> None:
    """Part the tasks that have an answer; what was parted before is parted anew.

    Raises:
        UsageError: Where one side would be empty.
        StoreError: Where the dataset cannot be read or written.
    """
    answered = {
        item.name: item.record(TaskSolution) for item in standing(dataset, "solution", STEP)
    }
    items = [item for item in standing(dataset, "task", STEP) if item.name in answered]
    known = known_operations(standing_documents(dataset, STEP))
    tasks = {item.name: item.record(ApiTask) for item in items}
    needed = {
        name: NeededOperations(_used(offered_ids(task, known), answered[name]), task.offered)
        for name, task in tasks.items()
    }
    sides = sides_of(needed, plan)
    decide(dataset, STEP, _found(items, sides), {"plan": plan})


def _used(ids: Mapping[str, str], answer: TaskSolution) -> tuple[str, ...]:
    names = [ids[call.tool] for call in answer.solution.calls if call.tool in ids]
    return tuple(dict.fromkeys(names))


def _found(
    items: list[StoredItem], sides: Mapping[str, TaskSide]
) -> Iterator[tuple[StoredItem, StepFinding]]:
    for item in items:
        made = NewItem("side", item.name, sides[item.name], stands_on=(("task", item.name),))
        yield item, StepFinding("kept", made=(made,))
