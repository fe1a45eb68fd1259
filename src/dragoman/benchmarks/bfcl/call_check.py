"""Whether one call is an expected one: name, arguments, their types and their values."""

from typing import NamedTuple

import msgspec

from dragoman.benchmarks.bfcl.questions import (
    OMISSION,
    ExpectedCall,
    FunctionDocument,
    Language,
    Schema,
)
from dragoman.benchmarks.bfcl.rules import BfclRules
from dragoman.benchmarks.bfcl.schema_types import Slot, fitted, typed
from dragoman.benchmarks.bfcl.source_values import read_value
from dragoman.benchmarks.bfcl.standard_form import is_same, values_of
from dragoman.benchmarks.bfcl.value_check import exact_fault, value_fault
from dragoman.benchmarks.bfcl.verdicts import Fault
from dragoman.core.tools import ToolCall

_NOT_TEXT = {"java": "type_error:java", "javascript": "type_error:js"}


class Terms(NamedTuple):
    """What calls are judged by.

    `underscored` says that the agent was shown names with `_` for every dot.
    """

    rules: BfclRules
    language: Language
    underscored: bool = False


def call_fault(
    call: ToolCall, function: FunctionDocument, expected: ExpectedCall, terms: Terms
) -> Fault | None:
    """Return what keeps a call from being the expected one, or None.

    The name that counts is that of the function document, as the reference has it.

    Raises:
        UndecidableError: Where the data, or the reference, allow no verdict.
    """
    name = function.name.replace(".", "_") if terms.underscored else function.name
    if call.name != name:
        return Fault("simple_function_checker:wrong_func_name", f"{call.name!r:.100}, not {name}")
    bound = _bound(call, function) if terms.rules.positionals_are_bound else call.arguments
    if isinstance(bound, Fault):
        return bound
    for required in function.parameters.required:
        if required not in bound:
            return Fault("simple_function_checker:missing_required", f"{required} is missing")
    return _arguments_fault(bound, function, expected, terms)


def _bound(call: ToolCall, function: FunctionDocument) -> dict[str, object] | Fault:
    """Return a call's arguments by name: those without one take the first names."""
    if not call.positionals:
        return call.arguments
    names = list(function.parameters.properties)[: len(call.positionals)]
    if len(names) < len(call.positionals):
        return Fault(
            "simple_function_checker:too_many_positionals",
            f"{len(call.positionals)} arguments without a name, {len(names)} parameters",
        )
    twice = [name for name in names if name in call.arguments]
    if twice:
        return Fault("simple_function_checker:given_twice", f"{twice[0]} is given twice")
    return {**dict(zip(names, call.positionals, strict=True)), **call.arguments}


def _arguments_fault(
    arguments: dict[str, object], function: FunctionDocument, expected: ExpectedCall, terms: Terms
) -> Fault | None:
    schemas = function.parameters.properties
    for name, value in arguments.items():
        schema = schemas.get(name)
        if schema is None:
            return Fault("simple_function_checker:unexpected_param", f"{name!r:.50} is unknown")
        fault = _argument_fault(name, value, schema, expected, terms)
        if fault is not None:
            return fault
    for name, alternatives in expected.arguments.items():
        if name not in arguments and OMISSION not in alternatives:
            return Fault("simple_function_checker:missing_optional", f"{name} is missing")
    return None


def _argument_fault(
    name: str, value: object, schema: Schema, expected: ExpectedCall, terms: Terms
) -> Fault | None:
    slot = Slot(schema, terms.language, terms.rules)
    alternatives = expected.arguments.get(name)
    may_be_omitted = alternatives is None or OMISSION in alternatives
    by_default = terms.rules.defaults_may_be_given and may_be_omitted
    if alternatives is None and not by_default:
        return Fault("simple_function_checker:unexpected_param", f"{name} is not expected")
    if terms.language != "python":
        if not isinstance(value, str):
            return Fault(_NOT_TEXT[terms.language], f"{name} is no source text")
        value = read_value(value, slot, terms.language)
    value = fitted(value, slot)
    if by_default and _is_default(value, slot):
        return None
    if alternatives is None:
        return Fault("simple_function_checker:unexpected_param", f"{name} is not expected")
    return _of_argument(name, _given_fault(value, values_of(alternatives, terms.rules), slot))


def _is_default(value: object, slot: Slot) -> bool:
    default = slot.schema.default
    return default is not msgspec.UNSET and is_same(value, fitted(default, slot))


def _given_fault(value: object, alternatives: list[object], slot: Slot) -> Fault | None:
    kind = typed(value, alternatives, slot)
    if kind.fault is not None:
        return kind.fault
    if kind.stands_in:
        return exact_fault(value, alternatives, slot.rules)
    return value_fault(value, alternatives, slot)


def _of_argument(name: str, fault: Fault | None) -> Fault | None:
    return None if fault is None else Fault(fault.error_type, f"{name}: {fault.why}")
