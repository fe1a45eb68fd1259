"""API-Bank level 2 as Hammer has it: a dialogue as query, tools and answers beside it."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from dragoman.benchmarks.itc.others.reading import (
    Contents,
    Read,
    called,
    decoded,
    document_of,
    last_query,
    operation_of,
    results,
    said,
    task_of,
)
from dragoman.benchmarks.itc.records import SetTask
from dragoman.core.apis.documents import ApiDocument, Operation
from dragoman.core.apis.tasks import ApiCall
from dragoman.core.episodes import Event
from dragoman.core.texts.decoding import UNREADABLE

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
    found = decoded(read(DIALOGUES), list[_Dialogue], DIALOGUES)
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
        [said("user", turns)] if isinstance(turns, str) else list(_history(turns))
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
            yield said(turn.role if turn.role != "tool" else "agent", turn.content)
            continue
        made = called(place, calls)
        is_answered = place < len(turns) and turns[place].role == "tool"
        yield made
        yield from results(made, [turns[place].content] if is_answered else [])
        place += is_answered


def _calls(turn: _Turn) -> list[tuple[str, dict[str, object]]] | None:
    """Return the calls that a turn of the assistant writes; None for words."""
    if turn.role != "assistant":
        return None
    try:
        made = msgspec.json.decode(turn.content.strip().strip("`").strip(), type=list[_Made])
    except UNREADABLE:
        return None
    return [(each.name, each.arguments) for each in made]
