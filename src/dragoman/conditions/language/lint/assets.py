"""Input of the linter: translated artifacts, the English side, and the record of a defect."""

from collections.abc import Iterator, Mapping
from functools import cached_property

import msgspec

from dragoman.conditions.language.artifacts import (
    DATABASES,
    MANIFEST,
    TASKS,
    AssetFolder,
    Schema,
    ToolReturns,
    TranslationManifest,
    decode_artifact,
)
from dragoman.conditions.language.database_names import decode_database
from dragoman.conditions.language.domain_surface import (
    build_value_sets,
    read_docstrings,
    read_schemas,
    read_tool_returns,
)
from dragoman.conditions.language.value_sets import ValueSet
from dragoman.core.language.translated_domains import NO_DECLARATIONS, DomainDeclarations
from dragoman.core.tools import Role, Toolset


class Defect(msgspec.Struct, frozen=True, omit_defaults=True):
    """One defect of one place.

    Attributes:
        code: The class of the defect, a key of `MEANINGS`.
        domain: The domain.
        language: The language's code.
        path: The file, by its name in the language's folder.
        place: Place in the file; "" for the whole file.
        what: The defect, in one line.
        count: Number of occurrences, if one place has several of the kind.
    """

    code: str
    domain: str
    language: str
    path: str
    what: str
    place: str = ""
    count: int = 1


MEANINGS: Mapping[str, str] = {
    "missing-file": "a file that the manifest names is absent",
    "stray-file": "a file that the manifest does not name",
    "unreadable": "a file is damaged or not of its format",
    "stale-by-hash": "the source has another hash than when the file was translated",
    "stale-by-content": "the source's hash is another, and lines that it has are not in the file",
    "source-unknown": "no source to compare the recorded hash with",
    "hand-patched": "edited after translation, with no record of what changed",
    "language-name": "the manifest calls the language otherwise than the registry",
    "label-equals-canonical": "a label is the world's own value: not translated",
    "label-collision": "one label for two values of a domain",
    "case-fold-collision": "two labels of a domain differ in letter case only",
    "one-canonical-two-labels": "one value has different labels in different value sets",
    "ambiguous-value-set": "a value set that has no way back",
    "schema-differs": "models or values are not those of the English side",
    "plain-string-enum": "labels are advertised for a parameter that the schema does not restrict",
    "literal-replaced": "a quoted literal of a tool's description is a label or was altered",
    "label-outside-value-set": "a label is advertised that belongs to no value set",
    "argument-translated": "a literal that calls must repeat is quoted translated",
    "value-swapped": "a text names another value of a field than the English text",
    "tool-missing": "a tool without a text, or a text without a tool",
    "docstring-structure": "headings or parameters are not those of the English docstring",
    "placeholder-lost": "a message's translation has other placeholders",
    "message-pattern": "a message's pattern is not that of its text",
    "message-missing": "a text that a tool says has no translation",
    "message-ambiguous": "a message that cannot be told from another in the language",
    "name-missing": "a name of the database has no label",
    "name-lost": "a task does not say a name as tools take it",
    "fact-untold": "a fact does not stand in the task's instructions, or nothing asks for it",
    "fixed-leaf-changed": "a value that must stay as in English is not",
    "untranslated-leaf": "a text is as in English",
    "identifier-lost": "an identifier of the English text is not in the translation",
    "number-lost": "a number of the English text is not in the translation as it is written there",
    "text-mostly-latin": "a text of a language with another script is mostly Latin letters",
    "one-text-two-translations": "one English text has different translations",
    "one-name-two-translations": "one English name has different translations",
    "two-names-merged": "two English names have one translation",
    "item-name-differs-from-product": "an ordered item is not called as its product is",
    "heading-lost": "the translation has fewer headings",
    "list-item-lost": "the translation has fewer list items",
    "code-span-lost": "the translation has fewer code spans",
    "line-lost": "the translation has fewer lines, though its source is the present one",
    "space-between-han": "a space between Chinese characters",
}
"""One line about each code, in the order in which tables show them."""


Task = dict[str, object]


