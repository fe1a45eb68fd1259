"""What a parameter may be, as far as its document says: nothing is invented."""

from collections.abc import Iterator, Mapping

from dragoman.core.apis.documents import ApiParameter, Operation

MOST = 8
_LONGEST = 120


def stated_values(parameter: ApiParameter) -> list[object]:
    """Return what a document states a parameter may be: its example, default and listed values."""
    found: list[object] = []
    for value in _stated(parameter):
        is_plain = isinstance(value, str | int | float | bool) and value != ""
        if is_plain and len(str(value)) <= _LONGEST and (type(value), value) not in _keys(found):
            found.append(value)
        if len(found) == MOST:
            break
    return found


def stated_arguments(operation: Operation, without: str = "") -> list[dict[str, object]]:
    """Return sets of arguments for the required parameters, as many as the document's values allow.

    Args:
        operation: What is to be called.
        without: A parameter that something else fills.

    Raises:
        ValueError: Where nothing is stated for a required parameter; the text names it.
    """
    needed = [each for each in operation.required_parameters if each.name != without]
    values = {each.name: stated_values(each) for each in needed}
    bare = next((name for name, found in values.items() if not found), None)
    if bare is not None:
        raise ValueError(f"its document states no value for {bare!r}")
    sets: list[dict[str, object]] = [
        {name: found[min(at, len(found) - 1)] for name, found in values.items()}
        for at in range(max(map(len, values.values()), default=1))
    ]
    if len(sets) > 1 or without:
        return sets
    # A parameter that may be left out is given where nothing else is, or where that makes another call.
    more = [
        {**sets[0], each.name: value}
        for each in operation.optional_parameters
        for value in stated_values(each)
        if each.name != without
    ]
    return [*(sets if sets[0] else ()), *more][:2] or sets


def _stated(parameter: ApiParameter) -> Iterator[object]:
    yield parameter.example
    schema: Mapping[str, object] = parameter.schema
    examples = schema.get("examples")
    yield from examples if isinstance(examples, list) else ()
    yield schema.get("example")
    yield parameter.default
    listed = schema.get("enum")
    yield from listed if isinstance(listed, list) else ()


def _keys(values: list[object]) -> list[tuple[type, object]]:
    return [(type(value), value) for value in values]
