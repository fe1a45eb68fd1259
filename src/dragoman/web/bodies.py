"""Bodies that come over the wire, read up to a bound: bytes that came, and bytes that they unpack to."""

import zlib
from collections.abc import AsyncIterable, Mapping

_GZIP_OR_ZLIB = zlib.MAX_WBITS | 32
_RAW = -zlib.MAX_WBITS

ACCEPTED = "gzip, deflate"
"""The codings that are asked for and read."""


class TooLongError(Exception):
    """A body has more bytes than are read; `read_reply` is its beginning."""

    def __init__(self, said: str, read: bytes = b"") -> None:
        super().__init__(said)
        self.read = read


class BadCodingError(Exception):
    """A body that is packed in a way that was not asked for, or badly."""


async def bounded_body(
    chunks: AsyncIterable[bytes], headers: Mapping[str, str], most_bytes: int
) -> bytes:
    """Return a body unpacked.

    Args:
        chunks: What comes.
        headers: Of the answer; names in any case.
        most_bytes: The most that is read, of what comes and of what it unpacks to.

    Raises:
        TooLongError: Where it has more bytes than that, also where its header only says so.
        BadCodingError: Where it cannot be unpacked.
    """
    announced = headers.get("Content-Length", "")
    if announced.isdecimal() and int(announced[:20]) > most_bytes:
        raise TooLongError(f"more than {most_bytes:,} bytes ({int(announced[:20]):,} announced)")
    unpack = _unpacker(headers.get("Content-Encoding", ""))
    content, came = bytearray(), 0
    async for chunk in chunks:
        came += len(chunk)
        content += unpack(chunk, most_bytes + 1 - len(content))
        if len(content) > most_bytes:
            packed = f" ({came:,} compressed)" if came < len(content) else ""
            raise TooLongError(
                f"more than {most_bytes:,} bytes{packed}", bytes(content[:most_bytes])
            )
        if came > most_bytes:
            raise TooLongError(f"more than {most_bytes:,} bytes compressed", bytes(content))
    unpack.finish()
    return bytes(content)


class _Plain:
    """What is not packed."""

    def __call__(self, chunk: bytes, most: int) -> bytes:
        return chunk[:most]

    def finish(self) -> None:
        """End the body."""


class _Packed:
    """Unpacks gzip and both forms of deflate, never more at once than may be kept."""

    def __init__(self) -> None:
        self._began = False
        self._inflate = zlib.decompressobj(_GZIP_OR_ZLIB)

    def __call__(self, chunk: bytes, most: int) -> bytes:
        try:
            return self._unpacked(chunk, most)
        except zlib.error as error:
            raise BadCodingError("it cannot be unpacked") from error

    def finish(self) -> None:
        """End the body.

        Raises:
            BadCodingError: Where more should have come.
        """
        if self._began and not self._inflate.eof:
            raise BadCodingError("it stops within what is compressed")

    def _unpacked(self, chunk: bytes, most: int) -> bytes:
        if self._inflate.eof:
            return b""
        began, self._began = self._began, True
        try:
            return self._inflate.decompress(chunk, most)
        except zlib.error:
            if began:
                raise
            # "deflate" is sent with and without its frame.
            self._inflate = zlib.decompressobj(_RAW)
            return self._inflate.decompress(chunk, most)


def _unpacker(coding: str) -> _Plain | _Packed:
    match coding.strip().lower():
        case "" | "identity":
            return _Plain()
        case "gzip" | "x-gzip" | "deflate":
            return _Packed()
        case other:
            raise BadCodingError(
                f"it is compressed in a way that was not asked for ({other[:40]!r})"
            )
