"""Translation run: from suites, languages and a model to translated files in a folder."""

import asyncio
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from dragoman.composition.concurrency import require_read_timeout, timeouts_of
from dragoman.composition.spending import with_stated_prices
from dragoman.conditions.language.artifacts import MANIFEST, AssetFolder
from dragoman.conditions.language.languages import Language, find_language
from dragoman.config.environment import data_folder
from dragoman.core.errors import RunHalted, UsageError
from dragoman.core.progress import long_step
from dragoman.core.usage import Usage, total_usage
from dragoman.curation.progress import Progress, ProgressInTurn, show_nothing, stopping_here
from dragoman.curation.translation.discovery import domain_of
from dragoman.curation.translation.domain_job import (
    DomainPlan,
    TranslationJob,
    chosen_artifacts,
    do_not_translate_for,
    plan_job,
    translate_domain,
)
from dragoman.curation.translation.glossary import translation_notes
from dragoman.curation.translation.manifest import (
    MadeBy,
    ReviewState,
    file_records,
    stale_files,
    write_english,
    write_translations,
)
from dragoman.curation.translation.segments import Artifact, BatchLimits, Component
from dragoman.curation.translation.translate import TranslatorConfig, UnitResult
from dragoman.curation.translation.translators import NAME as GLOSSARY
from dragoman.curation.translation.translators import (
    ChatTranslator,
    GlossaryTranslator,
    Reply,
    Translator,
    estimate_usage,
)
from dragoman.models.budget import Budget, parse_spend_limit
from dragoman.models.http.transport import RetryPolicy
from dragoman.models.prices import PriceTable, load_prices
from dragoman.registry.chat_models import model_name, translation_model
from dragoman.registry.model_clients import ModelClients
from dragoman.registry.suites import load_suite
from dragoman.scoring.language_detection import Detector, load_detector
from dragoman.store.folder_contents import require_folder_for
from dragoman.store.translation_memory import FILE, TranslationMemory

SOURCE = "en"


class TranslationRequest(msgspec.Struct, frozen=True):
    """A request for translations: the suite, the languages, the model, the output folder.

    Attributes:
        suite: The suite's name.
        languages: Codes of languages, or TOML files of custom languages.
        model: `PROVIDER/MODEL`, or `glossary`.
        out: The folder for DOMAIN/LANGUAGE.
        memory: The translation memory; None for the one in the folder.
        assets: A folder whose English files take precedence over the suite's; "" for none.
        components: The components to translate; all if empty.
        only_stale: Whether files that are up to date are skipped.
        texts_at_once: Number of texts in one request.
        concurrency: Requests under way at the same time.
        max_cost: Spending limit; "" for none.
        prices: A file with a custom price table.
        retry_for: Seconds to keep trying a request or a silent endpoint.
        read_timeout: Seconds a server may be silent during a call; None for a default that depends
            on its address.
    """

    suite: str
    languages: tuple[str, ...]
    model: str
    out: Path
    memory: Path | None = None
    assets: str = ""
    components: tuple[Component, ...] = ()
    only_stale: bool = False
    texts_at_once: int = BatchLimits().texts
    concurrency: int = 8
    max_cost: str = ""
    prices: Path | None = None
    retry_for: float = RetryPolicy().seconds
    read_timeout: float | None = None

    def __post_init__(self) -> None:
        """Validate the numbers.

        Raises:
            UsageError: For a number below 1, or a read timeout that is not above 0.
        """
        require_read_timeout(self.read_timeout)
        numbers = {
            "batch-size": self.texts_at_once,
            "concurrency": self.concurrency,
            "patience": self.retry_for,
        }
        for option, number in numbers.items():
            if not number >= 1:
                raise UsageError(f"--{option} {number:g}: at least 1")

    @property
    def memory_path(self) -> Path:
        """The path of the translation memory."""
        return self.memory or self.out / FILE


