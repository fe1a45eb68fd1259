"""Letters and digits that were spelled, read back: plain, by NATO, `B as in boy`, `double seven`.

A word that only sounds like a letter (`see`, `for`) counts among letters and digits alone, and only
where enough of them are sure.
"""

import re
from functools import cache

import msgspec

from dragoman.conditions.voice.spoken.words import (
    english_words,
    heard_nato_words,
    nato_words,
    taken_words,
)
from dragoman.conditions.voice.written.words import Heard, Reading, goes_on, text_at
from dragoman.core.texts.sign_names import sign_names

MIN_SIGNS = 3
"""Fewer letters and digits in a row are words as they are."""
MIN_SURE = 4
"""How many signs must be sure before words that only sound like one are counted among them."""
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
    for read in (_by_keyword, _in_two_words, _repeated):
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


def run_at(words: Heard, at: int) -> Reading | None:
    """Return the id or phone number whose signs begin at a word, or the name after `spell_value`."""
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
    """Whether what begins at a word is a name: after `spell_value` or `name is`."""
    before = [word.text for word in words[max(at - 2, 0) : at]]
    return bool(SPELLS & set(before[-1:])) or before == ["name", "is"]


def _homophone(words: Heard, at: int) -> Sign | None:
    """Read a word that sounds like a sign; one like a digit must stand beside a digit or in NATO's."""
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
    is_read = len(word) in _SHORT and word.isalpha() and word not in taken_words()
    return Sign(word, at + 1, is_sure=False) if is_read else None


def _by_keyword(words: Heard, at: int) -> Sign | None:
    """Read `B as in boy`: the keyword decides, being heard better than the letter."""
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


def _repeated(words: Heard, at: int) -> Sign | None:
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
    """Whether a doubtful sign can be the first: at the beginning, and after `is` or `number`."""
    return at == 0 or not goes_on(words, at) or words[at - 1].text in _CUES


def _ends(words: Heard, end: int) -> bool:
    return text_at(words, end) in {"", "again"}


def _is_figures(signs: list[Sign]) -> bool:
    """Whether figures of several digits stand without any letter: those are numbers of their own."""
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
