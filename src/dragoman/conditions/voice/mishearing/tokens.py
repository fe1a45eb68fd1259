"""What is said as words, one after the other: at spaces, and by a dictionary where none are written."""

import re
import unicodedata
from collections.abc import Container, Iterator, Sequence
from typing import Literal

import msgspec

from dragoman.conditions.voice.mishearing.lexicons import Lexicon
from dragoman.conditions.voice.mishearing.spelling import digit_words

Kind = Literal["letter", "digit", "number", "word"]

LONGEST_WORD = 12
"""Signs of the longest word that a dictionary is asked for."""

_CHUNK = re.compile(
    r"[^\W_](?:[^\s,;!?\"()\u2018\u201c\u201d\u3000-\u303f\uff01-\uff0c\uff1a-\uff1f]*[^\W_])?[\u0e30-\u0e4e]*"
)
_UNSPACED = re.compile(r"[\u0e01-\u0e4e]+|[\u4e00-\u9fff]+")
_PIECE = re.compile(r"[\u0e01-\u0e4e]+|[\u4e00-\u9fff]+|[^\u0e01-\u0e4e\u4e00-\u9fff]+")
_HYPHENS = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)+")
_NUMBER = re.compile(r"\d[\d.,:/-]*")
_THAI_BEHIND = re.compile(r"[\u0e30-\u0e3a\u0e45-\u0e4e]")
_THAI_BEFORE = re.compile(r"[\u0e40-\u0e44]")
_UNKNOWN_COST = 3


class Token(msgspec.Struct, frozen=True):
    """One word as a recognizer would write it, and what it is."""

    text: str
    kind: Kind


def tokens_of(text: str, lexicon: Lexicon) -> tuple[Token, ...]:
    """Return the words of a text in small letters, without punctuation around them.

    A lone capital is a letter that is spelled; `I` is one beside another such letter or a digit.
    """
    digits = digit_words(lexicon.language)
    chunks = [piece for chunk in _chunks(text) for piece in _pieces(chunk, lexicon.phones)]
    signs = [False, *(chunk.casefold() in digits or _is_capital(chunk) for chunk in chunks), False]
    return tuple(
        Token(chunk.casefold(), _kind(chunk, digits, is_beside=before or after))
        for chunk, before, after in zip(chunks, signs, signs[2:], strict=False)
    )


def joined(words: Sequence[str]) -> str:
    """Return words as a text: with spaces, except within a script that writes none."""
    parts: list[str] = []
    for before, word in zip(("", *words), words, strict=False):
        is_apart = bool(before) and not (_is_unspaced(before[-1]) and _is_unspaced(word[0]))
        parts += [" ", word] if is_apart else [word]
    return "".join(parts)


def units_of(words: Sequence[str], language: str) -> tuple[str, ...]:
    """Return what errors are counted by: characters in Chinese, words elsewhere."""
    if language != "zh":
        return tuple(words)
    return tuple(unit for word in words for unit in (word if _is_unspaced(word[0]) else (word,)))


def segmented(text: str, known: Container[str]) -> tuple[str, ...]:
    """Return the fewest words of a dictionary that make up a text; what is unknown stays in pieces."""
    best: list[tuple[int, int]] = [(0, 0)]
    for end in range(1, len(text) + 1):
        options = [
            (best[start][0] + _cost(text[start:end], known), start)
            for start in range(max(end - LONGEST_WORD, 0), end)
            if end == len(text) or not _is_inside(text, end)
        ]
        best.append(min(options, default=(_UNKNOWN_COST * LONGEST_WORD * len(text), end - 1)))
    words: list[str] = []
    end = len(text)
    while end:
        start = best[end][1]
        words.append(text[start:end])
        end = start
    return tuple(reversed(words))


def _cost(word: str, known: Container[str]) -> int:
    return 1 if word in known else _UNKNOWN_COST * len(word)


def _is_inside(text: str, at: int) -> bool:
    """Whether a place lies within a Thai syllable: before a sign that hangs on, or after a leading one."""
    return bool(_THAI_BEHIND.match(text[at]) or _THAI_BEFORE.match(text[at - 1]))


def _chunks(text: str) -> Iterator[str]:
    for match in _CHUNK.finditer(unicodedata.normalize("NFC", text)):
        chunk = match.group()
        if _HYPHENS.fullmatch(chunk):
            yield from chunk.split("-")
        else:
            yield chunk


def _pieces(chunk: str, known: Container[str]) -> Iterator[str]:
    for piece in _PIECE.findall(chunk):
        if _is_unspaced(piece[0]):
            yield from segmented(piece, known)
        elif any(map(str.isalnum, piece)):
            yield piece


def _is_unspaced(sign: str) -> bool:
    return _UNSPACED.match(sign) is not None


def _is_capital(chunk: str) -> bool:
    return len(chunk) == 1 and "A" <= chunk <= "Z" and chunk != "I"


def _kind(chunk: str, digits: Sequence[str], *, is_beside: bool) -> Kind:
    if chunk.casefold() in digits:
        return "digit"
    if _is_capital(chunk) or (chunk == "I" and is_beside):
        return "letter"
    return "number" if _NUMBER.fullmatch(chunk) else "word"
