"""Queries that a chat model writes for a brief."""

import functools
from collections.abc import Mapping, Sequence
from importlib.resources import files

import msgspec

from dragoman.core.apis.tasks import ApiTask, CallKind
from dragoman.core.content_keys import derive_seed
from dragoman.core.protocols import ChatModel
from dragoman.core.texts.characters import escape_controls
from dragoman.core.usage import Usage
from dragoman.curation.apis.described import described
from dragoman.curation.apis.generating.briefs import Brief
from dragoman.curation.apis.known import KnownOperation
from dragoman.curation.asking.answers import ModelQuestion, asked

LONGEST = 600
"""Characters of a query; the source asks for one or two sentences."""

_EXAMPLES = 3
_SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {"queries": {"type": "array", "items": {"type": "string"}}},
    "required": ["queries"],
    "additionalProperties": False,
}


class WrittenQueries(msgspec.Struct, frozen=True):
    """What a model wrote.

    Attributes:
        tasks: The queries that can be used, without gold calls.
        refused: Why others cannot, a line each.
        why: Why there is no answer at all; "" where there is one.
        usage: What asking consumed.
    """

    tasks: tuple[ApiTask, ...] = ()
    refused: tuple[str, ...] = ()
    why: str = ""
    usage: tuple[Usage, ...] = ()


class _Queries(msgspec.Struct, forbid_unknown_fields=True):
    queries: list[str]


class _Seed(msgspec.Struct, forbid_unknown_fields=True):
    kind: CallKind
    language: str
    queries: tuple[str, ...]


class _Seeds(msgspec.Struct, forbid_unknown_fields=True):
    seed: tuple[_Seed, ...]


async def queries_by_model(
    brief: Brief, used: Sequence[KnownOperation], count: int, model: ChatModel, name: str
) -> WrittenQueries:
    """Ask a model for queries.

    Args:
        brief: What they are to be.
        used: The operations that they are to need.
        count: How many are asked for.
        model: Who writes.
        name: The writer's name, which goes with each query.

    Raises:
        RunHalted: Where the endpoint refuses everything, or the budget is spent.
    """
    data: dict[str, object] = {
        "language": brief.language,
        "country": brief.country or "Global",
        "count": count,
        "apis": [described(each.document, each.operation) for each in used],
        "examples": examples(brief),
    }
    if brief.chain is not None:
        data["chain"] = {"parameter": brief.chain.parameter, "answer": brief.chain.path}
    question = ModelQuestion("generate", f"queries-{brief.kind}-1", data, _Queries, _SCHEMA)
    answer = await asked(question, model)
    if answer.value is None:
        return WrittenQueries(why=answer.why, usage=answer.usage)
    texts = [" ".join(text.split()) for text in answer.value.queries[:count]]
    reasons = [_why_not(text, texts[:at], used) for at, text in enumerate(texts)]
    tasks = tuple(
        ApiTask(
            f"{brief.id}-{at}",
            text,
            brief.language,
            brief.kind,
            brief.offered,
            country=brief.country,
            made_by=name,
        )
        for at, (text, reason) in enumerate(zip(texts, reasons, strict=True), 1)
        if not reason
    )
    refused = tuple(
        f"{text!r:.80}: {reason}" for text, reason in zip(texts, reasons, strict=True) if reason
    )
    return WrittenQueries(tasks, refused, usage=answer.usage)


def examples(brief: Brief) -> list[str]:
    """Return one to three examples of a brief's kind, those in its language first."""
    seeds = [each for each in _seeds() if each.kind == brief.kind]
    seeds.sort(key=lambda each: (each.language != brief.language, _drawn(brief, each)))
    return [query for each in seeds for query in each.queries][:_EXAMPLES]


def _drawn(brief: Brief, seed: _Seed) -> int:
    return derive_seed(brief.id, seed.queries[0])


def _why_not(text: str, before: Sequence[str], used: Sequence[KnownOperation]) -> str:
    """Return why a query cannot be used; "" where it can."""
    if not text:
        return "it says nothing"
    if len(text) > LONGEST:
        return f"longer than {LONGEST} characters"
    if escape_controls(text) != text:
        return "it has control characters"
    if text.casefold() in {each.casefold() for each in before}:
        return "written twice"
    named = next((each.operation.name for each in used if _names(text, each.operation.name)), None)
    return f"it names the API {named!r}" if named else ""


def _names(text: str, name: str) -> bool:
    """Whether a query gives away a name that is one: of several words, or joined as no word is."""
    is_name = len(name) > 3 and any(not letter.isalpha() for letter in name)  # noqa: PLR2004 - shorter is no name
    return is_name and name.casefold() in text.casefold()


@functools.cache
def _seeds() -> tuple[_Seed, ...]:
    content = (files(__package__) / "seeds.toml").read_bytes()
    return msgspec.toml.decode(content, type=_Seeds).seed
