"""What is said for each message: the boldest rewriting of which no value was lost."""

from collections import Counter
from collections.abc import Iterator
from typing import Literal

import msgspec

from dragoman.core.protocols import ChatModel
from dragoman.core.usage import Usage
from dragoman.curation.speech.asking.rewriting import rewritten_by_model
from dragoman.curation.speech.messages import UserMessage
from dragoman.curation.speech.proving import Recovered, lost, recovered
from dragoman.curation.speech.reading.how import ValueReader
from dragoman.curation.speech.rules.phenomena import Phenomena
from dragoman.curation.speech.rules.rewriter import Rewritten, rewritten

Grade = Literal["model", "rules", "values kept", "mild", "text"]
"""By a model; by rules; by rules with some values as written; with all; as it was."""

_MAX_SHOWN = 5


class SpokenMessage(msgspec.Struct, frozen=True):
    """A message as it is said.

    Attributes:
        message: As it was typed.
        said: As it is said.
        grade: How far it was rewritten.
        phenomena: How often each phenomenon stands in it; a model's are not known.
        proof: Each value, and how it is found again.
        reasons: Why bolder rewritings were given up, in their order.
        usage: What a model consumed for it.
    """

    message: UserMessage
    said: str
    grade: Grade
    phenomena: dict[str, int]
    proof: tuple[Recovered, ...]
    reasons: tuple[str, ...] = ()
    usage: tuple[Usage, ...] = ()


async def settled_by_model(
    message: UserMessage, model: ChatModel, rules: Phenomena, seed: int, reader: ValueReader
) -> SpokenMessage:
    """Return a model's rewriting where it passes, and else the boldest by rules that does.

    Raises:
        RunHalted: Where the endpoint refuses everything, or the budget is spent.
    """
    answer = await rewritten_by_model(message.text, model)
    why = answer.why
    if not why:
        proof = recovered(message.values, answer.said, reader)
        missing = lost(proof)
        if not missing:
            return SpokenMessage(message, answer.said, "model", {}, proof, usage=answer.usage)
        why = lost_line(missing)
    settled = settled_by_rules(message, rules, seed, reader, (f"model: {why}",))
    return msgspec.structs.replace(settled, usage=answer.usage)


def settled_by_rules(
    message: UserMessage,
    rules: Phenomena,
    seed: int,
    reader: ValueReader,
    reasons: tuple[str, ...] = (),
) -> SpokenMessage:
    """Return the boldest rewriting by rules that passes; the text itself where none does.

    Args:
        message: What is rewritten.
        rules: Of its language.
        seed: Of the set.
        reader: Finds values in what is said.
        reasons: Why bolder rewritings than these were given up.
    """
    for grade, attempt in _attempts(message, rules, seed, reader):
        proof = recovered(message.values, attempt.said, reader)
        missing = lost(proof)
        if not missing:
            made = dict(Counter(attempt.phenomena))
            return SpokenMessage(message, attempt.said, grade, made, proof, reasons)
        reasons += (f"{grade}: {lost_line(missing)}",)
    proof = recovered(message.values, message.text, reader)
    return SpokenMessage(message, message.text, "text", {}, proof, reasons)


def lost_line(missing: tuple[str, ...]) -> str:
    """Return which values were lost, in one line."""
    shown = ", ".join(f"{value!r:.60}" for value in missing[:_MAX_SHOWN])
    more = len(missing) - _MAX_SHOWN
    return f"{shown}{f' and {more} more' if more > 0 else ''} not found again"


def _attempts(
    message: UserMessage, rules: Phenomena, seed: int, reader: ValueReader
) -> Iterator[tuple[Grade, Rewritten]]:
    bold = rewritten(message.text, message.values, rules, seed)
    yield "rules", bold
    missing = lost(recovered(message.values, bold.said, reader))
    yield "values kept", rewritten(message.text, message.values, rules, seed, missing)
    yield "mild", rewritten(message.text, message.values, rules, seed, None)
