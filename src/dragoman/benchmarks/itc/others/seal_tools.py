"""Seal-Tools: queries over 4,076 tools; a value may be an earlier response, "API_call_0"."""

import random
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from dragoman.benchmarks.itc.others.reading import (
    Contents,
    Read,
    decoded,
    document_of,
    lines_of,
    operation_of,
    task_of,
)
from dragoman.benchmarks.itc.records import SetTask
from dragoman.core.apis.documents import Operation
from dragoman.core.apis.tasks import ApiCall
from dragoman.core.keys import derive_seed

OFFERED = 8
"""Tools that are offered for a query: those of gold, and others that are drawn."""

_DOCUMENT = "seal-tools"


class _Call(msgspec.Struct):
    api: str
    parameters: dict[str, object] = {}


class _Sample(msgspec.Struct):
    id: str
    query: str
    calling: list[_Call]


def read_seal_tools(read: Read) -> Contents:
    """Read the development set in its present format."""
    samples = (
        decoded(line, _Sample, f"seal-tools/dev.jsonl, line {number}")
        for number, line in enumerate(read("seal-tools/dev.jsonl").splitlines(), 1)
    )
    return _contents(read, ((each.id, each.query, each.calling) for each in samples))


def read_old_seal_tools(read: Read) -> Contents:
    """Read it in its old format, where a sample is a pair of a call, or several, and the query."""
    return _contents(read, _old_samples(read("seal-tools/old_format_dev.jsonl")))


def _old_samples(content: bytes) -> Iterator[tuple[str, str, Sequence[_Call]]]:
    for number, line in enumerate(content.splitlines(), 1):
        where = f"seal-tools/old_format_dev.jsonl, line {number}"
        calls, query = decoded(line, tuple[_Call | list[_Call], str], where)
        yield f"old-{number}", query, calls if isinstance(calls, list) else [calls]


def _contents(read: Read, samples: Iterator[tuple[str, str, Sequence[_Call]]]) -> Contents:
    document = document_of(
        _DOCUMENT, map(_tool, lines_of(read("seal-tools/tool.jsonl"), "tool.jsonl"))
    )
    names = {each.name: None for each in document.api_list}
    return (document,), tuple(_task(*sample, names) for sample in samples)


def _tool(line: Mapping[str, object]) -> Operation:
    required = line.get("required")
    return operation_of(
        str(line["api_name"]),
        line.get("api_description"),
        line.get("parameters"),
        required if isinstance(required, list) else (),
        str(line.get("field") or "").partition("/")[0],
    )


def _task(name: str, query: str, calling: Sequence[_Call], known: Mapping[str, None]) -> SetTask:
    calls = [ApiCall(each.api, each.parameters) for each in calling]
    drawn = random.Random(derive_seed(name, "offered"))  # noqa: S311 - repeatable on purpose
    needed = dict.fromkeys(call.tool for call in calls if call.tool in known)
    others = drawn.sample(tuple(known), OFFERED)
    tools = list(dict.fromkeys((*needed, *others)))[: max(OFFERED, len(needed))]
    drawn.shuffle(tools)
    offered = [f"{_DOCUMENT}/{tool}" for tool in tools]
    return task_of(name, query, calls, offered=offered, tools=tools)