class LanguagePlan(msgspec.Struct, frozen=True):
    """The plan for one language, and the estimated usage of its requests."""

    language: Language
    plan: DomainPlan
    usage: Usage


class LanguageResult(msgspec.Struct, frozen=True):
    """The result for one language.

    Attributes:
        language: The language.
        folder: The folder of its files.
        settled: The result of each text.
        written: The written files.
        left_alone: Files that were edited by people and differ from the translations.
        incomplete: Files that were not written because some of their texts are out of reach.
        notes: Notes on the translations, one line each.
    """

    language: Language
    folder: Path
    settled: tuple[UnitResult, ...]
    written: tuple[str, ...]
    left_alone: tuple[str, ...] = ()
    incomplete: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def untranslated(self) -> tuple[UnitResult, ...]:
        """The texts without a translation."""
        return tuple(each for each in self.settled if each.target is None)

    @property
    def is_done(self) -> bool:
        """Return whether no work is left.

        This is the case if each text has a sound translation and no file is left alone.
        """
        is_refused = any(
            found.severity == "refuse" for text in self.settled for found in text.issues
        )
        return not (is_refused or self.untranslated or self.incomplete or self.left_alone)


class TranslationResult(msgspec.Struct, frozen=True):
    """The result of a request.

    Attributes:
        domain: The domain.
        model: The model, by its name in prices.
        languages: The result for each language.
        usage: Usage of this process.
        odd: Irregularities of replies, in words.
        prices: The prices of the costs.
    """

    domain: str
    model: str
    languages: tuple[LanguageResult, ...]
    usage: tuple[Usage, ...]
    odd: tuple[str, ...]
    prices: PriceTable


class TranslationPlan(msgspec.Struct, frozen=True):
    """The estimated usage of a request by language, and the prices that apply."""

    domain: str
    model: str
    languages: tuple[LanguagePlan, ...]
    prices: PriceTable


OnProgress = Callable[[str, int], Callable[[int], None]]
"""A callback for progress.

It receives a language and the number of its texts, and returns a callback for settled texts.
"""


