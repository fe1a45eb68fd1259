"""Import and export of translation memories: TMX files, artifacts, comparisons."""

import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from dragoman.composition.conditions.language_artifacts import english_side, given_folder
from dragoman.conditions.language.artifacts import MANIFEST, AssetFolder, domains_root, languages_of
from dragoman.conditions.language.languages import SHIPPED
from dragoman.config.environment import data_folder
from dragoman.core.capabilities import Translatable
from dragoman.core.costs import Cost, cost_of
from dragoman.core.errors import UsageError
from dragoman.core.usage import Usage
from dragoman.curation.translation.discovery import (
    domain_of,
    released_translations,
    renderings,
    translatable,
)
from dragoman.curation.translation.manifest import file_records, text_key
from dragoman.curation.translation.quality import chrf
from dragoman.curation.translation.segments import Component, TranslatableDomain, units_of
from dragoman.curation.translation.tmx import read_tmx, write_tmx
from dragoman.models.prices import PriceTable, load_prices
from dragoman.registry.suites import load_suite
from dragoman.store.atomic_files import atomic_write
from dragoman.store.translation_memory import (
    MemoryCount,
    MemoryEntry,
    ReviewRecord,
    SourceText,
    TranslationMemory,
)

SOURCE = "en"
_AT_ONCE = 1_000


class ImportedTranslations(msgspec.Struct, frozen=True):
    """The result of importing translations into one language.

    Attributes:
        domain: The domain, or the file.
        language: The language's code.
        read: Number of translations read, one for each text in a context.
        taken: Number of these that are in the memory now.
        disagreeing: Number of texts with several translations, of which the most frequent was read.
        left_out: Numbers of places without a translation, by reason.
    """

    domain: str
    language: str
    read: int
    taken: int
    disagreeing: int = 0
    left_out: dict[str, int] = {}


class MemoryAgreement(msgspec.Struct, frozen=True):
    """The agreement of two memories on the texts that both have.

    Attributes:
        domain: The domain.
        language: The language's code.
        component: The component of the texts.
        texts: Number of texts in both memories.
        equal: Number of these with equal translations.
        similarity: The mean chrF of all, from 0 to 1, with the first memory as the reference.
    """

    domain: str
    language: str
    component: Component
    texts: int
    equal: int
    similarity: float = msgspec.field(name="likeness")


class MemoryContents(msgspec.Struct, frozen=True):
    """The contents of a memory, and their costs.

    Attributes:
        counts: Translations by language and origin.
        usage: Usage of models.
        costs: The cost of each usage; None if no price is known.
        reviews: The imported reviews.
        prices: The prices of the costs.
    """

    counts: tuple[MemoryCount, ...]
    usage: tuple[Usage, ...]
    costs: tuple[Cost | None, ...]
    reviews: tuple[ReviewRecord, ...]
    prices: PriceTable


def read_memory(path: Path, prices: Path | None = None) -> MemoryContents:
    """Read the contents of a memory.

    Args:
        path: The memory.
        prices: A file with a custom price table.

    Raises:
        UsageError: For a price table that cannot be read.
        StoreError: If the memory does not exist or cannot be read.
    """
    table = load_prices(prices)
    with TranslationMemory(path, write=False) as memory:
        counts, usage, reviews = memory.counts(), memory.usage(), memory.reviews()
    costs = tuple(cost_of(each, table.price_of) for each in usage)
    return MemoryContents(tuple(counts), tuple(usage), costs, tuple(reviews), table)


def import_translations(
    source: str, path: Path, suites: Sequence[str] = (), languages: Sequence[str] = ()
) -> list[ImportedTranslations]:
    """Import translations of others into a memory, which is created if it does not exist.

    Args:
        source: A TMX file, a folder with DOMAIN/LANGUAGE, or the name of a release.
        path: The memory.
        suites: The suites to read from a folder.
        languages: The languages to read from a folder; all if empty.

    Raises:
        UsageError: For a folder without suites, or if a suite or language is missing.
        DataError: If files are damaged.
        StoreError: If the memory cannot be written.
    """
    is_tmx = source.lower().endswith(".tmx")
    if not is_tmx and not suites:
        raise UsageError(
            f"{source}: a folder of artifacts is read by suites: name them with --suite, such as "
            "--suite tau2:retail"
        )
    with TranslationMemory(path) as memory:
        if is_tmx:
            return import_tmx(memory, Path(source))
        return import_artifacts(memory, suites, source, languages)


