"""English side of translated domains, declarations about them, and released translations."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from dragoman.core.tasks import Task
from dragoman.core.tools import Role, Toolset


class QuotedEnum(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A parameter whose values only the quotes of its English description name."""

    tool: str
    parameter: str
    value_set: str


class RecordKind(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where a database keeps records of a model, and the field with their id."""

    collection: str
    id: str


class SpokenTexts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a domain's tools say in sentences: messages of success and refusals.

    Attributes:
        texts: The English texts, with `{placeholders}` for what is filled in.
        values: Which value set a placeholder's content is of; others belong to no language.
        words: Which of these texts a placeholder's content is.
        nested: Placeholders that hold another of these texts, whichever.
    """

    texts: tuple[str, ...] = ()
    values: dict[str, str] = {}
    words: dict[str, tuple[str, ...]] = {}
    nested: frozenset[str] = frozenset()


class DomainDeclarations(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is declared of a domain beside its artifacts.

    Attributes:
        name_leaves: The keys of database leaves whose text is translated.
        databases: The model of a side's database.
        returns: What a side's tools return as annotations, by tool; `*` is any other tool.
        unions: Names of several models, or of several value sets, that annotations use.
        models: Models that no artifact holds: annotation by field.
        quoted: Enumerations that only quoted literals name.
        arguments: Open value sets of parameters, by tool and parameter: what is none of their
            values is taken as it is.
        names: The value sets that are texts of the database: they are in the language where the
            database is.
        unaccented: Those of them that tools take without accents too.
        records: Records with translated names, by model.
        name_lists: Tools that answer with a map of names to ids, and whose names these are.
        aliases: Labels taken beside those of the artifacts, by language, value set and value.
        messages: What tools say in sentences, where artifacts translate it.
        numbers_follow_language: Whether translations write numbers as their language does;
            otherwise as English does.
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
"""What is declared of a domain whose artifacts say all."""


SOURCE_HASHES = "sources.json"
"""In a folder of artifacts: hashes of the sources that manifests name, by their path upstream."""

ENGLISH_SCHEMAS = "english_fields.json"
"""In a folder of artifacts: the English side of the schema artifacts, by `DOMAIN/FILE`."""


class Release(Protocol):
    """Translated artifacts that can be pulled."""

    @property
    def name(self) -> str:
        """What `dragoman data pull` calls it; stands for its folder where one is asked for."""
        ...

    def folder(self, data: Path) -> Path:
        """Return where it lies under the folder of pulled data."""
        ...

    def require_undamaged(self, prefix: str, data: Path) -> None:
        """Check the pulled files below a path against their pins.

        Raises:
            DataError: Where one is damaged, or one that is pinned is missing.
        """
        ...


class EnglishDomain(msgspec.Struct, frozen=True):
    """A domain's English side.

    Attributes:
        name: The name of its folder of artifacts.
        toolsets: The tools of each side.
        files: Returns its English files by name: policies, databases, tasks.
        databases: Which of these files is the database of a side.
        policy_files: Which of them make the policy.
        compose_policy: Returns the policy, from the texts of those files in their order.
        decode_tasks: Returns the tasks of a translated `tasks.json`, given how to name it in
            errors; raises DataError where it is damaged.
        release: Artifacts that need not be named; None where there are none.
        declared: What artifacts leave out.
        docstrings: Returns the docstrings of tools by side, for sides whose schemas do not say all.
        source_root: The folder of upstream in which manifests say that its files lie; "" for none.
        modules: Returns the texts of the modules with the records of a side, by their path.
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
