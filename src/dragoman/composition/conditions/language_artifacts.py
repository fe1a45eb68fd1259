"""Translated artifacts with their English side: pulled, or from a user's folder.

The English side consists of the files next to the translations (in `DOMAIN/en`, or in `DOMAIN` as
in a checkout of upstream). Files that are missing there come from tau2-bench as pulled. Python
modules of a checkout are read as text.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from dragoman.conditions.language.artifacts import (
    ENGLISH,
    SCHEMA_FILES,
    TOOL_FILES,
    TOOL_RETURNS,
    UPSTREAM,
    AssetFolder,
    ListedLanguage,
    Schema,
    ToolReturns,
    decode_artifact,
    domains_root,
    encode_artifact,
    languages_of,
)
from dragoman.conditions.language.domain_surface import (
    DomainSurface,
    EnglishSide,
    load_surface,
    read_tool_returns,
)
from dragoman.conditions.language.lint.assets import EnglishAssets, LanguageAssets
from dragoman.conditions.language.tool_docstrings import compose_docstrings
from dragoman.conditions.language.tool_messages import messages_of_module, source_messages
from dragoman.core.capabilities import HasTranslations
from dragoman.core.errors import DataError, UsageError
from dragoman.core.language.translated_domains import (
    ENGLISH_SCHEMAS,
    SOURCE_HASHES,
    EnglishDomain,
    Release,
)
from dragoman.core.texts.decoding import TranslatedErrors
from dragoman.core.tools import Role
from dragoman.registry.suites import benchmarks

_DOMAINS = "src/tau2/domains"
_RECORDS: Mapping[Role, str] = {"agent": "data_model.py", "user": "user_data_model.py"}
_TOOLS = "tools.py"


def checkout_hashes(given: Path, domain: str) -> dict[str, str]:
    """Return the hashes of a domain's modules by their path upstream.

    The result is empty without modules.
    """
    return {
        f"{_DOMAINS}/{domain}/{path.name}": hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted((given / _DOMAINS / domain).glob("*.py"))
    }


def checkout_modules(given: Path, domain: str) -> dict[Role, dict[str, str]]:
    """Return the texts of the modules with a domain's records by side and path.

    Raises:
        DataError: If a module cannot be read.
    """
    paths = {side: f"{_DOMAINS}/{domain}/{name}" for side, name in _RECORDS.items()}
    return {
        side: {path: _text(given / path)}
        for side, path in paths.items()
        if (given / path).is_file()
    }


def checkout_messages(given: Path, domain: str) -> ToolReturns:
    """Return the messages of a domain's tools; empty without a module of tools.

    Raises:
        DataError: If the module cannot be read.
    """
    path = given / _DOMAINS / domain / _TOOLS
    return messages_of_module(_text(path), str(path)) if path.is_file() else ToolReturns()


def _text(path: Path) -> str:
    with TranslatedErrors(DataError, f"{path} cannot be read"):
        return path.read_text("utf-8")


_TEXTS = (".md", ".json", ".toml")
_REGISTRIES = ("languages.json", "data/seatau/languages.json")


def surface_of(domain: str, language: str, assets: str, data: Path) -> DomainSurface:
    """Load the translated surface of a domain that some benchmark has.

    Args:
        domain: The name of the domain's folder.
        language: The language's code.
        assets: A folder of artifacts, or the name of a release.
        data: The folder of pulled data.

    Raises:
        UsageError: If the folder has no such domain or language.
        DataError: If an artifact is missing or damaged, or a map cannot be inverted.
    """
    domains = _translated_domains()
    _require_there([domain], list(domains), "domain", Path(assets))
    return read_surface(domains[domain].english(domain, data), language, assets, data)


def read_surface(english: EnglishDomain, language: str, assets: str, data: Path) -> DomainSurface:
    """Load the translated surface of a domain, given its English side; see `surface_of`."""
    domain = english.name
    given, release = given_folder(
        assets, () if english.release is None else (english.release,), data
    )
    root = domains_root(given)
    there = languages_of(root / domain)
    if not there:
        raise UsageError(
            f"{given} has no domain {domain!r}: name a folder that holds {domain}/LANGUAGE"
        )
    _require_there([language], there, "language", given)
    if release is not None:
        release.require_undamaged(f"{domain}/{language}/", data)
    files = {**english.files(), **_read_english_files(root / domain)}
    databases = {side: files[name] for side, name in english.databases.items()}
    folder = AssetFolder(root / domain / language)
    side = EnglishSide(dict(english.toolsets), databases, english.declared)
    return load_surface(domain, language, folder, side)


def languages_there(english: EnglishDomain, assets: str, data: Path) -> tuple[str, ...]:
    """Return the languages in which a domain has artifacts.

    Args:
        english: The domain's English side.
        assets: A folder of artifacts, or the name of the domain's release.
        data: The folder of pulled data.

    Raises:
        DataError: If the release was not pulled.
    """
    releases = () if english.release is None else (english.release,)
    given, _ = given_folder(assets, releases, data)
    return tuple(languages_of(domains_root(given) / english.name))


def lint_subjects(
    assets: str, data: Path, *, domains: Sequence[str] = (), languages: Sequence[str] = ()
) -> Iterator[LanguageAssets]:
    """Yield the artifacts of each domain and language in a folder, with their English side.

    Args:
        assets: The folder, or the name of a release.
        data: The folder of pulled data.
        domains: Only these domains; if empty, all domains that benchmarks have.
        languages: Only these languages; if empty, all languages in the folder.

    Raises:
        UsageError: If a domain or a language does not exist in the folder, or the folder has no
            artifacts.
        DataError: If the release or the English side of the artifacts was not pulled.
    """
    known = _translated_domains()
    releases = {each.name: each for owner in known.values() for each in owner.releases()}
    given, _ = given_folder(assets, tuple(releases.values()), data)
    root = domains_root(given)
    there = {domain: languages_of(root / domain) for domain in known}
    _require_there(domains, [name for name in there if there[name]], "domain", given)
    found = sorted({language for each in there.values() for language in each})
    if not found:
        raise UsageError(
            f"{given} has no domain that is linted: name a folder with {', '.join(known)}"
        )
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
        domain: _english_assets(known[domain].english(domain, data), root / domain, given)
        for domain in dict.fromkeys(domain for domain, _ in chosen)
    }
    for domain, language in chosen:
        folder = AssetFolder(root / domain / language)
        yield LanguageAssets(domain, language, folder, english[domain], names.get(language))


def english_side(english: EnglishDomain, assets: str, data: Path) -> EnglishAssets:
    """Return the English side of a domain that is to be translated.

    Args:
        english: The domain.
        assets: A folder of artifacts, whose English files come first. It may still be empty;
            missing files come from the release. "" for the release of the domain, if it has one.
        data: The folder of pulled data.

    Raises:
        DataError: If a file is damaged, or the release is needed and was not pulled.
    """
    release = english.release
    if not assets and release is None:
        return _english_assets(english, None, None)
    given, _ = given_folder(
        assets or str(release and release.name), () if release is None else (release,), data
    )
    roots = (given, given / UPSTREAM)
    folder = next((root / english.name for root in roots if (root / english.name).is_dir()), None)
    side = _english_assets(english, folder, given)
    if release is None or side.schemas or side.modules:
        return side
    pulled, _ = given_folder(release.name, (release,), data)
    return msgspec.structs.replace(
        side,
        schemas=_listed_schemas(pulled, english.name),
        hashes={**_recorded_hashes(pulled), **side.hashes},
    )


def domains_by_language(data: Path) -> dict[str, tuple[str, ...]]:
    """Return the domains whose artifacts are available (bundled or pulled), by language.

    Args:
        data: The folder of pulled data.
    """
    found: dict[str, dict[str, None]] = {}
    for domain, owner in _translated_domains().items():
        for release in owner.releases():
            for language in languages_of(release.folder(data) / domain):
                found.setdefault(language, {})[domain] = None
    return {language: tuple(domains) for language, domains in found.items()}


def given_folder(
    assets: str, releases: Sequence[Release], data: Path
) -> tuple[Path, Release | None]:
    """Return the named folder, and the release that it belongs to, if any.

    Raises:
        DataError: If a release was not pulled.
    """
    release = next((each for each in releases if each.name == assets), None)
    if release is None:
        return Path(assets), None
    folder = release.folder(data)
    if not folder.is_dir():
        raise DataError(f"{folder} not found: run `dragoman data pull {release.name}`")
    return folder, release


def _translated_domains() -> dict[str, HasTranslations]:
    """Return the benchmark of each domain that folders of artifacts may translate."""
    return {
        domain: each
        for each in benchmarks()
        if isinstance(each, HasTranslations)
        for domain in each.translated_domains()
    }


def _require_there(asked: Sequence[str], there: Sequence[str], what: str, given: Path) -> None:
    unknown = [name for name in asked if name not in there]
    if unknown:
        raise UsageError(f"{given} has no {what} {unknown[0]!r}: choose {', '.join(there)}")


def _english_assets(
    english: EnglishDomain, folder: Path | None, given: Path | None
) -> EnglishAssets:
    """Return a domain's English side.

    Args:
        english: The domain.
        folder: The domain's folder of artifacts, if there is one.
        given: The folder that holds it, if there is one.
    """
    files = {**english.files(), **(_read_english_files(folder) if folder else {})}
    own = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    computed = {
        f"{root}/{name}": digest
        for root in (english.name, f"{UPSTREAM}/{english.name}")
        for name, digest in own.items()
    }
    known = {**checkout_hashes(given, english.name), **_recorded_hashes(given)} if given else {}
    docstrings = _docstrings(english)
    described = {
        f"{english.name}/{TOOL_FILES[side]}": hashlib.sha256(encode_artifact(texts)).hexdigest()
        for side, texts in docstrings.items()
    }
    modules = dict(checkout_modules(given, english.name)) if given else {}
    modules |= {side: dict(texts) for side, texts in english.modules().items()}
    read = {
        path: hashlib.sha256(text.encode()).hexdigest()
        for texts in modules.values()
        for path, text in texts.items()
    }
    return EnglishAssets(
        files=files,
        toolsets=dict(english.toolsets),
        hashes={**computed, **known, **described, **read},
        schemas={**_schemas_in(files), **(_listed_schemas(given, english.name) if given else {})},
        declared=english.declared,
        docstrings=docstrings,
        modules=modules,
        messages=_english_messages(files, folder, given, english.name),
        databases=dict(english.databases),
    )


def _docstrings(english: EnglishDomain) -> dict[Role, dict[str, str]]:
    """Return the docstrings of each side's tools; built from the schemas if missing."""
    given = english.docstrings()
    return {
        side: dict(given.get(side) or compose_docstrings(tools))
        for side, tools in english.toolsets.items()
    }


