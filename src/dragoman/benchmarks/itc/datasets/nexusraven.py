"""NexusRaven: gold is a Python call as text, `r = nvdlib.searchCPE(keywordSearch='x')`."""

import re
from collections.abc import Mapping, Sequence

import msgspec

from dragoman.benchmarks.itc.datasets.conversion import (
    Contents,
    Read,
    decode_json,
    document_of,
    operation_of,
    task_of,
)
from dragoman.benchmarks.itc.task_sets import SetTask
from dragoman.core.apis.call_list_parser import UnreadableCallsError, parse_calls
from dragoman.core.apis.documents import Operation
from dragoman.core.apis.tasks import ApiCall

_CVE, FUNCTIONS = "nexusraven/cve_cpe_queries.json", "nexusraven/cve_cpe_functions.json"
_EMAILREP = "nexusraven/emailrep_queries.json"
_ASSIGNED = re.compile(r"\s*[A-Za-z_]\w*\s*=\s*(?=[A-Za-z_][\w.]*\s*\()")


class _Query(msgspec.Struct):
    query: str
    reference: str


def read_cve(read: Read) -> Contents:
    """Read the queries about CVE and CPE, with the functions' signatures."""
    functions = decode_json(read(FUNCTIONS), list[dict[str, object]], FUNCTIONS)
    queries = decode_json(read(_CVE), list[_Query], _CVE)
    return _contents("nvdlib", list(map(_function, functions)), queries)


def read_emailrep(read: Read) -> Contents:
    """Read the queries about email addresses.

    The functions are known from gold calls, without descriptions.
    """
    return read_queries(read(_EMAILREP), None, _EMAILREP, "emailrep")


def read_queries(
    content: bytes, functions: bytes | None, name: str, document: str = "nexusraven"
) -> Contents:
    """Read a file of queries.

    Args:
        content: The queries.
        functions: The functions; None where they are known from gold calls alone.
        name: The name of the file in errors.
        document: The common name of the functions.
    """
    queries = decode_json(content, list[_Query], name)
    if functions is not None:
        described = decode_json(functions, list[dict[str, object]], FUNCTIONS)
        return _contents(document, list(map(_function, described)), queries)
    known: dict[str, dict[str, object]] = {}
    for each in queries:
        call, _ = _gold(each.reference)
        if call is not None:
            known.setdefault(call.tool, {}).update(dict.fromkeys(call.arguments, ""))
    found = [operation_of(each, "", given, ()) for each, given in known.items()]
    return _contents(document, found, queries)


def _contents(name: str, functions: Sequence[Operation], queries: Sequence[_Query]) -> Contents:
    document = document_of(name, functions)
    order = {each.name: [own.name for own in each.parameters] for each in document.api_list}
    return (document,), [_task(name, number, each, order) for number, each in enumerate(queries)]


def _function(line: Mapping[str, object]) -> Operation:
    parameters = line.get("parameters")
    described: dict[str, object] = {}
    for each in parameters if isinstance(parameters, list) else ():
        if isinstance(each, dict) and "name" in each:
            described[str(each["name"])] = {
                "type": str(each.get("type") or "str"),
                "description": each.get("description") or "",
            }  # fmt: skip
    about = line.get("docstring") or line.get("description") or line.get("doc")
    return operation_of(str(line["name"]), about, described, ())


def _task(name: str, number: int, query: _Query, order: Mapping[str, Sequence[str]]) -> SetTask:
    call, why = _gold(query.reference)
    if call is not None:
        call, why = _name_arguments(call, order.get(call.tool, ()))
    return task_of(
        f"{name}-{number}",
        query.query,
        [call] if call else [],
        offered=[f"{name}/{each}" for each in order],
        tools=order,
        no_arguments=why,
    )


def _gold(reference: str) -> tuple[ApiCall | None, str]:
    text = reference[found.end() :] if (found := _ASSIGNED.match(reference)) else reference
    try:
        calls = parse_calls(text.strip()).calls
    except UnreadableCallsError as error:
        return None, f"gold cannot be read: {error}"
    if len(calls) != 1:
        return None, "gold is not one call"
    return ApiCall(calls[0].tool.rpartition(".")[2], calls[0].arguments), ""


def _name_arguments(call: ApiCall, order: Sequence[str]) -> tuple[ApiCall, str]:
    """Return a call whose arguments all have names, in the order of the function's own."""
    if not any(name.startswith("#") for name in call.arguments):
        return call, ""
    places = {f"#{number}": name for number, name in enumerate(order, 1)}
    if not all(name in places for name in call.arguments if name.startswith("#")):
        return call, "gold has an argument without a name, and its function is not known"
    given = {places.get(name, name): value for name, value in call.arguments.items()}
    return ApiCall(call.tool, given), ""
