"""Translation of units with retries: mask, translate, run QA checks, store or retry.

Each returned translation is checked on its own, and accepted ones are stored immediately. Rejected
units are retried as one batch, then in halves. A unit that lost placeholders, or that is left
alone, is retried by itself with its placeholders listed. Units that still fail keep their source
text and are reported.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal

import msgspec

from dragoman.conditions.language.languages import Language
from dragoman.core.errors import ParticipantError, RunHalted, StoreError
from dragoman.core.usage import Usage
from dragoman.curation.translation.glossary import Glossary, LabelRegistry, glossary_for
from dragoman.curation.translation.placeholders import DoNotTranslate, Kind, Masked, mask, restore
from dragoman.curation.translation.qa_issues import QaIssue, TranslationCriteria, qa_issue
from dragoman.curation.translation.quality import placeholder_issues, run_qa_checks
from dragoman.curation.translation.segments import BatchLimits, Unit, batches_of
from dragoman.curation.translation.translators import (
    Item,
    Reply,
    Request,
    Translator,
    UnusableReply,
    split_text,
    translate_in_parts,
)
from dragoman.scoring.language_detection import Detector
from dragoman.store.translation_memory import MemoryEntry, Origin, SourceText, TranslationMemory

_NO_LABELS: frozenset[Kind] = frozenset({"id", "address", "phone"})
_DOUBTS = frozenset({"copied", "residual-english", "wrong-language"})


class CheckedTranslation(msgspec.Struct, frozen=True):
    """A restored translation, and its issues."""

    text: str
    issues: tuple[QaIssue, ...]

    @property
    def is_refused(self) -> bool:
        """Whether it is too damaged for use."""
        return any(found.severity == "refuse" for found in self.issues)

    @property
    def is_doubtful(self) -> bool:
        """Whether it may be in another language than requested."""
        return any(found.code in _DOUBTS for found in self.issues)

    @property
    def has_lost_placeholders(self) -> bool:
        """Whether placeholders did not come back as given."""
        return any(found.code.startswith("placeholder-") for found in self.issues)


class DomainContext(msgspec.Struct, frozen=True):
    """The context for translating the texts of one domain into one language.

    Attributes:
        source: The source language.
        language: The target language.
        do_not_translate: The terms that must stay in the domain's texts.
        glossary: The labels of its values so far.
        labels: The labels that are in use.
        detector: The language detector; None if there is none.
    """

    source: Language
    language: Language
    do_not_translate: DoNotTranslate
    glossary: Glossary
    labels: LabelRegistry
    detector: Detector | None = None

    def masked(self, unit: Unit) -> Masked:
        """Return a masked text."""
        return mask(unit.segment, self.do_not_translate, self.glossary)

    def item(self, unit: Unit, *, is_last: bool = False) -> Item:
        """Return the request item of a text.

        In the last attempts, it lists the placeholders that must be kept and the labels that are
        taken.
        """
        masked = self.masked(unit)
        if not is_last:
            return Item(masked.text, self._terms(unit))
        placeholders = tuple(slot.placeholder for slot in masked.slots)
        return Item(masked.text, self._terms(unit), placeholders, self.labels.others(unit.source))

    def judged(self, unit: Unit, answer: str) -> CheckedTranslation:
        """Return the checked translation of a translator's answer."""
        restored = restore(self.masked(unit), answer)
        faults = placeholder_issues(unit.segment, restored.faults)
        return CheckedTranslation(restored.text, (*faults, *self.looked_at(unit, restored.text)))

    def looked_at(self, unit: Unit, target: str) -> tuple[QaIssue, ...]:
        """Return the issues of a translation by any author.

        The label of a value is also registered.
        """
        found = run_qa_checks(unit.segment, target, self._criteria)
        if (other := self.labels.take(unit.source, target)) is None:
            return found
        shared = f"{target!r} is the label or the name of {other!r} too"
        return (*found, qa_issue("label-collision", unit.segment.address, shared))

    def settled_by_itself(self, unit: Unit) -> str | None:
        """Return the translation of a text without translatable words; None if it has some."""
        if unit.segment.mode == "label":
            return unit.source.text if self._stays(unit) else None
        masked = self.masked(unit)
        return None if masked.has_words else restore(masked, masked.text).text

    def _stays(self, unit: Unit) -> bool:
        """Return whether a value is an id, an address or a number.

        Labels are not masked, but these values stay as they are.
        """
        spans = self.do_not_translate.spans(unit.source.text, unit.segment.component)
        return any(
            span.kind in _NO_LABELS and span.end - span.start == len(unit.source.text)
            for span in spans
        )

    @property
    def _criteria(self) -> TranslationCriteria:
        return TranslationCriteria(
            self.language, self.do_not_translate, self.glossary, self.detector
        )

    def _terms(self, unit: Unit) -> Mapping[str, str]:
        """Return the labels of values that a text names.

        If one value has two labels, both are returned, with their fields.
        """
        if unit.segment.mode == "label":
            return {}
        found = [
            term
            for term in glossary_for(unit.segment, self.glossary)
            if term.canonical != term.label
        ]
        counts = Counter(term.canonical for term in found)
        return {
            term.canonical
            if counts[term.canonical] == 1
            else f"{term.canonical} ({', '.join(term.fields)})": term.label
            for term in found
        }


