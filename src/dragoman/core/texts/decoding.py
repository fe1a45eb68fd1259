"""Bytes that somebody else wrote: what reading them may raise, and what they hold unpacked."""

import zlib
from types import TracebackType

import msgspec

from dragoman.core.errors import DataError, DragomanError

UNREADABLE = (msgspec.MsgspecError, UnicodeError, RecursionError)
"""Bytes that are no text, no JSON or TOML, not of the type asked for, or nested without end."""


class OutsideErrors:
    """Around what touches files or foreign bytes: their errors become ours, "WHERE: WHAT (WHY)".

    Args:
        kind: Of our errors.
        what: Where it was and what failed.
    """

    __slots__ = ("_kind", "_what")

    def __init__(self, kind: type[DragomanError], what: str) -> None:
        self._kind = kind
        self._what = what

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(
        self,
        _: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Raise our error in the place of one from outside; any other passes."""
        if isinstance(error, OSError):
            raise self._kind(f"{self._what} ({error.strerror or error})") from error
        if isinstance(error, UNREADABLE):
            raise self._kind(f"{self._what} ({error})") from error


_FENCE = "```"


def unfenced(text: str) -> str:
    """Return a model's JSON without the fence of a code block that many models put around it."""
    inner = text.strip()
    if len(inner) < 2 * len(_FENCE) or not (inner.startswith(_FENCE) and inner.endswith(_FENCE)):
        return text
    return inner.removeprefix(_FENCE).removesuffix(_FENCE).removeprefix("json").strip()


_GZIP, _BYTE_ORDER_MARK = b"\x1f\x8b", b"\xef\xbb\xbf"
_GZIP_WINDOW = 31


def unpacked(content: bytes, most: int) -> bytes:
    """Return content without gzip around it and without a byte order mark before it.

    Args:
        content: Of a file.
        most: Bytes that it may hold unpacked.

    Raises:
        DataError: Where the packing is damaged or holds more; whoever calls names the file.
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
