"""Checks of translations by models before a review: back-translations and estimates."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Protocol

import msgspec

from dragoman.composition.concurrency import require_read_timeout, timeouts_of
from dragoman.composition.spending import with_stated_prices
from dragoman.core.errors import ParticipantError
from dragoman.core.protocols import ChatModel
from dragoman.core.usage import Usage, total_usage
from dragoman.curation.concurrency import BatchedAnswers, map_in_batches
from dragoman.curation.llm_clients import ModelQuestion, ask_for_json
from dragoman.curation.review.session import Reviewable
from dragoman.curation.translation.translators import (
    ChatTranslator,
    Item,
    Request,
    Translator,
    UnusableReply,
)
from dragoman.models.budget import Budget, parse_spend_limit
from dragoman.models.prices import PriceTable, load_prices
from dragoman.registry.chat_models import translation_model
from dragoman.registry.model_clients import ModelClients
from dragoman.store.translation_memory import MemoryEntry, TranslationMemory

BACK_TRANSLATION_BATCH = 24


async def back_translate(
    texts: Mapping[str, str],
    languages: tuple[str, str],
    translator: Translator,
    on_done: Callable[[int], None] = lambda _: None,
) -> BatchedAnswers[str]:
    """Return the back-translations of translations, made without their sources.

    Args:
        texts: Translations by id.
        languages: The names of the language of the translations and of the source language.
        translator: The translator.
        on_done: Receives the number of texts in each finished batch.
    """

    async def asked(batch: Mapping[str, str]) -> BatchedAnswers[str]:
        items = {name: Item(text) for name, text in batch.items()}
        try:
            reply = await translator.translate(Request("text", *languages, items))
        except (ParticipantError, UnusableReply) as error:
            used = (error.usage,) if isinstance(error.usage, Usage) else ()
            return BatchedAnswers({}, (f"{len(batch)} not translated back: {error}",), used)
        return BatchedAnswers(reply.texts, reply.odd, () if reply.usage is None else (reply.usage,))

    return await map_in_batches(texts, BACK_TRANSLATION_BATCH, asked, on_done)


PURPOSE = "estimate"
PROMPT = "estimate-1"
ESTIMATE_BATCH = 12
BEST = 100

REPLY_SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {
        "estimates": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "id": {"type": "string"},
                    "score": {"type": "integer"},
                    "why": {"type": "string"},
                },
                "required": ["id", "score", "why"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["estimates"],
    "additionalProperties": False,
}
"""The JSON schema of replies for providers that enforce schemas.

Replies of other providers are parsed just as strictly.
"""


class EstimatedPair(msgspec.Struct, frozen=True):
    """A text and its translation."""

    source: str
    translation: str


class ModelEstimate(msgspec.Struct, frozen=True):
    """A model's estimate of a translation, from 0 (unusable) to 1, and its reason."""

    score: float
    why: str


class _Estimate(msgspec.Struct):
    id: str | int
    score: Annotated[int, msgspec.Meta(ge=0, le=BEST)]
    why: str = ""


class _Estimates(msgspec.Struct):
    estimates: list[_Estimate]


async def estimate_quality(
    pairs: Mapping[str, EstimatedPair],
    languages: tuple[str, str],
    model: ChatModel,
    on_done: Callable[[int], None] = lambda _: None,
) -> BatchedAnswers[ModelEstimate]:
    """Return a model's estimates of translations; missing estimates are not replaced.

    Args:
        pairs: Texts with their translations, by id.
        languages: The names of the source language and of the target language.
        model: The model.
        on_done: Receives the number of pairs in each finished batch.
    """

    async def ask(batch: Mapping[str, EstimatedPair]) -> BatchedAnswers[ModelEstimate]:
        items = [{"id": name, **msgspec.structs.asdict(pair)} for name, pair in batch.items()]
        data = {"from": languages[0], "to": languages[1], "items": items}
        question = ModelQuestion(PURPOSE, PROMPT, data, _Estimates, REPLY_SCHEMA)
        answer = await ask_for_json(question, model)
        if answer.value is None:
            return BatchedAnswers({}, (f"{len(batch)} not estimated: {answer.why}",), answer.usage)
        found = _by_id(answer.value.estimates, batch)
        missing = len(batch) - len(found)
        problems = (f"{missing} missing, or estimated twice",) if missing else ()
        return BatchedAnswers(found, problems, answer.usage)

    return await map_in_batches(pairs, ESTIMATE_BATCH, ask, on_done)


