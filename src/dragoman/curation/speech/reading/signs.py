"""Does a stretch of words give a value sign by sign? Spelled, with signs by name, digits as words."""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import msgspec

from dragoman.conditions.voice.inverse_text_normalization.numbers import cardinal_at, heard_words
from dragoman.core.texts.entities import sign_names

MAX_SIGNS = 400
"""A longer value is only looked for as it is written."""

_TOKEN = re.compile(r"[^\W_]+|[^\w\s]|_")
_DIGITS = re.compile(r"[0-9]+")
_PASSED = frozenset(",-'\"`\u201c\u201d\u2018\u2019;:")
"""Signs that may stand between parts of a value without being heard."""
_OTHER_NAMES = {"hyphen": "-", "minus": "-", "hashtag": "#", "period": ".", "point": "."}
_MAX_NUMBER_WORDS = 8


class SpokenToken(NamedTuple):
    """A word in small letters or a sign, and where it stands."""

    text: str
    start: int
    end: int
    is_letter: bool


class _State(msgspec.Struct, frozen=True):
    """How far a value was read, at which token, what came last, and whether all was as written."""

    done: int
    at: int
    was_word: bool
    is_literal: bool


def tokens_in(text: str) -> tuple[SpokenToken, ...]:
    """Return the words and signs of a text; a lone capital, or any letter among them, is spelled."""
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
    """Return whether a value stands there as it is written, or spelled; None where it does not stand."""
    wanted = " ".join(value.casefold().split())
    if not wanted or len(wanted) > MAX_SIGNS:
        return None
    found = [
        literal
        for start in range(len(tokens))
        if _can_begin(tokens, start)
        for literal in (_read(wanted, tokens, start),)
        if literal is not None
    ]
    return any(found) if found else None


def _read(wanted: str, tokens: tuple[SpokenToken, ...], start: int) -> bool | None:
    """Return whether a value that begins at a token is all as written; None where it does not begin there."""
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
    """Yield what digits in words lead to: one by one, and as a number."""
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
    """Whether nothing before belongs to the same spelling or number."""
    before = start - 1
    if before > 0 and tokens[before].text == "-":
        before -= 1
    return before < 0 or not _belong(tokens[before], tokens[start])


def _can_end(tokens: tuple[SpokenToken, ...], end: int) -> bool:
    after = end
    if after < len(tokens) - 1 and tokens[after].text == "-":
        after += 1
    return after >= len(tokens) or not _belong(tokens[end - 1], tokens[after])


def _belong(one: SpokenToken, other: SpokenToken) -> bool:
    """Whether two tokens are letters or digits of one spelling."""
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
