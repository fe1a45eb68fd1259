"""A chat model's estimate of translations, for the order in which a reviewer sees them."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated

import msgspec

from dragoman.core.protocols import ChatModel
from dragoman.curation.asking.answers import ModelQuestion, asked
from dragoman.curation.asking.batches import BatchedAnswers, in_batches

PURPOSE = "estimate"
PROMPT = "estimate-1"
BATCH = 12
BEST = 100

REPLY_SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {
        "estimates": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "id": {"type": "string"},
                    "score": {"type": "integer"},
                    "why": {"type": "string"},
                },
                "required": ["id", "score", "why"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["estimates"],
    "additionalProperties": False,
}
"""What providers that take schemas hold a model to; its reply is read as strictly without."""


class EstimatedPair(msgspec.Struct, frozen=True):
    """A text and its translation."""

    source: str
    translation: str


class ModelEstimate(msgspec.Struct, frozen=True):
    """What a model thinks of a translation: 0 (unusable) to 1, and what is wrong."""

    score: float
    why: str


class _Estimate(msgspec.Struct):
    id: str | int
    score: Annotated[int, msgspec.Meta(ge=0, le=BEST)]
    why: str = ""


class _Estimates(msgspec.Struct):
    estimates: list[_Estimate]


async def estimates_of(
    pairs: Mapping[str, EstimatedPair],
    languages: tuple[str, str],
    model: ChatModel,
    on_done: Callable[[int], None] = lambda _: None,
) -> BatchedAnswers[ModelEstimate]:
    """Return what a model thinks of translations; nothing stands in for an estimate.

    Args:
        pairs: Texts with their translations, by id.
        languages: The names of the languages from which and into which they are translated.
        model: Who is asked.
        on_done: Is told how many were asked for.
    """

    async def ask(batch: Mapping[str, EstimatedPair]) -> BatchedAnswers[ModelEstimate]:
        items = [{"id": name, **msgspec.structs.asdict(pair)} for name, pair in batch.items()]
        data = {"from": languages[0], "to": languages[1], "items": items}
        question = ModelQuestion(PURPOSE, PROMPT, data, _Estimates, REPLY_SCHEMA)
        answer = await asked(question, model)
        if answer.value is None:
            return BatchedAnswers({}, (f"{len(batch)} not estimated: {answer.why}",), answer.usage)
        found = _by_id(answer.value.estimates, batch)
        missing = len(batch) - len(found)
        problems = (f"{missing} left out, or estimated twice",) if missing else ()
        return BatchedAnswers(found, problems, answer.usage)

    return await in_batches(pairs, BATCH, ask, on_done)


def _by_id(
    given: Sequence[_Estimate], pairs: Mapping[str, EstimatedPair]
) -> dict[str, ModelEstimate]:
    counts = Counter(str(each.id) for each in given)
    return {
        str(each.id): ModelEstimate(each.score / BEST, each.why.strip())
        for each in given
        if str(each.id) in pairs and counts[str(each.id)] == 1
    }
