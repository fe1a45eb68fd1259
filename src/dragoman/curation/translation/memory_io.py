"""Import and export of translation memories: TMX files, translated artifacts, comparisons."""

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
    """What was read of one language, and what became of it.

    Attributes:
        domain: The domain, or the file.
        language: The language's code.
        read: The translations that were read, one for each text in a context.
        taken: Those that stand in the memory now.
        disagreeing: Texts that had several translations, of which the most frequent was read.
        left_out: Places without a translation, by the reason.
    """

    domain: str
    language: str
    read: int
    taken: int
    disagreeing: int = 0
    left_out: dict[str, int] = {}


class MemoryAgreement(msgspec.Struct, frozen=True):
    """How alike two memories are in the texts that both have.

    Attributes:
        domain: The domain.
        language: The language's code.
        component: What the texts' files are for.
        texts: The texts that both memories have.
        equal: Those of them with one and the same translation.
        similarity: The mean chrF of all, from 0 to 1, the first memory as the reference.
    """

    domain: str
    language: str
    component: Component
    texts: int
    equal: int
    similarity: float = msgspec.field(name="likeness")


class MemoryContents(msgspec.Struct, frozen=True):
    """What a memory holds, and what it took.

    Attributes:
        counts: Translations by language and origin.
        usage: What models consumed.
        costs: What each of these costs; None where no price is known.
        reviews: The reviews that were imported.
        prices: What costs are by.
    """

    counts: tuple[MemoryCount, ...]
    usage: tuple[Usage, ...]
    costs: tuple[Cost | None, ...]
    reviews: tuple[ReviewRecord, ...]
    prices: PriceTable


def read_memory(path: Path, prices: Path | None = None) -> MemoryContents:
    """Read what a memory holds.

    Args:
        path: The memory.
        prices: A table of prices of one's own.

    Raises:
        UsageError: For a table of prices that cannot be read.
        StoreError: Where there is no memory, or it cannot be read.
    """
    table = load_prices(prices)
    with TranslationMemory(path, write=False) as memory:
        counts, usage, reviews = memory.counts(), memory.usage(), memory.reviews()
    costs = tuple(cost_of(each, table.price_of) for each in usage)
    return MemoryContents(tuple(counts), tuple(usage), costs, tuple(reviews), table)


def import_translations(
    source: str, path: Path, suites: Sequence[str] = (), languages: Sequence[str] = ()
) -> list[ImportedTranslations]:
    """Read translations of others into a memory; it is made where there is none.

    Args:
        source: A TMX file, a folder with DOMAIN/LANGUAGE, or the name of a release.
        path: The memory.
        suites: Of which suites a folder is read.
        languages: Only these of a folder; all where none is named.

    Raises:
        UsageError: For a folder without suites, or where there is nothing of a suite or language.
        DataError: Where files are damaged.
        StoreError: Where the memory cannot be written.
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
    """Make a memory of the translations that suites ship, or that were pulled for them.

    Args:
        path: The memory; nothing is there yet.
        suites: The names of the suites.
        language: The code of the language.

    Raises:
        UsageError: Where a suite has no translations into the language.
        DataError: Where they are damaged, or were not pulled.
        StoreError: Where the memory cannot be written.
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
    """Raise UsageError where a folder or release has no translations of a suite into a language."""
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
        StoreError: Where the file cannot be written.
        DataError: Where XML cannot carry a text.
        StoreError: Where the memory cannot be read.
    """
    with TranslationMemory(path, write=False) as memory:
        return export_tmx(memory, out, language)


def compare_memories(
    path: Path, other: Path, suites: Sequence[str], languages: Sequence[str]
) -> list[MemoryAgreement]:
    """Compare two memories in the texts of suites, by domain, language and component.

    Raises:
        UsageError: Without a suite or language, and for a suite that cannot be translated.
        DataError: Where its data are missing or damaged.
        StoreError: Where a memory cannot be read.
    """
    if not suites or not languages:
        raise UsageError("name the texts to compare: --suite SUITE and --language LANGUAGE")
    with TranslationMemory(path, write=False) as ours, TranslationMemory(other, write=False) as its:
        return memory_agreements(ours, its, suites, languages)


def import_tmx(memory: TranslationMemory, path: Path) -> list[ImportedTranslations]:
    """Read a TMX file into a memory; what is reviewed there stays.

    Raises:
        DataError: Where the file cannot be read.
        StoreError: Where the memory cannot be written.
    """
    read: dict[str, int] = {}
    taken: dict[str, int] = {}
    # The whole file is read before anything of it is kept: one that breaks off is refused whole.
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
    """Read translated artifacts of suites into a memory, text by text.

    Args:
        memory: The memory.
        suites: The names of the suites.
        assets: A folder with DOMAIN/LANGUAGE, or the name of a release.
        languages: Only these; all that are there where none is named.

    Raises:
        UsageError: Where there is nothing of a suite or language.
        DataError: Where files are damaged.
        StoreError: Where the memory cannot be written.
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
    """Write a memory as a TMX file, or what it has of one language; return how many there are.

    Raises:
        StoreError: Where the file cannot be written.
        DataError: Where XML cannot carry a text.
        StoreError: Where the memory cannot be read.
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
    """Return how alike two memories are, by domain, language and component.

    Raises:
        UsageError: For a suite that cannot be translated.
        DataError: Where its data are missing or damaged.
        StoreError: Where a memory cannot be read.
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
    """Return the addresses of texts of which the manifest says that they have no translation."""
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
