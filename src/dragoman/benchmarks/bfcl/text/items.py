"""Calls as function-calling models store them: names with JSON texts, or with objects."""

from dragoman.benchmarks.bfcl.text.bounds import UnreadableError
from dragoman.benchmarks.bfcl.text.json_text import read_json
from dragoman.core.tools import ToolCall

_NO_OBJECT = "arguments are no object"


def read_items(stored: object) -> tuple[ToolCall, ...]:
    """Return the calls of a stored list whose arguments are JSON texts.

    A stored text is an answer without calls: nothing in an empty one, unreadable otherwise.

    Raises:
        UnreadableError: For a text, an item that is no call, and arguments that are no JSON.
    """
    if stored == "":
        return ()
    if not isinstance(stored, list):
        raise UnreadableError("no list of calls")
    return tuple([_call(item) for item in stored])


def _call(item: object) -> ToolCall:
    if not isinstance(item, dict) or not item:
        raise UnreadableError("an item is no call")
    name = next(iter(item))
    text = item[name]
    if not isinstance(text, str):
        raise UnreadableError("arguments are no JSON text")
    arguments = read_json(text)
    if not isinstance(arguments, dict):
        raise UnreadableError(_NO_OBJECT, is_format=True)
    return ToolCall("", str(name), arguments, raw=text)


def read_object_items(stored: object) -> tuple[ToolCall, ...]:
    """Return the calls of a stored list whose arguments are objects.

    Raises:
        UnreadableError: For anything else; the reference calls that a wrong format.
    """
    if not isinstance(stored, list):
        raise UnreadableError("no list of calls", is_format=True)
    calls: list[ToolCall] = []
    for item in stored:
        if not isinstance(item, dict) or len(item) != 1:
            raise UnreadableError("an item does not name one function", is_format=True)
        ((name, arguments),) = item.items()
        if not isinstance(arguments, dict):
            raise UnreadableError(_NO_OBJECT, is_format=True)
        calls.append(ToolCall("", str(name), arguments))
    return tuple(calls)


def item_strings(stored: object) -> tuple[str, ...]:
    """Return stored calls as texts for an executor: `f(a=1,b='x')`.

    Raises:
        UnreadableError: As `read_items`; an object alone is a list of one item here.
    """
    items = [stored] if isinstance(stored, dict) else stored
    if not isinstance(items, list):
        raise UnreadableError("no list of calls")
    return tuple(
        _item_string(name, arguments) for item in items for name, arguments in _entries(item)
    )


def _entries(item: object) -> list[tuple[object, object]]:
    if not isinstance(item, dict):
        raise UnreadableError("an item is no call")
    return list(item.items())


def _item_string(name: object, arguments: object) -> str:
    if isinstance(arguments, str):
        arguments = read_json(arguments)
    if not isinstance(arguments, dict):
        raise UnreadableError(_NO_OBJECT)
    return f"{name}({','.join(f'{key}={value!r}' for key, value in arguments.items())})"
