"""All that a text writes with signs, and the words for it: formulas, units, paths, tags."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from functools import partial

from dragoman.conditions.voice.spoken.dates import spoken_date, spoken_time
from dragoman.conditions.voice.spoken.numbers import cardinal
from dragoman.conditions.voice.spoken.signs.formulas import formulas
from dragoman.conditions.voice.spoken.signs.paths import passwords, paths, tags
from dragoman.conditions.voice.spoken.signs.quantities import (
    bare_units,
    crowded_lists,
    dimensions,
    dotted_numbers,
    fractions,
    plain_signs,
    quantities,
    ranges,
    signed_numbers,
    sums,
)
from dragoman.conditions.voice.spoken.signs.wording import SignWording, apart
from dragoman.conditions.voice.spoken.spelling import SpokenStyle, spoken_count, spoken_piece
from dragoman.core.texts.entities import entities_in

_ANY = re.compile(r"[0-9/\\^*+=<>#@{}~≈√°ΩÅ²³½⅓⅔¼¾⅛]|[a-z]\(")
_NUMBERED = re.compile(
    r"(?P<noun>\b(?:ticket|order|number|numbers|id|no\.|flight|gate|room|apartment|apt|suite|unit|invoice|"
    r"card|case|booking|account|item|case|issue|question|task|step|customer)\s+)?"
    r"(?<![\w&/#])#\ ?(?P<figures>[0-9]{1,30})(?![\w-]|\.[0-9])",
    re.IGNORECASE,
)
_YEAR_FIRST = re.compile(
    r"(?<![\w/.-])(1[0-9]{3}|20[0-9]{2})([/.])([0-9]{1,2})\2([0-9]{1,2})(?![\w/]|\.[0-9])"
)
_HYPHENS = re.compile(r"(?<![\w/.-])([0-9]{1,2})-([0-9]{1,2})-((?:19|20)[0-9]{2})(?![\w/-])")
_DAY_FIRST = re.compile(r"(?<![\w/.-])([0-9]{1,2})/([0-9]{1,2})/([12][0-9]{3})(?![\w/])")
_CLOCK = re.compile(r"(?<![\w:.])([01]?[0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9])(?![\w:])")
_MONTHS = range(1, 13)
_KEPT = frozenset({"email", "date", "time", "phone"})


_Find = Callable[[str, SpokenStyle], Iterable[SignWording]]


def sign_wordings(text: str, style: SpokenStyle) -> list[SignWording]:
    """Return what a text writes with signs, in its order, each with what is said for it.

    Args:
        text: The text.
        style: How ids among it are spelled.
    """
    if _ANY.search(text) is None:
        return []

    signs = frozenset(text)
    first = apart(_found(text, style, _FIRST, signs), len(text))
    then = list(_found(text, style, _THEN, signs))
    if not then:
        return first
    taken = [(each.start, each.end) for each in first]
    taken += [(found.start, found.end) for found in entities_in(text) if found.kind in _KEPT]
    return sorted((*first, *apart(then, len(text), taken)))


def _found(
    text: str, style: SpokenStyle, finders: Sequence[tuple[str, _Find]], signs: frozenset[str]
) -> Iterator[SignWording]:
    """Yield what finders find, of which only those look whose signs are in the text."""
    for wanted, find in finders:
        if not signs.isdisjoint(wanted):
            yield from find(text, style)


def _numbered(text: str, style: SpokenStyle) -> Iterator[SignWording]:
    """Yield numbers with `#` before them; after a noun like `ticket` the sign is not said."""
    for match in _NUMBERED.finditer(text):
        start = text.index("#", match.start())
        said = spoken_count(match["figures"], style)
        yield SignWording(start, match.end(), "sign", said if match["noun"] else f"number {said}")


def _days(text: str) -> Iterator[SignWording]:
    """Yield dates that begin with the year, or with a day that is no month."""
    for match in _YEAR_FIRST.finditer(text):
        yield from _day(match, int(match[1]), int(match[3]), int(match[4]))
    for match in _HYPHENS.finditer(text):
        first, second, year = map(int, match.groups())
        month, day = (first, second) if first in _MONTHS else (second, first)
        yield from _day(match, year, month, day)
    for match in _DAY_FIRST.finditer(text):
        day, month, year = map(int, match.groups())
        if day not in _MONTHS:
            yield from _day(match, year, month, day)


def _day(match: re.Match[str], year: int, month: int, day: int) -> Iterator[SignWording]:
    try:
        written = date(year, month, day).isoformat()
    except ValueError:
        return
    yield SignWording(*match.span(), "range", spoken_date(written))


def _clocks(text: str) -> Iterator[SignWording]:
    """Yield times with seconds, which are said where there are some."""
    for match in _CLOCK.finditer(text):
        hour, minute, second = match.groups()
        said = spoken_time(f"{hour}:{minute}")
        seconds = f" and {cardinal(int(second))} seconds" if int(second) else ""
        yield SignWording(*match.span(), "quantity", f"{said}{seconds}")


def _paths(text: str, style: SpokenStyle) -> Iterator[SignWording]:
    return paths(text, partial(spoken_piece, style=style))


def _tags(text: str, style: SpokenStyle) -> Iterator[SignWording]:
    return tags(text, partial(spoken_piece, style=style))


def _unstyled(find: Callable[[str], Iterable[SignWording]]) -> _Find:
    return lambda text, _: find(text)


_FIGURES = "0123456789"
_FIRST: tuple[tuple[str, _Find], ...] = (
    ("/\\", _paths),
    ("/.-", _unstyled(_days)),
    (":", _unstyled(_clocks)),
    (".", _unstyled(dotted_numbers)),
)
"""What is looked for before values with a form of their own, and the signs that it needs."""
_THEN: tuple[tuple[str, _Find], ...] = (
    ("@#$%&!*", passwords),
    ("#@<{", _tags),
    ("#", _numbered),
    ("[({:=", _unstyled(crowded_lists)),
    ("$€£¥₹₩₽฿₫", _unstyled(sums)),
    ("xX\u00d7", _unstyled(dimensions)),
    ("-\u2013", _unstyled(ranges)),
    ("'~≈-*sDRPYBF", _unstyled(plain_signs)),
    (_FIGURES, _unstyled(quantities)),
    ("/*·⋅", _unstyled(bare_units)),
    ("^*=<>+\u00d7÷±√()²³/-\u2212≈≠≥≤⁻ⁿ", _unstyled(formulas)),
    ("/½⅓⅔¼¾⅛", _unstyled(fractions)),
    ("-\u2212", _unstyled(signed_numbers)),
)
"""What is looked for then, what is surer first."""
