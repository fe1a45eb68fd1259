"""Web API operations as tools: schemas for native calls, and the thought-and-action text form.

Names are changed to those that every provider accepts. The text form is that of International Tool
Calling: an object with a thought and a list of calls.
"""

import functools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.resources import files

import msgspec

from dragoman.core.apis.call_list_parser import longest_first
from dragoman.core.apis.documents import ApiParameter, Operation
from dragoman.core.apis.itc_answers import FORM, ITS_FORM_ALONE, format_itc_answer, parse_itc_answer
from dragoman.core.apis.tasks import ApiCall
from dragoman.core.content_keys import content_key
from dragoman.core.replies import Reply, TextReply, ToolCallReply, UnparsedReply, text_reply
from dragoman.core.tasks import Task
from dragoman.core.texts.characters import strip_accents
from dragoman.core.tools import ToolCall, Toolset, ToolSpec

_PLAIN = re.compile(r"[A-Za-z0-9_-]{1,64}")
_OTHER = re.compile(r"[^A-Za-z0-9]+")
_MOST, _KEPT = 64, 55
_FEWEST = 3
_TYPES = frozenset(("string", "integer", "number", "boolean", "array", "object"))


def native_tool_names(names: Iterable[str]) -> Mapping[str, str]:
    """Return for every name of an operation the one by which native calls reach it, all different.

    Providers take Latin letters, digits, `_` and `-`, 64 at most; a name of these stays as it is.
    Of another what is left is kept; where too little is left, or two would be one, a hash tells
    them.
    """
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in sorted(set(names), key=lambda name: (not _PLAIN.fullmatch(name), name)):
        wire = name if _PLAIN.fullmatch(name) else _wire(name)
        if wire in taken:
            wire = f"{wire[:_KEPT]}_{content_key(name)[:8]}"
        taken.add(wire)
        found[name] = wire
    return found


def _wire(name: str) -> str:
    plain = _OTHER.sub("_", strip_accents(name)).strip("_")
    letters = sum(letter.isalpha() for letter in plain)
    if letters < _FEWEST or letters * 2 < sum(letter.isalpha() for letter in name):
        return f"api_{content_key(name)[:8]}"
    return plain[:_MOST]


def operation_tool(operation: Operation, name: str) -> ToolSpec:
    """Return an operation as a function of that name; a description begins with its own."""
    own = "" if name == operation.name else f"{operation.name}: "
    return ToolSpec(name, f"{own}{operation.description}", _schema(operation))


def _schema(operation: Operation) -> dict[str, object]:
    return {
        "type": "object",
        "properties": {each.name: parameter_schema(each) for each in operation.parameters},
        "required": [each.name for each in operation.required_parameters],
    }


def parameter_schema(parameter: ApiParameter) -> dict[str, object]:
    """Return the JSON schema of a parameter, its description, example and default in words."""
    kind = {"type": parameter.type} if parameter.type in _TYPES else {}
    schema: dict[str, object] = {**kind, **parameter.schema}
    said = [parameter.description]
    if parameter.example is not None:
        said.append(f"Example: {parameter.example}")
    if parameter.default is not None and parameter.default != "":
        said.append(f"Default: {parameter.default}")
    return {**schema, "description": " ".join(filter(None, said))}


DOCUMENTS, TASKS, REPLIES = "documents.jsonl", "tasks.jsonl", "replies.jsonl"
"""Of `core.apis.documents.ApiDocument`, of `core.apis.tasks.ApiTask`, of `RecordedReply`."""


class RecordedReply(msgspec.Struct, frozen=True):
    """The result of an operation, by its name, for some arguments."""

    operation: str
    arguments: dict[str, object]
    result: str


Names = Callable[[Task], Mapping[str, str]]
"""Returns what a task's functions are called in text, by the names of native calls."""


@functools.cache
def prompt_text(name: str) -> str:
    """Return one of the texts that an agent is told."""
    path = files("dragoman.benchmarks.kit") / "prompts" / f"{name}.txt"
    return path.read_text("utf-8").strip()


class ThoughtAndActionFormat:
    """The functions of tasks as text.

    Args:
        names: Function that returns the functions' names in text.
        reader: The version of the reader of answers.
    """

    def __init__(self, names: Names, reader: int = ITS_FORM_ALONE) -> None:
        self._names = names
        self._reader = reader

    def call_form(self, task: Task) -> str:  # noqa: ARG002 - one form serves all
        """Return the name of the form in which calls are asked for."""
        return FORM

    def offer(self, task: Task, tools: Toolset) -> str:
        """Return the system text that offers the functions by their own names."""
        return tools_prompt(tools, self._names(task))

    def read(self, task: Task, text: str) -> Reply:
        """Return what a model's text is: calls, words, or calls that cannot be read."""
        names = self._names(task)
        native = {own: wire for wire, own in names.items()}
        answer = parse_itc_answer(text, longest_first({*native, *names}), self._reader)
        if answer.fault:
            return UnparsedReply(text, answer.fault)
        if not answer.calls:
            return text_reply(text)
        calls = tuple(
            ToolCall(f"text_{number}", native.get(call.tool, call.tool), call.arguments)
            for number, call in enumerate(answer.calls)
        )
        return ToolCallReply(calls, text)

    def appearing(self, task: Task, tools: Sequence[ToolSpec], words: str) -> str:  # noqa: ARG002
        """Return the words: no function appears later."""
        return words

    def results(self, answered: Sequence[tuple[ToolCall, str]]) -> str:
        """Return what calls returned, one JSON object a line."""
        return results_text((call.name, content) for call, content in answered)

    def written(self, task: Task, reply: Reply) -> str:
        """Return a reply in the form; words alone, or next to calls, become the thought."""
        names = self._names(task)
        match reply:
            case ToolCallReply(calls=calls, text=text):
                own = (ApiCall(names.get(call.name, call.name), call.arguments) for call in calls)
                return format_itc_answer(text or "", own)
            case TextReply():
                return format_itc_answer(reply.text, ())
            case UnparsedReply(raw=raw):
                return raw


def tools_prompt(tools: Iterable[ToolSpec], names: Mapping[str, str]) -> str:
    """Return the system text that offers functions.

    Args:
        tools: The functions.
        names: The functions' names in text, by the names of native calls.
    """
    offered = [
        {
            "name": names[tool.name],
            "description": tool.description.removeprefix(f"{names[tool.name]}: "),
            "parameters": tool.parameters,
        }
        for tool in tools
    ]
    return f"{prompt_text('form')}\n{msgspec.json.encode(offered).decode()}"


def results_text(answered: Iterable[tuple[str, str]]) -> str:
    """Return what functions returned, by their names, one JSON object a line."""
    lines = (
        msgspec.json.encode({"function": name, "result": content}).decode()
        for name, content in answered
    )
    return "\n".join((prompt_text("results"), *lines))
