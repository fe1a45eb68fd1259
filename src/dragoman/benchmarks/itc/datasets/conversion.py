"""Conversion helpers of dataset readers: JSON lines, schemas, call kinds, dialogue history."""

import functools
import importlib.resources
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

import msgspec

from dragoman.benchmarks.itc.task_sets import SetTask
from dragoman.core.apis.documents import ApiDocument, ApiParameter, Operation
from dragoman.core.apis.tasks import ApiCall, ApiTask, CallKind
from dragoman.core.episodes import Event, Message
from dragoman.core.errors import DataError
from dragoman.core.replies import ToolCallReply, text_reply
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.core.tools import ToolCall, ToolResult

T = TypeVar("T")

Read = Callable[[str], bytes]
"""Returns a pulled file by its short name."""

Contents = tuple[Sequence[ApiDocument], Sequence[SetTask]]
"""The functions of a set, and its tasks."""

GLOBAL = "Global"

_TYPES = {
    "str": "string", "string": "string", "date": "string", "int": "integer", "integer": "integer",
    "float": "number", "number": "number", "double": "number",
    "bool": "boolean", "boolean": "boolean",
    "list": "array", "array": "array", "tuple": "array", "dict": "object", "object": "object",
}  # fmt: skip
_REFERENCE = re.compile(r"API_call_\d+|\$\w+(?:\.[^$]*)?\$")