NOT_KNOWN = "neither the memory nor the glossary has it"

_ID_CHARS = 8
ALONE = (-1, -2, -3)
"""The attempts at a single text."""

State = Literal["known", "asked", "itself", "given up", "out of reach"]
"""The outcome of a text.

`known`: it was in the memory. `asked`: the translator gave it. `itself`: it contains nothing to
translate. `given up`: no sound translation came. `out of reach`: no answer came because of an
infrastructure failure.
"""


class UnitResult(msgspec.Struct, frozen=True):
    """The result of one text.

    Attributes:
        unit: The text.
        state: The outcome.
        target: The translation; None if there is none.
        origin: The origin of the translation.
        issues: Issues of the translation, or of the refused answer.
        why: The reason for a missing translation, in words.
        translator: The model and its prompts, the file, or the reviewer; "" if unknown.
    """

    unit: Unit
    state: State
    target: str | None = None
    origin: Origin | None = None
    issues: tuple[QaIssue, ...] = ()
    why: str = ""
    translator: str = ""


class TranslatorConfig(msgspec.Struct, frozen=True):
    """The configuration for translating texts.

    Attributes:
        translator: The translator.
        memory: The memory for known texts and new answers; None if nothing is stored.
        limits: Limits of one request.
        concurrency: Requests under way at the same time.
        clock: Returns the time of day in seconds.
        on_settled: Receives the number of texts settled since the last call.
        on_reply: Receives every reply, with its usage and its irregularities.
    """

    translator: Translator
    memory: TranslationMemory | None
    clock: Callable[[], float]
    limits: BatchLimits = BatchLimits()
    concurrency: int = 8
    on_settled: Callable[[int], None] = lambda _: None
    on_reply: Callable[[Reply], None] = lambda _: None


async def translate_units(
    units: Sequence[Unit], domain_context: DomainContext, means: TranslatorConfig
) -> dict[SourceText, UnitResult]:
    """Return the result of each text, from the memory and by the translator.

    Raises:
        RunHalted: If the endpoint refuses all requests or the budget is spent; earlier results are
            stored.
        StoreError: If results cannot be stored.
    """
    settled = known_results(units, domain_context, means.memory)
    left = [unit for unit in units if unit.source not in settled]
    means.on_settled(len(units) - len(left))
    if left:
        asking = _Asking(domain_context, means)
        settled |= await asking.settle(left)
    return settled


def known_results(
    units: Sequence[Unit], domain_context: DomainContext, memory: TranslationMemory | None
) -> dict[SourceText, UnitResult]:
    """Return the results that need no translator: known texts, and texts that stay whole."""
    found = memory_results(units, memory) if memory else {}
    settled: dict[SourceText, UnitResult] = {}
    for unit in units:
        if (entry := found.get(unit.source)) is not None:
            settled[unit.source] = _from_memory(unit, entry, domain_context)
        elif (text := domain_context.settled_by_itself(unit)) is not None:
            settled[unit.source] = UnitResult(unit, "itself", text)
    return settled


def _from_memory(unit: Unit, entry: MemoryEntry, domain_context: DomainContext) -> UnitResult:
    """Return the result of a text in the memory; a label of another value does not count."""
    issues = domain_context.looked_at(unit, entry.target)
    if any(found.code == "label-collision" for found in issues):
        why = f"the memory's label is another value's ({entry.origin}): review it"
        return UnitResult(unit, "given up", None, entry.origin, issues, why)
    return UnitResult(
        unit, "known", entry.target, entry.origin, issues, translator=entry.translator
    )


