"""Which of several answers is taken: each model ranks those of the others."""

import random
import string
from collections.abc import Mapping, Sequence
from statistics import fmean

import msgspec

from dragoman.core.apis.tasks import ApiSolution, RankedSolution
from dragoman.core.content_keys import content_key, derive_seed
from dragoman.core.protocols import ChatModel
from dragoman.core.usage import Usage
from dragoman.curation.apis.answering.asking import AskedOf, shown_steps
from dragoman.curation.asking.answers import ModelQuestion, asked

PROMPT = "rank-answers-1"

_SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {
        "ranking": {"type": "array", "items": {"type": "string"}},
        "why": {"type": "string"},
    },
    "required": ["ranking", "why"],
    "additionalProperties": False,
}


class _Ranking(msgspec.Struct, forbid_unknown_fields=True):
    ranking: list[str]
    why: str = ""


class ModelRanking(msgspec.Struct, frozen=True):
    """The places that a model gave to answers, by who wrote them; `why` says why there are none."""

    places: dict[str, int]
    why: str = ""
    usage: tuple[Usage, ...] = ()


async def ranked_by(
    model: ChatModel, name: str, query: AskedOf, candidates: Sequence[ApiSolution]
) -> ModelRanking:
    """Have a model rank the answers of others; its own is not shown to it.

    Raises:
        RunHalted: Where the endpoint refuses everything, or the budget is spent.
    """
    others = [each for each in candidates if each.by != name]
    if len(others) < 2:  # noqa: PLR2004 - one alone has no place to win
        return ModelRanking({each.by: 1 for each in others})
    # By lot, so that no writer always comes first.
    random.Random(derive_seed(content_key(query.task.id), f"ranking by {name}")).shuffle(others)  # noqa: S311 - no secret
    by_letter = dict(zip(string.ascii_uppercase, others, strict=False))
    data = {
        "query": query.task.query,
        "language": query.task.language,
        "tools": query.tools,
        "answers": {letter: shown_steps(each.steps) for letter, each in by_letter.items()},
    }
    answer = await asked(ModelQuestion("rank", PROMPT, data, _Ranking, _SCHEMA), model)
    if answer.value is None:
        return ModelRanking({}, answer.why, answer.usage)
    if sorted(answer.value.ranking) != sorted(by_letter):
        return ModelRanking({}, "the ranking does not have every letter once", answer.usage)
    places = {by_letter[letter].by: at for at, letter in enumerate(answer.value.ranking, 1)}
    return ModelRanking(places, "", answer.usage)


def winner_of(candidates: Sequence[RankedSolution]) -> RankedSolution | None:
    """Return the candidate with the best mean place; equal ones go by name. None where none stands."""
    answered = [each for each in candidates if each.stands]
    return min(answered, key=lambda each: (_mean_place(each), each.by), default=None)


def needs_audit(candidates: Sequence[RankedSolution], winner: RankedSolution) -> str:
    """Return why a person should look at what was taken; "" for no reason."""
    answered = [each for each in candidates if each.stands]
    if len(candidates) > 1 and len(answered) < len(candidates):
        return f"{len(answered)} of {len(candidates)} models gave an answer that stands"
    if len({content_key(_calls(each)) for each in answered}) > 1:
        return "the models call differently"
    ties = [each.by for each in answered if _mean_place(each) == _mean_place(winner)]
    return "the ranking is a tie" if len(ties) > 1 and len(answered) > 2 else ""  # noqa: PLR2004 - of two, none ranks both


def _mean_place(candidate: RankedSolution) -> float:
    return fmean(candidate.places.values()) if candidate.places else float("inf")


def _calls(candidate: RankedSolution) -> list[str]:
    calls = candidate.solution.calls if candidate.solution else ()
    return sorted(content_key(call.tool, call.arguments) for call in calls)
