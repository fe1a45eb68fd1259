"""Types and equality of argument values: schema types, accepted values, normalized texts."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import msgspec

from dragoman.benchmarks.bfcl.entry_files import OMISSION, Language, ParameterSchema
from dragoman.benchmarks.bfcl.rules import BfclRules
from dragoman.benchmarks.bfcl.verdicts import CallFault, UndecidableError

_LISTS = (list, tuple)


def normalize_text(text: str) -> str:
    """Return a text as the reference compares it: no case, no spaces, less punctuation."""
    # Eight searches for one character each take half as long as one table or pattern.
    bare = text.replace(" ", "").replace(",", "").replace(".", "").replace("/", "")
    bare = bare.replace("-", "").replace("_", "").replace("*", "").replace("^", "")
    return bare.lower().replace("'", '"')


def normalize_value(value: object, rules: BfclRules) -> object:
    """Return a value as the rules compare it; what stands inside it is left as it is."""
    if isinstance(value, str) and not rules.strings_match_exactly:
        return normalize_text(value)
    return value


def is_among(value: object, alternatives: Iterable[object], rules: BfclRules) -> bool:
    """Return whether a value is the same as one of the alternatives."""
    if not rules.booleans_are_not_numbers:
        return value in alternatives
    return any(is_same(value, alternative) for alternative in alternatives)


def is_same(one: object, other: object) -> bool:
    """Return whether two values are equal without taking True for 1, at any depth."""
    if isinstance(one, _LISTS) and isinstance(other, _LISTS):
        return len(one) == len(other) and all(map(is_same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(is_same(one[key], other[key]) for key in one)
    return isinstance(one, bool) == isinstance(other, bool) and one == other


class AcceptedValues(msgspec.Struct, frozen=True):
    """The values that one rule set accepts: see `accepted_values`.

    Attributes:
        values: The alternatives, without the mark of omission if the rules do not count it as a
            value.
        rules: The rule set.
    """

    values: list[object]
    rules: BfclRules

    @property
    def types(self) -> list[type]:
        """The types that a value may have instead of the schema's."""
        types = [type(value) for value in self.values if value != OMISSION]
        return types if self.rules.any_alternative_sets_the_type else types[:1]

    @property
    def texts(self) -> list[object]:
        """The texts among the values, as the rules compare them."""
        return [
            normalize_value(value, self.rules) for value in self.values if isinstance(value, str)
        ]

    @property
    def elements(self) -> list["AcceptedValues"]:
        """For each value that is a list, its elements."""
        return [
            accepted_values(value, self.rules) for value in self.values if isinstance(value, list)
        ]

    @property
    def lists(self) -> list[list[object]]:
        """The expected lists; the reference also takes a text as the list of its characters.

        Raises:
            UndecidableError: If the reference raises an error.
        """
        kinds = (list,) if self.rules.markers_are_not_values else (list, str)
        lists = [list(value) for value in self.values if isinstance(value, kinds)]
        if len(lists) < len(self.values) and not self.rules.markers_are_not_values:
            raise UndecidableError(
                "the reference fails on a value that is not a list where it expects lists"
            )
        return lists

    @property
    def comparable_lists(self) -> list[list[object]]:
        """The expected lists with their elements as the rules compare them."""
        return [
            [normalize_value(element, self.rules) for element in listed] for listed in self.lists
        ]


def accepted_values(alternatives: list[object], rules: BfclRules) -> AcceptedValues:
    """Return what will do; where the mark of omission stands alone it is a value."""
    return AcceptedValues(listed_values(alternatives, rules), rules)


def listed_values(alternatives: list[object], rules: BfclRules) -> list[object]:
    """Return the alternatives that are values.

    If the mark of omission is the only alternative, it is a value.
    """
    if not rules.markers_are_not_values or OMISSION not in alternatives:
        return alternatives
    return [value for value in alternatives if value != OMISSION] or alternatives


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
    """The place of a value: see `type_slot`.

    Attributes:
        schema: The function document's schema of the value.
        known: The type that the schema asks for, as far as BFCL knows it.
        language: The programming language of the schema's type names.
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
            return type_slot(self.schema.items, self.language, self.rules)
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
        return None if schema is None else type_slot(schema, self.language, self.rules)


def type_slot(schema: ParameterSchema, language: Language, rules: BfclRules) -> TypeSlot:
    """Return the place of a value that a schema describes."""
    return TypeSlot(schema, known_type(schema, language), language, rules)


class TypeCheckResult(NamedTuple):
    """A value's type: a fault, or whether the value stands in for one of the schema's type."""

    fault: CallFault | None
    stands_in: bool = False


def coerce_value(value: object, slot: TypeSlot) -> object:
    """Return a value with tuples as lists and integers as floats, where the schema requires it."""
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
        return [coerce_value(element, elements) for element in value]
    if isinstance(value, dict) and slot.schema.properties:
        return {
            key: part if (place := slot.of_key(key)) is None else coerce_value(part, place)
            for key, part in value.items()
        }
    return value


_FITTING, _STANDING_IN = TypeCheckResult(None), TypeCheckResult(None, stands_in=True)


def check_type(value: object, answers: AcceptedValues, slot: TypeSlot) -> TypeCheckResult:
    """Return whether a value has the schema's type or that of the answer."""
    kind, types = type(value), answers.types
    elements = None if kind is slot.known and kind is not list else slot.elements
    if elements is not None and isinstance(value, list):
        if not _elements_fit(value, answers, elements):
            return TypeCheckResult(CallFault("type_error:nested", "an element is of another type"))
    elif slot.known is not None and kind is not slot.known:
        if kind in types:
            return _STANDING_IN
        return TypeCheckResult(
            CallFault("type_error:simple", f"a {kind.__name__}, not a {slot.schema.type}")
        )
    return _STANDING_IN if types and kind not in types else _FITTING


def _kind_fits(kind: type, answers: AcceptedValues, slot: TypeSlot) -> bool:
    expected = slot.expected
    return expected is None or kind is expected or kind in answers.types


def _elements_fit(value: list[object], answers: AcceptedValues, elements: TypeSlot) -> bool:
    """Return whether the elements fit one alternative.

    In the reference, any value fits if an alternative is not a list.
    """
    strict = elements.rules.elements_follow_the_schema
    inner = elements.elements if strict else None
    if not strict and not all(isinstance(value, list) for value in answers.values):
        return True
    return any(
        _all_fit(value, listed, elements, inner)
        for listed in answers.elements or (accepted_values([], elements.rules),)
    )


def _all_fit(
    value: Iterable[object], listed: AcceptedValues, elements: TypeSlot, inner: TypeSlot | None
) -> bool:
    if inner is None:
        return all(_kind_fits(kind, listed, elements) for kind in {*map(type, value)})
    return all(
        _elements_fit(element, listed, inner)
        if isinstance(element, list)
        else _kind_fits(type(element), listed, elements)
        for element in value
    )