class TranslationRun:
    """A loaded request that can be planned and run."""

    def __init__(self, asked: TranslationRequest) -> None:
        """Load the suite, the languages and the prices of a request.

        Raises:
            UsageError: For a suite, language, component or price table that does not exist, or a
                folder that holds something else.
            DataError: For data that are missing or damaged.
        """
        if not asked.languages:
            raise UsageError("no language: name one with --language (`dragoman list languages`)")
        if not asked.model:
            raise UsageError(f"no model: name one with --model, PROVIDER/MODEL or {GLOSSARY}")
        require_folder_for(asked.out, "translations")
        self.asked = asked
        self.source = find_language(SOURCE)
        self.languages = _distinct(asked.languages)
        self.domain = domain_of(load_suite(asked.suite), data_folder(), asked.assets)
        self.do_not_translate = do_not_translate_for(self.domain)
        self.prices = with_stated_prices(load_prices(asked.prices), (asked.model,))
        self.model = asked.model if asked.model == GLOSSARY else model_name(asked.model)

    def plans(self) -> tuple[LanguagePlan, ...]:
        """Return the plan and the estimated usage for each language.

        The method sends and writes nothing and needs no key.
        """
        path = self.asked.memory_path
        opened = TranslationMemory(path, write=False) if path.is_file() else nullcontext()
        with opened as memory:
            return tuple(self._plan(language, memory) for language in self.languages)

    def run(self, on_progress: OnProgress) -> TranslationResult:
        """Translate, and write each language's files after all its texts are settled.

        Raises:
            UsageError: If the model's key or address is missing.
            RunHalted: If the endpoint refuses all requests or the budget is spent; earlier results
                are in the memory.
            StoreError: If the memory cannot be read or written, or if files cannot be written.
        """
        retry_for = RetryPolicy(seconds=self.asked.retry_for, outage=self.asked.retry_for)
        timeouts = timeouts_of(self.asked.read_timeout)
        connections = ModelClients(timeouts, retry_for, self._budget())
        translator = self._translator(connections)
        with TranslationMemory(self.asked.memory_path) as memory:
            means = self._means(translator, memory)
            return asyncio.run(self._run(means, connections, on_progress))

    async def _run(
        self, means: TranslatorConfig, connections: ModelClients, on_progress: OnProgress
    ) -> TranslationResult:
        usage: list[Usage] = []
        odd: list[str] = []

        def on_reply(reply: Reply) -> None:
            usage.extend(() if reply.usage is None else (reply.usage,))
            odd.extend(reply.odd)

        try:
            means = msgspec.structs.replace(means, on_reply=on_reply)
            write_english(self.asked.out, self.domain)
            results = [
                await self._language(language, means, on_progress) for language in self.languages
            ]
        finally:
            await connections.close()
        return TranslationResult(
            self.domain.domain,
            self.model,
            tuple(results),
            total_usage(usage),
            tuple(odd),
            self.prices,
        )

    async def _language(
        self, language: Language, means: TranslatorConfig, on_progress: OnProgress
    ) -> LanguageResult:
        folder = self.asked.out / self.domain.domain / language.code
        artifacts, edited = self._due(folder)
        job = self._job(language, artifacts)
        on_settled = on_progress(language.name, len(job.labels) + len(job.texts))
        means = msgspec.structs.replace(means, on_settled=on_settled)
        ended_how = await translate_domain(job, means)
        settled = tuple(ended_how.values())
        notes = tuple(translation_notes(language, job.glossary(ended_how), job.detector))
        found = {segment.address: each for each in settled for segment in each.unit.segments}
        made: dict[str, MadeBy] = {}
        files: dict[Artifact, dict[str, str]] = {}
        incomplete, left_alone = [], []
        for artifact in artifacts:
            ended = {segment.address: found[segment.address] for segment in artifact.segments}
            texts = {
                address: each.target for address, each in ended.items() if each.target is not None
            }
            if any(each.state == "out of reach" for each in ended.values()):
                incomplete.append(artifact.name)
            elif artifact.name in edited and not _says(artifact, folder, texts):
                left_alone.append(artifact.name)
            else:
                made[artifact.name] = self._made(language, ended.values())
                files[artifact] = texts
        written = write_translations(folder, files, made) if files else ()
        return LanguageResult(
            language, folder, settled, written, tuple(left_alone), tuple(incomplete), notes
        )

    def _due(self, folder: Path) -> tuple[tuple[Artifact, ...], frozenset[str]]:
        """Return the files to write, and the names of those that people may have edited.

        The latter are files that were edited since they were written, and files that no manifest
        records.
        """
        artifacts = chosen_artifacts(self.domain, self.asked.components)
        if not folder.is_dir():
            return artifacts, frozenset()
        there = AssetFolder(folder)
        found = stale_files(self.domain, there)
        manifest = there.read(MANIFEST) if MANIFEST in there else None
        records = file_records(manifest, str(folder / MANIFEST))
        noted = {name for name, record in records.items() if record.output_sha256}
        edited = frozenset(
            [
                *(each.file for each in found if not each.is_to_be_translated),
                *(each.name for each in artifacts if each.name in there and each.name not in noted),
            ]
        )
        due = {each.file for each in found if each.is_to_be_translated}
        if self.asked.only_stale:
            artifacts = tuple(each for each in artifacts if each.name in due)
        return artifacts, edited

    def _made(self, language: Language, settled: Collection[UnitResult]) -> MadeBy:
        now = datetime.fromtimestamp(time.time(), UTC).isoformat(timespec="seconds")
        reviewed = [each.origin for each in settled].count("reviewed")
        review: ReviewState = "machine"
        if reviewed:
            review = "reviewed" if reviewed == len(settled) else "partly reviewed"
        machines = {each.translator for each in settled if each.origin == "machine"}
        if settled and all(each.target is None for each in settled):
            machines = {self.model}
        models, prompts = (
            ", ".join(sorted({name.partition(" ")[part] for name in machines} - {""}))
            for part in (0, 2)
        )
        return MadeBy(models, language.name, now, prompts, review)

    def _plan(self, language: Language, memory: TranslationMemory | None) -> LanguagePlan:
        artifacts, _ = self._due(self.asked.out / self.domain.domain / language.code)
        job = self._job(language, artifacts)
        plan = plan_job(job, BatchLimits(self.asked.texts_at_once), memory)
        requests = plan.requests if self.model != GLOSSARY else ()
        return LanguagePlan(language, plan, estimate_usage(requests, language, self.model))

    def _job(self, language: Language, artifacts: Sequence[Artifact]) -> TranslationJob:
        return TranslationJob(
            self.domain, self.source, language, self.do_not_translate, tuple(artifacts), _detector()
        )

    def _means(self, translator: Translator, memory: TranslationMemory) -> TranslatorConfig:
        limits = BatchLimits(self.asked.texts_at_once)
        return TranslatorConfig(translator, memory, time.time, limits, self.asked.concurrency)

    def _translator(self, connections: ModelClients) -> Translator:
        if self.model == GLOSSARY:
            return GlossaryTranslator()
        return ChatTranslator(translation_model(self.asked.model, connections))

    def _budget(self) -> Budget | None:
        if not self.asked.max_cost:
            return None
        limit = parse_spend_limit(self.asked.max_cost)
        return Budget(limit, self.prices.price_of, goes_on="the same command")


