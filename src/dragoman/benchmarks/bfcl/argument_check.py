"""Whether the value of one argument is right: its type, and that the answer takes it."""

from collections.abc import Mapping
from functools import cached_property

import msgspec

from dragoman.benchmarks.bfcl.answers import Answers, values_of
from dragoman.benchmarks.bfcl.questions import OMISSION, Language, Schema
from dragoman.benchmarks.bfcl.rules import BfclRules
from dragoman.benchmarks.bfcl.schema_types import Slot, fitted, known_type, typed
from dragoman.benchmarks.bfcl.source_values import read_value
from dragoman.benchmarks.bfcl.standard_form import is_same
from dragoman.benchmarks.bfcl.value_check import exact_fault, value_fault
from dragoman.benchmarks.bfcl.verdicts import Fault

_EXACT_BITS = 53
"""Of whole numbers that are floats for certain."""

_NOT_TEXT = {"java": "type_error:java", "javascript": "type_error:js"}

Taken = Mapping[type, list[object]]


class WantedArgument:
    """One argument as the function document and the answer have it, for any number of values.

    Most values are as the answer has them: what others need is found out when the first one comes.

    Attributes:
        taken: By type, values that are right whatever else is said.
    """

    def __init__(
        self,
        name: str,
        schema: Schema,
        alternatives: list[object] | None,
        language: Language,
        rules: BfclRules,
    ) -> None:
        """Prepare an argument; without alternatives the answer does not list it."""
        self._name = name
        self._schema = schema
        self._alternatives = alternatives
        self._language = language
        self._rules = rules
        self.taken: Taken = {}
        if alternatives is not None and language == "python":
            self.taken = _taken(values_of(alternatives, rules), known_type(schema, language))

    def fault(self, value: object) -> Fault | None:
        """Return what is wrong with a value, or None.

        Raises:
            UndecidableError: Where the data, or the reference, allow no verdict.
        """
        alternatives = self._alternatives
        may_be_omitted = alternatives is None or OMISSION in alternatives
        by_default = self._rules.defaults_may_be_given and may_be_omitted
        if alternatives is None and not by_default:
            return self._unexpected()
        if self._language != "python":
            if not isinstance(value, str):
                return Fault(_NOT_TEXT[self._language], f"{self._name} is no source text")
            value = read_value(value, self._slot, self._language)
        value = fitted(value, self._slot)
        if by_default and self._is_default(value):
            return None
        return self._unexpected() if alternatives is None else self._given_fault(value)

    @cached_property
    def _slot(self) -> Slot:
        return Slot(self._schema, self._language, self._rules)

    @cached_property
    def _answers(self) -> Answers:
        return Answers(self._alternatives or [], self._rules)

    def _unexpected(self) -> Fault:
        why = f"{self._name} is not expected"
        return Fault("simple_function_checker:unexpected_param", why)

    def _is_default(self, value: object) -> bool:
        default = self._schema.default
        return default is not msgspec.UNSET and is_same(value, fitted(default, self._slot))

    def _given_fault(self, value: object) -> Fault | None:
        found = typed(value, self._answers, self._slot)
        fault = found.fault
        if fault is None:
            compared = exact_fault if found.stands_in else value_fault
            fault = compared(value, self._answers, self._slot)
        return None if fault is None else Fault(fault.error_type, f"{self._name}: {fault.why}")


def _taken(values: list[object], known: type | None) -> Taken:
    """Return the texts, numbers and truth values that have the schema's type and are an answer.

    A whole number serves as a float only where it is one exactly.
    """
    if known is str or known is bool:
        return {known: [value for value in values if type(value) is known]}
    if known is not int and known is not float:
        return {}
    numbers: list[object] = [
        value for value in values if isinstance(value, int | float) and type(value) is not bool
    ]
    if known is int:
        return {int: numbers}
    return {float: numbers, int: [number for number in numbers if _is_float(number)]}


def _is_float(number: object) -> bool:
    if isinstance(number, float):
        return True
    return isinstance(number, int) and number.bit_length() <= _EXACT_BITS
