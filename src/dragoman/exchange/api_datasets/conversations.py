"""A task as a conversation in the form of International Tool Calling (figures 17 to 20).

`system` holds what an agent is told and the functions as JSON; in `conversations` the user and the
assistant speak by turns (`from`, `value`), and what calls return stands between them (`role`, `content`).
"""

import functools
from collections.abc import Iterator

import msgspec

from dragoman.benchmarks.kit.api_tools import operation_tool, prompt_text
from dragoman.core.apis.itc_answers import format_itc_answer
from dragoman.core.apis.tasks import SolutionStep
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.curation.apis.rows import DatasetRow
from dragoman.exchange.api_datasets.origins import documents_of, licences_of, sources_of


class SourceConversation(msgspec.Struct, frozen=True):
    """One task; ids, facets, and licences and sources of its documents beside what the source's files have."""

    id: str
    language: str
    country: str
    kind: str
    split: str
    made_by: str
    licences: tuple[str, ...]
    sources: tuple[str, ...]
    system: str
    conversations: tuple[dict[str, object], ...]


def conversation_of(row: DatasetRow) -> SourceConversation:
    """Return a task as a conversation."""
    task = row.task
    turns: list[dict[str, object]] = [{"from": "user", "value": task.query}]
    for step in row.solution.steps:
        turns += _turns(step)
    # What nobody answers to is no part of a conversation.
    while turns[-1].get("role") == "Tool":
        turns.pop()
    documents = documents_of(row)
    return SourceConversation(
        task.id,
        task.language,
        task.country,
        task.kind,
        task.split,
        task.made_by,
        licences_of(documents),
        sources_of(documents),
        _system(row),
        tuple(turns),
    )


def _system(row: DatasetRow) -> str:
    functions = [
        {
            "name": name,
            "description": (tool := operation_tool(each.operation, name)).description.removeprefix(
                f"{each.operation.name}: "
            ),
            "parameters": tool.parameters,
        }
        for name, each in row.tools.items()
    ]
    listed = msgspec.json.encode(functions).decode()
    return f"{_told()}\n{listed}"


@functools.cache
def _told() -> str:
    return "\n\n".join((prompt_text("policy"), prompt_text("form")))


def _turns(step: SolutionStep) -> Iterator[dict[str, object]]:
    yield {"from": "assistant", "value": format_itc_answer(step.thought, step.calls)}
    for result in step.results:
        yield {"role": "Tool", "content": _content(result)}


def _content(result: str) -> object:
    """Return what a call returned as the JSON that it is, or as text."""
    try:
        return msgspec.json.decode(result)
    except DECODING_ERRORS:
        return result
