"""English side of translated domains, declarations about them, and released translations."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from dragoman.core.tasks import Task
from dragoman.core.tools import Role, Toolset


class QuotedEnum(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A parameter whose values are named only by quotes in its English description."""

    tool: str
    parameter: str
    value_set: str


class RecordKind(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The collection of a database that holds records of a model, and their id field."""

    collection: str
    id: str


class SpokenTexts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The sentences of a domain's tools: messages of success and refusals.

    Attributes:
        texts: The English texts, with `{placeholders}` for values.
        values: The value set of a placeholder's content; other contents belong to no language.
        words: The texts among these that a placeholder can contain.
        nested: Placeholders that contain any other of these texts.
    """

    texts: tuple[str, ...] = ()
    values: dict[str, str] = {}
    words: dict[str, tuple[str, ...]] = {}
    nested: frozenset[str] = frozenset()


class DomainDeclarations(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Declarations about a domain, in addition to its artifacts.

    Attributes:
        name_leaves: The keys of database leaves whose text is translated.
        databases: The model of a side's database.
        returns: The return annotations of a side's tools, by tool; `*` is any other tool.
        unions: Names of several models, or of several value sets, that annotations use.
        models: Models without an artifact: annotation by field.
        quoted: Enumerations that are named only by quoted literals.
        arguments: Open value sets of parameters, by tool and parameter; a value outside the set is
            taken as it is.
        names: The value sets that are texts of the database; they are in the language if the
            database is.
        unaccented: Value sets among these that tools also accept without accents.
        records: Records with translated names, by model.
        name_lists: Tools that answer with a map of names to ids, and the collection of the named
            records.
        aliases: Labels that are accepted in addition to those of the artifacts, by language, value
            set and value.
        messages: The tools' sentences, if artifacts translate them.
        numbers_follow_language: Whether translations write numbers in the format of their language;
            otherwise in the English format.
    """

    name_leaves: frozenset[str] = frozenset()
    databases: dict[Role, str] = {}
    returns: dict[Role, dict[str, str]] = {}
    unions: dict[str, tuple[str, ...]] = {}
    models: dict[str, dict[str, str]] = {}
    quoted: tuple[QuotedEnum, ...] = ()
    arguments: dict[str, dict[str, str]] = {}
    names: frozenset[str] = frozenset()
    unaccented: frozenset[str] = frozenset()
    records: dict[str, RecordKind] = {}
    name_lists: dict[str, str] = {}
    aliases: dict[str, dict[str, dict[str, tuple[str, ...]]]] = {}
    messages: SpokenTexts = SpokenTexts()
    numbers_follow_language: bool = False


NO_DECLARATIONS = DomainDeclarations()
"""The declarations of a domain with complete artifacts."""


SOURCE_HASHES = "sources.json"
"""A file in a folder of artifacts.

It has the hashes of the sources that manifests name, by their path upstream.
"""

ENGLISH_SCHEMAS = "english_fields.json"
"""A file in a folder of artifacts.

It has the English side of the schema artifacts, by `DOMAIN/FILE`.
"""


class Release(Protocol):
    """Translated artifacts that can be pulled."""

    @property
    def name(self) -> str:
        """The name in `dragoman data pull`; it can be given in place of a folder."""
        ...

    def folder(self, data: Path) -> Path:
        """Return the release's folder under the folder of pulled data."""
        ...

    def require_undamaged(self, prefix: str, data: Path) -> None:
        """Check the pulled files below a path against their pins.

        Raises:
            DataError: If a file is damaged, or a pinned file is missing.
        """
        ...


class EnglishDomain(msgspec.Struct, frozen=True):
    """A domain's English side.

    Attributes:
        name: The name of its folder of artifacts.
        toolsets: The tools of each side.
        files: A function that returns its English files by name: policies, databases, tasks.
        databases: The file with the database of each side.
        policy_files: The files that form the policy.
        compose_policy: A function that returns the policy from the texts of those files in their
            order.
        decode_tasks: A function that returns the tasks of a translated `tasks.json`, given its name
            for errors; it raises DataError if the file is damaged.
        release: Artifacts that are used if none are named; None without a release.
        declared: Declarations that artifacts lack.
        docstrings: A function that returns the docstrings of tools by side, for sides with
            incomplete schemas.
        source_root: The folder of upstream that holds its files according to manifests; "" for
            none.
        modules: A function that returns the texts of the modules with the records of a side, by
            their path.
    """

    name: str
    toolsets: Mapping[Role, Toolset]
    files: Callable[[], Mapping[str, bytes]]
    databases: Mapping[Role, str]
    policy_files: Sequence[str]
    compose_policy: Callable[[Sequence[str]], str]
    decode_tasks: Callable[[bytes, str], Sequence[Task]]
    release: Release | None = None
    declared: DomainDeclarations = NO_DECLARATIONS
    docstrings: Callable[[], Mapping[Role, Mapping[str, str]]] = dict
    modules: Callable[[], Mapping[Role, Mapping[str, str]]] = dict
    source_root: str = ""
