"""Whether one call is an expected one: its name and its arguments."""

from collections.abc import Mapping
from typing import NamedTuple

from dragoman.benchmarks.bfcl.checking.argument_check import WantedArgument
from dragoman.benchmarks.bfcl.questions import (
    OMISSION,
    ExpectedCall,
    FunctionDocument,
    Language,
    ParameterSchema,
)
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


class Terms(NamedTuple):
    """What calls are judged by.

    `underscored` says that the agent was shown names with `_` for every dot.
    """

    rules: BfclRules
    language: Language
    underscored: bool = False


class WantedCall:
    """One expected call and the document of its function, for any number of calls.

    The name that counts is that of the document, as the reference has it.
    """

    __slots__ = ("_arguments", "_expected", "_function", "_plain", "_terms", "name")

    def __init__(self, function: FunctionDocument, expected: ExpectedCall, terms: Terms) -> None:
        self._function = function
        self._expected = expected
        self._terms = terms
        self.name = function.name.replace(".", "_") if terms.underscored else function.name
        self._plain = _PLAIN[terms.language]
        self._arguments: dict[str, WantedArgument] = {}

    def fault(self, call: ToolCall) -> CallFault | None:
        """Return what keeps a call from being the expected one, or None.

        Raises:
            UndecidableError: Where the data, or the reference, allow no verdict.
        """
        if call.name != self.name:
            why = f"{call.name!r:.100}, not {self.name}"
            return CallFault("simple_function_checker:wrong_func_name", why)
        given = call.arguments
        if call.positionals and self._terms.rules.positionals_are_bound:
            bound = _bound(call, self._function)
            if isinstance(bound, CallFault):
                return bound
            given = bound
        for name in self._function.parameters.required:
            if name not in given:
                return CallFault("simple_function_checker:missing_required", f"{name} is missing")
        return self._arguments_fault(given)

    def _arguments_fault(self, given: dict[str, object]) -> CallFault | None:
        schemas, listed, plain = (
            self._function.parameters.properties,
            self._expected.arguments,
            self._plain,
        )
        for name, value in given.items():
            schema = schemas.get(name)
            if schema is None:
                why = f"{name!r:.50} is unknown"
                return CallFault("simple_function_checker:unexpected_param", why)
            if (
                plain.get(schema.type) is type(value)
                and value in listed.get(name, ())
                and value not in _ODD
            ):
                continue
            wanted = self._arguments.get(name) or self._argument(name, schema)
            if type(value) is wanted.kind and value in wanted.values:
                continue
            fault = wanted.fault(value)
            if fault is not None:
                return fault
        if not listed.keys() <= given.keys():
            return self._missing(given)
        return None

    def _missing(self, given: dict[str, object]) -> CallFault | None:
        """Return the fault of an argument that is not given though the answer does not let it be."""
        for name, alternatives in self._expected.arguments.items():
            if name not in given and OMISSION not in alternatives:
                return CallFault("simple_function_checker:missing_optional", f"{name} is missing")
        return None

    def _argument(self, name: str, schema: ParameterSchema) -> WantedArgument:
        """Return an argument, prepared when the first value comes that is not plainly right."""
        alternatives = self._expected.arguments.get(name)
        wanted = WantedArgument(name, schema, alternatives, self._terms.language, self._terms.rules)
        self._arguments[name] = wanted
        return wanted


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
