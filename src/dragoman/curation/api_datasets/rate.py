"""The step `rate`: models rate a query on five dimensions, and it must pass with each.

The text of the source keeps queries with scores "above 4", and its prompt those whose score rounds
to 4 or more. Here the score is the mean of five dimensions, and the threshold is reported with
every number.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence

import msgspec

from dragoman.core.apis.tasks import ApiTask
from dragoman.core.errors import UsageError
from dragoman.core.protocols import ChatModel
from dragoman.core.usage import Usage
from dragoman.curation.api_datasets.operations import (
    KnownOperation,
    active_documents,
    known_operations,
    operation_description,
)
from dragoman.curation.api_datasets.pipeline import CurationStep, StepFinding, run_step
from dragoman.curation.api_datasets.query_briefs import Brief, used_operations
from dragoman.curation.llm_clients import ModelQuestion, ask_for_json, prompt_version
from dragoman.store.dataset import Dataset, NewItem, StoredItem

PROMPT = "rate-query-1"
LOWEST, HIGHEST = 1, 5

DIMENSIONS = ("relevance", "practicality", "linguistic_applicability", "clarity", "specificity")
"""The dimensions, as in the source's table 8."""

_SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {
        **{name: {"type": "integer", "minimum": LOWEST, "maximum": HIGHEST} for name in DIMENSIONS},
        "why": {"type": "string"},
    },
    "required": [*DIMENSIONS, "why"],
    "additionalProperties": False,
}


class QueryRating(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Five scores from 1 to 5, and their reason."""

    relevance: int
    practicality: int
    linguistic_applicability: int
    clarity: int
    specificity: int
    why: str = ""

    @property
    def scores(self) -> dict[str, int]:
        """The scores by dimension."""
        return {name: getattr(self, name) for name in DIMENSIONS}

    @property
    def mean(self) -> float:
        """The mean of the five scores."""
        return sum(self.scores.values()) / len(DIMENSIONS)


class ModelRating(msgspec.Struct, frozen=True):
    """One model's rating; `rating` is None if it is unusable, and `why` gives the reason."""

    rating: QueryRating | None
    why: str = ""
    usage: tuple[Usage, ...] = ()


async def rate_query(
    model: ChatModel, task: ApiTask, apis: Sequence[Mapping[str, object]]
) -> ModelRating:
    """Ask a model for its ratings.

    Raises:
        RunHalted: If the endpoint refuses all requests or the budget is spent.
    """
    data = {
        "query": task.query,
        "language": task.language,
        "country": task.country or "Global",
        "apis": apis,
    }
    answer = await ask_for_json(ModelQuestion("rate", PROMPT, data, QueryRating, _SCHEMA), model)
    rating = answer.value
    if rating is None:
        return ModelRating(None, answer.why, answer.usage)
    odd = next(
        (name for name, each in rating.scores.items() if not LOWEST <= each <= HIGHEST), None
    )
    if odd is not None:
        return ModelRating(None, f"{odd} is not from {LOWEST} to {HIGHEST}", answer.usage)
    return ModelRating(rating, "", answer.usage)


STEP = "rate"


class Raters(msgspec.Struct, frozen=True):
    """The raters and their threshold.

    Attributes:
        models: Models by name; the source has two.
        threshold: The mean that a query must reach with each model.
        at_once: Number of queries that are rated at the same time.
    """

    models: Mapping[str, ChatModel]
    threshold: float = 4.0
    at_once: int = 8

    def __post_init__(self) -> None:
        """Validate the raters.

        Raises:
            UsageError: For no model, or a threshold that a mean cannot reach.
        """
        if not self.models:
            raise UsageError("rate: name the models that rate, two or more: --model A,B")
        if not LOWEST <= self.threshold <= HIGHEST:
            raise UsageError(f"--threshold {self.threshold:g}: from {LOWEST} to {HIGHEST}")


class StoredRating(msgspec.Struct, frozen=True):
    """One model's rating of one query."""

    task: str
    rater: str
    rating: QueryRating


async def rate(dataset: Dataset, raters: Raters, on_done: Callable[[int], None]) -> None:
    """Have every unrated query rated.

    Raises:
        RunHalted: If a rater cannot continue; earlier results are stored.
        StoreError: If the dataset cannot be read or written.
    """
    known = known_operations(active_documents(dataset, STEP))
    briefs = {item.name: item.record(Brief) for item in dataset.items("brief")}

    async def look(item: StoredItem) -> StepFinding:
        task = item.record(ApiTask)
        return await _rate_task(
            task, [known[name] for name in used_operations(task, briefs)], raters
        )

    settings = {"raters": sorted(raters.models), "threshold": raters.threshold}
    version = prompt_version(PROMPT)
    await run_step(
        dataset, CurationStep(STEP, version, "task", look, settings, raters.at_once), on_done
    )


async def _rate_task(task: ApiTask, used: list[KnownOperation], raters: Raters) -> StepFinding:
    apis = [operation_description(each.document, each.operation) for each in used]
    names = sorted(raters.models)
    answers = await asyncio.gather(*(rate_query(raters.models[name], task, apis) for name in names))
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
