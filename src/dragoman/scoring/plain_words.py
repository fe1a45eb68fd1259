"""A text without what belongs to no language: ids, quoted values, code, JSON, numbers, symbols."""

import re
import unicodedata

from dragoman.core.stop_tokens import MARKER

_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]{1,200}`", re.DOTALL)
_QUOTED = re.compile(
    r"\"[^\"\n]{1,60}\"|“[^”\n]{1,60}”|«[^»\n]{1,60}»|「[^」\n]{1,60}」|(?<!\w)'[^'\n]{1,60}'(?!\w)"
)
_RUN = re.compile(r"[!-~]+")
_IN_IDS = re.compile(r"[0-9@_\\]|://")
# Airports and currencies; longer words in capitals may be words.
_LETTER_CODE = re.compile(r"(?<![^\W\d_])[A-Z]{3}(?![^\W\d_])")
_MARKUP = "#*"
_SYMBOLS_AND_NUMBERS = "SN"


def plain_words(text: str) -> str:
    """Return what a text says in a language, in one line.

    Taken out are: code between backticks; braces with all they hold; stop markers (`###STOP###`);
    up to 60 characters in quotation marks, since more is likelier to be speech; runs of ASCII
    characters with a digit, `@`, `_`, a backslash or `://` in them; three capital letters alone
    (JFK, USD); digits, symbols and emoji.
    """
    for pattern in (_CODE, MARKER):
        text = pattern.sub(" ", text)
    text = _QUOTED.sub(" ", _without_braces(text))
    text = _RUN.sub(_unless_id, text)
    text = _LETTER_CODE.sub(" ", text)
    return " ".join("".join(map(_unless_symbol, text)).split())


def has_letters(text: str) -> bool:
    """Whether any letter of any script stands in a text."""
    return any(map(str.isalpha, text))


def lower_capitals(text: str) -> str:
    """Return a text in small letters where all its letters are capitals, else as it is."""
    return text.lower() if text.isupper() else text


def _without_braces(text: str) -> str:
    """Take out every pair of braces that closes, with all between."""
    opened: list[int] = []
    spans: list[tuple[int, int]] = []
    for at, character in enumerate(text):
        if character == "{":
            opened.append(at)
        elif character == "}" and opened:
            start = opened.pop()
            while spans and spans[-1][0] > start:
                spans.pop()
            spans.append((start, at + 1))
    kept, end = [], 0
    for start, stop in spans:
        kept.append(text[end:start])
        end = stop
    return " ".join((*kept, text[end:]))


def _unless_id(run: re.Match[str]) -> str:
    return " " if _IN_IDS.search(run.group()) else run.group()


def _unless_symbol(character: str) -> str:
    is_dropped = character in _MARKUP or unicodedata.category(character)[0] in _SYMBOLS_AND_NUMBERS
    return " " if is_dropped else character
