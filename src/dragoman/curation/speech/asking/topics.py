"""A chat model names the topics of a whitelist, and drops what the user never said."""

import re
from collections.abc import Mapping

import msgspec

from dragoman.core.protocols import ChatModel
from dragoman.core.usage import Usage
from dragoman.curation.asking.answers import ModelQuestion, asked

PROMPT = "topics-1"
_NAME = re.compile(r"[a-z][a-z0-9_]{0,59}")
_SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {
        "topics": {"type": "object", "additionalProperties": {"type": ["string", "null"]}}
    },
    "required": ["topics"],
    "additionalProperties": False,
}


class NamedTopics(msgspec.Struct, frozen=True):
    """The topics as a model names them; `topics` is None where `why` says why they cannot be used."""

    topics: dict[str, str] | None
    why: str
    usage: tuple[Usage, ...]


class _Topics(msgspec.Struct, forbid_unknown_fields=True):
    topics: dict[str, str | None]


async def named_topics(topics: Mapping[str, str], text: str, model: ChatModel) -> NamedTopics:
    """Return a whitelist with the topics that a model keeps, by the names that it gives them.

    Args:
        topics: Values by parameter.
        text: What the user said.
        model: Who is asked.

    Raises:
        RunHalted: Where the endpoint refuses everything, or the budget is spent.
    """
    data = {"text": text, "topics": topics}
    answer = await asked(ModelQuestion("speech", PROMPT, data, _Topics, _SCHEMA), model)
    if answer.value is None:
        return NamedTopics(None, answer.why, answer.usage)
    names = answer.value.topics
    why = _why_not(names, topics)
    named = {name: topics[old] for old, name in names.items() if name and not why}
    return NamedTopics(None if why else named, why, answer.usage)


def _why_not(names: Mapping[str, str | None], topics: Mapping[str, str]) -> str:
    if names.keys() != topics.keys():
        odd = min(names.keys() ^ topics.keys())
        return f"topic {odd!r:.60} is {'left out' if odd in topics else 'invented'}"
    given = [name for name in names.values() if name is not None]
    bad = next((name for name in given if not _NAME.fullmatch(name)), None)
    if bad is not None:
        return f"{bad!r:.60} is no name of a topic"
    return "" if len(set(given)) == len(given) else "two topics have one name"
