"""What every answer must keep to, whatever a model thinks of it."""

from collections.abc import Iterator, Mapping

from dragoman.core.apis.documents import ApiParameter, Operation
from dragoman.core.apis.tasks import (
    ApiCall,
    ApiSolution,
    CallKind,
    holds_reference,
    parse_reference,
)

_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}


def broken_rules(
    solution: ApiSolution, offered: Mapping[str, Operation], kind: CallKind
) -> Iterator[str]:
    """Yield what an answer breaks: tools and parameters that are not there, types, and its kind of calls.

    Args:
        solution: The answer.
        offered: The operations that could be called, by the names that they were offered by.
        kind: How the query's calls go together.
    """
    # Where calls were made, or none needs another's result, a reference is no value.
    is_waiting = kind == "nested" and not any(step.results for step in solution.steps)
    for call in solution.calls:
        operation = offered.get(call.tool)
        if operation is None:
            yield f"{call.tool!r:.60} was not offered"
        else:
            yield from _broken_by_call(call, operation, is_waiting=is_waiting)
    if any(not step.thought.strip() for step in solution.steps):
        yield "a step without a thought"
    yield from _broken_by_kind(solution, kind)


def _broken_by_call(call: ApiCall, operation: Operation, *, is_waiting: bool) -> Iterator[str]:
    declared = {each.name: each for each in operation.parameters}
    for each in operation.required_parameters:
        if each.name not in call.arguments:
            yield f"{call.tool}: {each.name!r:.60} is missing"
    for name, value in call.arguments.items():
        if name not in declared:
            yield f"{call.tool}: there is no parameter {name!r:.60}"
        elif holds_reference(value) and not (is_waiting and parse_reference(value)):
            yield f"{call.tool}: {name!r:.60} is {value!r:.60}, which no result took the place of"
        elif not _fits(value, declared[name]):
            yield f"{call.tool}: {name!r:.60} is {value!r:.60}"


def _fits(value: object, parameter: ApiParameter) -> bool:
    if parse_reference(value) is not None:
        return True
    listed = parameter.schema.get("enum")
    if (
        isinstance(listed, list)
        and listed
        and value not in listed
        and str(value) not in map(str, listed)
    ):
        return False
    types = _TYPES.get(parameter.type, (object,))
    if isinstance(value, bool):
        return bool in types or object in types
    return isinstance(value, types)


def _broken_by_kind(solution: ApiSolution, kind: CallKind) -> Iterator[str]:
    tools = [call.tool for call in solution.calls]
    expected = {
        "single": len(tools) == 1,
        "repeated": len(tools) > 1 and len(set(tools)) == 1,
        "parallel": len(set(tools)) > 1,
        "nested": len(tools) > 1,
        "none": not tools,
    }
    if not expected[kind]:
        yield f"{len(tools)} calls of {len(set(tools))} tools for a {kind} query"
