"""Check of one argument: its type, and that its value is among the accepted ones.

Java and JavaScript arguments arrive as source text and are parsed first.
"""

import re
from collections.abc import Mapping, Sequence

import msgspec
from msgspec import UNSET

from dragoman.benchmarks.bfcl.ast_checker.value_types import (
    AcceptedValues,
    TypeSlot,
    accepted_values,
    check_type,
    coerce_value,
    is_among,
    is_same,
    known_type,
    normalize_value,
)
from dragoman.benchmarks.bfcl.call_parsers.limits import UnreadableError
from dragoman.benchmarks.bfcl.entry_files import OMISSION
from dragoman.benchmarks.bfcl.rules import BfclRules
from dragoman.benchmarks.bfcl.source_code import java_conversion, javascript_conversion
from dragoman.benchmarks.bfcl.source_code.literals import (
    expression_value,
    is_text,
    plain_value,
    string_value,
)
from dragoman.benchmarks.bfcl.source_code.parser import grammar_for
from dragoman.benchmarks.bfcl.source_code.tokenizer import SourceLanguage, tokenize
from dragoman.benchmarks.bfcl.verdicts import CallFault, UndecidableError

_MAY_BE_QUOTED = re.compile(r"[\s/]*+[\"'`/]")

_JAVA_SUFFIXES = {
    "byte": "",
    "short": "",
    "integer": "",
    "long": "lL",
    "float": "lLfF",
    "double": "lLfFdD",
}


def parse_source_value(text: str, slot: TypeSlot, language: SourceLanguage) -> object:
    """Return the value of a source text where it has the type asked for; else the text.

    Raises:
        UndecidableError: For types on which the reference breaks, where its patterns are asked for.
    """
    if slot.rules.source_values_are_read:
        is_bare = slot.known is str and _MAY_BE_QUOTED.match(text) is None
        return text if is_bare else _read(text, slot, language)
    patterns = java_conversion if language == "java" else javascript_conversion
    items = slot.schema.items
    return patterns.convert(text, slot.schema.type or "", None if items is None else items.type)


def _read(text: str, slot: TypeSlot, language: SourceLanguage) -> object:
    try:
        value, is_quoted = _parse_value(text, language)
    except (UnreadableError, RecursionError):
        return text
    if is_quoted:
        return value
    if slot.expected is str or isinstance(value, str):
        return text
    if isinstance(value, int | float) and not isinstance(value, bool):
        read = _java_number if language == "java" else _javascript_number
        return read(value, text.rstrip(), slot.schema.type)
    return value


def _parse_value(text: str, language: SourceLanguage) -> tuple[object, bool]:
    """Return what a text stands for, and whether it is a string in quotes."""
    value = plain_value(text, language)
    if value is not UNSET:
        return value, False
    source = tokenize(text, language)
    node = grammar_for(source).whole_expression()
    if is_text(node, source):
        return string_value(node, source), True
    return expression_value(node, source), False


def _java_number(value: float, text: str, kind: str | None) -> object:
    """Return a number if the type takes it: Java widens and never narrows."""
    suffix = "" if text[-1].isdigit() or text[-1] == "." else text[-1]
    allowed = _JAVA_SUFFIXES.get(kind or "")
    narrows = kind == "float" and not suffix and not isinstance(value, int)
    return text if allowed is None or suffix not in {"", *allowed} or narrows else value


def _javascript_number(value: float, text: str, kind: str | None) -> object:
    """Return a number if the type takes it: JavaScript has one kind of number and `Bigint`."""
    if (kind == "Bigint") != text.endswith("n"):
        return text
    whole = kind == "integer" and not isinstance(value, int) and value.is_integer()
    return int(value) if whole else value


Entries = Mapping[object, object]


def value_fault(value: object, answers: AcceptedValues, slot: TypeSlot) -> CallFault | None:
    """Return what is wrong with a value that has the schema's type, or None."""
    expected = slot.expected
    if expected is dict and isinstance(value, dict):
        return _object_fault(value, answers.values, slot)
    if expected is list and isinstance(value, list):
        elements = slot.elements
        if elements is not None and elements.expected is dict:
            return _objects_fault(value, answers, elements)
        return _list_fault(value, answers, slot.rules)
    if expected is str and isinstance(value, str):
        return _string_fault(value, answers, slot.rules)
    return exact_fault(value, answers, slot)


