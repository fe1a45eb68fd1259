"""Entry files of BFCL: JSON lines with answers in a second file, and single-turn questions.

A question holds the functions on offer and the calls that are expected.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeVar

import msgspec
from msgspec import UNSET

from dragoman.core.errors import DataError
from dragoman.core.texts.decoding import DECODING_ERRORS

AGAIN = "run `dragoman data pull bfcl` again"
"""Advice for pulled data that are damaged."""

Read = Callable[[str], bytes]
"""Function that returns a file of upstream's data by its short name."""

_T = TypeVar("_T")


class EntryLine(NamedTuple):
    """One line of a file, which a refusal can name."""

    file: str
    number: int
    text: bytes

    def refusal(self, why: object) -> DataError:
        """Return the error that says where the data are wrong and what helps."""
        return DataError(f"{self.file}, line {self.number}: {why}; {AGAIN}")

    def decoded(self, kind: type[_T]) -> _T:
        """Return the line's object as a record, or raise DataError."""
        try:
            return msgspec.json.decode(self.text, type=kind)
        except DECODING_ERRORS as error:
            raise self.refusal(error) from error


def read_lines(name: str, read: Read) -> list[EntryLine]:
    """Return the lines of a file that hold anything, or raise DataError where none does."""
    lines = [EntryLine(name, *line) for line in enumerate(read(name).split(b"\n"), 1) if line[1]]
    if not lines:
        raise DataError(f"{name} holds no entries; {AGAIN}")
    return lines


def check_ids(lines: list[EntryLine], ids: list[str]) -> None:
    """Raise DataError where two entries of a file have the same id."""
    if len(set(ids)) < len(ids):
        raise DataError(f"{lines[0].file}: two entries have the same id; {AGAIN}")


def check_answer_ids(name: str, found: Iterable[str], ids: list[str]) -> None:
    """Raise DataError where the ids of answers are not those of the questions in order."""
    if list(found) != ids:
        raise DataError(f"{name}: its ids are not those of the questions in order; {AGAIN}")


Language = Literal["python", "java", "javascript"]
"""The language of a question's functions. Java and JavaScript values arrive as source text."""

OMISSION = ""
"""Among the values of an argument, the mark that it may be omitted."""


class ParameterSchema(msgspec.Struct, frozen=True):
    """A function document's schema of a value; the type names are those of the language."""

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
        DataError: If the entry has no id, its id names no category, or a function document is
            malformed.
    """
    identity = str(entry.get("id"))
    category = str(entry.get("category") or identity.rpartition("_")[0])
    if not category:
        raise DataError(f"BFCL entry {identity!r}: no category in its id; pull the data again")
    try:
        functions = msgspec.convert(entry.get("function"), tuple[FunctionDocument, ...])
        expected = tuple(_decode_expected_call(answer, identity) for answer in answers)
    except DECODING_ERRORS as error:
        raise DataError(f"BFCL entry {identity}: {error}; pull the data again") from error
    return Question(identity, category, functions, expected)


def _decode_expected_call(
    answer: Mapping[str, Mapping[str, list[object]]], identity: str
) -> ExpectedCall:
    if len(answer) != 1:
        raise DataError(f"BFCL entry {identity}: an expected call names {len(answer)} functions")
    return msgspec.convert(
        dict(zip(("name", "arguments"), *answer.items(), strict=True)), ExpectedCall
    )
