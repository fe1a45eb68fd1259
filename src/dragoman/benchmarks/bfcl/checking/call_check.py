"""Whether one call is an expected one: its name and its arguments."""

from typing import NamedTuple

from dragoman.benchmarks.bfcl.checking.argument_check import WantedArgument
from dragoman.benchmarks.bfcl.questions import OMISSION, ExpectedCall, FunctionDocument, Language
from dragoman.benchmarks.bfcl.rules import BfclRules
from dragoman.benchmarks.bfcl.verdicts import CallFault
from dragoman.core.tools import ToolCall


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

    def __init__(self, function: FunctionDocument, expected: ExpectedCall, terms: Terms) -> None:
        self._function = function
        self._expected = expected
        self._terms = terms
        self._name = function.name.replace(".", "_") if terms.underscored else function.name
        self._required = function.parameters.required
        self._needed = [
            name
            for name, alternatives in expected.arguments.items()
            if OMISSION not in alternatives and name not in self._required
        ]
        self._arguments: dict[str, WantedArgument] = {}

    def fault(self, call: ToolCall) -> CallFault | None:
        """Return what keeps a call from being the expected one, or None.

        Raises:
            UndecidableError: Where the data, or the reference, allow no verdict.
        """
        if call.name != self._name:
            why = f"{call.name!r:.100}, not {self._name}"
            return CallFault("simple_function_checker:wrong_func_name", why)
        given = call.arguments
        if call.positionals and self._terms.rules.positionals_are_bound:
            bound = _bound(call, self._function)
            if isinstance(bound, CallFault):
                return bound
            given = bound
        for name in self._required:
            if name not in given:
                return CallFault("simple_function_checker:missing_required", f"{name} is missing")
        return self._arguments_fault(given)

    def _arguments_fault(self, given: dict[str, object]) -> CallFault | None:
        for name, value in given.items():
            wanted = self._arguments.get(name) or self._argument(name)
            if wanted is None:
                why = f"{name!r:.50} is unknown"
                return CallFault("simple_function_checker:unexpected_param", why)
            if type(value) is wanted.kind and value in wanted.values:
                continue
            fault = wanted.fault(value)
            if fault is not None:
                return fault
        for name in self._needed:
            if name not in given:
                return CallFault("simple_function_checker:missing_optional", f"{name} is missing")
        return None

    def _argument(self, name: str) -> WantedArgument | None:
        """Return an argument, prepared when it is first given; None for one that is unknown."""
        schema = self._function.parameters.properties.get(name)
        if schema is None:
            return None
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
