"""Value readers: the form in which a text states a value (written, spelled, in words).

The legacy reader is for sets made before the value matcher: it checks their proofs. It finds a
value as written, character by character, or as a number or date in words, in any letter case.
"""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation
from functools import cache, cached_property, lru_cache
from typing import NamedTuple

import msgspec

from dragoman.conditions.voice.inverse_text_normalization.normalizer import written_form
from dragoman.conditions.voice.inverse_text_normalization.numbers import (
    Heard,
    cardinal_at,
    decimals_at,
    heard_words,
    text_at,
    year_at,
)
from dragoman.conditions.voice.verbalization.english_words import ordinal
from dragoman.conditions.voice.verbalization.spoken_form import verbalize
from dragoman.core.errors import UsageError
from dragoman.core.texts.entities import EntityKind, contains_entity, kind_of, sign_names
from dragoman.core.value_matching.matcher import MATCHER, Form, find_value
from dragoman.core.value_matching.reader_state import ReadItem
from dragoman.core.value_matching.typed_values import value_type
from dragoman.core.value_matching.value_reader import read
from dragoman.curation.audio_sets.messages import How, ValueReader
from dragoman.store.audio_set_format import UNRECORDED_MATCHER

_FIGURES = re.compile(
    r"(?<![\w.])(?P<sign>[-\u2212])?[$\u20ac\u00a3]?(?P<number>[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|[0-9]*\.?[0-9]+)"
    r"(?P<percent>\ ?(?:%|percent))?(?P<scale>\ (?:hundred|thousand|million|billion))?"
)
_STRETCH = re.compile(r"(?<![0-9]),|,(?![0-9])|[;:()\[\]{}]")
_SCALES = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9}
_NEGATIVE = frozenset({"minus", "negative"})
_HUNDRED = Decimal(100)


def numbers_in(text: str) -> frozenset[Decimal]:
    """Return all numbers in a text; a percentage counts as itself and as a fraction."""
    stretches = _STRETCH.split(text)
    return frozenset(_figures(text)) | {
        number for stretch in stretches for number in _words(heard_words(stretch))
    }


def number_of(value: str) -> Decimal | None:
    """Return a value as a finite number; None if it is not one."""
    try:
        number = Decimal(value)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _figures(text: str) -> Iterator[Decimal]:
    for match in _FIGURES.finditer(text):
        number = Decimal(match["number"].replace(",", ""))
        scale = _SCALES.get((match["scale"] or "").strip(), 1)
        yield from _apply_sign(number * scale, is_negative=match["sign"] is not None)
        if match["percent"]:
            yield from _apply_sign(number / _HUNDRED, is_negative=match["sign"] is not None)


def _words(words: Heard) -> Iterator[Decimal]:
    at = 0
    while at < len(words):
        whole, end = _number_at(words, at)
        if whole is None or words[at].text.isdecimal():
            at += 1
            continue
        decimals, end = decimals_at(words, end)
        number = Decimal(f"{whole}{decimals}")
        scale = _SCALES.get(text_at(words, end), 1) if decimals else 1
        is_negative = at > 0 and words[at - 1].text in _NEGATIVE
        yield from _apply_sign(number * scale, is_negative=is_negative)
        if text_at(words, end) == "percent":
            yield from _apply_sign(number / _HUNDRED, is_negative=is_negative)
        year = year_at(words, at)
        if year is not None:
            yield Decimal(year.value)
        at = end


def _number_at(words: Heard, at: int) -> tuple[int | None, int]:
    number = cardinal_at(words, at)
    if number is not None:
        return number.value, number.end
    return _ORDINALS.get(words[at].text), at + 1


def _apply_sign(number: Decimal, *, is_negative: bool) -> Iterator[Decimal]:
    yield -number if is_negative else number


_ORDINALS = {ordinal(number): number for number in range(1, 20)} | {
    f"{number}{ending}": number for number in range(1, 100) for ending in ("st", "nd", "rd", "th")
}


MAX_SIGNS = 400
"""Longest value that is spelled, in characters; a longer one is only found as written."""

