"""A chat model's estimate of translations, for the order in which a reviewer sees them."""

import asyncio
import functools
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from typing import Annotated

import msgspec

from dragoman.core.errors import ParticipantError
from dragoman.core.keys import content_key, derive_seed
from dragoman.core.protocols import ChatModel, ChatRequest
from dragoman.core.speech import Said
from dragoman.core.texts.decoding import UNREADABLE, unfenced
from dragoman.core.tools import NO_TOOLS
from dragoman.core.usage import Usage

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

_encode = msgspec.json.Encoder().encode


class EstimatedPair(msgspec.Struct, frozen=True):
    """A text and its translation."""

    source: str
    translation: str


class ModelEstimate(msgspec.Struct, frozen=True):
    """What a model thinks of a translation: 0 (unusable) to 1, and what is wrong."""

    score: float
    why: str


class ModelEstimates(msgspec.Struct, frozen=True):
    """The estimates of pairs by their ids, and what asking for them consumed.

    `problems` says, for those that have none, why: nothing stands in for an estimate.
    """

    found: Mapping[str, ModelEstimate]
    problems: tuple[str, ...]
    usage: tuple[Usage, ...]


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
    *,
    concurrency: int = 8,
    on_done: Callable[[int], None] = lambda _: None,
) -> ModelEstimates:
    """Return what a model thinks of translations.

    Args:
        pairs: Texts with their translations, by id.
        languages: The names of the languages from which and into which they are translated.
        model: Who is asked.
        concurrency: How many requests are under way at a time.
        on_done: Is told how many were asked for.

    Raises:
        RunHalted: Where the endpoint refuses everything, or the budget is spent.
    """
    slots = asyncio.Semaphore(concurrency)

    async def asked(batch: Sequence[tuple[str, EstimatedPair]]) -> ModelEstimates:
        async with slots:
            answer = await _asked(dict(batch), languages, model)
        on_done(len(batch))
        return answer

    listed = list(pairs.items())
    batches = [listed[at : at + BATCH] for at in range(0, len(listed), BATCH)]
    answers = await asyncio.gather(*map(asked, batches))
    return ModelEstimates(
        {name: each for answer in answers for name, each in answer.found.items()},
        tuple(problem for answer in answers for problem in answer.problems),
        tuple(used for answer in answers for used in answer.usage),
    )


def version() -> str:
    """Return the name of the prompt and what it says."""
    return f"{PROMPT}@{content_key(_prompt())[:8]}"


async def _asked(
    pairs: Mapping[str, EstimatedPair], languages: tuple[str, str], model: ChatModel
) -> ModelEstimates:
    items = [{"id": name, **msgspec.structs.asdict(pair)} for name, pair in pairs.items()]
    question = _encode({"from": languages[0], "to": languages[1], "items": items}).decode()
    key = content_key(PURPOSE, version(), question)
    messages = [
        {"role": "system", "content": _prompt()},
        {"role": "user", "content": question},
    ]
    request = ChatRequest(
        messages,
        NO_TOOLS,
        derive_seed(key, PURPOSE),
        PURPOSE,
        key=key,
        reply_schema=REPLY_SCHEMA,
    )
    try:
        completion = await model.complete(request, PURPOSE)
    except ParticipantError as error:
        return ModelEstimates({}, (f"{len(pairs)} not estimated: {error}",), ())
    usage = (completion.usage,)
    words = completion.reply.text if isinstance(completion.reply, Said) else ""
    try:
        found = _read(words, pairs)
    except UNREADABLE as error:
        return ModelEstimates({}, (f"{len(pairs)} not estimated: {error}",), usage)
    missing = len(pairs) - len(found)
    problems = (f"{missing} left out, or estimated twice",) if missing else ()
    return ModelEstimates(found, problems, usage)


def _read(text: str, pairs: Mapping[str, EstimatedPair]) -> dict[str, ModelEstimate]:
    given = msgspec.json.decode(unfenced(text), type=_Estimates).estimates
    counts = Counter(str(each.id) for each in given)
    return {
        str(each.id): ModelEstimate(each.score / BEST, each.why.strip())
        for each in given
        if str(each.id) in pairs and counts[str(each.id)] == 1
    }


@functools.cache
def _prompt() -> str:
    return files("dragoman.curation.review").joinpath("prompts", f"{PROMPT}.md").read_text("utf-8")
