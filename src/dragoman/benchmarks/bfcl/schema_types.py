"""Whether a value has the type that a schema asks for, or that an answer gives it instead.

An answer may hold the name of a variable where the schema wants a number: such a value passes by
its own type, and is then compared as it is.
"""

from collections.abc import Mapping
from typing import NamedTuple

from dragoman.benchmarks.bfcl.questions import OMISSION, Language, Schema
from dragoman.benchmarks.bfcl.rules import BfclRules
from dragoman.benchmarks.bfcl.verdicts import Fault, UndecidableError

TYPES: Mapping[Language, Mapping[str, type]] = {
    "python": {
        "string": str,
        "any": str,
        "integer": int,
        "float": float,
        "boolean": bool,
        "array": list,
        "tuple": list,
        "dict": dict,
    },
    "java": {
        "byte": int,
        "short": int,
        "integer": int,
        "long": int,
        "float": float,
        "double": float,
        "boolean": bool,
        "char": str,
        "String": str,
        "any": str,
        "Array": list,
        "ArrayList": list,
        "HashMap": dict,
    },
    "javascript": {
        "String": str,
        "any": str,
        "integer": int,
        "Bigint": int,
        "float": float,
        "Boolean": bool,
        "array": list,
        "dict": dict,
    },
}


class Slot(NamedTuple):
    """The place of a value: its schema, the language of its types, and the rules."""

    schema: Schema
    language: Language
    rules: BfclRules

    @property
    def expected(self) -> type | None:
        """The type of the value, or None where any will do."""
        kind = self.schema.type
        found = TYPES[self.language].get(kind) if kind is not None else None
        if found is None and not self.rules.open_schemas_are_judged:
            raise UndecidableError(f"the reference knows no {self.language} type {kind!r}")
        return found

    @property
    def elements(self) -> "Slot | None":
        """The place of a list's elements, or None where nothing is said of them."""
        if self.expected is not list:
            return None
        if self.schema.items is None:
            if not self.rules.open_schemas_are_judged:
                raise UndecidableError("the reference needs the element type of every list")
            return None
        return self._replace(schema=self.schema.items)

    def of_key(self, key: object) -> "Slot | None":
        """The place of a value inside an object, or None where nothing is said of it."""
        if self.schema.properties is None or not isinstance(key, str):
            return None
        schema = self.schema.properties.get(key)
        return None if schema is None else self._replace(schema=schema)


class Typed(NamedTuple):
    """A value's type: a fault, or whether the value stands in for one of the schema's type."""

    fault: Fault | None
    stands_in: bool = False


def fitted(value: object, slot: Slot) -> object:
    """Return a value with tuples as lists and whole numbers as floats, where the schema has them."""
    if slot.schema.type == "tuple" and isinstance(value, tuple):
        value = list(value)
    if type(value) is int and slot.expected is float:
        return _as_float(value)
    return _fitted_inside(value, slot) if slot.rules.elements_follow_the_schema else value


def _as_float(value: int) -> object:
    try:
        return float(value)
    except OverflowError:
        return value


def _fitted_inside(value: object, slot: Slot) -> object:
    if isinstance(value, list) and (elements := slot.elements) is not None:
        return [fitted(element, elements) for element in value]
    if isinstance(value, dict) and slot.schema.properties:
        places = {key: slot.of_key(key) for key in value}
        return {
            key: part if (place := places[key]) is None else fitted(part, place)
            for key, part in value.items()
        }
    return value


def typed(value: object, alternatives: list[object], slot: Slot) -> Typed:
    """Return whether a value has the schema's type or that of the answer."""
    return _typed(value, alternatives, slot, slot.elements)


def _typed(value: object, alternatives: list[object], slot: Slot, elements: Slot | None) -> Typed:
    expected = slot.expected
    answered = _answered_types(alternatives, slot.rules)
    kind = type(value)
    stands_in = bool(answered) and kind not in answered
    if elements is not None and isinstance(value, list):
        if _elements_fit(value, alternatives, elements):
            return Typed(None, stands_in)
        return Typed(Fault("type_error:nested", "an element is of another type"))
    if expected is None or kind is expected:
        return Typed(None, stands_in)
    if kind in answered:
        return Typed(None, stands_in=True)
    return Typed(Fault("type_error:simple", f"a {kind.__name__}, not a {slot.schema.type}"))


def _answered_types(alternatives: list[object], rules: BfclRules) -> set[type]:
    values = [value for value in alternatives if value != OMISSION]
    if rules.any_alternative_sets_the_type:
        return {type(value) for value in values}
    return {type(values[0])} if values else set()


def _elements_fit(value: list[object], alternatives: list[object], elements: Slot) -> bool:
    """Whether the elements fit one alternative; any that is no list fits for the reference."""
    strict = elements.rules.elements_follow_the_schema
    inner = elements.elements if strict else None
    lists = [alternative for alternative in alternatives if isinstance(alternative, list)]
    if len(lists) < len(alternatives) and not strict:
        return True
    return any(
        all(_typed(element, listed, elements, inner).fault is None for element in value)
        for listed in lists or [[]]
    )
