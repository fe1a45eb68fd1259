"""Spelling aloud for text-to-speech: ids, order numbers, names and addresses, letter by letter."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import msgspec

from dragoman.conditions.voice.verbalization.english_words import (
    cardinal,
    english_words,
    nato_words,
    reserved_words,
    sign_words,
    spell_digits,
)

EMBEDDED_SOUNDS = {"A": "eigh"}
"""Texts that make the embedded voice say a lone letter: it reads `A` as the article."""

_PIECES = re.compile(r"[A-Za-z0-9]+|[._#+-]")
_WORD = re.compile(r"([a-z]{3,})([0-9]*)")
_VOWEL = re.compile(r"[aeiouy]")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_CAMEL_WORD = re.compile(r"[A-Za-z][a-z]+")
_LONE = re.compile(r"(?<![\w'])[A-Z](?![\w'])")
_WHOLE = 3
"""So many signs are one group rather than one and two."""
_NATIONAL = 2
_SHORT_NUMBER = 2


class SpokenStyle(msgspec.Struct, frozen=True, kw_only=True):
    """Spelling style of a caller.

    Attributes:
        letters: Plain letters, the words of the NATO alphabet, or `B as in boy`.
        group: Number of signs before a pause; 0 for no pauses.
        twice: Whether ids and names are said a second time, after `again`.
        local_part: Whether the part before the `@` is spelled, or said as words if it has any.
    """

    letters: Literal["plain", "nato", "as in"] = "plain"
    group: int = 3
    twice: bool = False
    local_part: Literal["spelled", "words"] = "spelled"


DEFAULT_STYLE = SpokenStyle()


def verbalize_spelling(value: str, style: SpokenStyle = DEFAULT_STYLE) -> str:
    """Return letters and digits one by one, twice if the style requires it.

    Other characters are skipped.
    """
    said = _signs(value, style)
    return f"{said}, again, {said}" if style.twice and said else said


def spoken_code(value: str, style: SpokenStyle = DEFAULT_STYLE) -> str:
    """Return an id: spelled, or its parts and signs where it has words or signs in it."""
    if value.startswith("#") and value[1:].isdecimal():
        return f"number {spoken_count(value[1:], style)}"
    if value.isascii() and value.removeprefix("#").isalnum():
        said = verbalize_spelling(value.removeprefix("#"), style)
        return f"{sign_words()['#']} {said}" if value.startswith("#") else said
    return _parts(value, style)


def spoken_count(figures: str, style: SpokenStyle = DEFAULT_STYLE) -> str:
    """Return the spoken figures of a number that names something.

    Short figures are read as a number, others are spelled.
    """
    is_short = len(figures) <= _SHORT_NUMBER and not figures.startswith("0")
    return cardinal(int(figures)) if is_short else verbalize_spelling(figures, style)


def spoken_file(name: str, style: SpokenStyle = DEFAULT_STYLE) -> str:
    """Return the verbalization of a file name, with its signs.

    The ending is spelled: `final underscore report dot P D F`.
    """
    stem, _, ending = name.rpartition(".")
    plain = msgspec.structs.replace(style, letters="plain", group=0)
    return f"{_parts(stem, style)} dot {_signs(ending, plain)}"


def spoken_email(address: str, style: SpokenStyle = DEFAULT_STYLE) -> str:
    """Return an e-mail address; its host is said as words as far as it has any."""
    local, _, host = address.rpartition("@")
    *labels, last = host.split(".")
    plain = msgspec.structs.replace(style, letters="plain", group=0)
    said = [_parts(label, plain) for label in labels]
    said.append(last.lower() if len(last) > _NATIONAL else _signs(last, plain))
    words = style.local_part == "words"
    return f"{_parts(local, style, words=words)} at {' dot '.join(said)}"


def iter_groups(signs: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    """Yield signs in groups; the last two are balanced if one sign would be left alone.

    Args:
        signs: The spoken signs.
        size: Number of signs in a group; 0 for all in one.
    """
    count = len(signs)
    sizes = [size] * (count // size) + [count % size] if size else [count]
    if size > 1 and sizes[-1] == 1 and len(sizes) > 1:
        both = size + 1
        sizes[-2:] = [both] if both <= _WHOLE else [both - both // 2, both // 2]
    at = 0
    for each in filter(None, sizes):
        yield signs[at : at + each]
        at += each


def with_sounds(spoken: str, sounds: Mapping[str, str]) -> str:
    """Replace lone capital letters by what a voice must be given for them."""
    return _LONE.sub(lambda match: sounds.get(match.group(), match.group()), spoken)


def _parts(value: str, style: SpokenStyle, *, words: bool = True) -> str:
    """Return a value part by part.

    Words are unchanged where this is allowed, signs have their names, and other parts are
    spelled.
    """
    said = []
    for piece in _PIECES.findall(value):
        name = sign_words().get(piece)
        said.append(name or _piece(piece, style, words=words))
    return " ".join(said)


def spoken_piece(piece: str, style: SpokenStyle = DEFAULT_STYLE) -> str:
    """Return letters and digits of a path or a tag: words as words, else sign by sign."""
    words = [word for word in _CAMEL.split(piece) if word]
    if all(_CAMEL_WORD.fullmatch(word) and _VOWEL.search(word.lower()) for word in words):
        return " ".join(word.lower() for word in words)
    plain = msgspec.structs.replace(style, letters="plain", twice=False)
    return _piece(piece, plain, words=True)


def _piece(piece: str, style: SpokenStyle, *, words: bool) -> str:
    match = _WORD.fullmatch(piece)
    if words and match is not None and _VOWEL.search(match[1]):
        word, number = match.groups()
        if word not in reserved_words():
            return f"{word} {spell_digits(number)}".strip()
    alone = msgspec.structs.replace(style, letters="plain") if len(piece) == 1 else style
    return _signs(piece, alone)


def _signs(value: str, style: SpokenStyle) -> str:
    said = [_sign(sign, style) for sign in value if sign.isalnum()]
    separator = ", " if style.letters == "as in" else " "
    return ", ".join(separator.join(group) for group in iter_groups(said, style.group))


def _sign(sign: str, style: SpokenStyle) -> str:
    if sign.isascii() and sign.isdigit():
        return spell_digits(sign)
    letter = sign.casefold()
    if style.letters == "plain" or letter not in nato_words():
        return sign.upper()
    if style.letters == "nato":
        return nato_words()[letter]
    return f"{sign.upper()} as in {english_words().as_in[letter]}"


MIN_WORD = 4
"""A shorter word in capitals is spelled, unless it is known or stands among shouted ones."""

_CAPITALS = re.compile(r"(?<![\w.-])(?<!\w')[A-Z]+(?:'[A-Z]{1,2})?(?![\w@&-]|['.][A-Za-z])")
_TWO = re.compile(r"[A-Z]{2}")
_GAP = re.compile(r"[ \t,]{1,3}")
_CUE = re.compile(
    r"\b(?:code|id|number|reservation|confirmation|ticket|reference|locator|pnr|flight|spelled"
    r"|symbol|"
    r"ticker|stocks?|shares?|prices?)(?:\s+(?:is|of|for|in|number|code|id))?\s*[:#]?\s*$",
    re.IGNORECASE,
)
_ONSETS = (
    "b|bl|br|c|ch|chr|cl|cr|d|dr|dw|f|fl|fr|g|gh|gl|gn|gr|h|j|k|kl|kn|kr|l|m|n|p|ph|pl|pr|qu|r|rh|s|sc|"
    "sch|scr|sh|shr|sk|sl|sm|sn|sp|spl|spr|squ|st|str|sw|t|th|thr|tr|tw|v|w|wh|wr|y|z"
)
_CODAS = (
    "b|bs|c|ck|cks|ct|cts|d|dd|ds|f|ff|ft|g|gh|ght|gs|h|hn|k|ks|l|ld|lds|lf|lk|ll|lls|lm|lp|ls|lt|lts|"
    "m|mb|mp|mps|ms|n|nce|nch|nd|nds|ng|ngs|nk|nks|nn|ns|nt|nts|p|ph|ps|pt|pts|r|rch|rd|rds|rf|rg|rk|"
    "rks|rl|rls|rm|rms|rn|rns|rp|rs|rst|rt|rth|rts|s|sh|sk|sm|sp|ss|st|sts|t|tch|th|ths|ts|tt|v|w|wd|wl|"
    "wn|wns|x|xt|y|ys|z|zz"
)
_SAYABLE = re.compile(
    rf"(?:{_ONSETS})?(?:[aeiouy]{{1,2}}"
    rf"|eau)(?:[bcdfghjklmnpqrstvwxz]{{1,3}}[aeiouy]{{1,2}}){{0,6}}(?:{_CODAS})?"
)
_DOUBLED = re.compile(
    r"(aa|ii|uu|yy|vv|jj|hh|kk|ww|xx|qq|q(?!u)|[^aeiouylrhwsn][^aeiouylrhws][bcdfgkmnpqtvxz])"
)


def is_sayable(word: str) -> bool:
    """Return whether a word's letters could be a word's of English."""
    small = word.casefold()
    return _SAYABLE.fullmatch(small) is not None and _DOUBLED.search(small) is None


def capital_words(text: str) -> Iterator[tuple[int, int]]:
    """Yield the places of words in capitals that are said as words: shouted ones, and names."""
    if _TWO.search(text) is None:
        return
    stretch: list[re.Match[str]] = []
    for match in _CAPITALS.finditer(text):
        if stretch and not _GAP.fullmatch(text, stretch[-1].end(), match.start()):
            yield from _words(text, stretch)
            stretch = []
        stretch.append(match)
    yield from _words(text, stretch)


def with_small_words(text: str) -> str:
    """Return a text in which words in capitals that are said as words have small letters."""
    parts, end = [], 0
    for start, after in capital_words(text):
        parts += [text[end:start], text[start:after].lower()]
        end = after
    return "".join((*parts, text[end:]))


def _words(text: str, stretch: list[re.Match[str]]) -> Iterator[tuple[int, int]]:
    known = english_words().capitals
    said = [_is_word(text, match) for match in stretch]
    is_shouted = len(stretch) > 1 and any(said)
    for match, is_word in zip(stretch, said, strict=True):
        if is_word or (is_shouted and match.group() in known.short):
            yield match.span()


def _is_word(text: str, match: re.Match[str]) -> bool:
    word = match.group()
    if word in english_words().capitals.words:
        return True
    letters = word.partition("'")[0]
    if len(letters) < MIN_WORD or letters in english_words().capitals.spelled:
        return False
    return is_sayable(letters) and not _CUE.search(text, max(match.start() - 40, 0), match.start())
