"""Bounded reader of untrusted YAML that returns plain values without YAML's surprises."""

import math
import re
from collections.abc import Callable, Mapping

import yaml

from dragoman.core.errors import DataError

MOST_VALUES = 500_000
"""Most values in one text, with aliases expanded."""

MOST_DEPTH = 100
"""Greatest nesting depth."""

Tags = Mapping[str, Callable[[str], object]]
"""Parsers of scalars, by the full name of the YAML tag."""

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_STANDARD = "tag:yaml.org,2002:"
_PLAIN_TAGS = frozenset(_STANDARD + name for name in ("int", "float", "bool", "null", "timestamp"))
_NULLS = frozenset(("", "~", "null", "Null", "NULL"))
_BOOLS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_WHOLE = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")
_FRACTION = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_LONGEST_NUMBER = 40
_MERGE = "<<"
_TOO_DEEP_TO_READ = "exceeded maximum nesting depth"
"""Part of libyaml 0.2.6's error for more than 1,000 levels.

libyaml reads ahead, so this error comes before the first event.
"""


def load_yaml(
    text: str,
    tags: Tags | None = None,
    most_values: int = MOST_VALUES,
    most_depth: int = MOST_DEPTH,
) -> object:
    """Parse a YAML text into dicts, lists, texts, numbers, booleans and None.

    Args:
        text: One YAML document.
        tags: Parsers of scalars with tags that are not YAML's plain ones; other tags are refused.
        most_values: Most values in the text, with aliases expanded.
        most_depth: Greatest nesting depth.

    Raises:
        DataError: If the text is not valid YAML or exceeds a limit. The caller adds the file's
            name.
    """
    values = _Values(tags or {}, most_values, most_depth)
    try:
        for event in yaml.parse(text, Loader=_Loader):
            values.take(event)
    except yaml.YAMLError as error:
        said = _describe_yaml_error(error)
        if _TOO_DEEP_TO_READ in said:
            raise DataError(_too_deep(most_depth)) from error
        raise DataError(f"no YAML ({said})") from error
    return values.whole


class _Frame:
    """A list or mapping that is being read."""

    __slots__ = ("anchor", "before", "key", "merged", "value")

    def __init__(self, value: dict[str, object] | list[object], anchor: str, before: int) -> None:
        self.value = value
        self.anchor = anchor
        self.before = before
        self.key: str | None = None
        self.merged: list[object] = []


class _Values:
    """Builder of values from YAML events, without recursion."""

    def __init__(self, tags: Tags, most_values: int, most_depth: int) -> None:
        self.whole: object = None
        self._tags = tags
        self._most_values = most_values
        self._most_depth = most_depth
        self._frames: list[_Frame] = []
        self._anchors: dict[str, tuple[object, int]] = {}
        self._count = 0
        self._texts = 0

    def take(self, event: yaml.Event) -> None:
        match event:
            case yaml.ScalarEvent():
                self._take_scalar(event)
            case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                self._open({} if isinstance(event, yaml.MappingStartEvent) else [], event)
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                self._close()
            case yaml.AliasEvent():
                self._take_alias(event)
            case yaml.DocumentStartEvent():
                self._texts += 1
                if self._texts > 1:
                    raise DataError("several YAML documents in one: make it one file each")
            case _:
                pass

    def _take_scalar(self, event: yaml.ScalarEvent) -> None:
        frame = self._frames[-1] if self._frames else None
        if frame is not None and isinstance(frame.value, dict) and frame.key is None:
            self._add(1)
            frame.key = str(event.value)
            self._remember(event.anchor, frame.key, 1)
            return
        value = self._scalar(event)
        self._put(value, 1)
        self._remember(event.anchor, value, 1)

    def _scalar(self, event: yaml.ScalarEvent) -> object:
        tag, text = event.tag, str(event.value)
        if tag in self._tags:
            return self._tags[tag](text)
        if tag is None or tag == "!":
            return _plain(text) if event.implicit[0] else text
        if tag == _STANDARD + "str":
            return text
        if tag in _PLAIN_TAGS:
            return _plain(text)
        raise DataError(f"the tag {tag[:80]} of YAML is not read")

    def _take_alias(self, event: yaml.AliasEvent) -> None:
        if event.anchor not in self._anchors:
            raise DataError(f"the alias *{event.anchor} stands for nothing, or for what it is in")
        value, size = self._anchors[event.anchor]
        frame = self._frames[-1] if self._frames else None
        if frame is not None and isinstance(frame.value, dict) and frame.key is None:
            if not isinstance(value, str):
                raise DataError("a key of YAML that is not a text")
            self._add(1)
            frame.key = value
            return
        self._put(value, size)

    def _open(self, value: dict[str, object] | list[object], event: yaml.NodeEvent) -> None:
        if len(self._frames) >= self._most_depth:
            raise DataError(_too_deep(self._most_depth))
        frame = self._frames[-1] if self._frames else None
        if frame is not None and isinstance(frame.value, dict) and frame.key is None:
            raise DataError("a key of YAML that is not a text")
        self._frames.append(_Frame(value, event.anchor or "", self._count))
        self._add(1)

    def _close(self) -> None:
        frame = self._frames.pop()
        if isinstance(frame.value, dict):
            for merged in frame.merged:
                frame.value = {**_mapping(merged), **frame.value}
        size = self._count - frame.before
        self._count = frame.before
        self._put(frame.value, size)
        self._remember(frame.anchor, frame.value, size)

    def _put(self, value: object, size: int) -> None:
        self._add(size)
        if not self._frames:
            self.whole = value
            return
        frame = self._frames[-1]
        if isinstance(frame.value, list):
            frame.value.append(value)
            return
        key, frame.key = frame.key, None
        if key == _MERGE:
            frame.merged += value if isinstance(value, list) else [value]
        elif key is not None:
            frame.value[key] = value

    def _add(self, size: int) -> None:
        self._count += size
        if self._count > self._most_values:
            raise DataError(f"more than {self._most_values:,} values")

    def _remember(self, anchor: str | None, value: object, size: int) -> None:
        if anchor:
            self._anchors[anchor] = (value, size)


def _mapping(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise DataError("the value that << merges is not a mapping")
    return value


def _plain(text: str) -> object:
    if text in _NULLS:
        return None
    if text in _BOOLS:
        return _BOOLS[text]
    if len(text) > _LONGEST_NUMBER or not text[-1].isdigit():
        return text
    if _WHOLE.fullmatch(text):
        return int(text)
    if _FRACTION.fullmatch(text) and math.isfinite(number := float(text)):
        return number
    return text


def _too_deep(most_depth: int) -> str:
    return f"nested more than {most_depth} deep"


def _describe_yaml_error(error: yaml.YAMLError) -> str:
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        return f"line {error.problem_mark.line + 1}: {error.problem}"
    return " ".join(str(error).split())[:200]
