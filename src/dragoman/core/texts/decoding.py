"""Bounded decoding of untrusted text: compression, nesting, JSON paths and TOML.

Python source is parsed to a syntax tree and never run.
"""

import ast
import datetime as dt
import re
import tomllib
import warnings
import zlib
from collections.abc import Callable, Iterable, Mapping
from types import TracebackType
from typing import Any, TypeVar

import msgspec

from dragoman.core.errors import DataError, DragomanError

SERIALIZATION_ERRORS = (
    msgspec.MsgspecError,
    TypeError,
    ValueError,
    OverflowError,
    RecursionError,
)
"""Errors of encoding a value: surrogates cause a ValueError, odd keys a TypeError."""

_encode = msgspec.json.Encoder().encode


def escape_surrogates(text: str) -> str:
    """Return a text that UTF-8 can carry: surrogates are written as escapes."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def why_not_serializable(value: object) -> str:
    """Return why JSON cannot carry a value, in one line; "" if it can."""
    try:
        _encode(value)
    except SERIALIZATION_ERRORS as error:
        return f"JSON cannot carry them: {error}"[:200]
    return ""


MOST_DEPTH = 100
"""Deepest nesting of a call's arguments; deeper JSON can be neither compared nor shown."""

TOO_DEEP = "nested too deeply"


def is_nested_too_deeply(value: object) -> bool:
    """Return whether lists and objects are nested deeper than arguments may be."""
    level = [value]
    for _ in range(MOST_DEPTH):
        level = [inner for outer in level for inner in _inside(outer)]
        if not level:
            return False
    return True


def why_unreadable(error: Exception, what: str) -> str:
    """Return why something could not be read.

    Args:
        error: The error of reading it.
        what: The subject of the sentence with its verb: "the arguments are".
    """
    return f"{what} {TOO_DEEP}" if isinstance(error, RecursionError) else str(error)


def _inside(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


DECODING_ERRORS = (msgspec.MsgspecError, UnicodeError, RecursionError)
"""Errors of decoding: not text, not JSON or TOML, the wrong type, or endless nesting."""


class TranslatedErrors:
    """Context that turns errors of files and foreign bytes into Dragoman's errors.

    Their message has the form "WHERE: WHAT (WHY)".

    Args:
        kind: The class of the raised errors.
        what: The beginning of the message: the place and the failure.
    """

    __slots__ = ("_kind", "_what")

    def __init__(self, kind: type[DragomanError], what: str) -> None:
        self._kind = kind
        self._what = what

    def __enter__(self) -> None:
        """Enter the context."""

    def __exit__(
        self,
        _: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Raise a Dragoman error in place of a file or decoding error; pass on any other."""
        if isinstance(error, OSError):
            raise self._kind(f"{self._what} ({error.strerror or error})") from error
        if isinstance(error, DECODING_ERRORS):
            raise self._kind(f"{self._what} ({error})") from error


_FENCE = "```"


def strip_code_fence(text: str) -> str:
    """Return a model's JSON without the code fence that many models put around it."""
    inner = text.strip()
    if len(inner) < 2 * len(_FENCE) or not (inner.startswith(_FENCE) and inner.endswith(_FENCE)):
        return text
    return inner.removeprefix(_FENCE).removesuffix(_FENCE).removeprefix("json").strip()


_GZIP, _BYTE_ORDER_MARK = b"\x1f\x8b", b"\xef\xbb\xbf"
_GZIP_WINDOW = 31


def decompress(content: bytes, most: int) -> bytes:
    """Return content without gzip compression and without a byte order mark.

    Args:
        content: The content of a file.
        most: Largest decompressed size in bytes.

    Raises:
        DataError: If the compression is damaged or the content is larger; the caller names the
            file.
    """
    parts, size = [], 0
    while content.startswith(_GZIP):
        member = zlib.decompressobj(_GZIP_WINDOW)
        try:
            parts.append(member.decompress(content, most - size + 1))
        except zlib.error as error:
            raise DataError(f"damaged gzip ({error})") from error
        size += len(parts[-1])
        if size > most:
            raise DataError(f"more than {most} bytes unpacked")
        if not member.eof:
            raise DataError("damaged gzip (cut off)")
        content = member.unused_data
    return b"".join((*parts, content if not parts else b"")).removeprefix(_BYTE_ORDER_MARK)


JsonPath = tuple[str | int, ...]


def value_at(value: object, place: JsonPath) -> object:
    """Return the value at a path, or None if the path does not exist."""
    for step in place:
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return None
    return value


def set_values_at(value: Any, texts: Mapping[JsonPath, str]) -> None:  # noqa: ANN401
    """Set texts at paths, which must exist."""
    for place, text in texts.items():
        holder = value
        for step in place[:-1]:
            holder = holder[step]
        holder[place[-1]] = text


MAX_SOURCE = 2_000_000
"""Longest module text that is parsed, in characters."""


def parse_module(source: str, where: str) -> ast.Module:
    """Return a module's syntax tree.

    Args:
        source: The text of the module.
        where: The name of the module in errors.

    Raises:
        DataError: If the text is too long or not valid Python.
    """
    if len(source) > MAX_SOURCE:
        raise DataError(f"{where}: the module is longer than {MAX_SOURCE} characters")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        reason = str(error).partition("\n")[0]
        raise DataError(f"{where}: not valid Python: {reason}") from error


Kind = TypeVar("Kind")

MOST_BYTES = 4 * 2**20
"""Largest size in bytes of one file that a person writes."""

_MOST_PARTS = 100
_TIMES = (dt.datetime, dt.date, dt.time)

# A key of n parts costs the parser n * n: a file of 200 kB that is one key would exhaust memory.
_has_long_key = re.compile(rf"(?<![\w\-])(?:[\w\-]++[ \t]*+\.[ \t]*+){{{_MOST_PARTS}}}").search
_has_long_quoted_key = re.compile(
    rf"""(?:"[^"\n]{{0,99}}"[ \t]*+\.[ \t]*+|'[^'\n]{{0,99}}'[ \t]*+\.[ \t]*+){{{_MOST_PARTS}}}"""
).search


def load_toml(text: str, parse_float: Callable[[str], Any] = float) -> dict[str, Any]:
    """Return the content of a TOML file.

    Args:
        text: The text of the file.
        parse_float: A function that parses a number with a decimal point.

    Raises:
        TOMLDecodeError: If the text is not TOML, is nested too deeply, or has an overlong key or
            number.
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
    """Return the content of a TOML file as a type.

    Raises:
        MsgspecError: If the content is not TOML as `load_toml` reads it, or has another type.
        UnicodeError: If the content is not UTF-8.
    """
    try:
        values = load_toml(content.decode("utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise msgspec.DecodeError(str(error)) from error
    return msgspec.convert(values, kind, builtin_types=_TIMES, str_keys=True)
