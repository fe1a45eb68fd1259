"""Tokens of a text: words, figures and the signs that are said, each with its place."""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Literal, NamedTuple

from dragoman.core.values.folding import fold
from dragoman.core.values.lexicon import Lexicon, common_table

MAX_CHARACTERS = 20_000
"""Longer texts are read up to here."""

Kind = Literal["word", "figure", "sign", "date", "time"]
Gap = Literal["", " ", "-", "_", ",", ".", "'"]
"""What stands before a token: nothing, space, hyphen, an underscore, a comma, the end of a stretch, an apostrophe."""

_SAID_SIGNS = {
    ".": "dot",
    "_": "underscore",
    "-": "dash",
    "@": "at",
    "+": "plus",
    "/": "slash",
    ":": "colon",
    "=": "equals",
    "&": "and",
    "?": "question mark",
    "~": "tilde",
}
_OPERATORS = {
    "+": "plus",
    "=": "equals",
    "*": "times",
    "\u00d7": "times",
    "\u00f7": "divided by",
    "<": "less than",
    ">": "greater than",
    "/": "slash",
    "\u00b1": "plus minus",
    "\u221a": "square root of",
}
_ALWAYS = {"%": "percent", "&": "and", "@": "at", "\u00b0": "degree"}
_LEFT_OF_FIGURE = frozenset(" \t\n([{=<>*/^+,:;\"'|~$\u20ac\u00a3\u00a5")


class Token(NamedTuple):
    """A word, a figure or a sign that is said.

    Attributes:
        kind: What it is; dates and times are those with their own separators.
        text: In small letters; figures without separators of thousands.
        start: The place in the source text.
        end: The place after it.
        gap: What stands before it.
        is_upper: Whether it is written in capitals alone.
    """

    kind: Kind
    text: str
    start: int
    end: int
    gap: Gap
    is_upper: bool = False


class TokenizedText(NamedTuple):
    """The tokens of a text, and their texts alone for look-ups of phrases."""

    tokens: tuple[Token, ...]
    words: tuple[str, ...]


def tokenize(text: str, lexicon: Lexicon) -> TokenizedText:
    """Return the tokens of a text."""
    folded = fold(text[:MAX_CHARACTERS], lexicon.language)
    plain, place = folded.text, folded.place
    tokens: list[Token] = []
    for kind, said, start, end, gap in _scan(plain, lexicon):
        upper = kind == "word" and plain[start:end].isupper()
        tokens.append(Token(kind, said, place(start), place(end), gap, upper))
    return TokenizedText(tuple(tokens), tuple(token.text for token in tokens))


_Raw = tuple[Kind, str, int, int, Gap]


def _scan(text: str, lexicon: Lexicon) -> Iterator[_Raw]:
    gap: Gap = "."
    end = 0
    for match in _pattern(lexicon).finditer(text):
        start = match.start()
        if start < end:
            continue
        if start > end:
            gap = _wider(gap, _gap_of(text[end:start]))
        elif not gap and not lexicon.is_spaced and text[start - 1].isascii() != text[start].isascii():
            gap = " "  # where scripts meet, a token ends
        found = list(_read(match, text, lexicon, gap))
        if found:
            yield from found
            gap = ""
        else:
            gap = _wider(gap, _gap_of(match.group()))
        end = match.end()
        if match.lastgroup == "word" and match.group().casefold() in _ABBREVIATED:
            end += text[end : end + 1] == "."


_ABBREVIATED = frozenset(
    {
        *("jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec"),
        *("no", "st", "dr", "mr", "mrs", "ms", "vs", "apt", "ave", "rd", "blvd", "approx", "prof"),
        *("tgl", "okt", "nop", "des", "fev", "set", "dez", "rp"),
    }
)
_WIDTH = {"": 0, "'": 1, "-": 2, "_": 2, " ": 3, ",": 4, ".": 5}


def _wider(one: Gap, other: Gap) -> Gap:
    """Return the gap that divides more; a hyphen between spaces is a stop."""
    if {one, other} == {"-", " "}:
        return "."
    return one if _WIDTH[one] >= _WIDTH[other] else other


@cache
def _gap_table() -> dict[str, Gap]:
    return {"'": "'", "-": "-", "_": "_", ",": ",", "\u060c": ",", "\u3001": ",", "\uff0c": ",", "#": ""}


def _gap_of(text: str) -> Gap:
    gap: Gap = ""
    for sign in text:
        own: Gap = "." if sign == "\n" else " " if sign.isspace() else _gap_table().get(sign, ".")
        gap = own if not gap else _wider(gap, own)
    return gap


