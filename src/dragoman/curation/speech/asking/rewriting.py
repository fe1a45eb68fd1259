"""A chat model rewrites a message as speech; whether values were lost is not its to say."""

from collections.abc import Mapping

import msgspec

from dragoman.core.protocols import ChatModel
from dragoman.core.texts.characters import escape_controls
from dragoman.core.usage import Usage
from dragoman.curation.asking.answers import ModelQuestion, asked

PROMPT = "rewrite-1"
MOST_TIMES = 4
"""How many times as long as the text its rewriting may be, beside the characters below."""
MOST_MORE = 400

_SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {"said": {"type": "string"}},
    "required": ["said"],
    "additionalProperties": False,
}


class ModelRewriting(msgspec.Struct, frozen=True):
    """What a model says for a text; `why` says why it cannot be used."""

    said: str
    why: str
    usage: tuple[Usage, ...]


class _Said(msgspec.Struct, forbid_unknown_fields=True):
    said: str


async def rewritten_by_model(text: str, model: ChatModel) -> ModelRewriting:
    """Return what a model makes of a text.

    Raises:
        RunHalted: Where the endpoint refuses everything, or the budget is spent.
    """
    answer = await asked(ModelQuestion("speech", PROMPT, {"text": text}, _Said, _SCHEMA), model)
    said = "" if answer.value is None else " ".join(answer.value.said.split())
    return ModelRewriting(said, answer.why or _why_not(said, text), answer.usage)


def _why_not(said: str, text: str) -> str:
    if not said:
        return "nothing is said"
    if len(said) > MOST_TIMES * len(text) + MOST_MORE:
        return f"{len(said):,} characters for a text of {len(text):,}"
    return "" if escape_controls(said) == said else "it has control characters"
