"""Checks of a localized tool view: untranslated texts, and round trips of labels in calls."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from dragoman.conditions.language.domain_surface import DomainSurface
from dragoman.conditions.language.field_trees import EVERY, Path, allowed_strings
from dragoman.core.tools import Role, ToolCall, Toolset, ToolSpec

MOST_PLACES = 8
"""Number of places with the most English texts that are named."""

_MAX_DEPTH = 64
# Names and addresses of people are not translated.
_PERSONAL = {
    "first_name",
    "last_name",
    "full_name",
    "address1",
    "address2",
    "street",
    "city",
    "country",
}
_SHOWN_TEXTS = {"description", "enum", "const", "default", "examples"}
# Language-neutral texts: ids, numbers, addresses, codes.
_OPAQUE = re.compile(r"\S*[\d@_]\S*|[A-Z]{1,6}")


KEY, FIELD = "key", "field"
"""First steps of places in records."""


class ShownText(msgspec.Struct, frozen=True):
    """A text of the world and what is shown of it; `place` names where it stands."""

    place: str
    english: str
    shown: str


class Coverage(msgspec.Struct, frozen=True):
    """Number of different texts of one kind, and number of them that are in English.

    `places` counts the English ones by their place, the most frequent first.
    """

    kind: str
    texts: int
    english: int
    places: dict[str, int]


def measure_coverage(kind: str, seen: Iterable[ShownText]) -> Coverage:
    """Count the different texts that have words in them."""
    texts = dict.fromkeys(text for text in seen if has_words(text.english))
    left = [text for text in texts if text.shown == text.english]
    places = Counter(text.place for text in left).most_common(MOST_PLACES)
    return Coverage(kind, len(texts), len(left), dict(places))


def is_personal(text: ShownText) -> bool:
    """Return whether a text is a person's name or address."""
    return text.place.removeprefix(f"{FIELD} ") in _PERSONAL


def is_key(text: ShownText) -> bool:
    """Return whether a text is a key of a record."""
    return text.place.startswith(f"{KEY} ")


def has_words(text: str) -> bool:
    """Return whether a text holds anything that belongs to a language."""
    return any(any(map(str.isalpha, word)) and not _OPAQUE.fullmatch(word) for word in text.split())


def texts_of_tools(english: Toolset, shown: Toolset) -> Iterator[ShownText]:
    """Yield the descriptions and choices of tools; both toolsets have the same tools in order."""
    for tool, other in zip(english, shown, strict=True):
        yield ShownText(f"{tool.name}: description", tool.description, other.description)
        yield from _of_schema(tool.parameters, other.parameters, tool.name, 0)


def texts_of_result(tool: str, content: str, shown: str) -> Iterator[ShownText]:
    """Yield the texts of a tool's result: its keys and values, or the whole of it."""
    english, seen = _decode_structured(content), _decode_structured(shown)
    if english is None or seen is None:
        yield ShownText(tool, content, shown)
    else:
        yield from _of_record(english, seen, tool, 0)


def _of_schema(english: object, shown: object, tool: str, depth: int) -> Iterator[ShownText]:
    """Yield what a schema says; names of parameters belong to no language."""
    if depth > _MAX_DEPTH:
        return
    for key, one, other in _parts(english, shown):
        if key in _SHOWN_TEXTS and not isinstance(one, Mapping):
            listed = zip(one, other, strict=False) if isinstance(one, list) else [(one, other)]
            yield from (
                ShownText(f"{tool}: {key}", text, seen)
                for text, seen in listed
                if isinstance(text, str) and isinstance(seen, str)
            )
        else:
            yield from _of_schema(one, other, tool, depth + 1)


def _of_record(english: object, shown: object, place: str, depth: int) -> Iterator[ShownText]:
    if isinstance(english, str) and isinstance(shown, str):
        yield ShownText(place, english, shown)
    if depth > _MAX_DEPTH:
        return
    for key, one, other in _parts(english, shown):
        yield from _of_record(one, other, f"{FIELD} {key}" if key else place, depth + 1)
    if isinstance(english, Mapping) and isinstance(shown, Mapping):
        for key, seen in zip(english, shown, strict=False):
            yield ShownText(f"{KEY} {key}", str(key), str(seen))


def _parts(english: object, shown: object) -> Iterator[tuple[str, Any, Any]]:
    """Yield the parts of two objects or lists side by side, with the keys of the first."""
    if isinstance(english, Mapping) and isinstance(shown, Mapping):
        for (key, one), other in zip(english.items(), shown.values(), strict=False):
            yield str(key), one, other
    elif isinstance(english, list) and isinstance(shown, list):
        for one, other in zip(english, shown, strict=False):
            yield "", one, other


def _decode_structured(content: str) -> object:
    try:
        decoded: object = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return decoded if isinstance(decoded, dict | list) else None


Arguments = dict[str, object]


class LabelCall(msgspec.Struct, frozen=True):
    """The same call twice: with a label at one place, and with the value that it stands for."""

    place: str
    label: str
    labelled: ToolCall
    canonical: ToolCall


def label_calls(
    english: ToolSpec,
    shown: ToolSpec,
    surface: DomainSurface,
    side: Role,
    arguments: Mapping[str, object],
) -> Iterator[LabelCall]:
    """Yield a call for each label that a tool advertises: in its schema, or in a description.

    Args:
        english: The tool in English.
        shown: The tool as it is shown.
        surface: Its surface.
        side: The side that has the tool.
        arguments: Those of a sensible call of it, in the world's own values.
    """
    values, labels = (
        dict(allowed_strings(english.parameters)),
        dict(allowed_strings(shown.parameters)),
    )
    advertised = {path: tuple(zip(values[path], labels[path], strict=True)) for path in values}
    for path, value_set in surface.arguments.get(side, {})[english.name].places():
        pairs = advertised.setdefault(path, tuple(value_set.labels.items()))
        if not pairs:
            advertised[path] = tuple(value_set.labels.items())
    for path, pairs in advertised.items():
        for value, label in pairs:
            yield LabelCall(
                f"{english.name}.{'.'.join(path)}",
                label,
                _call(english.name, side, set_argument(arguments, path, label)),
                _call(english.name, side, set_argument(arguments, path, value)),
            )


def label_call(tool: str, path: Path, value: str, label: str) -> LabelCall:
    """Return a call of the agent's that has only a label, at one place."""
    return LabelCall(
        f"{tool}.{'.'.join(path)}",
        label,
        _call(tool, "agent", set_argument({}, path, label)),
        _call(tool, "agent", set_argument({}, path, value)),
    )


def set_argument(arguments: Mapping[str, object], path: Path, text: str) -> Arguments:
    """Return arguments with a text at a place; a list on the way holds one element."""
    changed = _set_at_path(arguments, path, text)
    return changed if isinstance(changed, dict) else {}


def _set_at_path(value: object, path: Sequence[str], text: str) -> object:
    if not path:
        return text
    first, *rest = path
    if first == EVERY:
        inner = value[0] if isinstance(value, list) and value else None
        return [_set_at_path(inner, rest, text)]
    known = dict(value) if isinstance(value, Mapping) else {}
    return {**known, first: _set_at_path(known.get(first), rest, text)}


def _call(tool: str, side: Role, arguments: Arguments) -> ToolCall:
    return ToolCall("label", tool, arguments, side)
