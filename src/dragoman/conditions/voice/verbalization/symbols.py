"""Verbalization of symbols: paths, URLs, hashtags, passwords, Markdown and code marks.

Ids, dates and amounts are not found here: the verbalization finds them by their form.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from functools import partial

import msgspec

from dragoman.conditions.voice.verbalization.english_words import cardinal, spoken_date, spoken_time
from dragoman.conditions.voice.verbalization.formulas import formulas
from dragoman.conditions.voice.verbalization.quantities import (
    SignWording,
    apart,
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
from dragoman.conditions.voice.verbalization.spelling import (
    SpokenStyle,
    spoken_count,
    spoken_piece,
    verbalize_spelling,
)
from dragoman.core.texts.entities import find_entities

_ESCAPES = (
    (re.compile(r"\\+(?=['\"`\u2018\u2019\u201c\u201d])"), ""),
    (re.compile(r"(?:\\+[nrt](?![a-z]{2})|\\+n(?=[A-Za-z*#-]))+"), " "),
)
_BREAKS_OF_LINES = (
    (re.compile(r"^[ \t]{0,8}(?:>[ \t]?){1,8}", re.MULTILINE), ""),
    (re.compile(r"^[ \t]{0,8}#{1,6}[ \t]+", re.MULTILINE), ""),
    (re.compile(r"^[ \t]{0,8}[*+\u2022][ \t]+(?=\S)", re.MULTILINE), ""),
    (re.compile(r"^[ \t]{0,8}([-*_=~])\1{2,}[ \t]*$", re.MULTILINE), ""),
)
_MARKDOWN = (
    (re.compile(r"(?<![\w*])\*{1,3}(?=\S)([^*\n]{1,400}?)(?<=\S)\*{1,3}(?![\w*])"), r"\1"),
    (re.compile(r"(?<![\w_])_{1,2}(?=[A-Za-z])([^_\n]{1,200}?)(?<=\w)_{1,2}(?![\w_])"), r"\1"),
    (re.compile(r"~~([^~\n]{1,200})~~"), r"\1"),
    (re.compile(r"`+"), ""),
    (re.compile(r"\[([^\[\]\n]{1,200})\]\((?:https?://|/|#)[^()\s]{0,300}\)"), r"\1"),
)
_JOINED = re.compile(r"(?<=[a-z]{2}[.?!])(?=[A-Z][a-z]+(?:'[a-z]{1,2})?[\s,])")
_ALTERNATIVES = re.compile(
    r"\b(and/or|either/or|he/she|she/he|him/her|his/her|his/hers|yes/no|true/false)\b",
    re.IGNORECASE,
)
_NOTES = re.compile(r"(?<![\w#])([A-G])#(?![\w#])")
_PLUSES = re.compile(r"(?<=\bC)\+\+(?!\w)")
_LEFT = (
    (re.compile(r"(?<=\S)\ ?(?:={1,3}>|-{1,2}>|→)\ ?"), " to "),
    (re.compile(r"\ ?(?:!=|≠)\ ?"), " is not "),
    (re.compile(r"\ ?(?:>=|≥)\ ?(?=\S)"), " at least "),
    (re.compile(r"\ ?(?:<=|≤)\ ?(?=\S)"), " at most "),
    (re.compile(r"(?<=[\w)\]'\"])\ ?={1,3}\ ?(?=[\w(\[{'\"$-])"), " equals "),
    (re.compile(r"(?<=[\w)])\ >\ (?=\w)"), " greater than "),
    (re.compile(r"(?<=[\w)])\ <\ (?=\w)"), " less than "),
    (re.compile(r"(?<=\w)(?:<>|\ <>\ )(?=\w)"), " and "),
    (re.compile(r"(?<=[\])}]),(?=[\[({])"), ", "),
    (re.compile(r"(?<=\w)\ \+\ (?=\w)"), " plus "),
    (re.compile(r"(?<=\w)\+(?=[\s.,;!?]|$)"), " plus"),
    (re.compile(r"(?<=\ )\*(?=\ )"), "star"),
    (re.compile(r"(?<=\d)\ ?\*\ ?(?=\d)"), " times "),
    (re.compile(r"(?<![\w#])#\ ?(?=\w)"), "number "),
    (re.compile(r"\ ?&&\ ?"), " and "),
    (re.compile(r"\ ?\|\|\ ?"), " or "),
    (re.compile(r"(?<=\S)[ \t]{1,8}\|{1,4}[ \t]{1,8}(?=\S)"), ", "),
    (re.compile(r"(?<![\w])_{2,}(?!\w)"), "blank"),
    (re.compile(r"(?<=\w)\\+(?=\w)"), " backslash "),
    (re.compile(r"(?<=\w)[_^*](?=\w)"), " "),
    (re.compile(r"[{\[][\s{\[]{0,9}(?=[\]}])"), ""),
    (re.compile(r"(?<=[\w'\")])[\[{](?=[\w'\"])"), " "),
    (re.compile(r"[\]}](?=\w)"), " "),
    (re.compile(r"[\\^={}\[\]<>*~|_#`]|(?<!\w)/|/(?!\w)"), ""),
)
_SLASH = (re.compile(r"(?<=\w)\ ?/\ ?(?=\w)"), " slash ")
_EMPTY = ((re.compile(r"[ \t]{2,}"), " "), (re.compile(r"\ (?=[,.;:?!](?:\s|$))"), ""))
_ANY_LEFTOVER = re.compile(r"[\\+^={}\[\]<>*~|_#`/≠≥≤→]|&&")
_ANY_MARK = re.compile(r"[\\`*_#~>\u2022]|\]\(|[.?!][A-Z]|^[ \t]{0,8}[-=]{3,}", re.MULTILINE)


def without_marks(text: str) -> str:
    """Return a text without escapes and marks of markdown, with a space after each full stop."""
    if not _ANY_MARK.search(text):
        return text
    for pattern, said in (*_ESCAPES, *_BREAKS_OF_LINES, *_MARKDOWN):
        text = pattern.sub(said, text)
    return _JOINED.sub(" ", text)


def named_signs(text: str) -> str:
    """Return a text with words for alternatives, notes and languages: `C#` is `C sharp`."""
    text = _ALTERNATIVES.sub(_alternatives, text)
    return _PLUSES.sub(" plus plus", _NOTES.sub(r"\1 sharp", text))


def without_signs(text: str) -> str:
    """Return a text in which signs of formulas and code are named or removed."""
    if not _ANY_LEFTOVER.search(text):
        return text
    for pattern, said in (_SLASH, *_LEFT, *_EMPTY):
        text = pattern.sub(said, text)
    return text.strip(" ")


def _alternatives(match: re.Match[str]) -> str:
    one, other = match.group().split("/")
    is_or = one.casefold() in {"and", "either"}
    return f"{one} {other}" if is_or else f"{one} or {other}"


def leftover_signs(text: str) -> list[SignWording]:
    """Return the signs that nobody says, each with what takes its place, in their order."""
    if not (_ANY_LEFTOVER.search(text) or _ANY_MARK.search(text)):
        return []
    patterns = (*_ESCAPES, *_BREAKS_OF_LINES, (_JOINED, " "), *_LEFT)
    return apart(
        (
            SignWording(*match.span(), "sign", said)
            for pattern, said in patterns
            for match in pattern.finditer(text)
            if match.group()
        ),
        len(text),
    )


SayPiece = Callable[[str], str]
"""Says letters and digits of a path: as words where they are, else letter by letter."""

_PATH = re.compile(
    r"(?<![\w/\\.~:@])(?:"
    r"(?P<url>(?:https?|ftp)://[^\s\"'<>`]{2,400})"
    r"|(?P<path>[A-Za-z]:[/\\]{1,2}[\w./\\%+-]{1,200}|(?:~"
    r"|\.{1,2})?/(?=[A-Za-z0-9._])[\w./%+-]{0,200}[\w/]"
    r"|[\w.-]{1,60}(?:/[\w.+-]{1,60}){2,12}/?))"
)
_PIECES = re.compile(r"[A-Za-z0-9]+|[^\w\s]|_|\w+")
_PASSWORD = re.compile(
    r"(?<![\w@.#$/=<({\[\"*-])(?=[\w@*#$%&!]{0,60}[A-Za-z])(?=[\w@*#$%&!]{0,60}[0-9])"
    r"(?=[\w@*#$%&!]{0,60}[A-Za-z]\w{2}|[\w@*#$%&!]{0,60}\w{2}[A-Za-z])"
    r"[A-Za-z0-9]{1,40}(?:[@#$%&!*]{1,2}[A-Za-z0-9]{1,40}){1,6}(?![\w@*=^(+-]|\.\w)"
)
_CHUNKS = re.compile(r"[A-Za-z0-9]+|[^A-Za-z0-9]")
_TAG = re.compile(r"(?<![\w&/#])#(?=\w*[A-Za-z])(\w*[a-z]\w*|[A-Z]{3,})(?![\w-]*[-])\b")
_HANDLE = re.compile(r"(?<![\w@.])@([A-Za-z][A-Za-z0-9_]{1,40})(?![A-Za-z0-9_@]|\.\w)")
_PLACE_OF_A_VALUE = re.compile(r"<([A-Za-z][\w -]{0,40})>|\$?\{([A-Za-z]\w{0,40})\}")
_BREAKS = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=[0-9])|_+")
_NAMES = {
    ".": "dot",
    "/": "slash",
    "\\": "backslash",
    ":": "colon",
    "-": "dash",
    "_": "underscore",
    "~": "tilde",
    "?": "question mark",
    "=": "equals",
    "&": "and",
    "%": "percent",
    "+": "plus",
    "#": "hash",
    "@": "at",
    "*": "star",
    "!": "exclamation mark",
    "$": "dollar",
}


def paths(text: str, say: SayPiece) -> Iterator[SignWording]:
    """Yield paths of files and addresses of pages, with signs by name.

    Args:
        text: The text.
        say: Says a piece without signs.
    """
    for match in _PATH.finditer(text):
        written = match.group().rstrip(".,;:!?)")
        if _is_path(written):
            said = " ".join(
                _NAMES.get(piece) or say(piece)
                for piece in _PIECES.findall(written)
                if piece in _NAMES or piece[0].isalnum()
            )
            yield SignWording(match.start(), match.start() + len(written), "path", said)


def tags(text: str, say: SayPiece) -> Iterator[SignWording]:
    """Yield tags, names of accounts and places of values: `#RoadTrip` is `hashtag road trip`."""
    for match in _TAG.finditer(text):
        words = [word.lower() for word in _BREAKS.split(match[1]) if word]
        yield SignWording(*match.span(), "tag", f"hashtag {' '.join(map(say, words))}")
    for match in _HANDLE.finditer(text):
        words = [word for word in _BREAKS.split(match[1]) if word]
        yield SignWording(*match.span(), "tag", f"at {' '.join(map(say, words))}")
    for match in _PLACE_OF_A_VALUE.finditer(text):
        words = [word for word in _BREAKS.split(match[1] or match[2]) if word]
        yield SignWording(*match.span(), "tag", " ".join(words))


def passwords(text: str, style: SpokenStyle) -> Iterator[SignWording]:
    """Yield ids and passwords with signs among their letters and digits, sign by sign.

    Args:
        text: The text.
        style: Spelling style of the ids.
    """
    plain = msgspec.structs.replace(style, twice=False)
    for match in _PASSWORD.finditer(text):
        said = (
            _NAMES.get(part) or verbalize_spelling(part, plain)
            for part in _CHUNKS.findall(match.group())
        )
        yield SignWording(*match.span(), "code", " ".join(said))


def _is_path(written: str) -> bool:
    """Return whether signs between words belong to a path.

    They may also belong to alternatives or a date.
    """
    letters = [part for part in re.split(r"[/\\]", written) if re.search(r"[A-Za-z]", part)]
    is_rooted = written[0] in "/\\~." or written[1:2] == ":" or "://" in written
    return bool(letters) and (is_rooted or len(letters) > 1)


_ANY_SYMBOL = re.compile(r"[0-9/\\^*+=<>#@{}~≈√°ΩÅ²³½⅓⅔¼¾⅛]|[a-z]\(")
_NUMBERED = re.compile(
    r"(?P<noun>\b(?:ticket|order|number|numbers|id|no\.|flight|gate|room|apartment|apt|suite"
    r"|unit|invoice|"
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
    """Return the spans of a text with signs, in order, with their verbalizations.

    Args:
        text: The text.
        style: Spelling style of ids among them.
    """
    if _ANY_SYMBOL.search(text) is None:
        return []

    signs = frozenset(text)
    first = apart(_iter_findings(text, style, _FIRST, signs), len(text))
    then = list(_iter_findings(text, style, _THEN, signs))
    if not then:
        return first
    taken = [(each.start, each.end) for each in first]
    taken += [(found.start, found.end) for found in find_entities(text) if found.kind in _KEPT]
    return sorted((*first, *apart(then, len(text), taken)))


def _iter_findings(
    text: str, style: SpokenStyle, finders: Sequence[tuple[str, _Find]], signs: frozenset[str]
) -> Iterator[SignWording]:
    """Yield what finders find, of which only those look whose signs are in the text."""
    for wanted, find in finders:
        if not signs.isdisjoint(wanted):
            yield from find(text, style)


def _find_numbered_references(text: str, style: SpokenStyle) -> Iterator[SignWording]:
    """Yield numbers with `#` before them; after a noun like `ticket` the sign is not said."""
    for match in _NUMBERED.finditer(text):
        start = text.index("#", match.start())
        said = spoken_count(match["figures"], style)
        yield SignWording(start, match.end(), "sign", said if match["noun"] else f"number {said}")


def _days(text: str) -> Iterator[SignWording]:
    """Yield dates that begin with the year, or with a day that cannot be a month."""
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


def _ignore_style(find: Callable[[str], Iterable[SignWording]]) -> _Find:
    return lambda text, _: find(text)


_FIGURES = "0123456789"
_FIRST: tuple[tuple[str, _Find], ...] = (
    ("/\\", _paths),
    ("/.-", _ignore_style(_days)),
    (":", _ignore_style(_clocks)),
    (".", _ignore_style(dotted_numbers)),
)
"""Finders that run before values with their own form, and the signs that each needs."""
_THEN: tuple[tuple[str, _Find], ...] = (
    ("@#$%&!*", passwords),
    ("#@<{", _tags),
    ("#", _find_numbered_references),
    ("[({:=", _ignore_style(crowded_lists)),
    ("$€£¥₹₩₽฿₫", _ignore_style(sums)),
    ("xX\u00d7", _ignore_style(dimensions)),
    ("-\u2013", _ignore_style(ranges)),
    ("'~≈-*sDRPYBF", _ignore_style(plain_signs)),
    (_FIGURES, _ignore_style(quantities)),
    ("/*·⋅", _ignore_style(bare_units)),
    ("^*=<>+\u00d7÷±√()²³/-\u2212≈≠≥≤⁻ⁿ", _ignore_style(formulas)),
    ("/½⅓⅔¼¾⅛", _ignore_style(fractions)),
    ("-\u2212", _ignore_style(signed_numbers)),
)
"""Finders that run afterwards, the most certain first."""
