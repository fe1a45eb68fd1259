"""Untrusted JSON and YAML: parsed within limits, with values coerced to expected types."""

import math
from collections.abc import Mapping
from itertools import islice
from typing import cast

import msgspec

from dragoman.core.errors import DataError
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.curation.untrusted_yaml import load_yaml

MOST_CHARACTERS = 8_000
"""Longest stored text, such as a description, in characters."""

_DEEPEST, _MOST_PARTS, _MOST_VALUES, _MOST_BITS = 12, 200, 2_000, 10_000
_LINES = ".jsonl"
_JSON = msgspec.json.Decoder()
# A recording of exchanges is recognized by its keys; its bodies are not examined.
_RECORDINGS = {"!binary": str}
_WHOLE_NUMBERS = range(-(2**63), 2**64)


def parse_document(content: bytes, suffix: str) -> tuple[object, str]:
    """Parse JSON or YAML, and return the value and a remark.

    The remark says if a JSON file could only be read as YAML.

    Raises:
        DataError: If it is neither.
    """
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise DataError(f"no text in UTF-8 ({error.reason}): convert it") from error
    if suffix not in {".yaml", ".yml"}:
        try:
            whole = suffix != _LINES
            return _JSON.decode(text) if whole else _JSON.decode_lines(text), ""
        except DECODING_ERRORS as error:
            return _as_yaml(text, str(error))
    return load_yaml(text, _RECORDINGS), ""


def _as_yaml(text: str, why: str) -> tuple[object, str]:
    """Parse text that is not valid JSON as YAML, which allows a trailing comma."""
    remark = f"no JSON ({why})"
    if not text.lstrip().startswith(("{", "[")):
        raise DataError(remark)
    try:
        return load_yaml(text), f"{remark}, read as YAML"
    except DataError as error:
        raise DataError(f"{remark} and {error}") from error


def as_mapping(value: object) -> Mapping[str, object]:
    """Return a mapping; an empty one for other values."""
    return cast("Mapping[str, object]", value) if isinstance(value, dict) else {}


def as_list(value: object) -> list[object]:
    """Return a list; an empty one for other values."""
    return value if isinstance(value, list) else []


def as_text(value: object, most: int = MOST_CHARACTERS) -> str:
    """Return a text without outer white space; a number as text, and "" for other values."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    said = value if isinstance(value, str) else _number(value)
    if not said.isascii():
        # JSON allows an unpaired surrogate, which cannot be stored.
        said = said.encode(errors="replace").decode()
    said = said.strip()
    return said if len(said) <= most else said[: most - 1] + "…"


def as_one_line(value: object, most: int = 300) -> str:
    """Return a text as one line."""
    return " ".join(as_text(value, most).split())


def first_text(source: Mapping[str, object], *keys: str) -> str:
    """Return the first of some fields that is not empty."""
    return next((said for key in keys if (said := as_text(source.get(key)))), "")


def storable(value: object) -> object:
    """Return a value within limits for storage; unsafe numbers become texts."""
    return storable_with_size(value)[0]


def storable_with_size(value: object) -> tuple[object, int]:
    """Return the same as `storable`, and the number of values in it."""
    counter = _Counter()
    return _plain(value, 0, counter), counter.seen


class _Counter:
    __slots__ = ("seen",)

    def __init__(self) -> None:
        self.seen = 0


def _plain(value: object, depth: int, counter: _Counter) -> object:
    counter.seen += 1
    if depth >= _DEEPEST or counter.seen > _MOST_VALUES:
        return None
    if isinstance(value, dict):
        some = islice(value.items(), _MOST_PARTS)
        return {as_text(key): _plain(each, depth + 1, counter) for key, each in some}
    if isinstance(value, list):
        return [_plain(each, depth + 1, counter) for each in value[:_MOST_PARTS]]
    return _plain_scalar(value)


def _plain_scalar(value: object) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, int) and not isinstance(value, bool) and value not in _WHOLE_NUMBERS:
        return _number(value)
    return as_text(value) if isinstance(value, str) else value


def _number(value: float) -> str:
    # Python does not convert an integer of more than 4,300 digits to text.
    return str(value) if not isinstance(value, int) or value.bit_length() < _MOST_BITS else ""