class EnglishAssets(msgspec.Struct, frozen=True):
    """The English side of a domain.

    Attributes:
        files: Policies, tasks and databases as files, by name.
        toolsets: Tools by side.
        hashes: SHA-256 of sources, by their path upstream.
        schemas: The English schema artifacts by side; empty if they are not available.
        declared: The declarations of the domain.
        docstrings: The docstrings of tools by side.
        modules: The source texts of the modules with the records of a side, by path.
        messages: Messages of tools; empty if no file defines them.
        databases: Name of the database file of each side.
    """

    files: dict[str, bytes]
    toolsets: dict[Role, Toolset]
    hashes: dict[str, str]
    schemas: dict[Role, Schema] = {}
    declared: DomainDeclarations = NO_DECLARATIONS
    docstrings: dict[Role, dict[str, str]] = {}
    modules: dict[Role, dict[str, str]] = {}
    messages: ToolReturns = ToolReturns()
    databases: dict[Role, str] = {}


class LanguageAssets:
    """One folder of translated artifacts and what it was translated from; files are read once.

    Every property raises DataError where its file is missing or damaged.
    """

    def __init__(
        self,
        domain: str,
        language: str,
        folder: AssetFolder,
        english: EnglishAssets,
        language_name: str | None = None,
    ) -> None:
        self.domain = domain
        self.language = language
        self.folder = folder
        self.english = english
        self.language_name = language_name

    def defect(self, code: str, path: str, what: str, *, place: str = "", count: int = 1) -> Defect:
        """Return a defect of this folder."""
        return Defect(code, self.domain, self.language, path, what, place, count)

    @cached_property
    def manifest(self) -> TranslationManifest | None:
        """Provenance of the files; None without a manifest."""
        if MANIFEST not in self.folder:
            return None
        return decode_artifact(
            self.folder.read(MANIFEST), TranslationManifest, str(self.folder.folder / MANIFEST)
        )

    @cached_property
    def schemas(self) -> dict[Role, Schema]:
        """Schema artifacts by side."""
        return read_schemas(self.folder)

    @cached_property
    def docstrings(self) -> dict[Role, dict[str, str]]:
        """Docstrings of tools by side."""
        return read_docstrings(self.folder)

    @cached_property
    def tool_returns(self) -> ToolReturns:
        """Messages of tools."""
        return read_tool_returns(self.folder)

    @cached_property
    def same_as_english(self) -> frozenset[str]:
        """Texts that the language is said to write as English does."""
        return frozenset(() if self.manifest is None else self.manifest.same_as_english)

    @cached_property
    def value_sets(self) -> dict[str, ValueSet]:
        """Value sets by the key of the artifact, with the aliases that are declared."""
        where = f"{self.domain}/{self.language}"
        return build_value_sets(self.schemas, self.english.declared, self.language, where)

    @cached_property
    def names(self) -> dict[str, ValueSet]:
        """The value sets that are texts of databases, by the key of the artifact."""
        declared = self.english.declared.names
        if not declared:
            return {}
        return {key: each for key, each in self.value_sets.items() if key in declared}

    @cached_property
    def tasks(self) -> list[tuple[Task, Task]] | None:
        """English tasks with their translations by id; None if either side lacks the file."""
        if TASKS not in self.folder or TASKS not in self.english.files:
            return None
        where = str(self.folder.folder / TASKS)
        translated = decode_artifact(self.folder.read(TASKS), list[Task], where)
        originals = decode_artifact(
            self.english.files[TASKS], list[Task], f"{self.domain}: {TASKS}"
        )
        by_id = {str(task.get("id")): task for task in translated}
        return [(task, by_id.get(str(task.get("id")), {})) for task in originals]

    @cached_property
    def databases(self) -> dict[str, tuple[dict[str, object], dict[str, object]]]:
        """English databases with their translations, by file name; those that both sides have."""
        return {
            name: (
                decode_database(self.english.files[name], f"{self.domain}: {name}"),
                decode_database(self.folder.read(name), str(self.folder.folder / name)),
            )
            for names in DATABASES.values()
            for name in names
            if name in self.folder and name in self.english.files
        }

    @cached_property
    def policies(self) -> dict[str, tuple[str, str]]:
        """English Markdown files with their translations, by name; those that both sides have."""
        return {
            name: (self.english.files[name].decode("utf-8", "replace"), self.folder.text(name))
            for name in self.folder.names
            if name.endswith(".md") and name in self.english.files
        }


Found = Iterator[Defect]
"""Defects that a check yields."""
