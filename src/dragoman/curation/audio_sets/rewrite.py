"""Rewriting of messages as speech by models or rules, accepted if no value is lost."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from dragoman.core.protocols import ChatModel
from dragoman.core.texts.characters import escape_controls
from dragoman.core.usage import Usage
from dragoman.curation.audio_sets.messages import (
    RecoveredValue,
    UserMessage,
    ValueReader,
    lost_values,
    recover_values,
)
from dragoman.curation.audio_sets.rule_based_rewriting import Phenomena, RewrittenText, rewrite_text
from dragoman.curation.llm_clients import ModelQuestion, ask_for_json
from dragoman.store.audio_set_format import TEXTS, MessageWhitelist, encode_line, intact_lines

REWRITE_PROMPT = "rewrite-1"
MOST_TIMES = 4
"""Longest rewriting as a multiple of the text, plus `MOST_MORE` characters."""
MOST_MORE = 400

_REWRITE_SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {"said": {"type": "string"}},
    "required": ["said"],
    "additionalProperties": False,
}


class ModelRewriting(msgspec.Struct, frozen=True):
    """A model's rewriting of a text; `why` gives the reason if it cannot be used."""

    said: str
    why: str
    usage: tuple[Usage, ...]


class _RewrittenText(msgspec.Struct, forbid_unknown_fields=True):
    said: str


async def rewrite_with_model(text: str, model: ChatModel) -> ModelRewriting:
    """Return a model's rewriting of a text.

    Raises:
        RunHalted: If the endpoint refuses all requests or the budget is spent.
    """
    answer = await ask_for_json(
        ModelQuestion("speech", REWRITE_PROMPT, {"text": text}, _RewrittenText, _REWRITE_SCHEMA),
        model,
    )
    said = "" if answer.value is None else " ".join(answer.value.said.split())
    return ModelRewriting(said, answer.why or _rewrite_problem(said, text), answer.usage)


def _rewrite_problem(said: str, text: str) -> str:
    if not said:
        return "nothing is said"
    if len(said) > MOST_TIMES * len(text) + MOST_MORE:
        return f"{len(said):,} characters for a text of {len(text):,}"
    return "" if escape_controls(said) == said else "it has control characters"


TOPICS_PROMPT = "topics-1"
_NAME = re.compile(r"[a-z][a-z0-9_]{0,59}")
_TOPICS_SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {
        "topics": {"type": "object", "additionalProperties": {"type": ["string", "null"]}}
    },
    "required": ["topics"],
    "additionalProperties": False,
}


class NamedTopics(msgspec.Struct, frozen=True):
    """The topics under a model's names.

    `topics` is None if they cannot be used; `why` then gives the reason.
    """

    topics: dict[str, str] | None
    why: str
    usage: tuple[Usage, ...]


class _Topics(msgspec.Struct, forbid_unknown_fields=True):
    topics: dict[str, str | None]


async def name_topics(topics: Mapping[str, str], text: str, model: ChatModel) -> NamedTopics:
    """Return a whitelist of the topics that a model keeps, under the model's names.

    Args:
        topics: Values by parameter.
        text: The words of the user.
        model: The model.

    Raises:
        RunHalted: If the endpoint refuses all requests or the budget is spent.
    """
    data = {"text": text, "topics": topics}
    answer = await ask_for_json(
        ModelQuestion("speech", TOPICS_PROMPT, data, _Topics, _TOPICS_SCHEMA), model
    )
    if answer.value is None:
        return NamedTopics(None, answer.why, answer.usage)
    names = answer.value.topics
    why = _topics_problem(names, topics)
    named = {name: topics[old] for old, name in names.items() if name and not why}
    return NamedTopics(None if why else named, why, answer.usage)


def _topics_problem(names: Mapping[str, str | None], topics: Mapping[str, str]) -> str:
    if names.keys() != topics.keys():
        odd = min(names.keys() ^ topics.keys())
        return f"topic {odd!r:.60} is {'left out' if odd in topics else 'invented'}"
    given = [name for name in names.values() if name is not None]
    bad = next((name for name in given if not _NAME.fullmatch(name)), None)
    if bad is not None:
        return f"{bad!r:.60} is not a name of a topic"
    return "" if len(set(given)) == len(given) else "two topics have one name"


