"""Translations, translated back: what somebody who does not read the language can check."""

import asyncio
from collections.abc import Callable, Mapping, Sequence

import msgspec

from dragoman.core.errors import ParticipantError
from dragoman.core.usage import Usage
from dragoman.curation.translation.translators.protocol import (
    Item,
    Request,
    Translator,
    UnusableReply,
)

BATCH = 24


class BackTranslations(msgspec.Struct, frozen=True):
    """Texts translated back by id, what asking consumed, and why some are not."""

    texts: Mapping[str, str]
    problems: tuple[str, ...]
    usage: tuple[Usage, ...]


async def back_translations(
    texts: Mapping[str, str],
    languages: tuple[str, str],
    translator: Translator,
    *,
    concurrency: int = 8,
    on_done: Callable[[int], None] = lambda _: None,
) -> BackTranslations:
    """Return translations, translated back by somebody who did not see the source.

    Args:
        texts: Translations by id.
        languages: The names of the language that they are in and of the source's.
        translator: Who translates.
        concurrency: How many requests are under way at a time.
        on_done: Is told how many were asked for.

    Raises:
        RunHalted: Where the endpoint refuses everything, or the budget is spent.
    """
    slots = asyncio.Semaphore(concurrency)

    async def asked(batch: Sequence[tuple[str, str]]) -> BackTranslations:
        items = {name: Item(text) for name, text in batch}
        async with slots:
            answer = await _asked(Request("text", *languages, items), translator)
        on_done(len(batch))
        return answer

    listed = list(texts.items())
    batches = [listed[at : at + BATCH] for at in range(0, len(listed), BATCH)]
    answers = await asyncio.gather(*map(asked, batches))
    return BackTranslations(
        {name: text for answer in answers for name, text in answer.texts.items()},
        tuple(problem for answer in answers for problem in answer.problems),
        tuple(used for answer in answers for used in answer.usage),
    )


async def _asked(request: Request, translator: Translator) -> BackTranslations:
    try:
        reply = await translator.translate(request)
    except ParticipantError as error:
        return BackTranslations({}, (f"{len(request.items)} not translated back: {error}",), ())
    except UnusableReply as error:
        used = () if error.usage is None else (error.usage,)
        return BackTranslations({}, (f"{len(request.items)} not translated back: {error}",), used)
    used = () if reply.usage is None else (reply.usage,)
    return BackTranslations(reply.texts, reply.odd, used)
