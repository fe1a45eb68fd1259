"""Localization support of BFCL: values of expected calls, and conditions that are refused.

The user's words may have to state these values in any language.
"""

from collections.abc import Iterator, Mapping, Sequence

from dragoman.benchmarks.bfcl.entry_files import OMISSION, Question
from dragoman.benchmarks.bfcl.multi_turn_entries import MultiTurnEntry
from dragoman.core.conditions import TEXT, Condition
from dragoman.core.texts.entities import expected_value
from dragoman.core.texts.expected_values import ExpectedValue


def unsupported_language_reason(condition: Condition) -> str:
    """Return why questions do not support a condition's language; "" if they do.

    The user says the question itself, so a user cannot speak a language that the questions are not
    in.
    """
    localized = condition.localized
    if localized is None:
        return ""
    if len(localized.languages) > 1:
        return "each question has functions of its own, which languages cannot share"
    surfaces = {*localized.surfaces}
    if "tasks" not in surfaces and surfaces != {"tools"}:
        return "its questions are the conversation: --scenario tasks, tools, tasks+tools or domain"
    if condition.voice != TEXT and "tasks" in surfaces and "conversation" not in surfaces:
        return "speech needs the conversation in that language: use --scenario domain"
    return ""


def single_turn_values(question: Question) -> tuple[ExpectedValue, ...]:
    """Return the accepted values for each argument of each expected call."""
    return tuple(value for call in question.expected for value in _arguments(call.arguments))


def turn_values(entry: MultiTurnEntry) -> tuple[ExpectedValue, ...]:
    """Return the arguments of every turn's calls.

    A positional argument has the name of its parameter.
    """
    names = {document.name: tuple(document.properties) for document in entry.documents}
    return tuple(
        expected_value(turn, name, (value,))
        for turn, calls in enumerate(entry.gold)
        for call in calls
        for name, value in (
            *zip(names[call.name], call.positionals, strict=False),
            *call.arguments.items(),
        )
    )


def _arguments(arguments: Mapping[str, Sequence[object]]) -> Iterator[ExpectedValue]:
    """Yield each argument's value; what objects hold is an argument of its own."""
    for name, alternatives in arguments.items():
        plain = []
        for alternative in alternatives:
            objects = list(_objects(alternative))
            for each in objects:
                yield from _arguments(each)
            if not objects and alternative != OMISSION:
                plain.append(alternative)
        if plain:
            yield expected_value(0, name, plain)


def _objects(value: object) -> Iterator[Mapping[str, Sequence[object]]]:
    """Yield the objects in a value; their parts are lists of what will do."""
    if isinstance(value, dict):
        yield {name: part if isinstance(part, list) else [part] for name, part in value.items()}
    elif isinstance(value, list):
        for part in value:
            yield from _objects(part)