def exact_fault(value: object, answers: AcceptedValues, slot: TypeSlot) -> CallFault | None:
    """Return a fault unless a value is one of the alternatives as they stand."""
    if is_among(value, answers.values, slot.rules):
        return None
    return CallFault("value_error:others", f"{value!r:.100} is not among the expected values")


def _string_fault(value: str, answers: AcceptedValues, rules: BfclRules) -> CallFault | None:
    if normalize_value(value, rules) in answers.texts:
        return None
    return CallFault("value_error:string", f"{value!r:.100} is not among the expected texts")


def _list_fault(value: list[object], answers: AcceptedValues, rules: BfclRules) -> CallFault | None:
    given = [normalize_value(element, rules) for element in value]
    if is_among(given, answers.comparable_lists, rules):
        return None
    return CallFault("value_error:list/tuple", f"{value!r:.100} is not among the expected lists")


def _objects_fault(
    value: list[object], answers: AcceptedValues, slot: TypeSlot
) -> CallFault | None:
    fault = CallFault("list_dict_checker:unclear", "no list of objects is expected")
    for wanted in answers.lists:
        if len(value) != len(wanted):
            fault = CallFault(
                "value_error:list_dict_count", f"{len(value)} objects, not {len(wanted)}"
            )
            continue
        found = _first_fault(value, wanted, slot)
        if found is None:
            return None
        fault = found
    return fault


def _first_fault(value: list[object], wanted: Sequence[object], slot: TypeSlot) -> CallFault | None:
    for given, alternative in zip(value, wanted, strict=True):
        if not isinstance(given, dict):
            raise UndecidableError("the reference breaks on a list of objects with something else")
        fault = _object_fault(given, [alternative], slot)
        if fault is not None:
            return fault
    return None


def _object_fault(value: Entries, alternatives: list[object], slot: TypeSlot) -> CallFault | None:
    fault = CallFault("dict_checker:unclear", "no object is expected")
    for alternative in alternatives:
        if alternative == OMISSION:
            continue
        if not isinstance(alternative, dict):
            fault = CallFault(
                "value_error:dict_key", f"no object is expected but {alternative!r:.50}"
            )
            continue
        found = _entries_fault(value, alternative, slot)
        if found is None:
            return None
        fault = found
    return fault


def _entries_fault(value: Entries, wanted: Entries, slot: TypeSlot) -> CallFault | None:
    for key, alternatives in wanted.items():
        if key not in value and not _may_be_omitted(alternatives):
            return CallFault("value_error:dict_key", f"key {key!r:.50} is missing")
    for key, given in value.items():
        if key not in wanted:
            return CallFault("value_error:dict_key", f"key {key!r:.50} is not expected")
        if not _entry_is_right(
            given, _list_alternatives(wanted[key]), slot.of_key(key), slot.rules
        ):
            return CallFault(
                "value_error:dict_value", f"{given!r:.100} is not expected at {key!r:.50}"
            )
    return None


def _may_be_omitted(alternatives: object) -> bool:
    return isinstance(alternatives, str) or OMISSION in _list_alternatives(alternatives)


def _list_alternatives(alternatives: object) -> list[object]:
    """Return the alternatives of a key; text is its characters, as the reference has it."""
    if isinstance(alternatives, list | str):
        return list(alternatives)
    raise UndecidableError(f"the reference breaks on {alternatives!r:.50} as alternatives")


def _entry_is_right(
    given: object, alternatives: list[object], slot: TypeSlot | None, rules: BfclRules
) -> bool:
    answers = accepted_values(alternatives, rules)
    if rules.elements_follow_the_schema and slot is not None:
        fault = check_type(given, answers, slot).fault
        if fault is not None:
            return False
    wanted = [normalize_value(one, rules) for one in answers.values]
    if is_among(normalize_value(given, rules), wanted, rules):
        return True
    return rules.nested_objects_hold_alternatives and any(
        _nested_is_right(given, alternative) for alternative in answers.values
    )


