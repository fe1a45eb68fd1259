"""TOML that somebody else wrote: whatever is wrong with it is one kind of error, and costs nothing."""

import datetime as dt
import re
import tomllib
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

Kind = TypeVar("Kind")

MOST_BYTES = 4 * 2**20
"""Of one file that a person writes."""

_MOST_PARTS = 100
_TIMES = (dt.datetime, dt.date, dt.time)

# A key of n parts costs the parser n * n: a file of 200 kB that is one key takes more than there is.
_has_long_key = re.compile(rf"(?<![\w\-])(?:[\w\-]++[ \t]*+\.[ \t]*+){{{_MOST_PARTS}}}").search
_has_long_quoted_key = re.compile(
    rf"""(?:"[^"\n]{{0,99}}"[ \t]*+\.[ \t]*+|'[^'\n]{{0,99}}'[ \t]*+\.[ \t]*+){{{_MOST_PARTS}}}"""
).search


def toml_values(text: str, parse_float: Callable[[str], Any] = float) -> dict[str, Any]:
    """Return what a TOML file holds.

    Args:
        text: Of the file.
        parse_float: Makes a number of one with a point.

    Raises:
        TOMLDecodeError: Where it is no TOML, nested too deep, or has a key or a number without end.
    """
    if _has_long_key(text) or _has_long_quoted_key(text):
        raise tomllib.TOMLDecodeError(f"a key of more than {_MOST_PARTS} parts")
    try:
        return tomllib.loads(text, parse_float=parse_float)
    except tomllib.TOMLDecodeError:
        raise
    except RecursionError:
        raise tomllib.TOMLDecodeError("nested too deep") from None
    except (ValueError, ArithmeticError) as error:
        raise tomllib.TOMLDecodeError(str(error).partition(";")[0]) from None


def decode_toml(content: bytes, kind: type[Kind]) -> Kind:
    """Return what a TOML file holds as a type.

    Raises:
        MsgspecError: Where it is no such TOML as `toml_values` reads, or of another type.
        UnicodeError: Where it is no UTF-8.
    """
    try:
        values = toml_values(content.decode("utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise msgspec.DecodeError(str(error)) from error
    return msgspec.convert(values, kind, builtin_types=_TIMES, str_keys=True)
