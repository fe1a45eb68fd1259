"""Translated artifacts beside their English side: as pulled, or from a folder of one's own.

The English side is what lies beside the translations (in `DOMAIN/en`, or in `DOMAIN` as in a
checkout of upstream) and, for what is not there, tau2-bench as pulled.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from dragoman.benchmarks.pulling.data import open_file
from dragoman.benchmarks.tau2 import pulled as tau2
from dragoman.benchmarks.tau2.seataubench.upstream import (
    ENGLISH_SCHEMAS,
    SOURCE_HASHES,
    seataubench_source,
    source_folder,
)
from dragoman.benchmarks.tau2.suite import DOMAINS, TOOL_FILES, decode_tools
from dragoman.benchmarks.tau2.upstream import tau2_source
from dragoman.conditions.language.artifacts import SCHEMA_FILES, Language, Schema, decode_artifact
from dragoman.conditions.language.folders import (
    ENGLISH,
    UPSTREAM,
    AssetFolder,
    domains_root,
    languages_of,
)
from dragoman.conditions.language.lint.assets import EnglishAssets, LanguageAssets
from dragoman.conditions.language.surface import DomainSurface, English, load_surface
from dragoman.core.errors import DataError, UsageError
from dragoman.core.tools import Role, Toolset

PULLED = "seataubench"
"""Stands for the pulled artifacts where a folder is asked for."""

HINT = f"run `dragoman data pull {PULLED}`"
_TEXTS = (".md", ".json", ".toml")
_REGISTRIES = ("languages.json", "data/seatau/languages.json")


def surface_of(domain: str, language: str, assets: str, data: Path) -> DomainSurface:
    """Load a domain's surfaces in a language.

    Args:
        domain: One of tau2-bench's domains.
        language: The language's code.
        assets: A folder of artifacts, or `seataubench` for the pulled ones.
        data: The folder of pulled data.

    Raises:
        UsageError: Where the folder has no such domain or language.
        DataError: Where an artifact is missing or damaged, or a map has no way back.
    """
    given = _given(assets, data)
    root = domains_root(given)
    _require_there(
        [domain], [name for name in DOMAINS if languages_of(root / name)], "domain", given
    )
    _require_there([language], languages_of(root / domain), "language", given)
    if assets == PULLED:
        _require_undamaged(f"{domain}/{language}/", data)
    files = {**_pulled_files(domain, data), **_files_beside(root / domain)}
    databases = {side: files[name] for side, name in DOMAINS[domain].databases.items()}
    folder = AssetFolder(root / domain / language)
    return load_surface(domain, language, folder, English(_toolsets(domain, data), databases))


def lint_subjects(
    assets: str, data: Path, *, domains: Sequence[str] = (), languages: Sequence[str] = ()
) -> Iterator[LanguageAssets]:
    """Yield the artifacts of each domain and language in a folder, with their English side.

    Args:
        assets: The folder, or `seataubench` for the pulled artifacts.
        data: The folder of pulled data.
        domains: Only these domains; all that tau2-bench has where none is named.
        languages: Only these languages; all that are there where none is named.

    Raises:
        UsageError: Where a domain or a language is not there.
        DataError: Where there are no artifacts, or their English side was not pulled.
    """
    given = _given(assets, data)
    root = domains_root(given)
    there = {domain: languages_of(root / domain) for domain in DOMAINS}
    _require_there(domains, [name for name in there if there[name]], "domain", given)
    found = sorted({language for each in there.values() for language in each})
    _require_there(languages, found, "language", given)
    chosen = [
        (domain, language)
        for domain in domains or there
        for language in there[domain]
        if not languages or language in languages
    ]
    if not chosen:
        raise UsageError(f"{given} has {', '.join(domains)} in none of {', '.join(languages)}")
    names = _language_names(given)
    english = {
        domain: _english_assets(domain, root / domain, given, data)
        for domain in dict.fromkeys(domain for domain, _ in chosen)
    }
    for domain, language in chosen:
        folder = AssetFolder(root / domain / language)
        yield LanguageAssets(domain, language, folder, english[domain], names.get(language))


def _given(assets: str, data: Path) -> Path:
    given = source_folder(data) if assets == PULLED else Path(assets)
    if assets == PULLED and not given.is_dir():
        raise DataError(f"{given} not found: {HINT}")
    return given


def _require_there(asked: Sequence[str], there: Sequence[str], what: str, given: Path) -> None:
    unknown = [name for name in asked if name not in there]
    if unknown:
        raise UsageError(f"{given} has no {what} {unknown[0]!r}: choose {', '.join(there)}")


def _english_assets(domain: str, folder: Path, given: Path, data: Path) -> EnglishAssets:
    beside = _files_beside(folder)
    pulled = _pulled_files(domain, data)
    computed = {
        f"{UPSTREAM}/{domain}/{name}": hashlib.sha256(content).hexdigest()
        for name, content in {**pulled, **beside}.items()
    }
    return EnglishAssets(
        files={**pulled, **beside},
        toolsets=_toolsets(domain, data),
        hashes={**computed, **_checkout_hashes(given, domain), **_recorded_hashes(given)},
        schemas=_english_schemas(given, domain),
    )


def _files_beside(folder: Path) -> dict[str, bytes]:
    """Return the English files that lie beside translations: those of `en` before a checkout's."""
    found: dict[str, bytes] = {}
    for each in (AssetFolder(folder), AssetFolder(folder / ENGLISH)):
        found.update({name: each.read(name) for name in each.names if name.endswith(_TEXTS)})
    return found


