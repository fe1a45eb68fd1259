"""What must stay in the texts of a domain, found from its data."""

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from dragoman.core.tools import ToolSpec
from dragoman.curation.translation.protection.domain import DomainData
from dragoman.curation.translation.protection.fields import (
    ids_by_field,
    literals_in,
    names_in_calls,
    people_in,
)
from dragoman.curation.translation.values import Value, values_of


class ProtectedTerms(msgspec.Struct, frozen=True):
    """What stays in the texts of one domain.

    Attributes:
        ids: Ids by the name of the field that they were found in.
        names: What calls must repeat that is no id: streets, cities, dates.
        people: First and last names of people, which are names where two stand together.
        identifiers: Names of tools, parameters and types.
        literals: What schemas of parameters name: choices, defaults, examples.
        values: The values of its value sets.
    """

    ids: Mapping[str, frozenset[str]]
    names: frozenset[str]
    people: frozenset[str]
    identifiers: frozenset[str]
    literals: frozenset[str]
    values: tuple[Value, ...]


def terms_of(data: DomainData) -> ProtectedTerms:
    """Find what must stay in the texts of a domain from its data."""
    return ProtectedTerms(
        ids={field: frozenset(ids) for field, ids in ids_by_field(data.records).items()},
        names=frozenset(names_in_calls(data.records)),
        people=frozenset(people_in(data.records)),
        identifiers=frozenset(_identifiers(data)),
        literals=frozenset(literals_in(tool.parameters for tool in data.tools)),
        values=values_of(data.schemas),
    )


def _identifiers(data: DomainData) -> Iterator[str]:
    for tool in data.tools:
        yield tool.name
        yield from _parameters(tool)
    for schema in data.schemas.values():
        yield from schema.models


def _parameters(tool: ToolSpec) -> Iterable[str]:
    properties = tool.parameters.get("properties")
    return properties if isinstance(properties, Mapping) else ()
