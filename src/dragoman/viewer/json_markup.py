"""Colours of JSON in pages: keys, strings, numbers and constants, as escaped markup."""

import re
from typing import TYPE_CHECKING

import msgspec

from dragoman.core.texts.characters import escape_controls

if TYPE_CHECKING:
    from markupsafe import Markup

MAX_COLOURED = 20_000
"""Longest text that is coloured, in characters; a longer one is plain."""

_TOKEN = re.compile(
    r'(?P<string>"(?:\\.|[^"\\])*(?:"|$))(?P<colon>\s*:)?'
    r"|(?P<number>-?\d[\d.eE+-]*)"
    r"|(?P<constant>true|false|null)",
    re.DOTALL,
)


def json_markup(whole: str, shown: str) -> "Markup":
    """Return the beginning of a text as markup, coloured if the text is JSON.

    Args:
        whole: The text.
        shown: The shown part: its beginning, with a note if it is cut.
    """
    from markupsafe import Markup, escape

    if not is_json(whole):
        return escape(escape_controls(shown))
    known = len(whole) if shown.startswith(whole) else _common_length(whole, shown)
    parts: list[Markup] = []
    end = 0
    for found in _TOKEN.finditer(shown, 0, known):
        parts.append(escape(escape_controls(shown[end : found.start()])))
        parts.append(_coloured(found))
        end = found.end()
    parts.append(escape(escape_controls(shown[end:])))
    return Markup("").join(parts)


def is_json(text: str) -> bool:
    """Return whether a text is an object or a list of JSON that is short enough to be coloured."""
    if len(text) > MAX_COLOURED or not text.lstrip().startswith(("{", "[")):
        return False
    try:
        msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return False
    return True


def _common_length(whole: str, shown: str) -> int:
    """Return the length of the common beginning of a cut text and the whole one."""
    pairs = enumerate(zip(whole, shown, strict=False))
    return next(
        (place for place, (one, other) in pairs if one != other), min(len(whole), len(shown))
    )


def _coloured(found: re.Match[str]) -> "Markup":
    from markupsafe import Markup, escape

    if found["string"] is None:
        kind = "number" if found["number"] is not None else "constant"
        return Markup('<span class="json-{}">{}</span>').format(kind, found[0])
    kind = "key" if found["colon"] is not None else "string"
    text = escape(escape_controls(found["string"]))
    return Markup('<span class="json-{}">{}</span>{}').format(kind, text, found["colon"] or "")
