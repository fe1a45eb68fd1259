"""What documents state that a parameter or a body may be, in all the ways that OpenAPI has for it."""

from collections.abc import Iterator, Mapping

from dragoman.core.errors import DataError
from dragoman.curation.apis.collecting.openapi.references import References
from dragoman.curation.apis.collecting.values import mapping, plain

_MOST = 8
_COMPOSED = ("allOf", "oneOf", "anyOf")
_DEEPEST = 8


def stated_examples(
    source: Mapping[str, object], file: str, references: References
) -> list[object]:
    """Return the examples of a parameter, a header, a media type or a schema, each once, in order.

    Examples may be one (`example`, `x-example`), a list (JSON schema), or named ones with a `value`
    (OpenAPI 3), which may stand elsewhere (`$ref`). What only has an address is not asked for.

    Args:
        source: What states them.
        file: Where it stands.
        references: Follow those to examples that stand elsewhere.
    """
    found: list[object] = []
    for value in _stated(source, file, references):
        bounded = plain(value)
        if bounded is not None and not any(_is_same(bounded, each) for each in found):
            found.append(bounded)
        if len(found) == _MOST:
            break
    return found


def _stated(source: Mapping[str, object], file: str, references: References) -> Iterator[object]:
    for key in ("example", "x-example"):
        if key in source:
            yield _value(source[key], file, references)
    for key in ("examples", "x-examples"):
        some = source.get(key)
        if isinstance(some, list):
            yield from some
        elif isinstance(some, dict):
            for each in some.values():
                yield _value(each, file, references, is_named=True)


def _value(value: object, file: str, references: References, *, is_named: bool = False) -> object:
    """Return an example, of a named one its value; Swagger's are named by media types and have none."""
    raw = mapping(value)
    if "$ref" in raw:
        try:
            value = references.followed(value, file).value
        except DataError:
            return None
        raw = mapping(value)
        is_named = is_named or "value" in raw
    if not is_named:
        return value
    if "value" in raw:
        return raw["value"]
    is_described = bool(raw) and raw.keys() <= {"summary", "description", "externalValue"}
    return None if is_described else value


def examples_of_schema(schema: Mapping[str, object], depth: int = 0) -> list[object]:
    """Return what a schema in one piece states as whole values: its own, then those that it is composed of."""
    found = [schema["const"]] if "const" in schema else []
    if "example" in schema:
        found.append(schema["example"])
    some = schema.get("examples")
    if isinstance(some, list):
        found += some
    elif isinstance(some, dict):
        found += [mapping(each).get("value", each) for each in some.values()]
    if depth < _DEEPEST:
        for key in _COMPOSED:
            parts = schema.get(key)
            for each in parts if isinstance(parts, list) else ():
                found += examples_of_schema(mapping(each), depth + 1)
    return [each for each in found if each is not None][:_MOST]


def examples_of_field(name: str, wholes: list[object]) -> list[object]:
    """Return what examples of an object state for one of its fields."""
    found = (mapping(whole).get(name) for whole in wholes)
    return [each for each in found if each is not None]


def _is_same(one: object, other: object) -> bool:
    return type(one) is type(other) and one == other