_TOKEN = re.compile(r"[^\W_]+|[^\w\s]|_")
_DIGITS = re.compile(r"[0-9]+")
_PASSED = frozenset(",-'\"`\u201c\u201d\u2018\u2019;:")
"""Signs that may occur between parts of a value without being said."""
_OTHER_NAMES = {"hyphen": "-", "minus": "-", "hashtag": "#", "period": ".", "point": "."}
_MAX_NUMBER_WORDS = 8


class SpokenToken(NamedTuple):
    """A word in lower case or a sign, and its span."""

    text: str
    start: int
    end: int
    is_letter: bool


class _State(msgspec.Struct, frozen=True):
    """The state of reading a value.

    `done` is the number of characters read and `at` the next token. `was_word` says whether the
    last token was a word, and `is_literal` whether everything was as written.
    """

    done: int
    at: int
    was_word: bool
    is_literal: bool


def tokens_in(text: str) -> tuple[SpokenToken, ...]:
    """Return the words and signs of a text as tokens.

    A single letter counts as spelled, except for a lower-case `a`.
    """
    return tuple(
        SpokenToken(
            match.group().casefold(),
            match.start(),
            match.end(),
            len(match.group()) == 1 and match.group().isalpha() and match.group() != "a",
        )
        for match in _TOKEN.finditer(text)
    )


def read_signs(value: str, tokens: tuple[SpokenToken, ...]) -> bool | None:
    """Return whether a text contains a value as written (True) or spelled (False).

    The result is None if the text does not contain the value.
    """
    wanted = " ".join(value.casefold().split())
    if not wanted or len(wanted) > MAX_SIGNS:
        return None
    found = [
        literal
        for start in range(len(tokens))
        if _can_begin(tokens, start)
        for literal in (_read_signs_at(wanted, tokens, start),)
        if literal is not None
    ]
    return any(found) if found else None


def _read_signs_at(wanted: str, tokens: tuple[SpokenToken, ...], start: int) -> bool | None:
    """Return whether a value that begins at a token is entirely as written.

    The result is None if the value does not begin there.
    """
    open_states = [_State(0, start, was_word=False, is_literal=True)]
    seen: set[_State] = set()
    spelled = False
    while open_states:
        state = open_states.pop()
        if state in seen:
            continue
        seen.add(state)
        if state.done == len(wanted):
            if _can_end(tokens, state.at):
                if state.is_literal:
                    return True
                spelled = True
            continue
        if state.at < len(tokens):
            open_states += _steps(wanted, tokens, state)
    return False if spelled else None


def _steps(wanted: str, tokens: tuple[SpokenToken, ...], state: _State) -> Iterator[_State]:
    token = tokens[state.at]
    has_space = wanted[state.done] == " "
    done = state.done + has_space
    if wanted.startswith(token.text, done):
        is_word = len(token.text) > 1 and token.text.isalpha()
        is_joined = not has_space and state.done > 0 and tokens[state.at - 1].end < token.start
        if not (is_joined and is_word and state.was_word):
            is_literal = state.is_literal and not is_joined
            yield _State(done + len(token.text), state.at + 1, is_word, is_literal)
    sign = _signs_by_name().get(token.text)
    if sign is not None and wanted[done] == sign:
        yield _State(done + 1, state.at + 1, was_word=False, is_literal=False)
    if wanted[done].isdecimal():
        yield from _digits(wanted, tokens, state, done)
    passed = token.text in _PASSED or (token.text == "." and tokens[state.at - 1].is_letter)
    if passed and state.done:
        yield _State(state.done, state.at + 1, state.was_word, is_literal=False)


def _digits(
    wanted: str, tokens: tuple[SpokenToken, ...], state: _State, done: int
) -> Iterator[_State]:
    """Yield the states after digits in words: digit by digit, and as a number."""
    word = tokens[state.at].text
    digit = _digit_words().get(word)
    if digit is not None and wanted[done] == digit:
        yield _State(done + 1, state.at + 1, was_word=False, is_literal=False)
    run = _DIGITS.match(wanted, done)
    if run is None:
        return
    words = [token.text for token in tokens[state.at : state.at + _MAX_NUMBER_WORDS]]
    heard = heard_words(" ".join(words))
    number = cardinal_at(heard, 0)
    if number is not None and str(number.value) == run.group() and words[0] != run.group():
        yield _State(run.end(), state.at + number.end, was_word=False, is_literal=False)


