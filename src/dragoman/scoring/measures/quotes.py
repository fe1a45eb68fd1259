"""Evidence: whether what a judge quotes stands in what it was shown."""

import re
from collections.abc import Iterable, Sequence
from functools import cached_property

from dragoman.core.episodes import Event
from dragoman.scoring.judge_texts import ShownLine, inert, shown_lines

NO_QUOTE = "no quote"
INVENTED = "quote not in the conversation"
LATER = "quote from after the turn"

_MARKS = re.compile(
    "[\"'`\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u00ab\u00bb\u2039\u203a\u300c-\u300f]+"
)
_MARK = "'"


class Quotable:
    """What may be quoted of a part of a conversation: each line of it alone.

    White space and the kind of quotation marks are no difference.
    """

    def __init__(self, events: Sequence[Event]) -> None:
        self._events = events

    @cached_property
    def _lines(self) -> Sequence[tuple[ShownLine, str, str]]:
        return [
            (line, _alike(inert(line.head)), _alike(inert(line.text)))
            for line in shown_lines(self._events)
        ]

    def fault(self, quote: str, *, is_needed: bool, said_by: str) -> str:
        """Return what is wrong with a quote; "" where nothing is.

        Args:
            quote: What the judge gave.
            is_needed: Whether its answer needs one.
            said_by: Whose words it must be; "" for anything shown.
        """
        wanted = _alike(quote).strip(f" {_MARK}")
        if not any(map(str.isalnum, wanted)):
            return NO_QUOTE if is_needed or wanted else ""
        return "" if any(self._places(wanted, said_by)) else INVENTED

    def _places(self, wanted: str, said_by: str) -> Iterable[bool]:
        for line, head, text in self._lines:
            if not said_by or (line.is_said and line.by == said_by):
                yield _stands_in(wanted.removeprefix(head).strip(f" {_MARK}"), text)


def _alike(text: str) -> str:
    return " ".join(_MARKS.sub(_MARK, text).split())


def _stands_in(wanted: str, text: str) -> bool:
    """Whether a text has another in it, not as a piece of a longer word in letters of ASCII."""
    whole = rf"(?<![0-9A-Za-z]){re.escape(wanted)}(?![0-9A-Za-z])"
    return bool(wanted) and re.search(whole, text) is not None
