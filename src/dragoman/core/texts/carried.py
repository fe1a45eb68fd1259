"""What a stored record can carry: JSON in UTF-8, and nothing else that Python can hold."""

import msgspec

UNWRITABLE = (
    msgspec.MsgspecError,
    TypeError,
    ValueError,
    OverflowError,
    RecursionError,
)
"""What encoding a value may raise: halves of characters are a ValueError, odd keys a TypeError."""

_encode = msgspec.json.Encoder().encode


def carried(text: str) -> str:
    """Return a text as UTF-8 can carry it: halves of characters are written as escapes."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def why_not_carried(value: object) -> str:
    """Return why JSON cannot carry a value, in one line; nothing where it can."""
    try:
        _encode(value)
    except UNWRITABLE as error:
        return f"JSON cannot carry them: {error}"[:200]
    return ""
