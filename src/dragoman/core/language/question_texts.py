"""Translatable texts of question files (JSON lines of questions with functions).

A line is a JSON object: a question with its functions, or the document of one function. Messages,
descriptions of functions and parameters, and the values of enumerations are translatable, as are
defaults that are one of these values. Names, ids, types and everything else stay unchanged.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Literal, NamedTuple, Protocol

import msgspec

from dragoman.core.episodes import Event
from dragoman.core.tasks import FixedTurn
from dragoman.core.texts.decoding import JsonPath
from dragoman.core.tools import Toolset

Use = Literal["said", "described", "choice"]
"""The use of a text.

It stands in a conversation, describes a function, or is one of the values of a parameter.
"""

Path = tuple[str, ...]
"""The path of a value in the arguments of a call."""

ReadFile = Callable[[str], bytes]
"""A function that returns a file by name; it raises DataError for a missing file."""

EVERY = "*"
"""The step of a path that stands for every element of a list and every value of a map."""

_SPEAKERS = ("system", "user", "assistant")
_BRANCHES = ("properties", "items", "additionalProperties", "anyOf", "oneOf")
_NO_TEXT = frozenset({"boolean", "integer", "float", "number", "null"})
_LISTS = frozenset({"array", "tuple"})


class LineText(NamedTuple):
    """A text of a line.

    Attributes:
        place: The path of the text in the line.
        text: The text.
        use: The use of the text.
        function: The function that has the text as a choice; "" for other texts.
        path: The path of the choice in a call's arguments.
        listed: All choices of its list.
    """

    place: JsonPath
    text: str
    use: Use
    function: str = ""
    path: Path = ()
    listed: tuple[str, ...] = ()

    @property
    def parameter(self) -> str:
        """The names of the function and the parameter of a choice; "" for other texts."""
        return ".".join((self.function, *(step for step in self.path if step != EVERY)))


class QuestionFiles(msgspec.Struct, frozen=True):
    """Files of a suite of questions, by name; one JSON object per line.

    Attributes:
        questions: The users' questions, with functions if each question has its own.
        functions: Documents of functions that questions share.
        answers: The expected answers, which are the same in every language.
        expected: The texts that calls must have, by the id of their question.
    """

    questions: Mapping[str, bytes]
    functions: Mapping[str, bytes]
    answers: Mapping[str, bytes]
    expected: Mapping[str, frozenset[str]] = {}


Labels = Mapping[Path, Mapping[str, str]]
"""The labels of a tool's values, by value, by their path in the arguments of a call."""


class TranslatedTask(msgspec.Struct, frozen=True):
    """A task in another language.

    Attributes:
        turns: The turns of its user.
        history: The earlier conversation.
        policy: The text that its agent must follow.
        tools: All tools that it has in any turn.
    """

    turns: tuple[FixedTurn, ...]
    history: tuple[Event, ...]
    policy: str
    tools: Toolset


class TranslatedQuestions(Protocol):
    """The tasks of a suite in another language."""

    @property
    def files(self) -> tuple[str, ...]:
        """The names of the files with the tasks."""
        ...

    def task(self, identity: str) -> TranslatedTask:
        """Return a task."""
        ...

    def labels(self, identity: str) -> Mapping[str, Labels]:
        """Return the labels of values in a task's tools, by tool."""
        ...

    def left_in_english(self, use: Use) -> tuple[int, int]:
        """Return the number of different texts of a use that are English, and of all of them."""
        ...


def line_texts(line: object) -> Iterator[LineText]:
    """Yield the translatable texts of a line."""
    if not isinstance(line, dict):
        return
    if "parameters" in line:
        yield from _of_function(line, ())
    for at, function in _enumerate_list(line.get("function")):
        yield from _of_function(function, ("function", at))
    for turn, messages in _enumerate_list(line.get("question")):
        for at, message in _enumerate_list(messages):
            if isinstance(message, dict) and message.get("role") in _SPEAKERS:
                place = ("question", turn, at, "content")
                yield from _text(message.get("content"), place, "said")


def line_names(line: object) -> Iterator[str]:
    """Yield the names of a line's functions and of their parameters."""
    functions = [line, *(each for _, each in _enumerate_list(_object(line).get("function")))]
    for function in map(_object, functions):
        if "parameters" in function:
            yield str(function.get("name", ""))
            yield from _object(_object(function["parameters"]).get("properties"))


def _of_function(function: object, place: JsonPath) -> Iterator[LineText]:
    if isinstance(function, dict):
        name = str(function.get("name", ""))
        yield from _text(function.get("description"), (*place, "description"), "described")
        top = (*place, "parameters")
        yield from _Parameters(name).below(_object(function.get("parameters")), top, ())


class _Parameters(NamedTuple):
    """The schemas of one function's parameters."""

    function: str

    def below(
        self, schema: Mapping[str, object], place: JsonPath, path: Path
    ) -> Iterator[LineText]:
        for branch in _BRANCHES:
            part = schema.get(branch)
            if branch == "properties":
                for name, each in _object(part).items():
                    yield from self.of(each, (*place, branch, name), (*path, name))
            elif isinstance(part, dict):
                yield from self.of(part, (*place, branch), (*path, EVERY))
            else:
                for at, each in _enumerate_list(part):
                    yield from self.of(each, (*place, branch, at), path)

    def of(self, schema: object, place: JsonPath, path: Path) -> Iterator[LineText]:
        if isinstance(schema, dict):
            yield from _text(schema.get("description"), (*place, "description"), "described")
            types = _types(schema)
            if not types or types - _NO_TEXT:
                yield from self._choices(schema, place, path)
            yield from self.below(schema, place, path)

    def _choices(
        self, schema: Mapping[str, object], place: JsonPath, path: Path
    ) -> Iterator[LineText]:
        if _types(schema) & _LISTS:
            path = (*path, EVERY)
        values = (each for _, each in _enumerate_list(schema.get("enum")) if isinstance(each, str))
        listed = tuple(dict.fromkeys(values))
        default = schema.get("default")
        places = [((*place, "enum", at), each) for at, each in _enumerate_list(schema.get("enum"))]
        places += [((*place, "default"), default)]
        places += [((*place, "default", at), each) for at, each in _enumerate_list(default)]
        for at_place, each in places:
            if isinstance(each, str) and each in listed:
                yield LineText(at_place, each, "choice", self.function, path, listed)


def _types(schema: Mapping[str, object]) -> frozenset[str]:
    """Return the types of a schema's values: JSON Schema allows one name or a list."""
    declared = schema.get("type")
    named = declared if isinstance(declared, list) else [declared]
    return frozenset(each for each in named if isinstance(each, str))


def _text(value: object, place: JsonPath, use: Use) -> Iterator[LineText]:
    if isinstance(value, str):
        yield LineText(place, value, use)


def _enumerate_list(value: object) -> Iterator[tuple[int, object]]:
    return enumerate(value if isinstance(value, list) else ())


def _object(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}
