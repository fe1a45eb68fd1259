"""Translated artifacts of a domain as records: each format is read whole and written as released.

A schema file holds descriptions and labels of values; a file of tool texts holds docstrings; tool
returns are messages; a manifest says from which sources each file was translated; a mix says which
languages share a set of tools.
"""

from collections.abc import Mapping
from typing import Literal, TypeVar

import msgspec

from dragoman.core.errors import DataError
from dragoman.core.texts.decoding import UNREADABLE
from dragoman.core.tools import Role

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
    """How one file came to be; `manual_patch_at` is set where it was edited afterwards.

    `output_sha256` is of the file as it was written; released manifests lack it. Files that a reviewed workbook was imported into have another set of fields.
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
    """How tools are dealt to languages."""

    seed: int
    partition_strategy: str
    tools_per_added_language: int
    group_mode: bool = False
    group_source: str | None = None


class TextsProvenance(msgspec.Struct, frozen=True):
    """Where a language's tool texts come from; None where it was not recorded."""

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
        DataError: Where it is damaged or of another format; the line says where and why.
    """
    try:
        return msgspec.json.decode(content, type=kind)
    except UNREADABLE as error:
        raise DataError(f"{where}: {error}") from error


def encode_artifact(artifact: object) -> bytes:
    """Encode an artifact as JSON files are released: indented by two, with a newline at the end."""
    return msgspec.json.format(msgspec.json.encode(artifact), indent=2) + b"\n"
