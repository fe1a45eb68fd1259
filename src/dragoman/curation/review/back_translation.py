"""Translations, translated back: what somebody who does not read the language can check."""

from collections.abc import Callable, Mapping

from dragoman.core.errors import ParticipantError
from dragoman.core.usage import Usage
from dragoman.curation.asking.batches import BatchedAnswers, in_batches
from dragoman.curation.translation.translators.protocol import (
    Item,
    Request,
    Translator,
    UnusableReply,
)

BATCH = 24


async def back_translations(
    texts: Mapping[str, str],
    languages: tuple[str, str],
    translator: Translator,
    on_done: Callable[[int], None] = lambda _: None,
) -> BatchedAnswers[str]:
    """Return translations, translated back by somebody who did not see the source.

    Args:
        texts: Translations by id.
        languages: The names of the language that they are in and of the source's.
        translator: Who translates.
        on_done: Is told how many were asked for.
    """

    async def asked(batch: Mapping[str, str]) -> BatchedAnswers[str]:
        items = {name: Item(text) for name, text in batch.items()}
        try:
            reply = await translator.translate(Request("text", *languages, items))
        except (ParticipantError, UnusableReply) as error:
            used = (error.usage,) if isinstance(error.usage, Usage) else ()
            return BatchedAnswers({}, (f"{len(batch)} not translated back: {error}",), used)
        return BatchedAnswers(reply.texts, reply.odd, () if reply.usage is None else (reply.usage,))

    return await in_batches(texts, BATCH, asked, on_done)