def import_released(path: Path, suites: Sequence[str], language: str) -> list[ImportedTranslations]:
    """Create a memory of the translations that are packaged with suites or pulled for them.

    Args:
        path: The memory, which must not exist.
        suites: The names of the suites.
        language: The code of the language.

    Raises:
        UsageError: If a suite has no translations into the language.
        DataError: If they are damaged, or were not pulled.
        StoreError: If the memory cannot be written.
    """
    releases: dict[str, list[str]] = {}
    for name in suites:
        releases.setdefault(_release_of(name, path), []).append(name)
    for release, names in releases.items():
        for name in names:
            require_translations(name, release, language)
    with TranslationMemory(path) as memory:
        return [
            found
            for release, names in releases.items()
            for found in import_artifacts(memory, names, release, [language])
        ]


def require_translations(suite: str, assets: str, language: str) -> None:
    """Raise UsageError unless a suite has translations into a language."""
    _, root = _load_translated_domain(suite, assets)
    there = languages_of(root)
    if language not in there:
        raise UsageError(
            f"{assets} has no {root.name}/{language}: it has {', '.join(there) or 'no language'}"
        )


def _release_of(suite: str, path: Path) -> str:
    loaded = load_suite(suite)
    release = loaded.english().release if isinstance(loaded, Translatable) else None
    if release is None:
        raise UsageError(
            f"{path}: no translation memory here, and {suite} has no translations of its own: "
            "name the file that `dragoman translate` wrote with --memory"
        )
    return release.name


def export_translations(path: Path, out: Path, language: str = "") -> int:
    """Write a memory, or one language of it, as TMX; return the number of translations.

    Raises:
        StoreError: If the memory cannot be read, or if the file cannot be written.
        DataError: If a text cannot be represented in XML.
    """
    with TranslationMemory(path, write=False) as memory:
        return export_tmx(memory, out, language)


def compare_memories(
    path: Path, other: Path, suites: Sequence[str], languages: Sequence[str]
) -> list[MemoryAgreement]:
    """Compare two memories on the texts of suites, by domain, language and component.

    Raises:
        UsageError: Without a suite or language, and for a suite that cannot be translated.
        DataError: If its data are missing or damaged.
        StoreError: If a memory cannot be read.
    """
    if not suites or not languages:
        raise UsageError("name the texts to compare: --suite SUITE and --language LANGUAGE")
    with TranslationMemory(path, write=False) as ours, TranslationMemory(other, write=False) as its:
        return memory_agreements(ours, its, suites, languages)


def import_tmx(memory: TranslationMemory, path: Path) -> list[ImportedTranslations]:
    """Import a TMX file into a memory; reviewed translations there stay.

    Raises:
        DataError: If the file cannot be read.
        StoreError: If the memory cannot be written.
    """
    read: dict[str, int] = {}
    taken: dict[str, int] = {}
    # The whole file is read before anything is stored, so an incomplete one is refused as a whole.
    for entries in _batches(list(read_tmx(path, SOURCE, SHIPPED))):
        stored = memory.put(entries)
        for entry, stands in zip(entries, stored, strict=True):
            code = entry.source.target_language
            read[code] = read.get(code, 0) + 1
            taken[code] = taken.get(code, 0) + (entry.target == stands.target)
    return [ImportedTranslations(path.name, code, read[code], taken[code]) for code in read]


def import_artifacts(
    memory: TranslationMemory, suites: Sequence[str], assets: str, languages: Sequence[str]
) -> list[ImportedTranslations]:
    """Import translated artifacts of suites into a memory, text by text.

    Args:
        memory: The memory.
        suites: The names of the suites.
        assets: A folder with DOMAIN/LANGUAGE, or the name of a release.
        languages: The languages to import; all available ones if empty.

    Raises:
        UsageError: If a suite or language is missing.
        DataError: If files are damaged.
        StoreError: If the memory cannot be written.
    """
    found: list[ImportedTranslations] = []
    for name in suites:
        domain, root = _load_translated_domain(name, assets)
        there = languages_of(root)
        missing = [code for code in languages if code not in there]
        if missing or not there:
            raise UsageError(
                f"{assets} has no {root.name}/{(missing or ['LANGUAGE'])[0]}: it has "
                f"{', '.join(there) or 'no language of it'}"
            )
        by = Path(assets).name
        found += [
            _import_language(memory, domain, AssetFolder(root / code), code, by)
            for code in languages or there
        ]
    return found


