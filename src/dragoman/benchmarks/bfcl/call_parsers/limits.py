"""Limits on the length and depth of model output, checked before anything is parsed."""

import re

MAX_LENGTH = 100_000
"""Characters of a reply that may hold calls."""

MAX_DEPTH = 100
"""Brackets, and links of chains between two commas, that may stand inside one another."""

MAX_SOURCE_DEPTH = 40
"""The same for Java and JavaScript, where every bracket costs our own parser ten calls."""

# A string that is left open ends with its line or the text: no attempt is made twice. A carriage
# return ends a line too.
_SKIPPED = re.compile(
    r"""\#[^\r\n]*+
      |'''(?:[^'\\]|\\.|'(?!''))*+(?:''')?
      |\"""(?:[^"\\]|\\.|"(?!""))*+(?:\""")?
      |'(?:[^'\\\r\n]|\\.)*+'?
      |"(?:[^"\\\r\n]|\\.)*+"?
      |\s++""",
    re.VERBOSE | re.DOTALL,
)
_FORMATTED = re.compile(r"[fFtT][rR]?['\"]")
_WORD = re.compile(r"\w++")


class UnreadableError(Exception):
    """A text that holds no calls, or no value, in the form asked for.

    `is_format` says that the text could be parsed and is of another form, a distinction that the
    reference makes.
    """

    def __init__(self, message: str, *, is_format: bool = False) -> None:
        super().__init__(message)
        self.is_format = is_format


def check_length(text: str) -> None:
    """Raise UnreadableError for a text that is too long to be looked at."""
    if len(text) > MAX_LENGTH:
        raise UnreadableError(f"{len(text)} characters, more than {MAX_LENGTH}")


def check_bounds(text: str) -> None:
    """Raise UnreadableError for a text that is too long, or that may nest too deeply."""
    check_length(text)
    if len(text) > MAX_DEPTH and _depth(text) > MAX_DEPTH:
        raise UnreadableError(f"nested or chained more than {MAX_DEPTH} deep")


def leaves_list_open(text: str) -> bool:
    """Return whether a text opens more square brackets than it closes.

    Brackets in strings and comments do not count. The result is False if the text has
    formatted strings, whose expressions are not examined.
    """
    if text.count("[") == text.count("]") or _FORMATTED.search(text) is not None:
        return False
    parts = _outline(text)
    return parts.count("[") > parts.count("]")


def _outline(text: str) -> str:
    """Return a text without strings, comments and spaces, and with one letter for every word."""
    return _WORD.sub("w", _SKIPPED.sub("", text))


def _depth(text: str) -> int:
    """Return how deep a text nests, at most; strings, comments and spaces nest nothing."""
    parts = _outline(text)
    if len(parts) <= MAX_DEPTH:
        return len(parts)
    links, deepest = 0, 0
    outer = [0]
    for part in parts:
        if part in ",;":
            deepest = max(deepest, links)
            links = outer[-1]
        elif part in "([{":
            outer.append(links)
            links += 1
        elif part in ")]}":
            deepest = max(deepest, links)
            links = outer.pop() + 1 if len(outer) > 1 else 1
        else:
            links += 1
    return max(deepest, links)
