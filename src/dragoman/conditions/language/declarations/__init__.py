"""What artifacts leave out, declared by domain: one TOML file each."""

import functools
import importlib.resources

import msgspec

from dragoman.core.errors import DataError
from dragoman.core.texts.decoding import UNREADABLE
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


class Declarations(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is declared of a domain beside its artifacts.

    Attributes:
        name_leaves: The keys of database leaves whose text is translated.
        databases: The model of a side's database.
        returns: What a side's tools return as annotations, by tool; `*` is any other tool.
        unions: Names of several models, or of several value sets, that annotations use.
        models: Models that no artifact holds: annotation by field.
        quoted: Enumerations that only quoted literals name.
        records: Records with translated names, by model.
        name_lists: Tools that answer with a map of names to ids, and whose names these are.
        aliases: Labels taken beside those of the artifacts, by language, value set and value.
    """

    name_leaves: frozenset[str] = frozenset()
    databases: dict[Role, str] = {}
    returns: dict[Role, dict[str, str]] = {}
    unions: dict[str, tuple[str, ...]] = {}
    models: dict[str, dict[str, str]] = {}
    quoted: tuple[QuotedEnum, ...] = ()
    records: dict[str, RecordKind] = {}
    name_lists: dict[str, str] = {}
    aliases: dict[str, dict[str, dict[str, tuple[str, ...]]]] = {}


DOMAINS = ("airline", "retail", "telecom")


@functools.cache
def declarations_of(domain: str) -> Declarations:
    """Return what is declared of a domain; nothing of one that its artifacts say all of."""
    if domain not in DOMAINS:
        return Declarations()
    text = importlib.resources.files(__name__).joinpath(f"{domain}.toml").read_bytes()
    try:
        return msgspec.toml.decode(text, type=Declarations)
    except UNREADABLE as error:
        raise DataError(f"the declarations of {domain} are damaged: {error}") from error
