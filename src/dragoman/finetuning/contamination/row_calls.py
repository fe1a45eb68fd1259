"""What a row calls, whatever form its calls have."""

from collections.abc import Iterator

import msgspec

from dragoman.benchmarks.kit.api_tools import native_tool_names
from dragoman.core.apis.itc_answers import ACTION, ANY_SYNTAX, parse_itc_answer
from dragoman.core.training_examples import TrainingExample


def apis_of(row: TrainingExample) -> tuple[str, ...]:
    """Return the APIs that a row says it calls, and the functions that it calls."""
    return tuple(dict.fromkeys((*row.origin.apis, *(name for name, _ in calls_of(row)))))


def calls_of(row: TrainingExample) -> list[tuple[str, str]]:
    """Return what a row calls, by name and arguments: natively, or as thought and action in its text."""
    found = []
    for message in row.messages:
        calls = message.get("tool_calls")
        for call in calls if isinstance(calls, list | tuple) else ():
            function = call.get("function", {}) if isinstance(call, dict) else {}
            found.append((str(function.get("name", "")), str(function.get("arguments", "{}"))))
        if message.get("role") == "assistant":
            found += _written_calls(message.get("content"))
    return found


def _written_calls(content: object) -> Iterator[tuple[str, str]]:
    """Yield the calls of an answer in text, by the names that native calls have."""
    is_answer = isinstance(content, str) and ACTION.casefold() in content.casefold()
    answer = parse_itc_answer(str(content), (), ANY_SYNTAX) if is_answer else None
    for call in () if answer is None else answer.calls or ():
        (name,) = native_tool_names([call.tool]).values()
        yield name, msgspec.json.encode(call.arguments).decode()
