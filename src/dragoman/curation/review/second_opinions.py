"""Has models look at translations before a person does: translate them back, and estimate them."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from dragoman.core.usage import Usage, total_usage
from dragoman.curation.review.back_translation import back_translations
from dragoman.curation.review.estimating import EstimatedPair, estimates_of
from dragoman.curation.review.texts import Reviewable
from dragoman.curation.translation.translators.chat import ChatTranslator
from dragoman.models.spending.budget import Budget, parse_limit
from dragoman.models.spending.prices import PriceTable, load_prices
from dragoman.store.translation_memory import MemoryEntry, TranslationMemory
from dragoman.wiring.connections import Connections
from dragoman.wiring.translators import translation_model

KEPT_AT_ONCE = 96
"""How many answers a killed process loses at most."""

OnProgress = Callable[[str, int], Callable[[int], None]]
"""Is told what is asked for and how many; returns what is told how many are done."""


class Helpers(msgspec.Struct, frozen=True):
    """Models that look at translations before a reviewer does.

    Attributes:
        back_translator: `PROVIDER/MODEL` that translates back; "" for nobody.
        estimator: `PROVIDER/MODEL` that says how good translations are; "" for nobody.
        max_cost: When to stop asking; "" for no limit.
        prices: A table of prices of one's own.
    """

    back_translator: str = ""
    estimator: str = ""
    max_cost: str = ""
    prices: Path | None = None


class Helped(msgspec.Struct, frozen=True):
    """What went wrong, in words, and what was consumed."""

    problems: tuple[str, ...]
    usage: tuple[Usage, ...]
    prices: PriceTable


class _Answer(Protocol):
    @property
    def problems(self) -> tuple[str, ...]: ...
    @property
    def usage(self) -> tuple[Usage, ...]: ...


def ask_models(
    found: Sequence[Reviewable],
    languages: tuple[str, str],
    memory: TranslationMemory,
    helpers: Helpers,
    on_progress: OnProgress,
) -> Helped:
    """Have models look at what they have not looked at yet, and keep what they say in the memory.

    Args:
        found: What can be reviewed.
        languages: The names of the languages from which and into which it is translated.
        memory: The translation memory.
        helpers: The models.
        on_progress: Is told how far it is.

    Raises:
        UsageError: For a model that does not exist.
        RunHalted: Where an endpoint refuses everything, or the budget is spent.
        StoreError: Where the memory cannot be written.
    """
    return asyncio.run(_ask(found, languages, memory, helpers, on_progress))


async def _ask(
    found: Sequence[Reviewable],
    languages: tuple[str, str],
    memory: TranslationMemory,
    helpers: Helpers,
    on_progress: OnProgress,
) -> Helped:
    prices = load_prices(helpers.prices)
    connections = Connections(budget=_budget(helpers, prices))
    entries = {entry.source.key.hex(): entry for each in found for entry in each.entries.values()}
    problems: list[str] = []
    usage: list[Usage] = []

    async def ask(
        title: str,
        open_entries: Mapping[str, MemoryEntry],
        asked: Callable[[Mapping[str, MemoryEntry], Callable[[int], None]], Awaitable[_Answer]],
    ) -> None:
        advance = on_progress(title, len(open_entries))
        names = list(open_entries)
        for at in range(0, len(names), KEPT_AT_ONCE):
            part = {name: open_entries[name] for name in names[at : at + KEPT_AT_ONCE]}
            answer = await asked(part, advance)
            problems.extend(answer.problems)
            usage.extend(answer.usage)

    async def back(part: Mapping[str, MemoryEntry], advance: Callable[[int], None]) -> _Answer:
        texts = {name: entry.target for name, entry in part.items()}
        answer = await back_translations(texts, languages[::-1], translator, on_done=advance)
        for name, text in answer.texts.items():
            entries[name] = msgspec.structs.replace(entries[name], back_translation=text)
        memory.annotate(entries[name] for name in answer.texts)
        return answer

    async def estimate(part: Mapping[str, MemoryEntry], advance: Callable[[int], None]) -> _Answer:
        pairs = {
            name: EstimatedPair(entry.source.text, entry.target) for name, entry in part.items()
        }
        answer = await estimates_of(pairs, languages, estimator, on_done=advance)
        for name, said in answer.found.items():
            notes = (*entries[name].notes, *((f"estimate: {said.why}",) if said.why else ()))
            entries[name] = msgspec.structs.replace(entries[name], quality=said.score, notes=notes)
        memory.annotate(entries[name] for name in answer.found)
        return answer

    try:
        if helpers.back_translator:
            translator = ChatTranslator(translation_model(helpers.back_translator, connections))
            missing = {k: each for k, each in entries.items() if each.back_translation is None}
            await ask("translated back", missing, back)
        if helpers.estimator:
            estimator = translation_model(helpers.estimator, connections)
            missing = {k: each for k, each in entries.items() if each.quality is None}
            await ask("estimated", missing, estimate)
    finally:
        await connections.close()
    return Helped(tuple(problems), total_usage(usage), prices)


def _budget(helpers: Helpers, prices: PriceTable) -> Budget | None:
    if not helpers.max_cost:
        return None
    return Budget(parse_limit(helpers.max_cost), prices.price_of, goes_on="the same command")