def _can_begin(tokens: tuple[SpokenToken, ...], start: int) -> bool:
    """Return whether no token before belongs to the same spelling or number."""
    before = start - 1
    if before > 0 and tokens[before].text == "-":
        before -= 1
    return before < 0 or not _are_of_one_spelling(tokens[before], tokens[start])


def _can_end(tokens: tuple[SpokenToken, ...], end: int) -> bool:
    after = end
    if after < len(tokens) - 1 and tokens[after].text == "-":
        after += 1
    return after >= len(tokens) or not _are_of_one_spelling(tokens[end - 1], tokens[after])


def _are_of_one_spelling(one: SpokenToken, other: SpokenToken) -> bool:
    """Return whether two tokens are letters or digits of one spelling."""
    return all(each.is_letter or each.text in _digit_words() for each in (one, other))


@cache
def _signs_by_name() -> dict[str, str]:
    names = sign_names()
    nato = {word: letter for letter, word in (names.nato | names.nato_in_english).items()}
    signs = {name: sign for sign, name in names.signs.items() if sign != " "}
    return nato | signs | _OTHER_NAMES


@cache
def _digit_words() -> dict[str, str]:
    return {word: str(digit) for digit, word in enumerate(sign_names().digits)} | {"oh": "0"}


_MIN_DIGITS = 3
_REWRITTEN: frozenset[EntityKind] = frozenset({"date", "time", "amount", "phone", "number"})
"""Kinds of values whose words may share no character with their written notation."""


class LegacyReader(msgspec.Struct, frozen=True):
    """A reader of English texts that treats typed and said texts in the same way."""

    def how_stated(self, value: str, text: str) -> How | None:
        """Return the form in which a typed text states a value; None if it does not."""
        return _legacy_text(text).how(value)

    def how_said(self, value: str, text: str) -> How | None:
        """Return the form in which a said or heard text states a value; None if it does not."""
        return _legacy_text(text).how(value)


class LegacyReadText:
    """A text in which values are searched; it is parsed only once."""

    def __init__(self, text: str) -> None:
        self.text = text

    def how(self, value: str) -> How | None:
        """Return the form in which the text states a value; None if it does not."""
        number = number_of(value)
        if contains_entity(value, self.text) and not (_is_digit(value) and value not in self.text):
            return "exactly"
        if number is not None and number in self._numbers:
            return "in words"
        literal = read_signs(value, self._tokens) if _may_be_signs(value) else None
        if literal is not None:
            return "exactly" if literal else "spelled"
        is_read = kind_of(value) in _REWRITTEN and contains_entity(value, self._written)
        return "in words" if is_read else None

    @cached_property
    def _tokens(self) -> tuple[SpokenToken, ...]:
        return tokens_in(self.text)

    @cached_property
    def _numbers(self) -> frozenset[Decimal]:
        return numbers_in(self.text)

    @cached_property
    def _written(self) -> str:
        return written_form(self.text)


@lru_cache(maxsize=4)
def _legacy_text(text: str) -> LegacyReadText:
    return LegacyReadText(text)


def _is_digit(value: str) -> bool:
    """Return whether a value is a single digit, which its word states too."""
    return len(value) == 1 and value.isdecimal()


def _may_be_signs(value: str) -> bool:
    """Return whether a value may be read character by character.

    A small number may not, since its digits could be part of a larger number.
    """
    return not (value.isdecimal() and len(value) < _MIN_DIGITS)


_HOW: Mapping[Form, How] = {
    "exact": "exactly",
    "reformatted": "exactly",
    "grouped": "spelled",
    "spelled": "spelled",
    "words": "in words",
}
_UNHEARD = "dash"
_TYPED = frozenset({"number", "money", "percent", "date", "time"})
"""Types whose values have several notations."""
_MATCHED_ONLY = _TYPED | {"phone", "email"}
"""Types whose spoken words the matcher knows completely."""


