"""The data of a domain that show what must stay as it is."""

from collections.abc import Iterable, Mapping

import msgspec

from dragoman.conditions.language.artifacts import Schema
from dragoman.core.tools import ToolSpec


class DomainData(msgspec.Struct, frozen=True):
    """What one domain consists of; nothing of another domain is protected in its texts.

    Attributes:
        databases: Its databases, decoded.
        tasks: Its tasks, decoded, with the arguments of their gold actions.
        tools: Its tools, of both sides.
        schemas: Its English schemas by file.
    """

    databases: tuple[object, ...] = ()
    tasks: tuple[object, ...] = ()
    tools: tuple[ToolSpec, ...] = ()
    schemas: Mapping[str, Schema] = {}


def domain_data(
    *,
    databases: Iterable[object] = (),
    tasks: Iterable[object] = (),
    tools: Iterable[ToolSpec] = (),
    schemas: Mapping[str, Schema] | None = None,
) -> DomainData:
    """Return the data of a domain, of whatever they come in."""
    return DomainData(tuple(databases), tuple(tasks), tuple(tools), dict(schemas or {}))