def _english_messages(
    files: Mapping[str, bytes], folder: Path | None, given: Path | None, domain: str
) -> ToolReturns:
    """Return the tools' messages in English.

    The source is an English file, a checkout, or the English text repeated in translations.
    """
    if TOOL_RETURNS in files:
        return source_messages(decode_artifact(files[TOOL_RETURNS], ToolReturns, TOOL_RETURNS))
    reported = checkout_messages(given, domain) if given else ToolReturns()
    if reported != ToolReturns() or folder is None:
        return reported
    for language in languages_of(folder):
        translated = read_tool_returns(AssetFolder(folder / language))
        if translated != ToolReturns():
            return source_messages(translated)
    return ToolReturns()


def _read_english_files(folder: Path) -> dict[str, bytes]:
    """Return the English files next to translations; `en` overrides a checkout."""
    found: dict[str, bytes] = {}
    for each in (AssetFolder(folder), AssetFolder(folder / ENGLISH)):
        found.update({name: each.read(name) for name in each.names if name.endswith(_TEXTS)})
    return found


def _recorded_hashes(given: Path) -> dict[str, str]:
    """Return the hashes that a folder lists, as a map or as maps by kind."""
    listed = _load_optional_artifact(given, SOURCE_HASHES)
    flat = {path: digest for path, digest in listed.items() if isinstance(digest, str)}
    groups = [group for group in listed.values() if isinstance(group, dict)]
    return {**flat, **{path: str(digest) for group in groups for path, digest in group.items()}}


def _schemas_in(files: Mapping[str, bytes]) -> dict[Role, Schema]:
    """Return the schemas among English files."""
    return {
        side: decode_artifact(files[name], Schema, name)
        for side, name in SCHEMA_FILES.items()
        if name in files
    }


def _listed_schemas(given: Path, domain: str) -> dict[Role, Schema]:
    """Return the English schemas that a folder lists; empty if it lists none."""
    listed = _load_optional_artifact(given, ENGLISH_SCHEMAS)
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


def _load_optional_artifact(given: Path, name: str) -> dict[str, object]:
    folder = AssetFolder(given)
    if name not in folder:
        return {}
    return decode_artifact(folder.read(name), dict[str, object], str(given / name))


def _language_names(given: Path) -> Mapping[str, str]:
    """Return the registry's names of languages by code; empty without a registry."""
    for path in (given / each for each in _REGISTRIES):
        folder = AssetFolder(path.parent)
        if path.name in folder:
            registry = decode_artifact(folder.read(path.name), dict[str, ListedLanguage], str(path))
            return {code: language.display_name for code, language in registry.items()}
    return {}
