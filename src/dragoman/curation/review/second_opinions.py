"""Has models look at translations before a person does: translate them back, and estimate them."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Protocol

import msgspec

from dragoman.composition.concurrency import require_read_timeout, timeouts_of
from dragoman.composition.spending import with_stated_prices
from dragoman.core.protocols import ChatModel
from dragoman.core.usage import Usage, total_usage
from dragoman.curation.asking.batches import BatchedAnswers
from dragoman.curation.review.back_translation import back_translations
from dragoman.curation.review.estimating import EstimatedPair, estimates_of
from dragoman.curation.review.texts import Reviewable
from dragoman.curation.translation.translators.chat import ChatTranslator
from dragoman.curation.translation.translators.protocol import Translator
from dragoman.models.budget import Budget, parse_spend_limit
from dragoman.models.prices import PriceTable, load_prices
from dragoman.registry.chat_models import translation_model
from dragoman.registry.model_clients import ModelClients
from dragoman.store.translation_memory import MemoryEntry, TranslationMemory

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
        read_timeout: Seconds a server may be silent during a call; None for what fits its address.
    """

    back_translator: str = ""
    estimator: str = ""
    max_cost: str = ""
    prices: Path | None = None
    read_timeout: float | None = None

    def __post_init__(self) -> None:
        """See that the limit on silence is one.

        Raises:
            UsageError: Where it is not above 0.
        """
        require_read_timeout(self.read_timeout)


class Helped(msgspec.Struct, frozen=True):
    """What went wrong, in words, and what was consumed."""

    problems: tuple[str, ...]
    usage: tuple[Usage, ...]
    prices: PriceTable


class _Look(Protocol):
    """Has a model look at translations; `on_done` is told how many it looked at."""

    def __call__(
        self, entries: Mapping[str, MemoryEntry], on_done: Callable[[int], None]
    ) -> Awaitable[BatchedAnswers[MemoryEntry]]: ...


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
    asked = filter(None, (helpers.back_translator, helpers.estimator))
    prices = with_stated_prices(load_prices(helpers.prices), asked)
    timeouts = timeouts_of(helpers.read_timeout)
    connections = ModelClients(timeouts, budget=_budget(helpers, prices))
    opinions = _Opinions(found, memory, on_progress)
    try:
        if helpers.back_translator:
            translator = ChatTranslator(translation_model(helpers.back_translator, connections))
            missing = [k for k, each in opinions.entries.items() if each.back_translation is None]
            look: _Look = partial(_translated_back, languages=languages, translator=translator)
            await opinions.collect("translated back", missing, look)
        if helpers.estimator:
            model = translation_model(helpers.estimator, connections)
            missing = [k for k, each in opinions.entries.items() if each.quality is None]
            look = partial(_estimated, languages=languages, model=model)
            await opinions.collect("estimated", missing, look)
    finally:
        await connections.close()
    return Helped(tuple(opinions.problems), total_usage(opinions.usage), prices)


class _Opinions:
    """What models said so far, and what the memory has of it."""

    def __init__(
        self, found: Sequence[Reviewable], memory: TranslationMemory, on_progress: OnProgress
    ) -> None:
        self.entries = {
            entry.source.key.hex(): entry for each in found for entry in each.entries.values()
        }
        self.problems: list[str] = []
        self.usage: list[Usage] = []
        self._memory = memory
        self._on_progress = on_progress

    async def collect(self, title: str, names: Sequence[str], look: _Look) -> None:
        """Have a model look at some translations, and keep what it says part by part."""
        advance = self._on_progress(title, len(names))
        for at in range(0, len(names), KEPT_AT_ONCE):
            part = {name: self.entries[name] for name in names[at : at + KEPT_AT_ONCE]}
            said = await look(part, advance)
            self._memory.annotate(said.found.values(), said.usage)
            self.entries.update(said.found)
            self.problems.extend(said.problems)
            self.usage.extend(said.usage)
            if said.halt is not None:
                raise said.halt


async def _translated_back(
    entries: Mapping[str, MemoryEntry],
    on_done: Callable[[int], None],
    *,
    languages: tuple[str, str],
    translator: Translator,
) -> BatchedAnswers[MemoryEntry]:
    texts = {name: entry.target for name, entry in entries.items()}
    answer = await back_translations(texts, languages[::-1], translator, on_done)
    said = {
        name: msgspec.structs.replace(entries[name], back_translation=text)
        for name, text in answer.found.items()
    }
    return BatchedAnswers(said, answer.problems, answer.usage, answer.halt)


async def _estimated(
    entries: Mapping[str, MemoryEntry],
    on_done: Callable[[int], None],
    *,
    languages: tuple[str, str],
    model: ChatModel,
) -> BatchedAnswers[MemoryEntry]:
    pairs = {
        name: EstimatedPair(entry.source.text, entry.target) for name, entry in entries.items()
    }
    answer = await estimates_of(pairs, languages, model, on_done)
    said = {}
    for name, estimate in answer.found.items():
        why = (f"estimate: {estimate.why}",) if estimate.why else ()
        notes = (*entries[name].notes, *why)
        said[name] = msgspec.structs.replace(entries[name], quality=estimate.score, notes=notes)
    return BatchedAnswers(said, answer.problems, answer.usage, answer.halt)


def _budget(helpers: Helpers, prices: PriceTable) -> Budget | None:
    if not helpers.max_cost:
        return None
    return Budget(parse_spend_limit(helpers.max_cost), prices.price_of, goes_on="the same command")
