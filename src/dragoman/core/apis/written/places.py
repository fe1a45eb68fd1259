"""A place in a text that a model wrote, and what is read from there on."""

import re
from collections.abc import Sequence

MAX_CHARS = 100_000
"""Characters of an answer that are read; a longer one is unreadable."""

_SPACES = re.compile(r"\s*+")
_UNICODE = re.compile(r"(?:\\u[0-9a-fA-F]{4})++")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_THEMSELVES = frozenset("'\"\\/`")


class UnreadableCallsError(Exception):
    """A text that holds no calls in the form that was asked for; says what is wrong, and where."""


class TextPlace:
    """A position in a text; `is_plain` is lost where the text leaves the form that was asked for."""

    __slots__ = ("at", "has_open_brackets", "is_plain", "names", "text")

    def __init__(self, text: str, names: Sequence[str] = ()) -> None:
        """Begin at the start.

        Args:
            text: What is read.
            names: Tools that may be called, the longest first.

        Raises:
            UnreadableCallsError: Where the text is too long to be looked at.
        """
        if len(text) > MAX_CHARS:
            raise UnreadableCallsError(f"{len(text)} characters, more than {MAX_CHARS}")
        self.text = text
        self.names = names
        self.at = 0
        self.is_plain = True
        self.has_open_brackets = False

    def peek(self) -> str:
        """Return the next character that is no space; "" at the end."""
        self.skip()
        return self.text[self.at : self.at + 1]

    def skip(self) -> None:
        """Go on to what is no space."""
        found = _SPACES.match(self.text, self.at)
        if found is not None:
            self.at = found.end()

    def take(self, mark: str) -> bool:
        """Go on behind a character, spaces before it; whether it was there."""
        if self.peek() != mark:
            return False
        self.at += 1
        return True

    def need(self, mark: str) -> None:
        """Go on behind a character that must be there."""
        if not self.take(mark):
            raise self.fault(f"{mark!r} expected")

    def fault(self, why: str) -> UnreadableCallsError:
        """Return the error that says what is wrong here."""
        found = self.text[self.at : self.at + 20]
        return UnreadableCallsError(f"{why} at character {self.at + 1}: {found!r}")

    def escaped(self) -> str:
        """Return what the backslash here and what follows stand for, and go on behind."""
        run = _UNICODE.match(self.text, self.at)
        if run is not None:
            self.at = run.end()
            units = bytes.fromhex(run[0].replace("\\u", ""))
            return units.decode("utf-16-be", "replace")
        mark = self.text[self.at + 1 : self.at + 2]
        self.at += 2
        if mark in _THEMSELVES and mark:
            return mark
        return _ESCAPED.get(mark, f"\\{mark}")