def _read(match: re.Match[str], text: str, lexicon: Lexicon, gap: Gap) -> Iterator[_Raw]:
    kind, found, start, end = match.lastgroup, match.group(), match.start(), match.end()
    match kind:
        case "email" | "link" | "file" | "path":
            yield from _named(found, start, gap, lexicon)
        case "letters":
            for at, sign in enumerate(found):
                if sign != ".":
                    yield "word", sign.casefold(), start + at, start + at + 1, gap
                    gap = "-"
        case "date":
            yield "date", found, start, end, gap
        case "time":
            yield "time", found, start, end, gap
        case "figure":
            yield from _figures(found, start, gap, lexicon)
        case "power":
            yield "sign", _power_name(found), start, end, gap
        case "currency":
            name = common_table().currency_signs[found.casefold()]
            is_yuan = name == "yen" and lexicon.language == "zh"
            yield "sign", "yuan" if is_yuan else name, start, end, gap
        case "phrase" | "word":
            yield "word", found.casefold(), start, end, gap
        case _:
            name = _sign_name(text, start)
            if name:
                yield "sign", name, start, end, gap


def _power_name(found: str) -> str:
    exponent = found.lstrip("^*")
    return {"2": "squared", "3": "cubed"}.get(exponent, "to the power of")


def _sign_name(text: str, at: int) -> str:
    """Return what a sign is called where it is said; "" where it only divides."""
    sign = text[at]
    if sign in _ALWAYS:
        return _ALWAYS[sign]
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    if sign == "-":
        is_free = before == "" or before in _LEFT_OF_FIGURE
        is_minus = is_free and (after.isdigit() or (after in "$\u20ac\u00a3." and after != ""))
        return "minus" if is_minus or _is_between(text, at) else ""
    if sign == "+" and (after.isdigit() or after == "("):
        return "plus"
    if sign == "." and before.isalnum() and after.islower() and _SAID_ADDRESS.match(text, at + 1):
        return "dot"
    if sign == "." and not before.isascii() and _known_ending().match(text, at + 1):
        return "dot"
    if sign == "_" and _is_word(before) and _is_word(after):
        return "underscore"
    if sign == "/" and before.isdigit() and after.isdigit():
        return "slash"
    if sign == "/" and before.isalpha() and after.isalpha():
        return "/"
    if sign in _OPERATORS and sign != "/" and _is_between(text, at):
        return _OPERATORS[sign]
    return ""


@cache
def _known_ending() -> re.Pattern[str]:
    names = "|".join(sorted(common_table().endings.names, key=len, reverse=True))
    return re.compile(rf"(?:{names})(?![A-Za-z0-9_])", re.IGNORECASE)


_SAID_ADDRESS = re.compile(r"[\w.-]{1,40}\s+at\s+\S+\.[a-z]")


def _is_word(sign: str) -> bool:
    return sign.isalnum()


_TERM_BEFORE = re.compile(r"(?:[0-9)\]]|(?<![^\W_])[A-Za-z]|\^[0-9]|squared)\s*$")
_TERM_AFTER = re.compile(r"\s*(?:[0-9(\[]|-[0-9]|[A-Za-z](?![^\W\d_]))")
_IN_FORMULA = re.compile(r"(?:[0-9][a-z]|\))\s$")
_LOOKED_BACK = 12


def _is_between(text: str, at: int) -> bool:
    """Whether a sign stands between two terms of a formula: figures, lone letters, brackets."""
    before = _TERM_BEFORE.search(text[max(0, at - _LOOKED_BACK) : at])
    if before is None or _TERM_AFTER.match(text, at + 1) is None:
        return False
    is_spaced = text[at - 1].isspace() and text[at + 1 : at + 2].isspace()
    if text[at] != "-":
        return True
    return is_spaced and ("=" in text or "^" in text or _IN_FORMULA.search(text[:at]) is not None)


def _named(found: str, start: int, gap: Gap, lexicon: Lexicon) -> Iterator[_Raw]:
    """Yield the parts of an address, a path or a file name, and its signs by name."""
    for match in _PART.finditer(found):
        part, at = match.group(), start + match.start()
        if part.isdigit():
            yield "figure", part, at, at + len(part), gap
        elif part[0] in _SAID_SIGNS:
            yield "sign", _SAID_SIGNS[part[0]], at, at + 1, gap
        else:
            yield "word", part.casefold(), at, at + len(part), gap
        gap = ""


_PART = re.compile(r"[0-9]+|[^\W\d_]+|[._@+/:=&?~-]")
_THOUSANDS_COMMA = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_THOUSANDS_DOT = re.compile(r"[0-9]{1,3}(?:\.[0-9]{3})+(?:,[0-9]+)?")
_DOTTED_PHONE = re.compile(r"[0-9]{2,4}(?:\.[0-9]{2,4}){1,4}\.[0-9]{4}|[0-9]{3}\.[0-9]{3,4}\.[0-9]{4}")
_DECIMAL = re.compile(r"[0-9]*\.[0-9]+")
_DECIMAL_COMMA = re.compile(r"[0-9]+,[0-9]+")


