"""ITN of spelled letters and digits: plain, NATO alphabet, `B as in boy`, `double seven`.

A word that only sounds like a letter (`see`, `for`) counts among letters and digits alone, and
only if enough of them are certain. A keyword is recognized far better than the letter before it,
so within a row of keywords the letter may be anything; what stands between two of them is noise,
unless it is a digit of an id. An id that is said twice is reconciled from both readings.
"""

import re
from collections.abc import Callable
from functools import cache

import msgspec

from dragoman.conditions.voice.inverse_text_normalization.numbers import (
    Heard,
    Reading,
    goes_on,
    text_at,
)
from dragoman.conditions.voice.verbalization.english_words import (
    english_words,
    heard_nato_words,
    nato_words,
    reserved_words,
)
from dragoman.core.texts.alignment import Pair, align
from dragoman.core.texts.entities import sign_names

MIN_SIGNS = 3
"""Smallest number of letters and digits in a row that are read as spelled."""
MIN_SURE = 4
"""Number of certain signs that is needed to count words that only sound like signs."""
SPELLS = frozenset({"spelled", "spelt", "spell", "spelling", "spells"})
"""Words after which letters make a name."""

_CUES = SPELLS | {"is", "number", "code", "id", "again"}
_AS = frozenset({"as", "has", "is"})
_IN = frozenset({"in", "an", "and"})
_AFTER_PRONOUN = frozenset(
    {
        *("need", "want", "would", "am", "have", "had", "was", "think", "will", "can", "do"),
        *("also", "live", "like", "just", "don't", "wanted", "bought", "ordered"),
    }
)
PREFIXES = {"hash": "#", "hashtag": "#", "plus": "+"}
"""Words that begin an id or a phone number, and their signs."""
_SHORT = range(2, 4)
_TIMES = {"double": 2, "triple": 3}


class Sign(msgspec.Struct, frozen=True):
    """One spelled sign, the word after it, and whether it was surely meant as one.

    `is_figure` says that it is several digits, written as a number.
    """

    text: str
    end: int
    is_sure: bool = True
    is_nato: bool = False
    is_figure: bool = False


def sign_at(words: Heard, at: int) -> Sign | None:
    """Return the letter or the digits that begin at a word."""
    for read in (_by_keyword, _in_two_words, _read_repeated_digit):
        sign = read(words, at)
        if sign is not None:
            return sign
    word = text_at(words, at)
    if re.fullmatch(r"[a-z]|[0-9]+", word):
        return Sign(word, at + 1, is_figure=len(word) > 1)
    tables = _tables()
    if word in tables.sure:
        return Sign(tables.sure[word], at + 1, is_nato=word in tables.nato)
    return _homophone(words, at)


def signs_at(words: Heard, at: int, *, is_name: bool = False) -> list[Sign]:
    """Return the signs in a row from a word on, without doubtful ones at their ends.

    In a name or an address a short word among the signs counts with its letters: `x io n g`.
    """
    signs: list[Sign] = []
    place = at
    while True:
        sign = sign_at(words, place)
        if sign is None and is_name and signs:
            sign = _short_word(words, place)
        if sign is None:
            break
        signs.append(sign)
        place = sign.end
    if sum(sign.is_sure for sign in signs) < MIN_SURE:
        return _until_doubt(signs)
    while signs and not (signs[-1].is_sure or _ends(words, signs[-1].end)):
        signs.pop()
    return signs if signs[0].is_sure or _begins(words, at) else []


def spelled_run_at(words: Heard, at: int) -> Reading | None:
    """Return the id or phone number whose signs begin at a word, or the name after `spelled`."""
    prefix = PREFIXES.get(text_at(words, at), "")
    start = at + bool(prefix)
    signs = _without_pronoun(words, signs_at(words, start, is_name=is_spelling(words, at)))
    if sum(len(sign.text) for sign in signs) < MIN_SIGNS or not signs[1:] or _is_figures(signs):
        return None
    text = _without_article(words, start, "".join(sign.text for sign in signs))
    if is_spelling(words, at):
        text = text.replace("8", "a") if text.replace("8", "").isalpha() else text
        if text.isalpha():
            return Reading(text.capitalize(), signs[-1].end, "spelling")
    return Reading(prefix + text.upper(), signs[-1].end, "phone" if prefix == "+" else "code")


def is_spelling(words: Heard, at: int) -> bool:
    """Return whether what begins at a word is a name: after `spelled` or `name is`."""
    before = [word.text for word in words[max(at - 2, 0) : at]]
    return bool(SPELLS & set(before[-1:])) or before == ["name", "is"]


def _homophone(words: Heard, at: int) -> Sign | None:
    """Read a word that sounds like a sign.

    A word like a digit must stand next to a digit or a NATO word.
    """
    sign = english_words().homophones.get(text_at(words, at))
    if sign is None:
        return None
    tables = _tables()
    is_beside = any(
        word in tables.digits or word in tables.nato or word.isdecimal()
        for word in (text_at(words, at + 1), words[at - 1].text if at else "")
    )
    return Sign(sign, at + 1, is_sure=False) if sign.isalpha() or is_beside else None


