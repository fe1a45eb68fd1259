"""NESTFUL: nested calls that name fields of earlier results, `$var1.skyId$`."""

from collections.abc import Mapping

import msgspec

from dragoman.benchmarks.itc.datasets.conversion import (
    Contents,
    Read,
    decode_json,
    document_of,
    operation_of,
    task_of,
)
from dragoman.core.apis.documents import Operation
from dragoman.core.apis.tasks import ApiCall

_DATA, SPEC = "nestful/executable-data.json", "nestful/executable-spec.json"
_RESULT = "var_result"
"""Pseudo-function at the end of gold that gathers results."""


class _Made(msgspec.Struct):
    name: str
    arguments: dict[str, object] = {}


class _Nested(msgspec.Struct):
    input: str
    output: list[_Made]


def read_nestful(read: Read) -> Contents:
    """Read the executable part; all functions are offered."""
    return read_nested(read(_DATA), read(SPEC), _DATA)


def read_nested(content: bytes, functions: bytes, name: str) -> Contents:
    """Read a file of samples.

    Args:
        content: The samples.
        functions: The functions, all of which are offered.
        name: The name of the file in errors.
    """
    spec = decode_json(functions, list[dict[str, object]], SPEC)
    document = document_of("nestful", map(_operation, spec))
    tools = [each.name for each in document.api_list]
    offered = [f"nestful/{tool}" for tool in tools]
    samples = decode_json(content, list[_Nested], name)
    return (document,), [
        task_of(
            f"nestful-{number}",
            each.input,
            [ApiCall(made.name, made.arguments) for made in each.output if made.name != _RESULT],
            offered=offered,
            tools=tools,
        )
        for number, each in enumerate(samples)
    ]


def _operation(line: Mapping[str, object]) -> Operation:
    described: dict[str, object] = {}
    for key, value in line.items():
        if key.endswith("parameters") and isinstance(value, dict) and key != "output_parameters":
            described |= value
    needed = [
        name
        for name, about in described.items()
        if isinstance(about, Mapping) and about.get("required") is True
    ]
    return operation_of(str(line["name"]), line.get("description"), described, needed)
