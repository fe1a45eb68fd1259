"""The step `rate`: a query is kept if every model that rates it finds it good enough.

The source keeps what scores "above 4" in its text and what rounds to 4 or more in its prompt; here it is
the mean of five dimensions, and the threshold is said with every figure.
"""

import asyncio
from collections.abc import Callable, Mapping

import msgspec

from dragoman.core.apis.tasks import ApiTask
from dragoman.core.errors import UsageError
from dragoman.core.protocols import ChatModel
from dragoman.curation.apis.described import described
from dragoman.curation.apis.generating.briefs import Brief, used_by
from dragoman.curation.apis.known import KnownOperation, known_operations
from dragoman.curation.apis.observations import standing_documents
from dragoman.curation.apis.rating.asking import HIGHEST, LOWEST, PROMPT, QueryRating, rated_by
from dragoman.curation.apis.steps import CurationStep, StepFinding, walk
from dragoman.curation.asking.answers import prompt_version
from dragoman.store.dataset import Dataset, NewItem, StoredItem

STEP = "rate"


class Raters(msgspec.Struct, frozen=True):
    """Who rates, and what is good enough.

    Attributes:
        models: By name; the source has two.
        threshold: The mean that a query must reach with each of them.
        at_once: How many queries are rated at the same time.
    """

    models: Mapping[str, ChatModel]
    threshold: float = 4.0
    at_once: int = 8

    def __post_init__(self) -> None:
        """See that they can rate.

        Raises:
            UsageError: For no model, or a threshold that no mean can have.
        """
        if not self.models:
            raise UsageError("rate: name the models that rate, two or more: --model A,B")
        if not LOWEST <= self.threshold <= HIGHEST:
            raise UsageError(f"--threshold {self.threshold:g}: from {LOWEST} to {HIGHEST}")


class StoredRating(msgspec.Struct, frozen=True):
    """What one model made of one query."""

    task: str
    rater: str
    rating: QueryRating


async def rate(dataset: Dataset, raters: Raters, on_done: Callable[[int], None]) -> None:
    """Have every query rated that is not.

    Raises:
        RunHalted: Where a rater cannot go on; what came before is stored.
        StoreError: Where the dataset cannot be read or written.
    """
    known = known_operations(standing_documents(dataset, STEP))
    briefs = {item.name: item.record(Brief) for item in dataset.items("brief")}

    async def look(item: StoredItem) -> StepFinding:
        task = item.record(ApiTask)
        return await _rated(task, [known[name] for name in used_by(task, briefs)], raters)

    settings = {"raters": sorted(raters.models), "threshold": raters.threshold}
    version = prompt_version(PROMPT)
    await walk(
        dataset, CurationStep(STEP, version, "task", look, settings, raters.at_once), on_done
    )


async def _rated(task: ApiTask, used: list[KnownOperation], raters: Raters) -> StepFinding:
    apis = [described(each.document, each.operation) for each in used]
    names = sorted(raters.models)
    answers = await asyncio.gather(*(rated_by(raters.models[name], task, apis) for name in names))
    usage = tuple(used for answer in answers for used in answer.usage)
    ratings = {
        name: answer.rating
        for name, answer in zip(names, answers, strict=True)
        if answer.rating is not None
    }
    if len(ratings) < len(names):
        silent = next(name for name in names if name not in ratings)
        why = answers[names.index(silent)].why
        return StepFinding("failed", f"no rating by {silent}: {why}", usage=usage)
    made = tuple(
        NewItem(
            "rating",
            f"{task.id}/{name}",
            StoredRating(task.id, name, rating),
            stands_on=(("task", task.id),),
        )
        for name, rating in ratings.items()
    )
    low = [
        f"{name} {rating.mean:.1f}"
        for name, rating in ratings.items()
        if rating.mean < raters.threshold
    ]
    if low:
        reason = f"below {raters.threshold:g}: {', '.join(low)}"
        return StepFinding("dropped", reason, made, usage)
    return StepFinding("kept", "", made, usage)
