"""What a domain says of itself that its translated artifacts leave out."""

import msgspec

from dragoman.core.tools import Role


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


class Declarations(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
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


NOTHING_DECLARED = Declarations()
"""What is declared of a domain whose artifacts say all."""
