"""Tokenizer of words, figures and spoken signs, each with its offset in the text."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import Literal

import msgspec

from dragoman.core.value_matching.folding import fold
from dragoman.core.value_matching.lexicon import ValueLexicon, common_table

_THOUSANDS_COMMA = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_THOUSANDS_DOT = re.compile(r"[0-9]{1,3}(?:\.[0-9]{3})+(?:,[0-9]+)?")
_DECIMAL = re.compile(r"[0-9]*\.[0-9]+")
_DECIMAL_COMMA = re.compile(r"[0-9]+,[0-9]+")

DOTTED_PHONE = re.compile(
    r"[0-9]{2,4}(?:\.[0-9]{2,4}){1,4}\.[0-9]{4}|[0-9]{3}\.[0-9]{3,4}\.[0-9]{4}"
)
"""Pattern of a telephone number in groups with dots."""


def figure_of(found: str, decimal: str = ".") -> str | None:
    """Return a written figure as a plain decimal; None if its signs separate figures.

    A comma or dot before groups of three digits separates thousands. For a dot before a single
    group of three, this holds only in languages with a decimal comma.
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


SAID_SIGNS = {
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
"""The names of signs inside addresses, paths and file names."""

_OPERATORS = {
    "+": "plus",
    "=": "equals",
    "*": "times",
    "\u00d7": "times",
    "\u00f7": "divided by",
    "<": "less than",
    ">": "greater than",
    "\u00b1": "plus minus",
    "\u221a": "square root of",
}
_ALWAYS = {"%": "percent", "&": "and", "@": "at", "\u00b0": "degree"}
_LEFT_OF_FIGURE = frozenset(" \t\n([{=<>*/^+,:;\"'|~$\u20ac\u00a3\u00a5")
_BEFORE_AMOUNT = frozenset("$\u20ac\u00a3.")
_POWERS = {"2": "squared", "3": "cubed"}
_SAID_ADDRESS = re.compile(r"[\w.-]{1,40}\s+at\s+\S+\.[a-z]")
_TERM_BEFORE = re.compile(r"(?:[0-9)\]]|(?<![^\W_])[A-Za-z]|\^[0-9]|squared)\s*$")
_TERM_AFTER = re.compile(r"\s*(?:[0-9(\[]|-[0-9]|[A-Za-z](?![^\W\d_]))")
_IN_FORMULA = re.compile(r"(?:[0-9][a-z]|\))\s$")
_LOOKED_BACK = 12


def power_name(found: str) -> str:
    """Return the name of a power sign.

    The exponent is included if it has a word of its own.
    """
    return _POWERS.get(found.lstrip("^*").strip(), "to the power of")


def sign_name(text: str, at: int) -> str:
    """Return the spoken name of a sign; "" for a sign that only separates."""
    sign = text[at]
    always = _ALWAYS.get(sign)
    if always is not None:
        return always
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    reader = _BY_SIGN.get(sign)
    name = "" if reader is None else reader(text, at, before, after)
    if not name and sign in _OPERATORS and _is_between(text, at):
        return _OPERATORS[sign]
    return name


def _minus(text: str, at: int, before: str, after: str) -> str:
    is_free = before == "" or before in _LEFT_OF_FIGURE
    is_minus = is_free and (after.isdigit() or after in _BEFORE_AMOUNT)
    return "minus" if is_minus or _is_between(text, at) else ""


def _plus(text: str, at: int, before: str, after: str) -> str:
    """Return the name of a plus before a number, and of both in `C++`."""
    is_doubled = "+" in {before, after} and text[max(0, at - 2) : at].strip("+")[-1:].isalpha()
    return "plus" if after.isdigit() or after == "(" or is_doubled else ""


def _hash(_text: str, _at: int, before: str, after: str) -> str:
    """Return the name of the sign in `C#`; before an id it is not counted."""
    return "sharp" if before.isalpha() and not after.isalnum() else ""


def _dot(text: str, at: int, before: str, after: str) -> str:
    if before.isalnum() and after.islower() and _SAID_ADDRESS.match(text, at + 1):
        return "dot"
    is_name = not before.isascii() or before.isdigit()
    return "dot" if is_name and _known_ending().match(text, at + 1) else ""


def _underscore(_text: str, _at: int, before: str, after: str) -> str:
    return "underscore" if before.isalnum() and after.isalnum() else ""


def _slash(_text: str, _at: int, before: str, after: str) -> str:
    """Return the name of a slash between figures; between letters it is kept for units."""
    if before.isdigit() and after.isdigit():
        return "slash"
    return "/" if before.isalpha() and after.isalpha() else ""


_BY_SIGN = {"-": _minus, "+": _plus, ".": _dot, "_": _underscore, "/": _slash, "#": _hash}


@cache
def _known_ending() -> re.Pattern[str]:
    names = "|".join(sorted(common_table().endings.names, key=len, reverse=True))
    return re.compile(rf"(?:{names})(?![A-Za-z0-9_])", re.IGNORECASE)


def _is_between(text: str, at: int) -> bool:
    """Return whether a sign stands between two terms of a formula.

    Terms are figures, lone letters and brackets.
    """
    before = _TERM_BEFORE.search(text[max(0, at - _LOOKED_BACK) : at])
    if before is None or _TERM_AFTER.match(text, at + 1) is None:
        return False
    if text[at] != "-":
        return True
    is_spaced = text[at - 1].isspace() and text[at + 1 : at + 2].isspace()
    # The last sign before the space ends the text that is looked at: two characters are enough.
    behind = _IN_FORMULA.search(text[max(0, at - _LOOKED_BACK) : at])
    return is_spaced and ("=" in text or "^" in text or behind is not None)


MAX_CHARACTERS = 20_000
"""Length of the beginning of a text that is read, in characters."""

TokenKind = Literal["word", "figure", "sign", "date", "time"]
TokenGap = Literal["", " ", "-", "_", ",", ".", "'"]
"""The text before a token.

It is nothing, a space, a hyphen, an underscore, a comma, the end of a stretch, or an
apostrophe.
"""

_WIDTH: dict[TokenGap, int] = {"": 0, "'": 1, "-": 2, "_": 2, " ": 3, ",": 4, ".": 5}
_GAPS: dict[str, TokenGap] = {
    "'": "'",
    "-": "-",
    "_": "_",
    ",": ",",
    "\u060c": ",",
    "\u3001": ",",
    "\uff0c": ",",
    "#": "",
    "\n": ".",
}
_PART = re.compile(r"[0-9]+|[^\W\d_]+|[._@+/:=&?~-]")
_DIGITS = re.compile(r"[0-9]+")
_DECIMALS = re.compile(r"[0-9]+(?:\.[0-9]+)?")


class TextToken(msgspec.Struct, frozen=True, gc=False):
    """A word, a figure or a spoken sign.

    Attributes:
        kind: The kind of token; dates and times have their own separators.
        text: The text in small letters; figures have no separators of thousands.
        start: The start in the source text.
        end: The end in the source text.
        gap: The text before it.
        is_upper: Whether it is written only in capitals.
    """

    kind: TokenKind
    text: str
    start: int
    end: int
    gap: TokenGap
    is_upper: bool = False


_NEAR = frozenset({"", " ", "-", "'"})


class TokenRow:
    """The tokens of a text, their texts, and the tables of its language.

    A position beyond the last token is allowed and holds no token.
    """

    __slots__ = ("count", "lexicon", "tokens", "words")

    def __init__(self, tokens: Sequence[TextToken], lexicon: ValueLexicon) -> None:
        self.tokens, self.lexicon = tokens, lexicon
        self.words = [token.text for token in tokens]
        self.count = len(tokens)

    def word(self, at: int) -> str:
        """Return the text of a token; "" beyond the last."""
        return self.words[at] if at < self.count else ""

    def near(self, at: int) -> bool:
        """Return whether a token exists and belongs to the token before it.

        At most a space is between them.
        """
        return at < self.count and self.tokens[at].gap in _NEAR

    def follows(self, at: int) -> bool:
        """Return whether a token exists in the same stretch; a comma may stand before it."""
        return at < self.count and self.tokens[at].gap != "."

    def glued(self, at: int) -> bool:
        """Return whether a token exists and directly follows the token before it."""
        return at < self.count and self.tokens[at].gap == ""

    def is_word(self, at: int) -> bool:
        """Return whether a token exists and is a word."""
        return at < self.count and self.tokens[at].kind == "word"

    def is_figure(self, at: int) -> bool:
        """Return whether a token exists and is a figure."""
        return at < self.count and self.tokens[at].kind == "figure"


def tokenize(text: str, lexicon: ValueLexicon) -> list[TextToken]:
    """Return the tokens of a text."""
    folded = fold(text[:MAX_CHARACTERS], lexicon.language)
    tokens = list(_scan(folded.text, lexicon))
    if folded.places is None:
        return tokens
    place = folded.places
    return [
        TextToken(
            token.kind, token.text, place[token.start], place[token.end], token.gap, token.is_upper
        )
        for token in tokens
    ]


def _scan(text: str, lexicon: ValueLexicon) -> Iterator[TextToken]:
    gap: TokenGap = "."
    end = 0
    abbreviated = _known_abbreviations()
    for match in _pattern_of(lexicon).finditer(text):
        start, after = match.span()
        if start < end:
            continue
        if start > end:
            gap = _wider(gap, _gap_of(text[end:start]))
        elif not gap and not lexicon.is_spaced and _is_border(text, start):
            gap = " "  # a token ends at a change of script
        kind = match.lastgroup
        end = after
        if kind in _WORDS:
            found = match.group()
            word = found.casefold()
            yield TextToken("word", word, start, after, gap, found.isupper())
            gap = ""
            if word in abbreviated and kind == "word" and text.startswith(".", after):
                end += 1
            continue
        tokens = _read(match, text, lexicon, gap)
        if tokens:
            yield from tokens
            gap = ""
        else:
            gap = _wider(gap, _gap_of(match.group()))


_WORDS = frozenset({"plain", "word", "phrase"})


@cache
def _known_abbreviations() -> frozenset[str]:
    return frozenset(common_table().abbreviated.names)


def _is_border(text: str, at: int) -> bool:
    return text[at - 1].isascii() != text[at].isascii()


def _wider(one: TokenGap, other: TokenGap) -> TokenGap:
    """Return the gap that separates more; a hyphen between spaces is a stop."""
    if not one or not other:
        return one or other
    if {one, other} == {"-", " "}:
        return "."
    return one if _WIDTH[one] >= _WIDTH[other] else other


@lru_cache(maxsize=1_000)
def _gap_of(text: str) -> TokenGap:
    gap: TokenGap = ""
    for sign in text:
        own = _GAPS.get(sign)
        if own is None:
            own = " " if sign.isspace() else "."
        gap = own if not gap else _wider(gap, own)
    return gap


def _read(match: re.Match[str], text: str, lexicon: ValueLexicon, gap: TokenGap) -> list[TextToken]:
    """Return the tokens of a match other than a word."""
    kind, found, start, end = match.lastgroup, match.group(), match.start(), match.end()
    match kind:
        case "figure":
            return _figures(found, start, gap, lexicon.decimal)
        case "date" | "time":
            return [TextToken("date" if kind == "date" else "time", found, start, end, gap)]
        case "letters":
            return _letters(found, start, gap)
        case "email" | "link" | "file" | "path":
            return _tokenize_address(found, start, gap)
        case "power":
            name = power_name(found)
        case "currency":
            name = common_table().currency_signs[found.casefold()]
            if name == "yen" and lexicon.language == "zh":
                name = "yuan"  # both are written with the same sign
        case _:
            name = sign_name(text, start)
    return [TextToken("sign", name, start, end, gap)] if name else []


def _letters(found: str, start: int, gap: TokenGap) -> list[TextToken]:
    """Return the letters of `U.S.`, which belong together."""
    return [
        TextToken(
            "word", sign.casefold(), start + at, start + at + 1, "-" if at else gap, sign.isupper()
        )
        for at, sign in enumerate(found)
        if sign != "."
    ]


def _tokenize_address(found: str, start: int, gap: TokenGap) -> list[TextToken]:
    """Return the parts of an address, a path or a file name, and its signs by name."""
    tokens: list[TextToken] = []
    for match in _PART.finditer(found):
        part, at, end = match.group(), start + match.start(), start + match.end()
        if part.isdigit():
            tokens.append(TextToken("figure", part, at, end, gap))
        elif part[0] in SAID_SIGNS:
            tokens.append(TextToken("sign", SAID_SIGNS[part[0]], at, end, gap))
        else:
            tokens.append(TextToken("word", part.casefold(), at, end, gap, part.isupper()))
        gap = ""
    return tokens


def _figures(found: str, start: int, gap: TokenGap, decimal: str) -> list[TextToken]:
    """Return a figure without its separators, or the figures that signs separate."""
    whole = figure_of(found, decimal)
    if whole is not None:
        return [TextToken("figure", whole, start, start + len(found), gap)]
    is_dotted = "," not in found
    is_phone = is_dotted and DOTTED_PHONE.fullmatch(found) is not None
    between: TokenGap = "," if not is_dotted else "-" if is_phone else ""
    tokens: list[TextToken] = []
    for match in (_DIGITS if is_dotted else _DECIMALS).finditer(found):
        at = start + match.start()
        if tokens and is_dotted and not is_phone:
            tokens.append(TextToken("sign", "dot", at - 1, at, ""))
        own = between if tokens else gap
        tokens.append(TextToken("figure", match.group(), at, start + match.end(), own))
    return tokens


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


def _pattern_of(lexicon: ValueLexicon) -> re.Pattern[str]:
    known = _PATTERNS.get(lexicon.language)
    if known is None:
        known = _PATTERNS[lexicon.language] = _compile_token_pattern(lexicon)
    return known


def _compile_token_pattern(lexicon: ValueLexicon) -> re.Pattern[str]:
    marks = _marks()
    endings = "|".join(sorted(common_table().endings.names, key=len, reverse=True))
    letter = rf"(?:[^\W\d_]|[{marks}])"
    plain = r"[^\W\d_]+(?:'[^\W\d_]+)*"
    word = rf"{letter}+(?:'{letter}+)*"
    if lexicon.language == "fil":
        # The apostrophe stands for the first letter of a word: `dalawampu't lima`.
        word, plain = rf"{letter}+", r"[^\W\d_]+"
    if not lexicon.is_spaced:
        latin = r"[A-Za-z\u00c0-\u024f]"
        word, plain = rf"{latin}+(?:'{latin}+)*|[^\W\d_][{marks}]*|[{marks}]", "[A-Za-z]+"
    # Most words stand between spaces; there, only an amount can also begin with a letter.
    plain = rf"(?<![^\s,;!?])(?![Rr][Pp](?![^\s,;!?]))(?-i:{plain})(?![^\s,;!?])"
    phrases = _alternatives(lexicon.phrases()) if not lexicon.is_spaced else ""
    phrase = f"|(?P<phrase>{phrases}(?![{marks}]))" if phrases else ""
    return re.compile(
        rf"""(?P<plain>{plain})
  | (?P<email>[A-Za-z0-9][\w.+-]{{0,63}}@[A-Za-z0-9-]{{1,63}}(?:\.[A-Za-z0-9-]{{1,63}}){{1,5}})
  | (?P<link>(?:https?://|www\.)[^\s<>"']*[A-Za-z0-9/])
  | (?P<path>(?<![\w/.])(?:~|\.{{1,2}})?(?:/[A-Za-z0-9_.-]*[A-Za-z0-9_-])+/?(?![\w]))
  | (?P<file>(?<![A-Za-z0-9_.-])[A-Za-z0-9]
      (?:[A-Za-z0-9_-]|\.(?=[A-Za-z0-9]))*\.(?:{endings})(?![A-Za-z0-9_]))
  | (?P<letters>(?<![A-Za-z0-9.])(?:[A-Za-z]\.){{1,12}}[A-Za-z]\b\.?
      |(?<![A-Za-z0-9.])(?:[A-Za-z]\.){{2,12}})
  | (?P<date>(?<![\d./-])(?:[0-9]{{4}}(?P<s1>[-/.])[0-9]{{1,2}}(?P=s1)[0-9]{{1,2}}
      |[0-9]{{1,2}}(?P<s2>[-/.])[0-9]{{1,2}}(?P=s2)[0-9]{{4}})(?![\d/-]))
  | (?P<time>(?<![\d:.])[0-9]{{1,2}}:[0-5][0-9](?::[0-5][0-9])?(?![\d:]))
  | (?P<figure>(?<![\w.])\.[0-9]+|[0-9]+(?:[.,][0-9]+)*)
  | (?P<power>(?:\^|\*\*)\s?[23](?![0-9]|\.[0-9])|\^|\*\*(?=\s?[A-Za-z0-9(-]))
  | (?P<currency>{_currency_symbols()}){phrase}
  | (?P<word>{word})
  | (?P<other>[^\w\s,;!?"']|_)""",
        re.VERBOSE | re.IGNORECASE,
    )


def _alternatives(phrases: tuple[str, ...]) -> str:
    """Return a pattern of phrases, the longest first.

    It tries only the phrases with the same first sign.
    """
    by_first: dict[str, list[str]] = {}
    for phrase in phrases:
        by_first.setdefault(phrase[0], []).append(re.escape(phrase[1:]))
    own = (f"{re.escape(first)}(?:{'|'.join(rest)})" for first, rest in by_first.items())
    return f"(?=[{''.join(map(re.escape, by_first))}])(?:{'|'.join(own)})" if by_first else ""


def _currency_symbols() -> str:
    signs = sorted(common_table().currency_signs, key=len, reverse=True)
    return "|".join(
        rf"(?<![A-Za-z]){re.escape(sign)}(?=\.?\s?[0-9])" if sign[0].isalpha() else re.escape(sign)
        for sign in signs
    )
