"""Calls that give a tool each label that it advertises, one at a time."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from dragoman.conditions.language.field_trees import EVERY, Path, allowed_strings
from dragoman.conditions.language.surface import DomainSurface
from dragoman.core.tools import Role, ToolCall, ToolSpec

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
        side: Whose tool it is.
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
                _call(english.name, side, put(arguments, path, label)),
                _call(english.name, side, put(arguments, path, value)),
            )


def label_call(tool: str, path: Path, value: str, label: str) -> LabelCall:
    """Return a call of the agent's with nothing but a label at one place."""
    return LabelCall(
        f"{tool}.{'.'.join(path)}",
        label,
        _call(tool, "agent", put({}, path, label)),
        _call(tool, "agent", put({}, path, value)),
    )


def put(arguments: Mapping[str, object], path: Path, text: str) -> Arguments:
    """Return arguments with a text at a place; a list on the way holds one element."""
    changed = _put(arguments, path, text)
    return changed if isinstance(changed, dict) else {}


def _put(value: object, path: Sequence[str], text: str) -> object:
    if not path:
        return text
    first, *rest = path
    if first == EVERY:
        inner = value[0] if isinstance(value, list) and value else None
        return [_put(inner, rest, text)]
    known = dict(value) if isinstance(value, Mapping) else {}
    return {**known, first: _put(known.get(first), rest, text)}


def _call(tool: str, side: Role, arguments: Arguments) -> ToolCall:
    return ToolCall("label", tool, arguments, side)
