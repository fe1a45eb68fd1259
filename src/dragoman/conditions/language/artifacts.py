"""Translated artifacts of a domain: folders, file formats, and fields that hold text.

A schema file holds descriptions and labels of values; a file of tool texts holds docstrings; tool
returns are messages; a manifest records the sources of each translated file; a mix lists the
languages that share a set of tools. Files lie in `DOMAIN/LANGUAGE/FILE`, plain or gzipped.
"""

import functools
import gzip
import importlib.resources
import re
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, TypeVar

import msgspec

from dragoman.core.errors import DataError
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.core.tools import Role


class _TaskPlaces(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    texts: tuple[str, ...]
    said_by: tuple[str, ...]
    no_tasks: frozenset[str]


class _DatabasePlaces(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    prose: frozenset[str]
    never_below: frozenset[str]


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    tasks: _TaskPlaces
    databases: _DatabasePlaces


class TranslatableFields(msgspec.Struct, frozen=True):
    """Places of the translatable texts of a domain.

    Attributes:
        tasks: Paths of texts in a task; the step `*` is any entry of a list.
        said_by: The sides whose messages are translated at places that hold messages.
        no_tasks: Files that are named like task files and hold no played tasks.
        prose: Keys of database leaves that hold sentences; all other translatable leaves are names.
        never_below: Keys below which a database holds calls, whose texts are never translated.
    """

    tasks: tuple[tuple[str, ...], ...]
    said_by: frozenset[str]
    no_tasks: frozenset[str]
    prose: frozenset[str]
    never_below: frozenset[str]


@functools.cache
def translatable_fields() -> TranslatableFields:
    """Return the places that `places.toml` lists."""
    text = importlib.resources.files(__package__).joinpath("places.toml").read_bytes()
    try:
        listed = msgspec.toml.decode(text, type=_File)
    except DECODING_ERRORS as error:
        raise DataError(f"the list of places to translate is damaged: {error}") from error
    return TranslatableFields(
        tasks=tuple(tuple(place.split("/")) for place in listed.tasks.texts),
        said_by=frozenset(listed.tasks.said_by),
        no_tasks=listed.tasks.no_tasks,
        prose=listed.databases.prose,
        never_below=listed.databases.never_below,
    )


Record = TypeVar("Record")

SCHEMA_FILES: Mapping[Role, str] = {"agent": "data_model.json", "user": "user_data_model.json"}
TOOL_FILES: Mapping[Role, str] = {"agent": "tools.json", "user": "user_tools.json"}
DATABASES: Mapping[Role, tuple[str, ...]] = {
    "agent": ("db.json", "db.toml"),
    "user": ("user_db.json", "user_db.toml"),
}
TASKS = "tasks.json"
TOOL_RETURNS = "tool_returns.json"
MANIFEST = "translation_manifest.json"


class FieldText(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A field of a model: its Python annotation, what it is for, and the values it may have."""

    annotation: str
    description: str | None = None
    value_set: str | None = None


class ModelText(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A model: its fields in order, and what it is for."""

    fields: dict[str, FieldText]
    description: str | None = None


class ValueText(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A value in the world's spelling and its label; `aliases` are other labels that are taken."""

    canonical: str
    localized: str
    member: str | None = None
    aliases: tuple[str, ...] = ()


class ValueSetText(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The values of an enumeration, or of one field where the owner is named."""

    kind: Literal["enum", "literal"]
    values: tuple[ValueText, ...]
    owner_model: str | None = None
    owner_field: str | None = None


class Schema(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """`data_model.json`: models and value sets of one side of a domain."""

    kind: Literal["schema"]
    source_file: str
    models: dict[str, ModelText]
    value_sets: dict[str, ValueSetText]
    module_description: str | None = None


class TranslatedMessage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A message of a tool and its translation."""

    source: str
    localized: str


class Template(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A message with `{placeholders}`; `pattern` is what upstream matches it with."""

    pattern: str
    source: str
    localized: str


class ToolReturns(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`tool_returns.json`: messages of tools, as they are and with placeholders."""

    exact: dict[str, TranslatedMessage] = {}
    templates: dict[str, Template] = {}


class SourceHash(msgspec.Struct, frozen=True):
    """A source at the time of translation: its path upstream and the SHA-256 of its bytes."""

    path: str
    sha256: str


class Translation(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Provenance of one translated file.

    `manual_patch_at` is set if the file was edited afterwards.

    `output_sha256` is the hash of the file as it was written; released manifests lack it. Files
    that a reviewed workbook was imported into have another set of fields.
    """

    component: str | None = None
    output_file: str
    model: str | None = None
    source_language: str | None = None
    target_language: str | None = None
    translated_at: str | None = None
    source_files: tuple[SourceHash, ...] = ()
    manual_patch_at: str | None = None
    output_sha256: str | None = None


class TranslationManifest(msgspec.Struct, frozen=True, omit_defaults=True):
    """`translation_manifest.json`: how the files of a folder came to be, by file.

    `same_as_english` are texts that the language writes as English does: loanwords, names.
    """

    assets: dict[str, Translation]
    generated_at: str | None = None
    same_as_english: tuple[str, ...] = ()


class MixLanguages(msgspec.Struct, frozen=True):
    """The languages of a mix, the base first; upstream's strategy ignores the weights."""

    codes: tuple[str, ...]
    weights: tuple[float, ...] = ()


class Partitioning(msgspec.Struct, frozen=True):
    """The assignment of tools to languages."""

    seed: int
    partition_strategy: str
    tools_per_added_language: int
    group_mode: bool = False
    group_source: str | None = None


class TextsProvenance(msgspec.Struct, frozen=True):
    """Source of a language's tool texts; None if it was not recorded."""

    source: str
    model: str | None = None
    translated_at: str | None = None
    pipeline_version: str | None = None


class Mix(msgspec.Struct, frozen=True):
    """A configuration of tools in several languages."""

    schema_version: str
    name: str
    languages: MixLanguages
    partitioning: Partitioning
    description: str = ""
    translation_provenance: dict[str, TextsProvenance] = {}


class ListedLanguage(msgspec.Struct, frozen=True, omit_defaults=True):
    """An entry of `languages.json`."""

    code: str
    display_name: str
    instruction_label: str
    greeting: str
    user_instruction: str | None = None
    agent_instruction: str | None = None


def decode_artifact(content: bytes, kind: type[Record], where: str) -> Record:
    """Decode a JSON artifact.

    Raises:
        DataError: If it is damaged or has another format; the message says where and why.
    """
    try:
        return msgspec.json.decode(content, type=kind)
    except DECODING_ERRORS as error:
        raise DataError(f"{where}: {error}") from error


def encode_artifact(artifact: object) -> bytes:
    """Encode an artifact as JSON files are released: indented by two, with a newline at the end."""
    return msgspec.json.format(msgspec.json.encode(artifact), indent=2) + b"\n"


UPSTREAM = "data/tau2/domains"
"""Folder of the domains in a checkout of upstream."""

_ARTIFACTS = frozenset({"data_model.json", "tools.json", "tasks.json", "translation_manifest.json"})
_MAX_BYTES = 64_000_000
_CODE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")
ENGLISH = "en"


class AssetFolder:
    """The files of a folder by name; a file that ends in `.gz` counts under its own name.

    A file of a folder below it is there under its path, and is not listed.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._paths = {
            path.name.removesuffix(".gz"): path for path in _entries(folder) if path.is_file()
        }

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the existing files, in order."""
        return tuple(sorted(self._paths))

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._path(name) is not None

    def read(self, name: str) -> bytes:
        """Return a file's content.

        Raises:
            DataError: If it is missing, damaged or larger than any artifact.
        """
        path = self._path(name)
        if path is None:
            raise DataError(
                f"{self.folder / name} not found: pull the data, or name another folder"
            )
        try:
            with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
                content = file.read(_MAX_BYTES + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise DataError(f"{path} cannot be read ({error}): pull the data again") from error
        if len(content) > _MAX_BYTES:
            raise DataError(f"{path} holds more than {_MAX_BYTES} bytes: name another folder")
        return content

    def _path(self, name: str) -> Path | None:
        if name in self._paths or "/" not in name:
            return self._paths.get(name)
        below = (self.folder / name, self.folder / f"{name}.gz")
        return next((path for path in below if path.is_file()), None)

    def text(self, name: str) -> str:
        """Return a file's text.

        Raises:
            DataError: If it is missing or not UTF-8.
        """
        try:
            return self.read(name).decode("utf-8")
        except UnicodeDecodeError as error:
            raise DataError(f"{self.folder / name} is not UTF-8 text ({error.reason})") from error


def domains_root(assets: Path) -> Path:
    """Return the folder that holds one folder per domain: the one given, or a checkout's.

    Raises:
        DataError: If it is not a folder, or holds no domain in any language.
    """
    if not assets.is_dir():
        raise DataError(f"{assets} is not a folder: name one that holds DOMAIN/LANGUAGE")
    for root in (assets, assets / UPSTREAM):
        if any(languages_of(domain) for domain in _entries(root) if domain.is_dir()):
            return root
    raise DataError(f"{assets} holds no translated domain: name a folder with DOMAIN/LANGUAGE")


def languages_of(domain: Path) -> tuple[str, ...]:
    """Return the languages that a domain's folder holds artifacts in, without English."""
    return tuple(
        path.name
        for path in _entries(domain)
        if _CODE.fullmatch(path.name)
        and path.name != ENGLISH
        and _ARTIFACTS.intersection(each.name.removesuffix(".gz") for each in _entries(path))
    )


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []
