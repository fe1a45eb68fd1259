"""Operations as functions that are offered: names that every provider takes, and schemas."""

import re
from collections.abc import Iterable, Mapping

from dragoman.core.apis.documents import ApiParameter, Operation
from dragoman.core.keys import content_key
from dragoman.core.texts.unaccented import unaccented
from dragoman.core.tools import ToolSpec

_PLAIN = re.compile(r"[A-Za-z0-9_-]{1,64}")
_OTHER = re.compile(r"[^A-Za-z0-9]+")
_MOST, _KEPT = 64, 55
_FEWEST = 3
_TYPES = frozenset(("string", "integer", "number", "boolean", "array", "object"))


def wire_names(names: Iterable[str]) -> Mapping[str, str]:
    """Return for every name of an operation the one by which native calls reach it, all different.

    Providers take Latin letters, digits, `_` and `-`, 64 at most; a name of these stays as it is.
    Of another what is left is kept; where too little is left, or two would be one, a hash tells them.
    """
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in sorted(set(names), key=lambda name: (not _PLAIN.fullmatch(name), name)):
        wire = name if _PLAIN.fullmatch(name) else _wire(name)
        if wire in taken:
            wire = f"{wire[:_KEPT]}_{content_key(name)[:8]}"
        taken.add(wire)
        found[name] = wire
    return found


def _wire(name: str) -> str:
    plain = _OTHER.sub("_", unaccented(name)).strip("_")
    letters = sum(letter.isalpha() for letter in plain)
    if letters < _FEWEST or letters * 2 < sum(letter.isalpha() for letter in name):
        return f"api_{content_key(name)[:8]}"
    return plain[:_MOST]


def tool_of(operation: Operation, name: str) -> ToolSpec:
    """Return an operation as a function of that name; a description begins with its own."""
    own = "" if name == operation.name else f"{operation.name}: "
    return ToolSpec(name, f"{own}{operation.description}", _schema(operation))


def _schema(operation: Operation) -> dict[str, object]:
    return {
        "type": "object",
        "properties": {each.name: parameter_schema(each) for each in operation.parameters},
        "required": [each.name for each in operation.required_parameters],
    }


def parameter_schema(parameter: ApiParameter) -> dict[str, object]:
    """Return the JSON schema of a parameter, its description, example and default in words."""
    kind = {"type": parameter.type} if parameter.type in _TYPES else {}
    schema: dict[str, object] = {**kind, **parameter.schema}
    said = [parameter.description]
    if parameter.example is not None:
        said.append(f"Example: {parameter.example}")
    if parameter.default is not None and parameter.default != "":
        said.append(f"Default: {parameter.default}")
    return {**schema, "description": " ".join(filter(None, said))}