class MatchedReader(msgspec.Struct, frozen=True):
    """A reader that finds values by the value matcher (`MATCHER`).

    Attributes:
        language: The tag of the texts' language.
    """

    language: str

    def how_stated(self, value: str, text: str) -> How | None:
        """Return the form in which a typed text states a value; None if it does not."""
        found = find_value(value, text, self.language)
        if found is None:
            return None
        if found.form == "grouped" and value_type(value, self.language) in _TYPED:
            return "exactly"  # another notation in digits: `1 000`, `5 %`
        stretch = text[found.start : found.end]
        if found.form == "reformatted" and _has_sign_names(value, stretch, self.language):
            return "spelled"
        return _HOW[found.form]

    def how_said(self, value: str, text: str) -> How | None:
        """Return the form in which a said or heard text states a value; None if it does not.

        The words may also be those of the value's verbalization alone: tags, units, formulas.
        """
        how = self.how_stated(value, text)
        if how is not None or value_type(value, self.language) in _MATCHED_ONLY:
            return how
        return "in words" if _has_words_of(value, text, self.language) else None


def _has_sign_names(value: str, stretch: str, language: str) -> bool:
    """Return whether a matched span has other letters than the value: names of its signs."""
    has_own_form = value_type(value, language) in _TYPED
    return not has_own_form and _letters(stretch) != _letters(value)


def _letters(text: str) -> str:
    return "".join(sign for sign in text.casefold() if sign.isalnum())


def _has_words_of(value: str, text: str, language: str) -> bool:
    """Return whether a text has the words of a value, not as a part of a longer value."""
    items = [item for item in read(text, language).items if _heard_units(item)]
    return any(
        _stands_at(wanted, items, at)
        for wanted in _words_of(value, language)
        for at in range(len(items))
        if _begins(wanted, items[at])
    )


@lru_cache(maxsize=4096)
def _words_of(value: str, language: str) -> tuple[tuple[str, ...], ...]:
    """Return the units of a value's words, both alone and after a number.

    After a number, a unit of measure counts as one unit.
    """
    words = verbalize(value, language)
    alone = _units_of(words, language)
    behind = _units_of(f"2 {words}", language)[1:]
    return tuple(dict.fromkeys(units for units in (alone, behind) if units))


def _units_of(words: str, language: str) -> tuple[str, ...]:
    return tuple(unit for item in read(words, language).items for unit in _heard_units(item))


def _heard_units(item: ReadItem) -> tuple[str, ...]:
    """Return the units of an item that matching counts; a dash may be said or not."""
    return tuple(unit for unit in item.atoms if unit != _UNHEARD)


def _begins(wanted: tuple[str, ...], item: ReadItem) -> bool:
    units = _heard_units(item)
    return wanted[: len(units)] == units


def _stands_at(wanted: tuple[str, ...], items: list[ReadItem], start: int) -> bool:
    units: tuple[str, ...] = ()
    end = start
    while end < len(items) and len(units) < len(wanted):
        units += _heard_units(items[end])
        end += 1
    if units != wanted:
        return False
    goes_on_before = start > 0 and _are_of_one_formula(items[start - 1].atoms[-1], wanted[0])
    goes_on_after = end < len(items) and _are_of_one_formula(wanted[-1], items[end].atoms[0])
    return not goes_on_before and not goes_on_after


def _are_of_one_formula(one: str, other: str) -> bool:
    """Return whether two adjacent units are digits or letters of one spelling or formula."""
    return len(one) == len(other) == 1 and "a" not in {one, other}


EARLIER_MATCHER = UNRECORDED_MATCHER
"""The matcher version of sets before the value matcher."""

KNOWN_MATCHERS = (MATCHER, EARLIER_MATCHER)


def reader_of(matcher: str, language: str) -> ValueReader:
    """Return the reader for the rules of a matcher.

    Raises:
        UsageError: If this version does not know the matcher.
    """
    if matcher not in KNOWN_MATCHERS:
        raise UsageError(f"its values were found by {matcher!r:.80}, which is unknown here")
    return LegacyReader() if matcher == EARLIER_MATCHER else MatchedReader(language)
