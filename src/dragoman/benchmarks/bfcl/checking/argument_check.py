"""Whether the value of one argument is right: its type, and that the answer takes it."""

import msgspec

from dragoman.benchmarks.bfcl.checking.answers import answers_of
from dragoman.benchmarks.bfcl.checking.schema_types import TypeSlot, fitted, known_type, typed
from dragoman.benchmarks.bfcl.checking.source_values import read_value
from dragoman.benchmarks.bfcl.checking.standard_form import is_same
from dragoman.benchmarks.bfcl.checking.value_check import exact_fault, value_fault
from dragoman.benchmarks.bfcl.questions import OMISSION
from dragoman.benchmarks.bfcl.verdicts import CallFault

_NOT_TEXT = {"java": "type_error:java", "javascript": "type_error:js"}

_TRUTHS, _COUNTS = frozenset({bool, str}), frozenset({int, float})

_EXACT = range(-(2**53), 2**53 + 1)
"""The whole numbers that are the same as floats."""


class WantedArgument(TypeSlot, frozen=True):
    """One argument as the function document and the answer have it.

    Without alternatives the answer does not list it.
    """

    name: str
    alternatives: list[object] | None

    def fault(self, value: object) -> CallFault | None:
        """Return what is wrong with a value, or None.

        Raises:
            UndecidableError: Where the data, or the reference, allow no verdict.
        """
        listed = self.alternatives
        if listed is None and not self.rules.defaults_may_be_given:
            return self._unexpected()
        if self.language != "python":
            if not isinstance(value, str):
                return CallFault(_NOT_TEXT[self.language], f"{self.name} is no source text")
            value = read_value(value, self, self.language)
        if listed is not None and _is_listed(value, self, listed):
            return None
        value = fitted(value, self)
        if self._is_default(value):
            return None
        return self._unexpected() if listed is None else self._given_fault(value, listed)

    def _is_default(self, value: object) -> bool:
        """Whether a value that could be omitted is the one that it has then."""
        default, listed = self.schema.default, self.alternatives
        if default is msgspec.UNSET or not self.rules.defaults_may_be_given:
            return False
        return (listed is None or OMISSION in listed) and is_same(value, fitted(default, self))

    def _unexpected(self) -> CallFault:
        why = f"{self.name} is not expected"
        return CallFault("simple_function_checker:unexpected_param", why)

    def _given_fault(self, value: object, listed: list[object]) -> CallFault | None:
        answers = answers_of(listed, self.rules)
        found = typed(value, answers, self)
        fault = found.fault
        if fault is None:
            compared = exact_fault if found.stands_in else value_fault
            fault = compared(value, answers, self)
        return None if fault is None else CallFault(fault.error_type, f"{self.name}: {fault.why}")


def _is_listed(value: object, slot: TypeSlot, listed: list[object]) -> bool:
    """Whether a value is right by what the answer lists alone, as most that are right are.

    Where a truth value could pass for a number it is not, and of lists only those of texts and of
    numbers are simple enough.
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
    """Whether all elements of a listed value are texts, or numbers, as the schema asks for them."""
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
