"""Response bodies: bounded reading, decompression and charset detection.

The charset comes from the byte order mark, the header, or the body's own declaration; it is UTF-8
otherwise.
"""

import codecs
import re
import zlib
from collections.abc import AsyncIterable, Mapping
from typing import Literal

import msgspec

_GZIP_OR_ZLIB = zlib.MAX_WBITS | 32
_RAW = -zlib.MAX_WBITS

ACCEPTED = "gzip, deflate"
"""The content codings that are requested and decoded."""


class BodyTooLongError(Exception):
    """A body with more bytes than the limit; `read` is its beginning."""

    def __init__(self, said: str, read: bytes = b"") -> None:
        super().__init__(said)
        self.read = read


class ContentEncodingError(Exception):
    """A body with a content coding that was not requested, or with damaged compression."""


async def bounded_body(
    chunks: AsyncIterable[bytes], headers: Mapping[str, str], most_bytes: int
) -> bytes:
    """Return a body after decompression.

    Args:
        chunks: The chunks of the body as they arrive.
        headers: The headers of the answer; names in any case.
        most_bytes: Largest number of bytes, both before and after decompression.

    Raises:
        BodyTooLongError: If the body is longer, or its header says so.
        ContentEncodingError: If the body cannot be decompressed.
    """
    announced = headers.get("Content-Length", "")
    if announced.isdecimal() and int(announced[:20]) > most_bytes:
        raise BodyTooLongError(
            f"more than {most_bytes:,} bytes ({int(announced[:20]):,} announced)"
        )
    unpack = _decoder_for(headers.get("Content-Encoding", ""))
    content, came = bytearray(), 0
    async for chunk in chunks:
        came += len(chunk)
        content += unpack(chunk, most_bytes + 1 - len(content))
        if len(content) > most_bytes:
            packed = f" ({came:,} compressed)" if came < len(content) else ""
            raise BodyTooLongError(
                f"more than {most_bytes:,} bytes{packed}", bytes(content[:most_bytes])
            )
        if came > most_bytes:
            raise BodyTooLongError(f"more than {most_bytes:,} bytes compressed", bytes(content))
    unpack.finish()
    return bytes(content)


class _Identity:
    """Decoder of a body without compression."""

    def __call__(self, chunk: bytes, most: int) -> bytes:
        return chunk[:most]

    def finish(self) -> None:
        """End the body."""


class _Decompressor:
    """Decompressor of gzip and both forms of deflate, with bounded output."""

    def __init__(self) -> None:
        self._began = False
        self._inflate = zlib.decompressobj(_GZIP_OR_ZLIB)

    def __call__(self, chunk: bytes, most: int) -> bytes:
        try:
            return self._unpacked(chunk, most)
        except zlib.error as error:
            raise ContentEncodingError("it cannot be unpacked") from error

    def finish(self) -> None:
        """End the body.

        Raises:
            ContentEncodingError: If the body is incomplete.
        """
        if self._began and not self._inflate.eof:
            raise ContentEncodingError("it stops within what is compressed")

    def _unpacked(self, chunk: bytes, most: int) -> bytes:
        if self._inflate.eof:
            return b""
        began, self._began = self._began, True
        try:
            return self._inflate.decompress(chunk, most)
        except zlib.error:
            if began:
                raise
            # Servers send "deflate" with and without its zlib frame.
            self._inflate = zlib.decompressobj(_RAW)
            return self._inflate.decompress(chunk, most)


def _decoder_for(coding: str) -> _Identity | _Decompressor:
    match coding.strip().lower():
        case "" | "identity":
            return _Identity()
        case "gzip" | "x-gzip" | "deflate":
            return _Decompressor()
        case other:
            raise ContentEncodingError(
                f"it is compressed in a way that was not asked for ({other[:40]!r})"
            )


_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CHARSETS = re.compile(
    r"utf-(?:8|16|32)(?:-[lb]e)?|ascii|cp\d{3,4}|iso8859-\d{1,2}|koi8-[rut]|mac-\w+|gb2312|gbk"
    r"|gb18030"
    r"|big5|big5hkscs|euc_(?:jp|jis_2004|jisx0213|kr)|shift_jis\w*|iso2022_\w+|johab|tis-620"
    r"|ptcp154"
)
"""Charsets that are decoded, by Python's names.

Others (UTF-7, escapes, punycode) are not charsets of the web.
"""

_WIDER = {"ascii": "cp1252", "iso8859-1": "cp1252", "gb2312": "gb18030", "gbk": "gb18030"}
"""Supersets that are used in place of charsets, as in browsers."""

_in_header = re.compile(r"charset\s*=\s*[\"']?([\w.:-]{1,40})", re.IGNORECASE).search
_in_body = re.compile(rb"(?:encoding|charset)\s*=\s*[\"']?([\w.:-]{1,40})", re.IGNORECASE).search
_LOOKED_AT = 1_024


class BodyText(msgspec.Struct, frozen=True):
    """A body as text.

    Attributes:
        text: The text; bytes that the charset cannot decode are U+FFFD.
        charset: Python's name of the charset.
        known_by: The source of the charset.
        damaged: Whether some bytes could not be decoded.
    """

    text: str
    charset: str
    known_by: Literal["mark", "header", "body", "default"]
    damaged: bool = False


def body_text(body: bytes, headers: Mapping[str, str]) -> BodyText:
    """Decode a body.

    Args:
        body: The bytes after decompression.
        headers: The headers of the answer, with names in small letters.
    """
    for mark, charset in _MARKS:
        if body.startswith(mark):
            return _decode_body(body[len(mark) :], charset, "mark")
    reported = _in_header(headers.get("content-type", ""))
    if reported and (charset := _find_charset(reported[1])):
        return _decode_body(body, charset, "header")
    start = body[:_LOOKED_AT].lstrip()
    said = _in_body(start) if start.startswith(b"<") else None
    if said and (charset := _find_charset(said[1].decode("ascii"))):
        return _decode_body(body, charset, "body")
    return _decode_body(body, "utf-8", "default")


def _find_charset(name: str) -> str:
    """Return Python's name of a charset of the web; "" for others."""
    try:
        charset = codecs.lookup(name).name
    except (LookupError, ValueError):
        return ""
    return _WIDER.get(charset, charset) if _CHARSETS.fullmatch(charset) else ""


def _decode_body(
    body: bytes, charset: str, known_by: Literal["mark", "header", "body", "default"]
) -> BodyText:
    try:
        return BodyText(body.decode(charset), charset, known_by)
    except UnicodeDecodeError:
        return BodyText(body.decode(charset, "replace"), charset, known_by, damaged=True)
