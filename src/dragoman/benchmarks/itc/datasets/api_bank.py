"""API-Bank level 2: dialogues in which tools are searched for first; each call is a task.

There are two releases: the project's own archive, and Hammer's, which has a dialogue as the query
with its tools and answers in fields of their own.
"""

import io
import tarfile
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from dragoman.benchmarks.itc.datasets.conversion import (
    Contents,
    Read,
    call_event,
    decode_json,
    document_of,
    last_query,
    lines_of,
    operation_of,
    result_events,
    task_of,
    text_event,
)
from dragoman.benchmarks.itc.task_sets import SetTask
from dragoman.core.apis.documents import ApiDocument, Operation
from dragoman.core.apis.tasks import ApiCall
from dragoman.core.episodes import Event
from dragoman.core.errors import DataError
from dragoman.core.texts.decoding import DECODING_ERRORS

ARCHIVE = "api-bank/level-2-toolsearcher.tar"
_SEARCH = operation_of(
    "ToolSearcher", "Searches for tools by keywords.", {"keywords": {"type": "str"}}, ("keywords",)
)
_MAX_DIALOGUE = 1_000_000

Line = Mapping[str, object]


def read_api_bank(read: Read) -> Contents:
    """Read the dialogues of the archive; nothing of it is written to disk."""
    documents: list[ApiDocument] = []
    tasks: list[SetTask] = []
    for name, content in _members(read(ARCHIVE)):
        lines = list(lines_of(content, name))
        document = document_of(name, (_SEARCH, *_iterate_found_tools(lines)))
        documents.append(document)
        tasks += _tasks(document, lines)
    return documents, tasks


def _members(archive: bytes) -> Iterator[tuple[str, bytes]]:
    try:
        with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
            for member in sorted(opened.getmembers(), key=lambda each: each.name):
                file = opened.extractfile(member) if member.isfile() else None
                if file is not None:
                    short = member.name.rpartition("/")[2].removesuffix(".jsonl")
                    yield short, file.read(_MAX_DIALOGUE)
    except tarfile.TarError as error:
        raise DataError(f"{ARCHIVE}: {error}: pull the set again") from error


def _iterate_found_tools(lines: list[dict[str, object]]) -> Iterator[Operation]:
    """Yield the tools that searches of a dialogue found."""
    for line in lines:
        result = line.get("result")
        output = result.get("output") if isinstance(result, dict) else None
        for each in output if isinstance(output, list) else [output]:
            if isinstance(each, dict) and "name" in each and "input_parameters" in each:
                given = each["input_parameters"]
                yield operation_of(
                    str(each["name"]),
                    each.get("description"),
                    given,
                    given if isinstance(given, dict) else (),
                )


def _tasks(document: ApiDocument, lines: list[dict[str, object]]) -> Iterator[SetTask]:
    tools = [each.name for each in document.api_list]
    history: list[Event] = []
    number = 0
    for line in lines:
        if line.get("role") != "API":
            history.append(text_event(str(line.get("role")), str(line.get("text") or "")))
            continue
        number += 1
        name, given = str(line.get("api_name")), line.get("param_dict")
        arguments = (
            {str(key): value for key, value in given.items()} if isinstance(given, dict) else {}
        )
        before, query = last_query(history)
        yield task_of(
            f"{document.id}-{number}",
            query,
            [ApiCall(name, arguments)],
            offered=[f"{document.id}/{tool}" for tool in tools],
            tools=tools,
            history=before,
        )
        made = call_event(number, [(name, arguments)])
        history += [made, *result_events(made, [_output(line)])]


def _output(line: Line) -> str:
    result = line.get("result")
    return msgspec.json.encode(
        result.get("output") if isinstance(result, dict) else result
    ).decode()


DIALOGUES = "hammer/apibank_l2.json"


class _Turn(msgspec.Struct):
    role: str
    content: str


class _Made(msgspec.Struct):
    name: str
    arguments: dict[str, object] = {}


class _Tool(msgspec.Struct):
    name: str
    description: str = ""
    parameters: dict[str, object] = {}


class _Dialogue(msgspec.Struct):
    query: str | list[_Turn]
    tools: list[_Tool]
    answers: list[_Made]


def read_hammer(read: Read) -> Contents:
    """Read the dialogues; each has functions of its own."""
    found = decode_json(read(DIALOGUES), list[_Dialogue], DIALOGUES)
    named = [(f"apibank-{number}", each) for number, each in enumerate(found)]
    return [_document(*each) for each in named], [_task(*each) for each in named]


def _document(name: str, sample: _Dialogue) -> ApiDocument:
    return document_of(name, map(_operation, sample.tools))


def _operation(tool: _Tool) -> Operation:
    needed = [
        name
        for name, about in tool.parameters.items()
        if not isinstance(about, Mapping) or about.get("required", True)
    ]
    return operation_of(tool.name, tool.description, tool.parameters, needed)


def _task(name: str, sample: _Dialogue) -> SetTask:
    turns = sample.query
    history: Sequence[Event] = (
        [text_event("user", turns)] if isinstance(turns, str) else list(_history(turns))
    )
    before, query = last_query(history)
    tools = [each.name for each in sample.tools]
    return task_of(
        name,
        query,
        [ApiCall(each.name, each.arguments) for each in sample.answers],
        offered=[f"{name}/{tool}" for tool in dict.fromkeys(tools)],
        tools=tools,
        history=before,
    )


def _history(turns: Sequence[_Turn]) -> Iterator[Event]:
    place = 0
    while place < len(turns):
        turn = turns[place]
        place += 1
        calls = _calls(turn)
        if calls is None:
            yield text_event(turn.role if turn.role != "tool" else "agent", turn.content)
            continue
        made = call_event(place, calls)
        is_answered = place < len(turns) and turns[place].role == "tool"
        yield made
        yield from result_events(made, [turns[place].content] if is_answered else [])
        place += is_answered


def _calls(turn: _Turn) -> list[tuple[str, dict[str, object]]] | None:
    """Return the calls that a turn of the assistant writes; None for words."""
    if turn.role != "assistant":
        return None
    try:
        made = msgspec.json.decode(turn.content.strip().strip("`").strip(), type=list[_Made])
    except DECODING_ERRORS:
        return None
    return [(each.name, each.arguments) for each in made]
