"""Reference answers: calls that pass a question's check, for the oracle agent to play."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

from dragoman.benchmarks.bfcl.ast_checker.call_check import CallCheckContext, check_calls
from dragoman.benchmarks.bfcl.entry_files import (
    OMISSION,
    ExpectedCall,
    FunctionDocument,
    ParameterSchema,
    Question,
)
from dragoman.benchmarks.bfcl.rules import BFCL_V4, DEFAULT_RULES, BfclRules
from dragoman.benchmarks.bfcl.source_code.rendering import render_value
from dragoman.benchmarks.bfcl.verdicts import Judged
from dragoman.core.tools import ToolCall


class AnswerChoice(NamedTuple):
    """A choice among the accepted values, and of giving or omitting optional arguments.

    `last` takes the last accepted value, otherwise the first; `gives_all` gives optional arguments
    too.
    """

    last: bool
    gives_all: bool


CHOICES = tuple(
    AnswerChoice(last, gives_all) for last, gives_all in product((False, True), repeat=2)
)


def reference_answer(question: Question) -> tuple[ToolCall, ...]:
    """Return an answer's calls, if possible ones that pass our and the reference's rules.

    If a call is wanted but none is listed, the first function is called without arguments. If no
    call is wanted or no function is on offer, the result is empty.
    """
    if question.category.endswith("irrelevance") or not question.functions:
        return ()
    if not question.expected:
        return (ToolCall("0", question.functions[0].name, {}),)
    passing = first = None
    for answer in _answers(question):
        first = first or answer
        if _passes(question, answer, DEFAULT_RULES):
            if _passes(question, answer, BFCL_V4):
                return answer
            passing = passing or answer
    return passing or first or ()


def _passes(question: Question, answer: Sequence[ToolCall], rules: BfclRules) -> bool:
    found = check_calls(question, answer, CallCheckContext(rules, question.language))
    return isinstance(found, Judged) and found.valid


def _answers(question: Question) -> Iterator[tuple[ToolCall, ...]]:
    documents = {function.name: function for function in question.functions}
    for choice in CHOICES:
        yield tuple(
            ToolCall(
                str(number),
                expected.name,
                _arguments(expected, documents.get(expected.name), question, choice),
            )
            for number, expected in enumerate(question.expected)
        )


def _arguments(
    expected: ExpectedCall,
    document: FunctionDocument | None,
    question: Question,
    choice: AnswerChoice,
) -> dict[str, object]:
    schemas = {} if document is None else document.parameters.properties
    chosen = _choose_arguments(expected.arguments, choice)
    if question.language == "python":
        return chosen
    return {
        name: render_value(value, schemas.get(name, ParameterSchema()), question.language)
        for name, value in chosen.items()
    }


def _choose_arguments(
    arguments: Mapping[str, list[object]], choice: AnswerChoice
) -> dict[str, object]:
    chosen = {}
    for name, alternatives in arguments.items():
        values = [value for value in alternatives if value != OMISSION]
        if OMISSION in alternatives and not (choice.gives_all and values):
            continue
        chosen[name] = _value(values[-1 if choice.last else 0], choice) if values else OMISSION
    return chosen


def _value(value: object, choice: AnswerChoice) -> object:
    """Return a value with one alternative chosen in every nested object."""
    match value:
        case list():
            return [_value(element, choice) for element in value]
        case dict() if all(isinstance(part, list) for part in value.values()):
            return _choose_arguments(value, choice)
        case dict():
            return {name: _value(part, choice) for name, part in value.items()}
        case _:
            return value