def _short_word(words: Heard, at: int) -> Sign | None:
    """Read a word of two or three letters that stands for them."""
    word = text_at(words, at)
    is_read = len(word) in _SHORT and word.isalpha() and word not in reserved_words()
    return Sign(word, at + 1, is_sure=False) if is_read else None


def _by_keyword(words: Heard, at: int) -> Sign | None:
    """Read `B as in boy`: the keyword decides, as it is recognized better than the letter."""
    first, second, third = (text_at(words, at + step) for step in range(3))
    keyword = text_at(words, at + 3)
    letters = _tables().as_in
    is_letter = len(first) == 1 or first in english_words().homophones or first == "eight"
    if not (is_letter and keyword):
        return None
    if keyword == "x" and text_at(words, at + 4) == "ray":
        return Sign("x", at + 5) if second in _AS and third in _IN else None
    if (second, third) == ("as", "in"):
        return Sign(letters.get(keyword, keyword[0]), at + 4)
    is_near = second in _AS and third in _IN and keyword in letters
    return Sign(letters[keyword], at + 4) if is_near else None


def _in_two_words(words: Heard, at: int) -> Sign | None:
    pair = (text_at(words, at), text_at(words, at + 1))
    if pair == ("x", "ray"):
        return Sign("x", at + 2, is_nato=True)
    return Sign("w", at + 2) if pair in {("double", "u"), ("double", "you")} else None


def _read_repeated_digit(words: Heard, at: int) -> Sign | None:
    """Read `double seven`."""
    times = _TIMES.get(text_at(words, at))
    digit = _tables().sure.get(text_at(words, at + 1), text_at(words, at + 1))
    if times is None or not (len(digit) == 1 and digit.isdecimal()):
        return None
    return Sign(digit * times, at + 2)


def _until_doubt(signs: list[Sign]) -> list[Sign]:
    doubt = next((at for at, sign in enumerate(signs) if not sign.is_sure), len(signs))
    return signs[:doubt]


def _begins(words: Heard, at: int) -> bool:
    """Return whether a doubtful sign can be the first.

    It can at the beginning, and after `is` or `number`.
    """
    return at == 0 or not goes_on(words, at) or words[at - 1].text in _CUES


def _ends(words: Heard, end: int) -> bool:
    return text_at(words, end) in {"", "again"}


def _is_figures(signs: list[Sign]) -> bool:
    """Return whether figures of several digits stand without letters.

    Such figures are numbers of their own.
    """
    has_letter = any(sign.text.isalpha() for sign in signs)
    return not has_letter and any(sign.is_figure for sign in signs)


def _without_pronoun(words: Heard, signs: list[Sign]) -> list[Sign]:
    """Leave out an `i` at the end that begins the next sentence: `i need`."""
    if signs and signs[-1].text == "i" and text_at(words, signs[-1].end) in _AFTER_PRONOUN:
        return signs[:-1]
    return signs


def _without_article(words: Heard, at: int, text: str) -> str:
    """Leave out an `a` in small letters before capitals; it is the article."""
    is_article = words[at].text == "a" and not words[at].is_capital
    return text[1:] if is_article and text_at(words, at + 1) and words[at + 1].is_capital else text


class _Tables(msgspec.Struct, frozen=True):
    """The words of signs that are surely one."""

    sure: dict[str, str]
    nato: frozenset[str]
    digits: frozenset[str]
    as_in: dict[str, str]


@cache
def _tables() -> _Tables:
    table = english_words()
    digits = {word: str(number) for number, word in enumerate(sign_names().digits)}
    as_in = {word: letter for letter, word in table.as_in.items()}
    nato = {word: letter for letter, word in nato_words().items() if " " not in word}
    nato |= heard_nato_words()
    return _Tables(digits | nato | table.heard_letters, frozenset(nato), frozenset(digits), as_in)


_MIN_NAMED = 2
_MAX_NOISE = 2


class Named(msgspec.Struct, frozen=True):
    """A letter that a word names, and the word after it."""

    letter: str
    end: int


ReadNamed = Callable[[Heard, int], Named | None]


def keyworded_at(words: Heard, at: int) -> Reading | None:
    """Return the id or name whose letters are named by words, from a word on."""
    is_name = is_spelling(words, at)
    named_at = _named_in_name_at if is_name else _named_at
    text, end, count = "", at, 0
    while (step := _next_named(words, end, named_at, _MAX_NOISE if count else 0)) is not None:
        between, named = step
        text += "" if is_name else between
        text += named.letter
        end, count = named.end, count + 1
    if count < _MIN_NAMED:
        return None
    if is_name:
        return Reading(text.capitalize(), end, "spelling")
    digits, end = _digits_from(words, end)
    return Reading((text + digits).upper(), end, "code")


def _next_named(
    words: Heard, at: int, named_at: ReadNamed, most_noise: int
) -> tuple[str, Named] | None:
    """Return the digits before the next named letter, and the letter."""
    digits, place = _digits_from(words, at)
    for start in range(place, place + most_noise + 1):
        named = named_at(words, start)
        if named is not None:
            return digits, named
        if text_at(words, start) in _joining():
            return None
    return None


