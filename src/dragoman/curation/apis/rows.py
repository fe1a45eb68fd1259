"""A dataset as a whole: its tasks with the answers that were taken, the tools they offer, and their sides."""

from collections.abc import Iterator, Mapping

import msgspec

from dragoman.core.apis.tasks import ApiSolution, ApiTask, TaskSolution
from dragoman.curation.apis.known import KnownOperation, known_operations
from dragoman.curation.apis.observations import offered_ids, standing_documents
from dragoman.curation.apis.splitting.sides import TaskSide
from dragoman.curation.apis.steps import ORDER, standing
from dragoman.store.dataset import Dataset

END = ORDER[-1]
"""What this last step did not drop is in the dataset."""


class DatasetRow(msgspec.Struct, frozen=True):
    """One task.

    Attributes:
        task: The task; its gold are the calls of its answer, its split and what it offers those of its side.
        solution: The answer.
        tools: The operations that it offers, by the names that it offers them by.
        unseen: Ids of operations in its answer that no task for training needs or offers.
        source: As the funnel counts it.
        audit: Why a person should look at the answer; "" for no reason.
    """

    task: ApiTask
    solution: ApiSolution
    tools: Mapping[str, KnownOperation]
    unseen: tuple[str, ...]
    source: str
    audit: str


def dataset_rows(dataset: Dataset) -> Iterator[DatasetRow]:
    """Yield the tasks that stand and have an answer, by id.

    Raises:
        StoreError: Where the dataset cannot be read.
    """
    known = known_operations(standing_documents(dataset, END))
    solutions = {item.name: item.record(TaskSolution) for item in standing(dataset, "solution")}
    sides = {item.name: item.record(TaskSide) for item in standing(dataset, "side")}
    for item in standing(dataset, "task"):
        if item.name in solutions:
            task, taken = item.record(ApiTask), solutions[item.name]
            # Names are those that the answer was given by: a side may offer less.
            ids = offered_ids(task, known)
            side = sides.get(item.name, TaskSide("train", task.offered))
            offered = {name: known[key] for name, key in ids.items() if key in side.offered}
            yield DatasetRow(
                msgspec.structs.replace(
                    task,
                    gold=task.gold or taken.solution.calls,
                    offered=tuple(each.id for each in offered.values()),
                    split=side.split if item.name in sides else "",
                ),
                taken.solution,
                offered,
                side.unseen,
                item.source,
                taken.audit,
            )
