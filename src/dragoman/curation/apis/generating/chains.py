"""Which operations can be called with what another one answers."""

from collections.abc import Iterator, Mapping

import msgspec

from dragoman.core.apis.documents import Operation

_DEEPEST = 6
_SCALARS = ("string", "integer", "number")
_COMMON = frozenset(
    {
        "id",
        "name",
        "date",
        "type",
        "status",
        "code",
        "lang",
        "language",
        "limit",
        "page",
        "key",
        "q",
    }
)
"""Names that too many things have: equal names say nothing there."""


class Chain(msgspec.Struct, frozen=True):
    """The second operation's parameter can have what the first one answers at a path such as "data.0.id"."""

    first: str
    second: str
    parameter: str
    path: str


def chains_among(
    known: Mapping[str, Operation], observed: Mapping[str, Mapping[str, object]]
) -> list[Chain]:
    """Return the chains that names of required parameters and of answered fields show.

    Args:
        known: The operations, by id.
        observed: JSON schemas of what they answer, by id; what documents declare serves where absent.
    """
    fields: dict[str, list[tuple[str, str]]] = {}
    for name in sorted(known):
        schema = observed.get(name) or known[name].schema
        for path, field in _fields(schema, (), _DEEPEST):
            if field not in _COMMON:
                fields.setdefault(field, []).append((name, path))
    return [
        Chain(first, second, parameter.name, path)
        for second in sorted(known)
        for parameter in known[second].required_parameters
        for first, path in fields.get(parameter.name.casefold(), ())
        if first != second
    ]


def _fields(schema: object, path: tuple[str, ...], deepest: int) -> Iterator[tuple[str, str]]:
    """Yield the paths of scalar fields with their names in small letters."""
    if not isinstance(schema, Mapping) or deepest == 0:
        return
    properties = schema.get("properties")
    if isinstance(properties, Mapping):
        for name, inner in properties.items():
            if isinstance(inner, Mapping) and _is_scalar(inner.get("type")):
                yield ".".join((*path, str(name))), str(name).casefold()
            yield from _fields(inner, (*path, str(name)), deepest - 1)
    yield from _fields(schema.get("items"), (*path, "0"), deepest - 1)


def _is_scalar(kind: object) -> bool:
    """Whether a schema's type is of texts or numbers, which may also be absent (null)."""
    kinds = kind if isinstance(kind, list) else [kind]
    named = [each for each in kinds if each != "null"]
    return bool(named) and all(each in _SCALARS for each in named)