def memory_results(
    units: Sequence[Unit], memory: TranslationMemory
) -> dict[SourceText, MemoryEntry]:
    """Return the memory's entries for texts, in their context or without any context."""
    anywhere = {unit.source: msgspec.structs.replace(unit.source, context="") for unit in units}
    found = memory.find([*anywhere, *set(anywhere.values())])
    return {
        source: entry
        for source, other in anywhere.items()
        if (entry := found.get(source) or found.get(other)) is not None
    }


def group_identical(units: Iterable[Unit], domain_context: DomainContext) -> list[tuple[Unit, ...]]:
    """Return groups of texts that look the same to a translator; only masked spans differ."""
    groups: dict[tuple[object, ...], list[Unit]] = {}
    for unit in units:
        item = domain_context.item(unit)
        shown = (unit.segment.mode, unit.source.context, item.text, tuple(item.terms.items()))
        groups.setdefault(shown, []).append(unit)
    return [tuple(group) for group in groups.values()]


def request_ids(units: Sequence[Unit]) -> dict[str, Unit]:
    """Return texts by their ids in requests; a collision with another text is unlikely."""
    return {unit.source.key.hex()[:_ID_CHARS]: unit for unit in units}


def translation_request(
    by_id: Mapping[str, Unit], domain_context: DomainContext, attempt: int = 0
) -> Request:
    """Return the request for some texts of one mode; a negative attempt names their needs."""
    first = next(iter(by_id.values()))
    return Request(
        first.segment.mode,
        domain_context.source.full_name,
        domain_context.language.full_name,
        {name: domain_context.item(unit, is_last=attempt < 0) for name, unit in by_id.items()},
        attempt,
    )


