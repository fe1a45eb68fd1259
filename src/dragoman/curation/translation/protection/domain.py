"""The data of a domain that show what must stay as it is."""

from collections.abc import Mapping, Sequence

import msgspec

from dragoman.conditions.language.artifacts import SCHEMA_FILES, Schema
from dragoman.conditions.language.lint.assets import EnglishAssets
from dragoman.core.errors import DataError
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.core.tools import ToolSpec

_DECODER = msgspec.json.Decoder()


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
            record
            for name, content in english.files.items()
            if name.endswith((".json", ".toml"))
            for record in _records(content, f"{where}: {name}")
        ),
        tuple(tool for toolset in english.toolsets.values() for tool in toolset),
        {SCHEMA_FILES[side]: schema for side, schema in english.schemas.items()},
    )


def _records(content: bytes, where: str) -> Sequence[object]:
    """Return what a file holds: one value, or one a line."""
    for decode in (msgspec.json.decode, _DECODER.decode_lines, msgspec.toml.decode):
        try:
            found: object = decode(content)
        except DECODING_ERRORS:
            continue
        return found if isinstance(found, list) else (found,)
    raise DataError(f"{where}: neither JSON nor TOML")