def plan_translation(asked: TranslationRequest) -> TranslationPlan:
    """Return the plan of a translation; nothing is sent or written, and no key is needed.

    Raises:
        UsageError: For a suite, language or price table that does not exist.
        DataError: For data that are missing or damaged.
    """
    with long_step("reading the suite"):
        translating = TranslationRun(asked)
    with long_step("planning"):
        plans = translating.plans()
    return TranslationPlan(translating.domain.domain, translating.model, plans, translating.prices)


def run_translation(
    asked: TranslationRequest, *, progress: Progress = show_nothing
) -> TranslationResult:
    """Translate a suite, and write each language's files after all its texts are settled.

    Args:
        asked: The request.
        progress: Entered for each language.

    Raises:
        UsageError: For a suite, language or price table that does not exist, or a model that cannot
            be used.
        RunHalted: If the endpoint refuses all requests or the budget is spent; earlier results are
            in the memory.
        StepStopped: If the user interrupts it; earlier results are in the memory.
        StoreError: If the memory cannot be read or written, or for files that cannot be written.
        DataError: For data that are missing or damaged.
    """
    with long_step("reading the suite"):
        translating = TranslationRun(asked)
    try:
        with stopping_here(), ProgressInTurn(progress) as shown:
            return translating.run(shown.begin)
    except RunHalted as error:
        raise RunHalted(f"{error} (memory {asked.memory_path})") from error


def _says(artifact: Artifact, folder: Path, texts: Mapping[str, str]) -> bool:
    """Return whether an edited file has the same texts as the translations."""
    path = folder / artifact.name
    said = artifact.translations(path.read_bytes(), str(path))
    return all(
        said.get(segment.address) == texts.get(segment.address, segment.source)
        for segment in artifact.segments
    )


def _distinct(names: Sequence[str]) -> tuple[Language, ...]:
    """Return the distinct languages of some names.

    Raises:
        UsageError: For English, and for two different languages with the same folder.
    """
    found: dict[str, Language] = {}
    for name in names:
        language = find_language(name)
        if language.code == SOURCE:
            raise UsageError(f"--language {name}: that is the language that is translated from")
        if found.setdefault(language.code, language) != language:
            raise UsageError(
                f"--language {name}: another language has the code {language.code} too"
            )
    return tuple(found.values())


def _detector() -> Detector | None:
    """Return the language detector; None if it is not installed, since it is optional."""
    try:
        return load_detector()
    except UsageError:
        return None
