"""Seal-Tools: queries over 4,076 tools; a value may be an earlier response, "API_call_0"."""

import random
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from dragoman.benchmarks.itc.datasets.conversion import (
    Contents,
    Read,
    decode_json,
    document_of,
    lines_of,
    operation_of,
    task_of,
)
from dragoman.benchmarks.itc.task_sets import SetTask
from dragoman.core.apis.documents import Operation
from dragoman.core.apis.tasks import ApiCall
from dragoman.core.content_keys import derive_seed

OFFERED = 8
"""Tools that are offered for a query: those of gold, and others that are drawn."""

TOOLS = "seal-tools/tool.jsonl"
_DEVELOPMENT, _OLD_DEVELOPMENT = "seal-tools/dev.jsonl", "seal-tools/old_format_dev.jsonl"
_DOCUMENT = "seal-tools"


class _Call(msgspec.Struct):
    api: str
    parameters: dict[str, object] = {}


class _Sample(msgspec.Struct):
    id: str
    query: str
    calling: list[_Call]


_Found = tuple[str, str, Sequence[_Call]]
"""A sample: its id, the query, and the gold calls."""


def read_seal_tools(read: Read) -> Contents:
    """Read the development set in its present format."""
    return read_samples(read(_DEVELOPMENT), read(TOOLS), _DEVELOPMENT)


def read_old_seal_tools(read: Read) -> Contents:
    """Read it in its old format, where a sample is a pair of a call, or several, and the query."""
    return read_pairs(read(_OLD_DEVELOPMENT), read(TOOLS), _OLD_DEVELOPMENT)


def read_samples(content: bytes, tools: bytes | None, name: str) -> Contents:
    """Read a file in its present format.

    Args:
        content: The samples, one a line.
        tools: The tools, one a line; None where they are known from gold calls alone.
        name: The name of the file in errors.
    """
    samples = [
        decode_json(line, _Sample, f"{name}, line {number}")
        for number, line in enumerate(content.splitlines(), 1)
        if line.strip()
    ]
    return _contents(tools, [(each.id, each.query, each.calling) for each in samples])


def read_pairs(content: bytes, tools: bytes | None, name: str) -> Contents:
    """Read a file in the old format; arguments as in `read_samples`."""
    return _contents(tools, list(_pairs(content, name)))


def _pairs(content: bytes, name: str) -> Iterator[_Found]:
    for number, line in enumerate(content.splitlines(), 1):
        if not line.strip():
            continue
        where = f"{name}, line {number}"
        calls, query = decode_json(line, tuple[_Call | list[_Call], str], where)
        yield f"old-{number}", query, calls if isinstance(calls, list) else [calls]


def _contents(tools: bytes | None, samples: Sequence[_Found]) -> Contents:
    found = (
        _iterate_called_tools(samples)
        if tools is None
        else map(_tool, lines_of(tools, "tool.jsonl"))
    )
    document = document_of(_DOCUMENT, found)
    names = {each.name: None for each in document.api_list}
    return (document,), tuple(_task(*sample, names) for sample in samples)


def _iterate_called_tools(samples: Sequence[_Found]) -> Iterator[Operation]:
    """Yield the tools that gold calls, with what they are given there."""
    known: dict[str, dict[str, object]] = {}
    for _, _, calling in samples:
        for call in calling:
            known.setdefault(call.api, {}).update(dict.fromkeys(call.parameters, ""))
    for name, given in known.items():
        yield operation_of(name, "", given, ())


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
    others = drawn.sample(tuple(known), min(OFFERED, len(known)))
    tools = list(dict.fromkeys((*needed, *others)))[: max(OFFERED, len(needed))]
    drawn.shuffle(tools)
    offered = [f"{_DOCUMENT}/{tool}" for tool in tools]
    return task_of(name, query, calls, offered=offered, tools=tools)