class _Asking:
    """The work of a translator on the texts of one domain in one language."""

    def __init__(self, domain_context: DomainContext, means: TranslatorConfig) -> None:
        self._domain_context = domain_context
        self._means = means
        self._slots = asyncio.Semaphore(means.concurrency)
        self._settled: dict[SourceText, UnitResult] = {}
        self._refused: dict[SourceText, CheckedTranslation] = {}
        self._doubted: set[SourceText] = set()
        self._alike: dict[SourceText, tuple[Unit, ...]] = {}
        self._halt: RunHalted | StoreError | None = None

    async def settle(self, units: Sequence[Unit]) -> dict[SourceText, UnitResult]:
        """Request all texts: first one of each group, then those that its answer did not fit."""
        groups = group_identical(units, self._domain_context)
        self._alike = {group[0].source: group[1:] for group in groups}
        await self._ask([group[0] for group in groups])
        self._alike = {}
        await self._ask([unit for unit in units if unit.source not in self._settled])
        return self._settled

    async def _ask(self, units: Sequence[Unit]) -> None:
        batches = batches_of(units, self._means.limits)
        # Requests under way when a budget is spent are paid for, so they are waited for and stored.
        ended = await asyncio.gather(*map(self._batch, batches), return_exceptions=True)
        failures = [each for each in ended if isinstance(each, BaseException)]
        if failures or self._halt:
            raise self._halt or failures[0]

    async def _batch(self, batch: Sequence[Unit]) -> None:
        try:
            await self._persist(batch)
        # If an answer cannot be stored, it would be paid for again.
        except (RunHalted, StoreError) as halt:
            self._halt = halt
        except ParticipantError as error:
            self._end(
                UnitResult(each, "out of reach", why=str(error))
                for unit in batch
                for each in self._group(unit)
                if each.source not in self._settled
            )

    async def _persist(self, units: Sequence[Unit], attempt: int = 0) -> None:
        """Request texts, and again those without a sound answer."""
        left = await self._round(units, attempt)
        if not self._means.translator.is_model:
            self._give_up(left, NOT_KNOWN)
            return
        lost = [unit for unit in left if self._has_lost_placeholders(unit)]
        left = [unit for unit in left if unit not in lost]
        if len(left) == 1:
            lost, left = [*lost, *left], []
        for unit in lost:
            await self._alone(unit)
        if not left:
            return
        if attempt == 0:
            await self._persist(left, 1)
            return
        middle = len(left) // 2
        for half in (left[:middle], left[middle:]):
            await self._persist(half, attempt + 1)

    async def _alone(self, unit: Unit) -> None:
        """Request one text with its needs named, at most three times until one can be read.

        A long text is requested in parts, and once more as a whole only if that does not help.
        """
        is_long = len(split_text(self._domain_context.item(unit).text)) > 1
        if is_long and await self._in_parts(unit):
            return
        for attempt in ALONE[:1] if is_long else ALONE:
            for each in self._group(unit):
                self._refused.pop(each.source, None)
            if not await self._round([unit], attempt):
                return
            if unit.source in self._refused:
                self._give_up([unit], "every answer was refused")
                return
        self._give_up([unit], "no answer could be read")

    async def _in_parts(self, unit: Unit) -> bool:
        """Request a text part by part; return whether the result is sound."""

        async def ask(items: Mapping[str, Item], attempt: int) -> Mapping[str, str]:
            domain_context = self._domain_context
            mode = unit.segment.mode
            names = (domain_context.source.full_name, domain_context.language.full_name)
            reply = await self._asked(Request(mode, *names, items, attempt))
            self._keep({}, reply.usage)
            return reply.texts

        (name,) = request_ids([unit])
        whole = await translate_in_parts(self._domain_context.item(unit), name, ask)
        if whole is None:
            return False
        self._judge({unit: whole}, None)
        return unit.source in self._settled

    def _give_up(self, units: Sequence[Unit], why: str) -> None:
        self._end(
            UnitResult(each, "given up", issues=self._why_refused(each), why=why)
            for unit in units
            for each in self._group(unit)
        )

    def _why_refused(self, unit: Unit) -> tuple[QaIssue, ...]:
        verdict = self._refused.get(unit.source)
        return verdict.issues if verdict else ()

    def _group(self, unit: Unit) -> tuple[Unit, ...]:
        """Return a text with the texts that its answer is for."""
        return (unit, *self._alike.get(unit.source, ()))

    async def _round(self, units: Sequence[Unit], attempt: int) -> list[Unit]:
        """Request texts once and store sound answers; return the texts without one.

        Args:
            units: The texts.
            attempt: Number of earlier attempts; below 0 for a single text.
        """
        by_id = request_ids(units)
        reply = await self._asked(translation_request(by_id, self._domain_context, attempt))
        self._judge({by_id[name]: text for name, text in reply.texts.items()}, reply.usage)
        return [unit for unit in units if unit.source not in self._settled]

    def _judge(self, answers: Mapping[Unit, str], usage: Usage | None) -> None:
        """Store the sound answers, each for all texts of its group."""
        sound: dict[Unit, CheckedTranslation] = {}
        for asked, text in answers.items():
            for unit in self._group(asked):
                verdict = self._domain_context.judged(unit, text)
                if verdict.is_refused:
                    self._refused[unit.source] = verdict
                elif not self._is_doubted(unit, verdict):
                    sound[unit] = verdict
        self._keep(sound, usage)

    def _is_doubted(self, unit: Unit, verdict: CheckedTranslation) -> bool:
        """Return whether a text that may be in another language is requested again, only once."""
        if not verdict.is_doubtful or unit.source in self._doubted:
            return False
        self._doubted.add(unit.source)
        return self._means.translator.is_model

    async def _asked(self, request: Request) -> Reply:
        async with self._slots:
            if self._halt is not None:
                raise self._halt
            try:
                reply = await self._means.translator.translate(request)
            except UnusableReply as error:
                reply = Reply({}, (str(error),), error.usage)
            except ParticipantError as error:
                if isinstance(error.usage, Usage):
                    self._means.on_reply(Reply({}, (), error.usage))
                raise
            self._means.on_reply(reply)
            return reply

    def _keep(self, sound: dict[Unit, CheckedTranslation], usage: Usage | None) -> None:
        """Store sound translations and the usage of the request in one transaction."""
        translator, now = self._means.translator, int(self._means.clock())
        entries = [
            MemoryEntry(
                unit.source,
                verdict.text,
                "machine",
                f"{translator.name} {translator.version}".strip(),
                now,
                tuple(f"{found.code}: {found.what}" for found in verdict.issues),
            )
            for unit, verdict in sound.items()
        ]
        if self._means.memory is not None and translator.is_model:
            used = () if usage is None else (usage,)
            entries = list(self._means.memory.put(entries, used))
        self._end(
            UnitResult(
                *(unit, "asked", entry.target, entry.origin, verdict.issues),
                translator=entry.translator,
            )
            for entry, (unit, verdict) in zip(entries, sound.items(), strict=True)
        )

    def _end(self, settled: Iterable[UnitResult]) -> None:
        found = {each.unit.source: each for each in settled}
        self._settled |= found
        self._means.on_settled(len(found))

    def _has_lost_placeholders(self, unit: Unit) -> bool:
        verdict = self._refused.get(unit.source)
        return verdict is not None and verdict.has_lost_placeholders
