"""Bodies as text: by their byte order mark, what their header says, what they say themselves, or UTF-8."""

import codecs
import re
from collections.abc import Mapping
from typing import Literal

import msgspec

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CHARSETS = re.compile(
    r"utf-(?:8|16|32)(?:-[lb]e)?|ascii|cp\d{3,4}|iso8859-\d{1,2}|koi8-[rut]|mac-\w+|gb2312|gbk|gb18030"
    r"|big5|big5hkscs|euc_(?:jp|jis_2004|jisx0213|kr)|shift_jis\w*|iso2022_\w+|johab|tis-620|ptcp154"
)
"""What is decoded, by Python's names; others (UTF-7, escapes, punycode) are no charsets of the web."""

_WIDER = {"ascii": "cp1252", "iso8859-1": "cp1252", "gb2312": "gb18030", "gbk": "gb18030"}
"""Read as what holds them, as browsers do."""

_in_header = re.compile(r"charset\s*=\s*[\"']?([\w.:-]{1,40})", re.IGNORECASE).search
_in_body = re.compile(rb"(?:encoding|charset)\s*=\s*[\"']?([\w.:-]{1,40})", re.IGNORECASE).search
_LOOKED_AT = 1_024


class BodyText(msgspec.Struct, frozen=True):
    """A body as text.

    Attributes:
        text: It; what no charset explains is U+FFFD.
        charset: By Python's name.
        known_by: What told the charset.
        damaged: Whether something in it could not be read.
    """

    text: str
    charset: str
    known_by: Literal["mark", "header", "body", "default"]
    damaged: bool = False


def body_text(body: bytes, headers: Mapping[str, str]) -> BodyText:
    """Decode a body.

    Args:
        body: Its bytes, unpacked.
        headers: Of the answer, with names in small letters.
    """
    for mark, charset in _MARKS:
        if body.startswith(mark):
            return _decoded(body[len(mark) :], charset, "mark")
    told = _in_header(headers.get("content-type", ""))
    if told and (charset := _known(told[1])):
        return _decoded(body, charset, "header")
    start = body[:_LOOKED_AT].lstrip()
    said = _in_body(start) if start.startswith(b"<") else None
    if said and (charset := _known(said[1].decode("ascii"))):
        return _decoded(body, charset, "body")
    return _decoded(body, "utf-8", "default")


def _known(name: str) -> str:
    """Return Python's name of a charset of the web; "" for others."""
    try:
        charset = codecs.lookup(name).name
    except (LookupError, ValueError):
        return ""
    return _WIDER.get(charset, charset) if _CHARSETS.fullmatch(charset) else ""


def _decoded(
    body: bytes, charset: str, known_by: Literal["mark", "header", "body", "default"]
) -> BodyText:
    try:
        return BodyText(body.decode(charset), charset, known_by)
    except UnicodeDecodeError:
        return BodyText(body.decode(charset, "replace"), charset, known_by, damaged=True)
