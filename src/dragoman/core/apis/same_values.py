"""When two values of an argument are the same, whoever wrote them and in whichever form."""

import unicodedata
from collections.abc import Hashable

_WORDS = {"True": "true", "False": "false", "None": "null"}


def canonical(value: object) -> Hashable:
    """Return what all ways to write a value have in common.

    A number is its shortest text, so that 5, 5.0 and "5" are one and "05" is another; `True` is
    "true"; texts are compared in Unicode's composed form, without spaces around them; the keys of an
    object have no order.
    """
    match value:
        case str():
            text = unicodedata.normalize("NFC", value).strip()
            return _WORDS.get(text, text)
        case list() | tuple():
            return tuple(canonical(each) for each in value)
        case dict():
            return frozenset((canonical(key), canonical(each)) for key, each in value.items())
        case float() if value.is_integer():
            return str(int(value))
        case _:
            return _WORDS.get(str(value), str(value))