class SetFacts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Facts about a set: its origin, its licence, and additional instructions for agents.

    `same_tasks_as` is the set that has its tasks by the same ids, in another form or language.
    """

    about: str
    source: str
    licence: str
    language: str
    notice: str = ""
    instructions: str = msgspec.field(default="", name="told")
    same_tasks_as: str = ""


@functools.cache
def set_facts() -> Mapping[str, SetFacts]:
    """Return what is said of every set, by the name behind `itc:`."""
    content = (
        importlib.resources.files("dragoman.benchmarks.itc.datasets") / "sets.toml"
    ).read_bytes()
    return msgspec.toml.decode(content, type=dict[str, SetFacts])


def lines_of(content: bytes, name: str) -> Iterator[dict[str, object]]:
    """Yield the objects of a file with one a line.

    Raises:
        DataError: If a line does not hold an object.
    """
    for number, line in enumerate(content.splitlines(), 1):
        if line.strip():
            yield decode_json(line, dict[str, object], f"{name}, line {number}")


def decode_json(content: bytes, kind: type[T], name: str) -> T:
    """Return the decoded content of a file or line.

    Raises:
        DataError: If the content has another form.
    """
    try:
        return msgspec.json.decode(content, type=kind)
    except DECODING_ERRORS as error:
        raise DataError(f"{name}: {error}: pull the set again") from error


def parameters_of(
    described: Mapping[str, object], required: Iterable[object]
) -> tuple[tuple[ApiParameter, ...], tuple[ApiParameter, ...]]:
    """Return the required and the other parameters of a function by their names."""
    needed = set(map(str, required))
    found = {name: parameter_of(name, about) for name, about in described.items()}
    return (
        tuple(each for name, each in found.items() if name in needed),
        tuple(each for name, each in found.items() if name not in needed),
    )


def parameter_of(name: str, about: object) -> ApiParameter:
    """Return one parameter from its description in a set.

    The description has a schema, or a type and words, or words alone.
    """
    if not isinstance(about, Mapping):
        return ApiParameter(name, "string", str(about or ""))
    said = str(about.get("type", "string"))
    kind = _TYPES.get(re.split(r"\W", said.lower())[0], "string")
    kept = ("enum", "items", "properties", "required", "minimum", "maximum")
    schema = {
        key: about[key] for key in kept if isinstance(about.get(key), list | dict | int | float)
    }
    schema = {key: value for key, value in schema.items() if not isinstance(value, bool)}
    return ApiParameter(
        name, kind, str(about.get("description") or ""), default=about.get("default"), schema=schema
    )


def operation_of(
    name: str,
    description: object,
    described: object,
    required: Iterable[object],
    category: str = "",
) -> Operation:
    """Return a function of a set."""
    needed, others = parameters_of(described if isinstance(described, Mapping) else {}, required)
    return Operation(
        name,
        "",
        str(description or "").strip(),
        category=category,
        required_parameters=needed,
        optional_parameters=others,
    )


def document_of(name: str, functions: Iterable[Operation]) -> ApiDocument:
    """Return functions as one document; of two with one name the first counts."""
    own: dict[str, Operation] = {}
    for each in functions:
        own.setdefault(each.name, each)
    return ApiDocument(name, name, country=GLOBAL, api_list=tuple(own.values()))


def call_kind(calls: Sequence[ApiCall]) -> CallKind:
    """Return the kind of a list of calls.

    A value that refers to an earlier result makes the calls nested.
    """
    if not calls:
        return "none"
    if any(is_reference(value) for call in calls for value in call.arguments.values()):
        return "nested"
    if len(calls) == 1:
        return "single"
    return "repeated" if len({call.tool for call in calls}) == 1 else "parallel"


def is_reference(value: object) -> bool:
    """Return whether a value is, or holds, the name of an earlier result."""
    match value:
        case str():
            return _REFERENCE.search(value) is not None
        case list():
            return any(map(is_reference, value))
        case dict():
            return any(map(is_reference, value.values()))
        case _:
            return False


def task_of(  # noqa: PLR0913 - the parts of a task, by keyword
    name: str,
    query: str,
    calls: Sequence[ApiCall],
    *,
    offered: Sequence[str],
    tools: Iterable[str],
    language: str = "en",
    no_arguments: str = "",
    history: Sequence[Event] = (),
    instructions: str = "",
) -> SetTask:
    """Return a task; one whose gold reaches a function that is not offered says so.

    Args:
        name: Its id.
        query: The user's words; "" if the agent goes on from the end of the history.
        calls: Its gold calls.
        offered: Ids of the functions that are offered.
        tools: Names of the functions that are offered.
        language: The language of the query.
        no_arguments: Reason why gold arguments are unknown.
        history: The conversation before the query.
        instructions: Additional instructions for an agent.
    """
    unknown = sorted({call.tool for call in calls} - set(tools))
    return SetTask(
        ApiTask(name, query, language, call_kind(calls), tuple(offered), tuple(calls), GLOBAL),
        f"gold calls {', '.join(unknown):.200}, not among the functions" if unknown else "",
        no_arguments,
        tuple(history),
        instructions,
    )


def text_event(by: str, text: str) -> Message:
    """Return words as an event: of the user, or of the agent by whatever name."""
    return Message("user" if by.casefold() == "user" else "agent", text_reply(text))


def call_event(number: int, calls: Sequence[tuple[str, dict[str, object]]]) -> Message:
    """Return calls of the agent as an event."""
    made = (
        ToolCall(f"history_{number}_{place}", name, given)
        for place, (name, given) in enumerate(calls)
    )
    return Message("agent", ToolCallReply(tuple(made)))


def result_events(move: Message, texts: Sequence[str]) -> Iterator[ToolResult]:
    """Yield what the calls of a move returned; texts that are missing are empty."""
    calls = move.reply.calls if isinstance(move.reply, ToolCallReply) else ()
    padded = (*texts, *([""] * len(calls)))
    for call, text in zip(calls, padded, strict=False):
        yield ToolResult(call.id, call.name, text)


def last_query(history: Sequence[Event]) -> tuple[tuple[Event, ...], str]:
    """Return a history and the user's last words, without a final text of the agent.

    The words are "" if the agent goes on from a result.
    """
    events = list(history)
    if len(events) > 1 and _is_text_message_by(events[-1], "agent"):
        events.pop()
    if events and _is_text_message_by(events[-1], "user"):
        move = events.pop()
        if isinstance(move, Message):
            return tuple(events), getattr(move.reply, "text", "")
    return tuple(events), ""


def _is_text_message_by(event: Event, by: str) -> bool:
    return (
        isinstance(event, Message) and event.by == by and not isinstance(event.reply, ToolCallReply)
    )