@cache
def _joining() -> frozenset[str]:
    """Return the words that end a row of named letters: signs of an address, `again`, the end."""
    return frozenset({"", "again", "hyphen", *(sign_names().signs[sign] for sign in "@._-+")})


def _named_in_name_at(words: Heard, at: int) -> Named | None:
    """Read also a word of the NATO alphabet; outside of names it may be a person or a place."""
    sign = sign_at(words, at)
    if sign is not None and sign.is_nato:
        return Named(sign.text, sign.end)
    return _named_at(words, at)


def _named_at(words: Heard, at: int) -> Named | None:
    """Read `B as in boy`, with a misrecognized word for the letter, or for it and `as`."""
    first, second, third = (text_at(words, at + step) for step in range(3))
    if second in _AS and third in _IN:
        letter = _letter(text_at(words, at + 3), any_word=(second, third) == ("as", "in"))
        end = at + 4 + (text_at(words, at + 4) == "ray" and letter == "x")
        return Named(letter, end) if first and letter else None
    letter = _letter(third, any_word=False) if second == "in" else ""
    return Named(letter, at + 3) if letter and first not in _AS else None


def _letter(word: str, *, any_word: bool) -> str:
    """Return the letter that a word names; "" if it names none."""
    known = {name: letter for letter, name in english_words().as_in.items()}
    known |= {name.split()[0]: letter for name, letter in known.items()}
    return known.get(word, word[:1] if any_word and word[:1].isalpha() else "")


def _digits_from(words: Heard, at: int) -> tuple[str, int]:
    """Return the digits said from a word on, and the word after them."""
    digits, place = "", at
    while (sign := sign_at(words, place)) is not None and sign.is_sure and sign.text.isdecimal():
        digits, place = digits + sign.text, sign.end
    return digits, place


AGAIN = "again"
UNKNOWN = "?"
"""Mark of one word that was not a letter or digit."""

_IN_THE_POST = re.compile(r"[a-z]{2}[0-9]{9}[a-z]{2}")
_LIKELIER = frozenset({("a", "8"), ("k", "e"), ("b", "p"), ("w", "u"), ("2", "u"), ("4", "f")})
"""Pairs of signs: the first is misrecognized as the second more often than vice versa."""


def repeated_id_at(words: Heard, at: int) -> Reading | None:
    """Return the id that is said from a word on and again after `again`."""
    prefix = PREFIXES.get(text_at(words, at), "")
    first, place = _loose_run(words, at + bool(prefix))
    if text_at(words, place) != AGAIN or len(first) < MIN_SIGNS:
        return None
    place += 1
    second, end = _loose_run(words, place + (text_at(words, place) in PREFIXES))
    if len(second) < MIN_SIGNS:
        return None
    text = reconcile(first, second)
    if is_spelling(words, at) and text.replace("8", "").isalpha():
        return Reading(text.replace("8", "a").capitalize(), end, "spelling")
    return Reading(prefix + text.upper(), end, "code")


def reconcile(first: str, second: str) -> str:
    """Reconcile two transcripts of one id.

    A sign that only one of them has was deleted in the other; at an end, however, it was inserted:
    breath and the word before sound like letters. A known sign replaces an unknown one; of two
    signs that differ, the more likely counts, otherwise the first. But if one of the two is a
    postal parcel number (UPU S10: two letters, nine digits, a country) and the result is not, that
    one is returned.
    """
    both = _merge_spellings(first, second)
    return next((text for text in (both, second, first) if _IN_THE_POST.fullmatch(text)), both)


def _merge_spellings(first: str, second: str) -> str:
    pairs = list(align(first, second))
    while pairs and _is_lone(pairs[0]):
        pairs.pop(0)
    while pairs and _is_lone(pairs[-1]):
        pairs.pop()
    return "".join(map(_choose_character, pairs))


def _is_lone(pair: Pair) -> bool:
    return pair.said is None or pair.heard is None


def _choose_character(pair: Pair) -> str:
    first, second = pair.said, pair.heard
    if first is None or second is None:
        kept = first or second or UNKNOWN
        return "" if kept == UNKNOWN else kept
    if first == UNKNOWN or (second, first) in _LIKELIER:
        return second
    return first


def _loose_run(words: Heard, at: int) -> tuple[str, int]:
    """Return the signs from a word on, with lone unknown words among them, and the word after."""
    sign = sign_at(words, at)
    if sign is None or sign_at(words, sign.end) is None:
        return "", at
    text, place = "", at
    while True:
        sign = sign_at(words, place)
        if sign is not None:
            text, place = text + sign.text, sign.end
        elif _is_gap(words, place):
            text, place = text + UNKNOWN, place + 1
        else:
            return text, place


def _is_gap(words: Heard, at: int) -> bool:
    word = text_at(words, at)
    is_inside = sign_at(words, at + 1) is not None or text_at(words, at + 1) == AGAIN
    return bool(word) and word != AGAIN and is_inside
