"""Single-turn questions: the functions on offer and the calls that are expected."""

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec
from msgspec import UNSET

from dragoman.core.errors import DataError
from dragoman.core.texts.decoding import UNREADABLE

Language = Literal["python", "java", "javascript"]
"""The language of a question's functions. Java and JavaScript values arrive as source text."""

OMISSION = ""
"""Among the values of an argument, the mark that it may be omitted."""


class ParameterSchema(msgspec.Struct, frozen=True):
    """What a function document says of a value; the type names are those of the language."""

    type: str | None = None
    items: "ParameterSchema | None" = None
    properties: "dict[str, ParameterSchema] | None" = None
    default: object = UNSET


class Parameters(msgspec.Struct, frozen=True):
    """The parameters of a function, in the order of its signature."""

    properties: dict[str, ParameterSchema]
    required: tuple[str, ...] = ()


class FunctionDocument(msgspec.Struct, frozen=True):
    """One function as it is offered; its name may contain dots."""

    name: str
    parameters: Parameters
    description: str = ""


class ExpectedCall(msgspec.Struct, frozen=True):
    """One expected call: for each argument the values that will do."""

    name: str
    arguments: dict[str, list[object]]


class Question(msgspec.Struct, frozen=True):
    """One single-turn question; nothing is expected where only relevance is judged."""

    id: str
    category: str
    functions: tuple[FunctionDocument, ...]
    expected: tuple[ExpectedCall, ...] = ()

    @property
    def language(self) -> Language:
        """The language of the question's functions."""
        if self.category == "simple_java":
            return "java"
        return "javascript" if self.category == "simple_javascript" else "python"


def read_question(
    entry: Mapping[str, object], answers: Sequence[Mapping[str, Mapping[str, list[object]]]] = ()
) -> Question:
    """Return the question of a data entry and of its `ground_truth`.

    Raises:
        DataError: Where the entry has no id, no category in it, or a malformed function document.
    """
    identity = str(entry.get("id"))
    category = str(entry.get("category") or identity.rpartition("_")[0])
    if not category:
        raise DataError(f"BFCL entry {identity!r}: no category in its id; pull the data again")
    try:
        functions = msgspec.convert(entry.get("function"), tuple[FunctionDocument, ...])
        expected = tuple(_expected(answer, identity) for answer in answers)
    except UNREADABLE as error:
        raise DataError(f"BFCL entry {identity}: {error}; pull the data again") from error
    return Question(identity, category, functions, expected)


def _expected(answer: Mapping[str, Mapping[str, list[object]]], identity: str) -> ExpectedCall:
    if len(answer) != 1:
        raise DataError(f"BFCL entry {identity}: an expected call names {len(answer)} functions")
    return msgspec.convert(
        dict(zip(("name", "arguments"), *answer.items(), strict=True)), ExpectedCall
    )
