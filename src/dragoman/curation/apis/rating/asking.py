"""One model's ratings of one query on five dimensions."""

from collections.abc import Mapping, Sequence

import msgspec

from dragoman.core.apis.tasks import ApiTask
from dragoman.core.protocols import ChatModel
from dragoman.core.usage import Usage
from dragoman.curation.asking.answers import ModelQuestion, asked

PROMPT = "rate-query-1"
LOWEST, HIGHEST = 1, 5

DIMENSIONS = ("relevance", "practicality", "linguistic_applicability", "clarity", "specificity")
"""As the source's table 8 has them."""

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
    """Five scores from 1 to 5, and why."""

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
        """Of the five."""
        return sum(self.scores.values()) / len(DIMENSIONS)


class ModelRating(msgspec.Struct, frozen=True):
    """What one model said; `rating` is None where `why` says why it cannot be used."""

    rating: QueryRating | None
    why: str = ""
    usage: tuple[Usage, ...] = ()


async def rated_by(
    model: ChatModel, task: ApiTask, apis: Sequence[Mapping[str, object]]
) -> ModelRating:
    """Ask a model for its ratings.

    Raises:
        RunHalted: Where the endpoint refuses everything, or the budget is spent.
    """
    data = {
        "query": task.query,
        "language": task.language,
        "country": task.country or "Global",
        "apis": apis,
    }
    answer = await asked(ModelQuestion("rate", PROMPT, data, QueryRating, _SCHEMA), model)
    rating = answer.value
    if rating is None:
        return ModelRating(None, answer.why, answer.usage)
    odd = next(
        (name for name, each in rating.scores.items() if not LOWEST <= each <= HIGHEST), None
    )
    if odd is not None:
        return ModelRating(None, f"{odd} is not from {LOWEST} to {HIGHEST}", answer.usage)
    return ModelRating(rating, "", answer.usage)
