"""Whether one call is an expected one: its name and its arguments."""

from collections.abc import Mapping

import msgspec

from dragoman.benchmarks.bfcl.checking.argument_check import WantedArgument
from dragoman.benchmarks.bfcl.checking.schema_types import known_type
from dragoman.benchmarks.bfcl.questions import OMISSION, ExpectedCall, FunctionDocument, Language
from dragoman.benchmarks.bfcl.rules import BfclRules
from dragoman.benchmarks.bfcl.verdicts import CallFault
from dragoman.core.tools import ToolCall

_PLAIN: Mapping[Language, Mapping[str | None, type]] = {
    "python": {"string": str, "any": str, "integer": int, "float": float},
    "java": {},
    "javascript": {},
}
"""The types of schemas of which a value that the answer lists is right, whatever else is said."""

_ODD = frozenset({"", 0, 1})
"""What is listed may be another than these that is equal: the mark of omission, or a truth value."""


class Terms(msgspec.Struct, frozen=True):
    """What calls are judged by.

    `underscored` says that the agent was shown names with `_` for every dot.
    """

    rules: BfclRules
    language: Language
    underscored: bool = False


def has_name(call: ToolCall, function: FunctionDocument, terms: Terms) -> bool:
    """Whether a call has a function's name as the agent was shown it."""
    name = function.name.replace(".", "_") if terms.underscored else function.name
    return call.name == name


def call_fault(
    call: ToolCall, function: FunctionDocument, expected: ExpectedCall, terms: Terms
) -> CallFault | None:
    """Return what keeps a call from being the expected one, or None.

    The name that counts is that of the document, as the reference has it.

    Raises:
        UndecidableError: Where the data, or the reference, allow no verdict.
    """
    name = function.name.replace(".", "_") if terms.underscored else function.name
    if call.name != name:
        why = f"{call.name!r:.100}, not {name}"
        return CallFault("simple_function_checker:wrong_func_name", why)
    given = call.arguments
    if call.positionals and terms.rules.positionals_are_bound:
        bound = _bound(call, function)
        if isinstance(bound, CallFault):
            return bound
        given = bound
    for name in function.parameters.required:
        if name not in given:
            return CallFault("simple_function_checker:missing_required", f"{name} is missing")
    return _arguments_fault(given, function, expected.arguments, terms)


def _arguments_fault(
    given: Mapping[str, object],
    function: FunctionDocument,
    listed: Mapping[str, list[object]],
    terms: Terms,
) -> CallFault | None:
    schemas, language, unlisted = function.parameters.properties, terms.language, 0
    plain = _PLAIN[language]
    for name, value in given.items():
        schema = schemas.get(name)
        if schema is None:
            why = f"{name!r:.50} is unknown"
            return CallFault("simple_function_checker:unexpected_param", why)
        alternatives = listed.get(name)
        if (
            alternatives is not None
            and plain.get(schema.type) is type(value)
            and value in alternatives
            and value not in _ODD
        ):
            continue
        known = known_type(schema, language)
        wanted = WantedArgument(schema, known, language, terms.rules, name, alternatives)
        fault = wanted.fault(value)
        if fault is not None:
            return fault
        unlisted += alternatives is None
    if len(given) - unlisted == len(listed):
        return None
    for name, alternatives in listed.items():
        if name not in given and OMISSION not in alternatives:
            return CallFault("simple_function_checker:missing_optional", f"{name} is missing")
    return None


def _bound(call: ToolCall, function: FunctionDocument) -> dict[str, object] | CallFault:
    """Return a call's arguments by name: those without one take the first names."""
    names = list(function.parameters.properties)[: len(call.positionals)]
    if len(names) < len(call.positionals):
        return CallFault(
            "simple_function_checker:too_many_positionals",
            f"{len(call.positionals)} arguments without a name, {len(names)} parameters",
        )
    twice = [name for name in names if name in call.arguments]
    if twice:
        return CallFault("simple_function_checker:given_twice", f"{twice[0]} is given twice")
    return {**dict(zip(names, call.positionals, strict=True)), **call.arguments}
