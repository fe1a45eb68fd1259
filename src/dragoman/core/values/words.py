"""Words, codes and signs as canonical units: what is read where no value is."""

from dragoman.core.values.items import ReadItem, figure_atoms
from dragoman.core.values.language_table import common_table
from dragoman.core.values.state import ReaderState
from dragoman.core.values.tokens import TextToken

_SPELLED = 2
"""So few small letters beside figures are letters, and more are a word."""
_MOST_ACRONYM = 6
_IN_CODE = frozenset({"word", "figure"})


def read_code(state: ReaderState, at: int) -> ReadItem | None:
    """Read letters and figures that are written as one: `W2378156`, not `20km` or `5th`."""
    if not state.glued(at + 1):
        return None
    end = at + 1
    while state.glued(end) and state.tokens[end].kind in _IN_CODE:
        end += 1
    kinds = [token.kind for token in state.tokens[at:end]]
    if "word" not in kinds or "figure" not in kinds:
        return None
    if kinds == ["figure", "word"] and _is_measure(state, at + 1):
        return None
    atoms: list[str] = []
    for token in state.tokens[at:end]:
        atoms += code_atoms(token) if token.kind == "word" else figure_atoms(token.text)
    return ReadItem("code", tuple(atoms), at, end)


def _is_measure(state: ReaderState, at: int) -> bool:
    """Whether a word is written against a figure because it says what the figure counts."""
    word, lexicon = state.words[at], state.lexicon
    numbers, clock, amounts = lexicon.numbers, lexicon.clock, lexicon.amounts
    if not word.isascii() or word in common_table().ordinal_endings.names:
        return True
    if word in amounts.unit and (len(word) > 1 or state.word(at + 1) == "/"):
        return True
    tables = (clock.day_part, numbers.multiplier, clock.hour, amounts.currency)
    return word in numbers.glued or any(word in table for table in tables)


def code_atoms(token: TextToken) -> tuple[str, ...]:
    """Return the letters of a word in a code; a longer one in small letters is one unit."""
    text = token.text
    if not text.isascii() or (len(text) > _SPELLED and not token.is_upper):
        return (text,)
    return tuple(text)


def read_word(state: ReaderState, at: int) -> ReadItem:
    """Read a word, a sign, or a figure that is no value, as its canonical units."""
    token = state.tokens[at]
    if token.kind == "word":
        return (_changed(state, at) if token.text in state.lexicon.changed_words else None) or (
            ReadItem("word", _word_atoms(state, token, at), at, at + 1)
        )
    if token.kind == "sign":
        atoms = () if token.text == "/" else tuple(token.text.split())
        return ReadItem("sign", atoms, at, at + 1)
    digits = tuple(sign for sign in token.text if sign.isdigit())
    return ReadItem("word", digits, at, at + 1)


def _changed(state: ReaderState, at: int) -> ReadItem | None:
    """Read a word that says nothing, names a sign, or is counted as other words."""
    lexicon, words = state.lexicon, state.words
    if lexicon.filler.at(words, at) is not None:
        return ReadItem("word", (), at, at + 1)
    name = lexicon.sign.at(words, at)
    if name is not None and (name[1] > at + 1 or not state.tokens[at].is_upper):
        return ReadItem("sign", (name[0],), at, name[1])
    changed = lexicon.word.at(words, at)
    return None if changed is None else ReadItem("word", changed[0], at, changed[1])


def _word_atoms(state: ReaderState, token: TextToken, at: int) -> tuple[str, ...]:
    text = token.text
    is_acronym = token.is_upper and 1 < len(text) <= _MOST_ACRONYM and not state.shouts
    if is_acronym and text.isascii() and text.isalpha():
        return tuple(text)
    if "'" in text:
        is_owner = text.endswith("'s") and not (is_acronym and text.isascii())
        plain = text.removesuffix("'s") if is_owner else text
        return (plain.replace("'", ""), *(("s",) if is_owner else ()))
    if text == "hash" and at + 1 < state.count:
        return ()  # before an id: the sign is not counted either
    return (text,)