Grade = Literal["model", "rules", "values kept", "mild", "text"]
"""The grade of a rewriting.

`model`: by a model. `rules`: by rules. `values kept`: by rules, with some values as written.
`mild`: by rules, with all values as written. `text`: not rewritten.
"""

_MAX_SHOWN = 5


class SpokenMessage(msgspec.Struct, frozen=True):
    """A message rewritten as speech.

    Attributes:
        message: The message as typed.
        said: The message as said.
        grade: The grade of rewriting.
        phenomena: Number of occurrences of each phenomenon; unknown for a model.
        proof: Each value, and the form in which it is found again.
        reasons: Reasons for rejecting bolder rewritings, in their order.
        usage: Usage of a model.
    """

    message: UserMessage
    said: str
    grade: Grade
    phenomena: dict[str, int]
    proof: tuple[RecoveredValue, ...]
    reasons: tuple[str, ...] = ()
    usage: tuple[Usage, ...] = ()


async def rewrite_message_with_model(
    message: UserMessage, model: ChatModel, rules: Phenomena, seed: int, reader: ValueReader
) -> SpokenMessage:
    """Return a model's rewriting, or the boldest one by rules if the model's loses values.

    Raises:
        RunHalted: If the endpoint refuses all requests or the budget is spent.
    """
    answer = await rewrite_with_model(message.text, model)
    why = answer.why
    if not why:
        proof = recover_values(message.values, answer.said, reader)
        missing = lost_values(proof)
        if not missing:
            return SpokenMessage(message, answer.said, "model", {}, proof, usage=answer.usage)
        why = lost_line(missing)
    settled = rewrite_message_with_rules(message, rules, seed, reader, (f"model: {why}",))
    return msgspec.structs.replace(settled, usage=answer.usage)


def rewrite_message_with_rules(
    message: UserMessage,
    rules: Phenomena,
    seed: int,
    reader: ValueReader,
    reasons: tuple[str, ...] = (),
) -> SpokenMessage:
    """Return the boldest rewriting by rules that passes, or the text if none does.

    Args:
        message: The message.
        rules: The rules of its language.
        seed: The seed of the set.
        reader: Finds values in the rewritten text.
        reasons: Reasons for rejecting bolder rewritings before.
    """
    for grade, attempt in _attempts(message, rules, seed, reader):
        proof = recover_values(message.values, attempt.said, reader)
        missing = lost_values(proof)
        if not missing:
            made = dict(Counter(attempt.phenomena))
            return SpokenMessage(message, attempt.said, grade, made, proof, reasons)
        reasons += (f"{grade}: {lost_line(missing)}",)
    proof = recover_values(message.values, message.text, reader)
    return SpokenMessage(message, message.text, "text", {}, proof, reasons)


def lost_line(missing: tuple[str, ...]) -> str:
    """Return the lost values as one line."""
    shown = ", ".join(f"{value!r:.60}" for value in missing[:_MAX_SHOWN])
    more = len(missing) - _MAX_SHOWN
    return f"{shown}{f' and {more} more' if more > 0 else ''} not found again"


def _attempts(
    message: UserMessage, rules: Phenomena, seed: int, reader: ValueReader
) -> Iterator[tuple[Grade, RewrittenText]]:
    bold = rewrite_text(message.text, message.values, rules, seed)
    yield "rules", bold
    missing = lost_values(recover_values(message.values, bold.said, reader))
    yield "values kept", rewrite_text(message.text, message.values, rules, seed, missing)
    yield "mild", rewrite_text(message.text, message.values, rules, seed, None)


class SetLine(msgspec.Struct, frozen=True):
    """A message rewritten as speech, its whitelist, and the usage for naming its topics."""

    spoken: SpokenMessage
    whitelist: MessageWhitelist
    usage: tuple[Usage, ...] = ()


def kept_texts(folder: Path, messages: Sequence[UserMessage]) -> Iterator[SetLine]:
    """Yield the existing texts, up to the first incomplete line or other message.

    Raises:
        DataError: If the file cannot be read.
    """
    for line, message in zip(intact_lines(folder / TEXTS, SetLine), messages, strict=False):
        if line.spoken.message != message:
            return
        yield line


def digest_of(lines: Sequence[SetLine]) -> str:
    """Return the SHA-256 of lines in their stored form."""
    digest = hashlib.sha256()
    for line in lines:
        digest.update(encode_line(line))
    return digest.hexdigest()