def _figures(found: str, start: int, gap: Gap, lexicon: Lexicon) -> Iterator[_Raw]:
    """Yield a figure without its separators, or the figures that signs divide."""
    whole = figure_of(found, lexicon.decimal)
    if whole is not None:
        yield "figure", whole, start, start + len(found), gap
        return
    pieces = re.finditer(r"[0-9]+(?:\.[0-9]+)?" if "," in found else r"[0-9]+", found)
    is_dotted = "," not in found
    is_phone = is_dotted and _DOTTED_PHONE.fullmatch(found) is not None
    for number, match in enumerate(pieces):
        at = start + match.start()
        if number and is_dotted and not is_phone:
            yield "sign", "dot", at - 1, at, ""
        own: Gap = gap if not number else (("-" if is_phone else "") if is_dotted else ",")
        yield "figure", match.group(), at, start + match.end(), own


def figure_of(found: str, decimal: str = ".") -> str | None:
    """Return a written figure as a plain decimal; None where its signs divide several figures.

    A comma or dot before groups of three digits divides thousands. Where one group of three follows
    a dot, it does so only in languages with a decimal comma.
    """
    if found.isdigit():
        return found
    if _THOUSANDS_COMMA.fullmatch(found):
        return found.replace(",", "")
    if decimal == "," or found.count(".") > 1:
        if _THOUSANDS_DOT.fullmatch(found):
            return found.replace(".", "").replace(",", ".")
        if decimal == "," and _DECIMAL_COMMA.fullmatch(found):
            return found.replace(",", ".")
    return found if _DECIMAL.fullmatch(found) else None


@cache
def _marks() -> str:
    """Return the combining marks of the basic plane, as ranges of a character set."""
    ranges: list[list[int]] = []
    for code in range(0x300, 0x10000):
        if unicodedata.category(chr(code))[0] == "M":
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)


_PATTERNS: dict[str, re.Pattern[str]] = {}


def _pattern(lexicon: Lexicon) -> re.Pattern[str]:
    known = _PATTERNS.get(lexicon.language)
    if known is None:
        known = _PATTERNS[lexicon.language] = _compiled(lexicon)
    return known


def _compiled(lexicon: Lexicon) -> re.Pattern[str]:
    marks = _marks()
    endings = "|".join(sorted(common_table().endings.names, key=len, reverse=True))
    signs = sorted(common_table().currency_signs, key=len, reverse=True)
    symbols = "|".join(
        rf"(?<![A-Za-z]){re.escape(sign)}(?=\.?\s?[0-9])" if sign[0].isalpha() else re.escape(sign)
        for sign in signs
    )
    letter = rf"(?:[^\W\d_]|[{marks}])"
    word = rf"{letter}+(?:'{letter}+)*"
    if lexicon.language == "fil":
        # The apostrophe stands for the first letter of a word: `dalawampu't lima`.
        word = rf"{letter}+"
    if not lexicon.is_spaced:
        latin = r"[A-Za-z\u00c0-\u024f]"
        word = rf"{latin}+(?:'{latin}+)*|[^\W\d_][{marks}]*|[{marks}]"
    phrases = "|".join(map(re.escape, lexicon.phrases())) if not lexicon.is_spaced else ""
    phrase = f"|(?P<phrase>(?:{phrases})(?![{marks}]))" if phrases else ""
    return re.compile(
        rf"""(?P<email>[A-Za-z0-9][\w.+-]{{0,63}}@[A-Za-z0-9-]{{1,63}}(?:\.[A-Za-z0-9-]{{1,63}}){{1,5}})
  | (?P<link>(?:https?://|www\.)[^\s<>"']*[A-Za-z0-9/])
  | (?P<path>(?<![\w/.])(?:~|\.{{1,2}})?(?:/[A-Za-z0-9_.-]*[A-Za-z0-9_-])+/?(?![\w]))
  | (?P<file>(?<![A-Za-z0-9_.-])[A-Za-z0-9](?:[A-Za-z0-9_-]|\.(?=[A-Za-z0-9]))*\.(?:{endings})(?![A-Za-z0-9_]))
  | (?P<letters>(?<![A-Za-z0-9.])(?:[A-Za-z]\.){{1,12}}[A-Za-z]\b\.?|(?<![A-Za-z0-9.])(?:[A-Za-z]\.){{2,12}})
  | (?P<date>(?<![\d./-])(?:[0-9]{{4}}(?P<s1>[-/.])[0-9]{{1,2}}(?P=s1)[0-9]{{1,2}}|[0-9]{{1,2}}(?P<s2>[-/.])[0-9]{{1,2}}(?P=s2)[0-9]{{4}})(?![\d/-]))
  | (?P<time>(?<![\d:.])[0-9]{{1,2}}:[0-5][0-9](?::[0-5][0-9])?(?![\d:]))
  | (?P<figure>(?<![\w.])\.[0-9]+|[0-9]+(?:[.,][0-9]+)*)
  | (?P<power>(?:\^|\*\*)\s?[23](?![0-9]|\.[0-9])|\^|\*\*(?=\s?[A-Za-z0-9(-]))
  | (?P<currency>{symbols}){phrase}
  | (?P<word>{word})
  | (?P<other>[^\w\s,;!?"']|_)""",
        re.VERBOSE | re.IGNORECASE,
    )