def export_tmx(memory: TranslationMemory, path: Path, language: str) -> int:
    """Write a memory, or one language of it, as TMX; return the number of translations.

    Raises:
        StoreError: If the memory cannot be read, or if the file cannot be written.
        DataError: If a text cannot be represented in XML.
    """
    entries = memory.entries(SOURCE, language)
    atomic_write(path, write_tmx(entries, SOURCE))
    return len(entries)


def memory_agreements(
    reference: TranslationMemory,
    other: TranslationMemory,
    suites: Sequence[str],
    languages: Sequence[str],
) -> list[MemoryAgreement]:
    """Return the agreement of two memories, by domain, language and component.

    Raises:
        UsageError: For a suite that cannot be translated.
        DataError: If its data are missing or damaged.
        StoreError: If a memory cannot be read.
    """
    found: list[MemoryAgreement] = []
    for name in suites:
        domain = domain_of(load_suite(name), data_folder())
        for code in languages:
            units = units_of(domain.segments, SOURCE, code)
            ours = reference.find(unit.source for unit in units)
            theirs = other.find(ours)
            components: dict[Component, list[SourceText]] = {}
            for unit in units:
                if unit.source in theirs:
                    components.setdefault(unit.segment.component, []).append(unit.source)
            for component, sources in components.items():
                pairs = [(ours[each].target, theirs[each].target) for each in sources]
                found.append(_agreement(domain.domain, code, component, pairs))
    return found


def _agreement(
    domain: str, code: str, component: Component, pairs: Sequence[tuple[str, str]]
) -> MemoryAgreement:
    similarity = sum(chrf(one, other) for one, other in pairs) / len(pairs)
    return MemoryAgreement(
        domain, code, component, len(pairs), sum(one == other for one, other in pairs), similarity
    )


def _load_translated_domain(name: str, assets: str) -> tuple[TranslatableDomain, Path]:
    """Return a suite's domain with its English side, and the folder of its translations."""
    suite = load_suite(name)
    if not isinstance(suite, Translatable):
        raise UsageError(f"{name} cannot be translated: it names no files of its domain")
    english, data = suite.english(), data_folder()
    releases = () if english.release is None else (english.release,)
    given, _ = given_folder(assets, releases, data)
    domain = translatable(english, english_side(english, assets, data))
    return domain, domains_root(given) / english.name


def _import_language(
    memory: TranslationMemory, domain: TranslatableDomain, folder: AssetFolder, code: str, by: str
) -> ImportedTranslations:
    released = released_translations(domain, folder)
    untranslated = _untranslated_addresses(domain, folder)
    found = renderings(
        pair
        for pair in released.pairs
        if pair.target != pair.segment.source or pair.segment.address not in untranslated
    )
    now = int(time.time())
    entries = [
        MemoryEntry(
            SourceText(SOURCE, code, each.segment.context, each.segment.source),
            each.target,
            "imported",
            by,
            now,
        )
        for each in found
    ]
    stored = memory.put(entries)
    left_out: dict[str, int] = {}
    for each in released.unaligned:
        left_out[each.why] = left_out.get(each.why, 0) + len(each.addresses)
    return ImportedTranslations(
        domain.domain,
        code,
        len(entries),
        sum(one.target == stands.target for one, stands in zip(entries, stored, strict=True)),
        sum(len(each.times) > 1 for each in found),
        left_out,
    )


def _untranslated_addresses(domain: TranslatableDomain, folder: AssetFolder) -> set[str]:
    """Return the addresses of texts that have no translation according to the manifest."""
    manifest = folder.read(MANIFEST) if MANIFEST in folder else None
    records = file_records(manifest, str(folder.folder / MANIFEST))
    return {
        segment.address
        for artifact in domain.artifacts
        if artifact.name in records and records[artifact.name].output_sha256
        for segment in artifact.segments
        if text_key(segment) not in records[artifact.name].texts
    }


def _batches(entries: Iterable[MemoryEntry]) -> Iterator[list[MemoryEntry]]:
    batch: list[MemoryEntry] = []
    for entry in entries:
        batch.append(entry)
        if len(batch) == _AT_ONCE:
            yield batch
            batch = []
    if batch:
        yield batch