def _pulled_files(domain: str, data: Path) -> dict[str, bytes]:
    """Return tau2-bench's files of a domain by name."""
    source, target = tau2_source(), tau2.source_folder(data)
    prefix = f"{domain}/"
    names = [
        file.name
        for file in source.files
        if file.kept and file.name.startswith(prefix) and file.name.count("/") == 1
    ]
    return {name.removeprefix(prefix): open_file(target, source, name, tau2.HINT) for name in names}


def _toolsets(domain: str, data: Path) -> dict[Role, Toolset]:
    source, target = tau2_source(), tau2.source_folder(data)
    return {
        side: decode_tools(
            open_file(target, source, f"{domain}/{TOOL_FILES[side]}", tau2.HINT),
            kinds,
            f"{domain}: {TOOL_FILES[side]}",
        )
        for side, kinds in DOMAINS[domain].kinds.items()
    }


def _checkout_hashes(given: Path, domain: str) -> dict[str, str]:
    """Return the hashes of modules in a checkout of upstream."""
    folder = given / "src" / "tau2" / "domains" / domain
    return {
        path.relative_to(given).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.glob("*.py"))
    }


def _recorded_hashes(given: Path) -> dict[str, str]:
    """Return the hashes that a folder lists, as a map or as maps by kind."""
    listed = _listed(given, SOURCE_HASHES)
    flat = {path: digest for path, digest in listed.items() if isinstance(digest, str)}
    groups = [group for group in listed.values() if isinstance(group, dict)]
    return {**flat, **{path: str(digest) for group in groups for path, digest in group.items()}}


def _english_schemas(given: Path, domain: str) -> dict[Role, Schema]:
    """Return the English schemas that a folder lists; none where it lists none."""
    listed = _listed(given, ENGLISH_SCHEMAS)
    artifacts = listed.get("artifacts", listed)
    if not isinstance(artifacts, dict):
        return {}
    sides: tuple[Role, ...] = ("agent", "user")
    try:
        return {
            side: msgspec.convert(artifacts[name], Schema)
            for side in sides
            if (name := f"{domain}/{SCHEMA_FILES[side]}") in artifacts
        }
    except msgspec.ValidationError as error:
        raise DataError(f"{given / ENGLISH_SCHEMAS}: {error}") from error


def _listed(given: Path, name: str) -> dict[str, object]:
    folder = AssetFolder(given)
    if name not in folder:
        return {}
    return decode_artifact(folder.read(name), dict[str, object], str(given / name))


def _language_names(given: Path) -> Mapping[str, str]:
    """Return the registry's names of languages by code; none where there is no registry."""
    for path in (given / each for each in _REGISTRIES):
        folder = AssetFolder(path.parent)
        if path.name in folder:
            registry = decode_artifact(folder.read(path.name), dict[str, Language], str(path))
            return {code: language.display_name for code, language in registry.items()}
    return {}


def _require_undamaged(prefix: str, data: Path) -> None:
    """Check the pulled files below a path against their pins.

    Raises:
        DataError: Where one is damaged, or one that is pinned is missing.
    """
    source, target = seataubench_source(), source_folder(data)
    for file in source.files:
        if file.name.startswith(prefix):
            open_file(target, source, file.name, HINT)
