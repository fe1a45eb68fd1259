"""The data of a domain that show what must stay as it is."""

import contextlib
from collections.abc import Mapping

import msgspec

from dragoman.conditions.language.artifacts import SCHEMA_FILES, Schema
from dragoman.conditions.language.database_names import decode_database
from dragoman.conditions.language.lint.assets import EnglishAssets
from dragoman.core.errors import DataError
from dragoman.core.texts.decoding import UNREADABLE
from dragoman.core.tools import ToolSpec


class DomainData(msgspec.Struct, frozen=True):
    """What one domain consists of; nothing of another domain is protected in its texts.

    Attributes:
        records: Its databases and tasks, decoded, with the arguments of gold actions.
        tools: Its tools, of both sides.
        schemas: Its English schemas by file.
    """

    records: tuple[object, ...] = ()
    tools: tuple[ToolSpec, ...] = ()
    schemas: Mapping[str, Schema] = {}


def data_of(english: EnglishAssets, where: str) -> DomainData:
    """Return the data of a domain's English side: every file of records that it has.

    Args:
        english: The English side.
        where: The domain, for messages.

    Raises:
        DataError: Where a file is damaged.
    """
    return DomainData(
        tuple(
            _decoded(content, f"{where}: {name}")
            for name, content in english.files.items()
            if name.endswith((".json", ".toml"))
        ),
        tuple(tool for toolset in english.toolsets.values() for tool in toolset),
        {SCHEMA_FILES[side]: schema for side, schema in english.schemas.items()},
    )


def _decoded(content: bytes, where: str) -> object:
    """Decode JSON, TOML, or one object of JSON in each line."""
    if content.lstrip()[:1] == b"[":
        # An array of tables opens a TOML file with the same sign.
        with contextlib.suppress(*UNREADABLE):
            return msgspec.json.decode(content)
    elif b"\n{" in content.strip():
        with contextlib.suppress(*UNREADABLE):
            return msgspec.json.Decoder().decode_lines(content)
    try:
        return decode_database(content, where)
    except DataError as error:
        raise DataError(f"{where}: neither JSON nor TOML ({error})") from error
