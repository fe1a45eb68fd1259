"""Whether the value of one argument is right: its type, and that the answer takes it."""

from functools import cached_property

import msgspec

from dragoman.benchmarks.bfcl.checking.answers import Answers, values_of
from dragoman.benchmarks.bfcl.checking.schema_types import TypeSlot, fitted, known_type, typed
from dragoman.benchmarks.bfcl.checking.source_values import read_value
from dragoman.benchmarks.bfcl.checking.standard_form import comparable, is_same
from dragoman.benchmarks.bfcl.checking.value_check import exact_fault, value_fault
from dragoman.benchmarks.bfcl.questions import OMISSION, Language, ParameterSchema
from dragoman.benchmarks.bfcl.rules import BfclRules
from dragoman.benchmarks.bfcl.verdicts import CallFault

_NOT_TEXT = {"java": "type_error:java", "javascript": "type_error:js"}

_NUMBERS = frozenset({int, float, bool})
_COUNTS, _TEXT = _NUMBERS - {bool}, frozenset({str})

_EXACT = range(-(2**53), 2**53 + 1)
"""The whole numbers that are the same as floats."""


class WantedArgument:
    """One argument as the function document and the answer have it, for any number of values.

    Most values are as the answer has them: what others need is found out when the first one comes.

    Attributes:
        kind: The type of which a value that is among `values` is right, whatever else is said; None
            where there is none, and where values come as source text.
        values: The values that the answer takes.
    """

    def __init__(
        self,
        name: str,
        schema: ParameterSchema,
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
        self.values = [] if alternatives is None else values_of(alternatives, rules)
        self._right_kind = _right_kind(schema, language, self.values) if self.values else None
        self.kind = self._right_kind if language == "python" else None
        self._slot: TypeSlot | None = None
        self._answers: Answers | None = None

    def fault(self, value: object) -> CallFault | None:
        """Return what is wrong with a value, or None.

        Raises:
            UndecidableError: Where the data, or the reference, allow no verdict.
        """
        if self._language == "python" and self._is_listed(value):
            return None
        alternatives = self._alternatives
        may_be_omitted = alternatives is None or OMISSION in alternatives
        by_default = self._rules.defaults_may_be_given and may_be_omitted
        if alternatives is None and not by_default:
            return self._unexpected()
        slot = self._prepared_slot()
        if self._language != "python":
            if not isinstance(value, str):
                return CallFault(_NOT_TEXT[self._language], f"{self._name} is no source text")
            value = read_value(value, slot, self._language)
        value = fitted(value, slot)
        if type(value) is self._right_kind and value in self.values:
            return None
        if by_default and _is_default(value, slot):
            return None
        return self._unexpected() if alternatives is None else self._given_fault(value, slot)

    def _is_listed(self, value: object) -> bool:
        """Whether a value is right by what the answer lists alone, as most that are right are."""
        if type(value) is int:
            return self.kind is float and value in _EXACT and value in self.values
        if isinstance(value, str):
            return self.kind is str and comparable(value, self._rules) in self._texts
        if not isinstance(value, list) or value not in self.values:
            return False
        return bool(self._elements) and {*map(type, value)} <= self._elements

    @cached_property
    def _texts(self) -> frozenset[object]:
        """The texts that the answer lists, as the rules compare them; none where it lists more."""
        if not all(isinstance(listed, str) for listed in self.values):
            return frozenset()
        return frozenset(comparable(listed, self._rules) for listed in self.values)

    @cached_property
    def _elements(self) -> frozenset[type]:
        """The type of elements of a list that is right where it is listed; empty where there is none."""
        items = None if self._schema.items is None else known_type(self._schema.items, "python")
        is_simple = (
            known_type(self._schema, "python") is list
            and (items is int or items is float)
            and all(_is_of(_COUNTS, listed) for listed in self.values)
        )
        return frozenset({items}) if is_simple and items is not None else frozenset()

    def _prepared_slot(self) -> TypeSlot:
        if self._slot is None:
            self._slot = TypeSlot(self._schema, self._language, self._rules)
        return self._slot

    def _prepared_answers(self) -> Answers:
        if self._answers is None:
            self._answers = Answers(self.values, self._rules)
        return self._answers

    def _unexpected(self) -> CallFault:
        why = f"{self._name} is not expected"
        return CallFault("simple_function_checker:unexpected_param", why)

    def _given_fault(self, value: object, slot: TypeSlot) -> CallFault | None:
        answers = self._prepared_answers()
        found = typed(value, answers, slot)
        fault = found.fault
        if fault is None:
            compared = exact_fault if found.stands_in else value_fault
            fault = compared(value, answers, slot)
        return None if fault is None else CallFault(fault.error_type, f"{self._name}: {fault.why}")


def _is_default(value: object, slot: TypeSlot) -> bool:
    default = slot.schema.default
    return default is not msgspec.UNSET and is_same(value, fitted(default, slot))


def _right_kind(schema: ParameterSchema, language: Language, values: list[object]) -> type | None:
    """Return the type that a schema asks for where a value of it, if it is listed, must be right.

    Where a truth value could pass for a number there is none, and of lists only those of texts are
    simple enough.
    """
    known = known_type(schema, language)
    if known is str:
        return str
    if known is list:
        is_simple = schema.items is not None and known_type(schema.items, language) is str
        return list if is_simple and all(_is_of(_TEXT, value) for value in values) else None
    if known not in _NUMBERS:
        return None
    kinds = {known, *map(type, values)}
    return None if bool in kinds and kinds - {bool, str} else known


def _is_of(kinds: frozenset[type], value: object) -> bool:
    """Whether an alternative is a list of such values, or the mark of omission."""
    if isinstance(value, list):
        return {*map(type, value)} <= kinds
    return value == OMISSION
