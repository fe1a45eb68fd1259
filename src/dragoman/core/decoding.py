"""Bytes that somebody else wrote: what reading them may raise, and what they hold unpacked."""

import zlib

import msgspec

from dragoman.core.errors import DataError

UNREADABLE = (msgspec.MsgspecError, UnicodeError, RecursionError)
"""Bytes that are no text, no JSON or TOML, not of the type asked for, or nested without end."""

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
