"""Whether a value has the type that a schema asks for, or that an answer gives it instead.

An answer may hold the name of a variable where the schema wants a number: such a value passes by
its own type, and is then compared as it is.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import msgspec

from dragoman.benchmarks.bfcl.checking.answers import Answers, answers_of
from dragoman.benchmarks.bfcl.questions import Language, ParameterSchema
from dragoman.benchmarks.bfcl.rules import BfclRules
from dragoman.benchmarks.bfcl.verdicts import CallFault, UndecidableError

TYPES: Mapping[Language, Mapping[str | None, type]] = {
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


def known_type(schema: ParameterSchema, language: Language) -> type | None:
    """Return the type that a schema asks for, as far as BFCL knows it."""
    return TYPES[language].get(schema.type)


class TypeSlot(msgspec.Struct, frozen=True):
    """The place of a value: see `slot_of`.

    Attributes:
        schema: What the function document says of the value.
        known: The type that the schema asks for, as far as BFCL knows it.
        language: Whose types the schema names.
        rules: The rule set.
    """

    schema: ParameterSchema
    known: type | None
    language: Language
    rules: BfclRules

    @property
    def expected(self) -> type | None:
        """The type of the value, or None where any will do."""
        if self.known is None and not self.rules.open_schemas_are_judged:
            kind = self.schema.type
            raise UndecidableError(f"the reference knows no {self.language} type {kind!r}")
        return self.known

    @property
    def elements(self) -> "TypeSlot | None":
        """The place of a list's elements, or None where nothing is said of them."""
        if self.expected is not list:
            return None
        if self.schema.items is not None:
            return slot_of(self.schema.items, self.language, self.rules)
        if not self.rules.open_schemas_are_judged:
            raise UndecidableError("the reference needs the element type of every list")
        return None

    @property
    def keeps_values(self) -> bool:
        """Whether every value stays as it is when it is fitted into the place."""
        return self.known in {str, int, bool} and not self.schema.properties

    def of_key(self, key: object) -> "TypeSlot | None":
        """The place of a value inside an object, or None where nothing is said of it."""
        if self.schema.properties is None or not isinstance(key, str):
            return None
        schema = self.schema.properties.get(key)
        return None if schema is None else slot_of(schema, self.language, self.rules)


def slot_of(schema: ParameterSchema, language: Language, rules: BfclRules) -> TypeSlot:
    """Return the place of a value that a schema describes."""
    return TypeSlot(schema, known_type(schema, language), language, rules)


class Typed(NamedTuple):
    """A value's type: a fault, or whether the value stands in for one of the schema's type."""

    fault: CallFault | None
    stands_in: bool = False


def fitted(value: object, slot: TypeSlot) -> object:
    """Return a value with tuples as lists and whole numbers as floats, where the schema has them."""
    if isinstance(value, str):
        return value
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


def _fitted_inside(value: object, slot: TypeSlot) -> object:
    if isinstance(value, list) and (elements := slot.elements) is not None:
        if elements.keeps_values:
            return value
        return [fitted(element, elements) for element in value]
    if isinstance(value, dict) and slot.schema.properties:
        return {
            key: part if (place := slot.of_key(key)) is None else fitted(part, place)
            for key, part in value.items()
        }
    return value


_FITTING, _STANDING_IN = Typed(None), Typed(None, stands_in=True)


def typed(value: object, answers: Answers, slot: TypeSlot) -> Typed:
    """Return whether a value has the schema's type or that of the answer."""
    kind, types = type(value), answers.types
    elements = None if kind is slot.known and kind is not list else slot.elements
    if elements is not None and isinstance(value, list):
        if not _elements_fit(value, answers, elements):
            return Typed(CallFault("type_error:nested", "an element is of another type"))
    elif slot.known is not None and kind is not slot.known:
        if kind in types:
            return _STANDING_IN
        return Typed(CallFault("type_error:simple", f"a {kind.__name__}, not a {slot.schema.type}"))
    return _STANDING_IN if types and kind not in types else _FITTING


def _kind_fits(kind: type, answers: Answers, slot: TypeSlot) -> bool:
    expected = slot.expected
    return expected is None or kind is expected or kind in answers.types


def _elements_fit(value: list[object], answers: Answers, elements: TypeSlot) -> bool:
    """Whether the elements fit one alternative; any that is no list fits for the reference."""
    strict = elements.rules.elements_follow_the_schema
    inner = elements.elements if strict else None
    if not strict and not all(isinstance(value, list) for value in answers.values):
        return True
    return any(
        _all_fit(value, listed, elements, inner)
        for listed in answers.elements or (answers_of([], elements.rules),)
    )


def _all_fit(
    value: Iterable[object], listed: Answers, elements: TypeSlot, inner: TypeSlot | None
) -> bool:
    if inner is None:
        return all(_kind_fits(kind, listed, elements) for kind in {*map(type, value)})
    return all(
        _elements_fit(element, listed, inner)
        if isinstance(element, list)
        else _kind_fits(type(element), listed, elements)
        for element in value
    )
