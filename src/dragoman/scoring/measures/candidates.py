"""Which of several things a call means: what results showed beside it, and what tells it from them."""

import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from dragoman.core.episodes import Event
from dragoman.core.texts.said_values import texts_of
from dragoman.core.tools import ToolCall, ToolResult
from dragoman.scoring.identifying import squeeze
from dragoman.scoring.measures.made_calls import made_calls

ID = re.compile(r"#?(?=[\w-]*\d[\w-]*\d[\w-]*\d)[A-Za-z0-9]{1,80}(?:[_-][A-Za-z0-9]{1,80}){0,9}")
"""What has three digits or more and stands in one piece."""

_WORD = re.compile(r"[^\W_]{3,40}")
MAX_DEPTH = 20
_MAX_RESULT = 200_000
"""Characters of a result that are read."""


def object_of(call: ToolCall) -> str | None:
    """Return the thing that a call acts on: the first id among its arguments; None where it has none."""
    values = (value for argument in call.arguments.values() for value in texts_of(argument))
    return next((value for value in values if ID.fullmatch(value)), None)


def form_of(id_: str) -> str:
    """Return which signs of an id are letters and which are digits."""
    return re.sub(r"[^\W\d_]", "a", re.sub(r"\d", "0", id_.lstrip("#")))


def why_guessed(
    thing: str, before: Sequence[Event], told: Sequence[str], done: frozenset[str]
) -> str:
    """Return why nothing tells an id from others; "" where something does.

    Args:
        thing: The id, which nobody said.
        before: What happened until it was called with.
        told: The words that both sides had said and heard.
        done: Other ids to which the same was done.
    """
    results = [(made.call, made.result) for made in made_calls(before) if made.result is not None]
    contents = [(call, _content(result)) for call, result in results]
    if not any(_holds(content, thing) for _, content in contents):
        return f"nobody said {thing}, and no result shows it"
    beside = {other for _, content in contents for other in _beside(content, thing)} - done
    words = {word for text in told for word in _words(text)}
    own = words & _record(thing, contents)
    like = sorted(other for other in beside if not own - _record(other, contents))
    return f"nobody said {thing}, and {like[0]} fits as well" if like else ""


def _content(result: ToolResult) -> object:
    text = result.content[:_MAX_RESULT]
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text


def _holds(content: object, thing: str) -> bool:
    return any(squeeze(thing) in squeeze(text) for text in _texts(content))


def _beside(content: object, thing: str) -> Iterator[str]:
    """Yield ids of the same form that stand in one list with a thing."""
    for rows in _lists(content):
        ids = [_own_ids(row, thing) for row in rows]
        if any(thing in each for each in ids):
            yield from (other for each in ids for other in each if other != thing)


def _own_ids(row: object, like: str) -> list[str]:
    """Return the ids of a row that have a form: the row itself, or what it has at its top."""
    found = row.values() if isinstance(row, Mapping) else [row]
    return [text for text in found if isinstance(text, str) and form_of(text) == form_of(like)]


def _lists(content: object, depth: int = MAX_DEPTH) -> Iterator[Sequence[object]]:
    if not depth:
        return
    if isinstance(content, list):
        yield content
    for each in _parts(content):
        yield from _lists(each, depth - 1)


def _record(thing: str, contents: Sequence[tuple[ToolCall, object]]) -> set[str]:
    """Return the words of what is known of a thing: rows with it, and results of calls that name it alone."""
    words: set[str] = set()
    for call, content in contents:
        if thing in texts_of(call.arguments):
            words |= {word for text in _texts(content) for word in _words(text)}
        for row in _rows(content, thing):
            words |= {word for text in _texts(row) for word in _words(text)}
    return words


def _rows(content: object, thing: str, depth: int = MAX_DEPTH) -> Iterator[object]:
    """Yield the objects that have a thing at their top."""
    if not depth:
        return
    if isinstance(content, Mapping) and thing in content.values():
        yield content
    for each in _parts(content):
        yield from _rows(each, thing, depth - 1)


def _parts(content: object) -> Sequence[object]:
    if isinstance(content, Mapping):
        return list(content.values())
    return content if isinstance(content, list) else ()


def _texts(content: object) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    else:
        yield from texts_of(content)


def _words(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text)}