def _nested_is_right(given: object, wanted: object) -> bool:
    """Return whether a nested object has for every key one of the values listed there."""
    if not (isinstance(given, dict) and isinstance(wanted, dict)):
        return False
    return all(
        _may_be_omitted(wanted[key])
        if key not in given
        else _is_accepted_list(given[key], wanted, key)
        for key in wanted
    ) and all(key in wanted for key in given)


def _is_accepted_list(given: object, wanted: Entries, key: object) -> bool:
    listed = wanted[key]
    if not isinstance(listed, list):
        return is_same(given, listed)
    return any(is_same(given, one) for one in listed)


_NOT_TEXT = {"java": "type_error:java", "javascript": "type_error:js"}

_TRUTHS, _COUNTS = frozenset({bool, str}), frozenset({int, float})

_EXACT = range(-(2**53), 2**53 + 1)
"""The whole numbers that are the same as floats."""


class ExpectedArgument(TypeSlot, frozen=True):
    """One argument as the function document and the answer have it.

    Without alternatives the answer does not list it.
    """

    name: str
    alternatives: list[object] | None

    def fault(self, value: object) -> CallFault | None:
        """Return the fault of a value, or None.

        Raises:
            UndecidableError: If the data, or the reference, allow no verdict.
        """
        listed = self.alternatives
        if listed is None and not self.rules.defaults_may_be_given:
            return self._unexpected()
        if self.language != "python":
            if not isinstance(value, str):
                return CallFault(_NOT_TEXT[self.language], f"{self.name} is not source text")
            value = parse_source_value(value, self, self.language)
        if listed is not None and _is_listed_value(value, self, listed):
            return None
        value = coerce_value(value, self)
        if self._is_default(value):
            return None
        return self._unexpected() if listed is None else self._given_fault(value, listed)

    def _is_default(self, value: object) -> bool:
        """Return whether a value that could be omitted is the one that it has then."""
        default, listed = self.schema.default, self.alternatives
        if default is msgspec.UNSET or not self.rules.defaults_may_be_given:
            return False
        return (listed is None or OMISSION in listed) and is_same(
            value, coerce_value(default, self)
        )

    def _unexpected(self) -> CallFault:
        why = f"{self.name} is not expected"
        return CallFault("simple_function_checker:unexpected_param", why)

    def _given_fault(self, value: object, listed: list[object]) -> CallFault | None:
        answers = accepted_values(listed, self.rules)
        found = check_type(value, answers, self)
        fault = found.fault
        if fault is None:
            compared = exact_fault if found.stands_in else value_fault
            fault = compared(value, answers, self)
        return None if fault is None else CallFault(fault.error_type, f"{self.name}: {fault.why}")


def _is_listed_value(value: object, slot: TypeSlot, listed: list[object]) -> bool:
    """Return whether the listed values alone show that a value is right (the usual case).

    The result is False for a truth value that could pass for a number, and for lists other than
    those of texts and of numbers.
    """
    known, kind = slot.known, type(value)
    if known is None or value not in listed:
        return False
    if known is str:
        return kind is str and value != OMISSION
    if isinstance(value, list):
        return known is list and _is_simple(value, slot, listed)
    if kind is not known and not (known is float and kind is int and value in _EXACT):
        return False
    if known is bool:
        return {*map(type, listed)} <= _TRUTHS
    return known in _COUNTS and bool not in map(type, listed)


def _is_simple(value: list[object], slot: TypeSlot, listed: list[object]) -> bool:
    """Return whether a listed value holds only texts, or numbers, as the schema asks."""
    items = None if slot.schema.items is None else known_type(slot.schema.items, slot.language)
    if items is not str and items not in _COUNTS:
        return False
    widens = items is float and slot.rules.elements_follow_the_schema
    for element in value:
        kind = type(element)
        if kind is not items and not (widens and kind is int and element in _EXACT):
            return False
    for one in listed:
        if not isinstance(one, list):
            if one != OMISSION:
                return False
        elif items is not str and bool in map(type, one):
            return False
    return True