def _by_id(
    given: Sequence[_Estimate], pairs: Mapping[str, EstimatedPair]
) -> dict[str, ModelEstimate]:
    counts = Counter(str(each.id) for each in given)
    return {
        str(each.id): ModelEstimate(each.score / BEST, each.why.strip())
        for each in given
        if str(each.id) in pairs and counts[str(each.id)] == 1
    }


KEPT_AT_ONCE = 96
"""Number of answers stored together: the most that a killed process loses."""

OnProgress = Callable[[str, int], Callable[[int], None]]
"""A callback for progress.

It receives an activity and its total number, and returns a callback for finished items.
"""


class OpinionModels(msgspec.Struct, frozen=True):
    """Models that check translations before a reviewer does.

    Attributes:
        back_translator: `PROVIDER/MODEL` that translates back; "" for none.
        estimator: `PROVIDER/MODEL` that estimates the quality; "" for none.
        max_cost: Spending limit; "" for none.
        prices: A file with a custom price table.
        read_timeout: Seconds a server may be silent during a call; None for a default that depends
            on its address.
    """

    back_translator: str = ""
    estimator: str = ""
    max_cost: str = ""
    prices: Path | None = None
    read_timeout: float | None = None

    def __post_init__(self) -> None:
        """Validate the read timeout.

        Raises:
            UsageError: If it is not above 0.
        """
        require_read_timeout(self.read_timeout)


class OpinionsResult(msgspec.Struct, frozen=True):
    """Problems in words, usage, and the price table."""

    problems: tuple[str, ...]
    usage: tuple[Usage, ...]
    prices: PriceTable


class _Look(Protocol):
    """A check of translations by a model; `on_done` receives the number of finished ones."""

    def __call__(
        self, entries: Mapping[str, MemoryEntry], on_done: Callable[[int], None]
    ) -> Awaitable[BatchedAnswers[MemoryEntry]]: ...


def ask_models(
    found: Sequence[Reviewable],
    languages: tuple[str, str],
    memory: TranslationMemory,
    helpers: OpinionModels,
    on_progress: OnProgress,
) -> OpinionsResult:
    """Have models check all unchecked translations, and store their answers in the memory.

    Args:
        found: The reviewable texts.
        languages: The names of the source language and of the target language.
        memory: The translation memory.
        helpers: The models.
        on_progress: Receives the progress.

    Raises:
        UsageError: For a model that does not exist.
        RunHalted: If an endpoint refuses all requests or the budget is spent.
        StoreError: If the memory cannot be written.
    """
    return asyncio.run(_ask(found, languages, memory, helpers, on_progress))


async def _ask(
    found: Sequence[Reviewable],
    languages: tuple[str, str],
    memory: TranslationMemory,
    helpers: OpinionModels,
    on_progress: OnProgress,
) -> OpinionsResult:
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
            look = partial(_estimate_entries, languages=languages, model=model)
            await opinions.collect("estimated", missing, look)
    finally:
        await connections.close()
    return OpinionsResult(tuple(opinions.problems), total_usage(opinions.usage), prices)


class _Opinions:
    """The answers of models so far, and the entries of the memory."""

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
        """Have a model check some translations, and store its answers batch by batch."""
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
    answer = await back_translate(texts, languages[::-1], translator, on_done)
    said = {
        name: msgspec.structs.replace(entries[name], back_translation=text)
        for name, text in answer.found.items()
    }
    return BatchedAnswers(said, answer.problems, answer.usage, answer.halt)


async def _estimate_entries(
    entries: Mapping[str, MemoryEntry],
    on_done: Callable[[int], None],
    *,
    languages: tuple[str, str],
    model: ChatModel,
) -> BatchedAnswers[MemoryEntry]:
    pairs = {
        name: EstimatedPair(entry.source.text, entry.target) for name, entry in entries.items()
    }
    answer = await estimate_quality(pairs, languages, model, on_done)
    said = {}
    for name, estimate in answer.found.items():
        why = (f"estimate: {estimate.why}",) if estimate.why else ()
        notes = (*entries[name].notes, *why)
        said[name] = msgspec.structs.replace(entries[name], quality=estimate.score, notes=notes)
    return BatchedAnswers(said, answer.problems, answer.usage, answer.halt)


def _budget(helpers: OpinionModels, prices: PriceTable) -> Budget | None:
    if not helpers.max_cost:
        return None
    return Budget(parse_spend_limit(helpers.max_cost), prices.price_of, goes_on="the same command")
