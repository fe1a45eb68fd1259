"""Tokenization of speech, and types of recognition errors between two token sequences."""

import re
import unicodedata
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Literal

import msgspec

from dragoman.conditions.voice.asr_error_simulation.pronunciation import (
    Phones,
    digit_words,
    phone_table,
    sign_sounds,
)
from dragoman.conditions.voice.asr_error_simulation.vocabulary import Lexicon
from dragoman.core.texts.alignment import Pair, align

SpeechTokenKind = Literal["letter", "digit", "number", "word"]

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
    """One word as a recognizer would write it, and its kind."""

    text: str
    kind: SpeechTokenKind


def tokenize_speech(text: str, lexicon: Lexicon) -> tuple[Token, ...]:
    """Return the words of a text in small letters, without punctuation around them.

    A lone capital is a letter that is spelled; `I` is one if it is next to another such letter or a
    digit.
    """
    digits = digit_words(lexicon.language)
    chunks = [piece for chunk in _chunks(text) for piece in _pieces(chunk, lexicon.phones)]
    signs = [False, *(chunk.casefold() in digits or _is_capital(chunk) for chunk in chunks), False]
    return tuple(
        Token(chunk.casefold(), _token_kind(chunk, digits, is_beside=before or after))
        for chunk, before, after in zip(chunks, signs, signs[2:], strict=False)
    )


def join_words(words: Sequence[str]) -> str:
    """Return words as a text: with spaces, except within a script that writes none."""
    parts: list[str] = []
    for before, word in zip(("", *words), words, strict=False):
        is_apart = bool(before) and not (_is_unspaced(before[-1]) and _is_unspaced(word[0]))
        parts += [" ", word] if is_apart else [word]
    return "".join(parts)


def error_units(words: Sequence[str], language: str) -> tuple[str, ...]:
    """Return what errors are counted by: characters in Chinese, words elsewhere."""
    if language != "zh":
        return tuple(words)
    return tuple(unit for word in words for unit in (word if _is_unspaced(word[0]) else (word,)))


def segment_words(text: str, known: Container[str]) -> tuple[str, ...]:
    """Return the smallest number of dictionary words that make up a text.

    Unknown parts remain in pieces.
    """
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
    """Return whether a place is within a Thai syllable.

    It is then before a dependent sign, or after a leading one.
    """
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
            yield from segment_words(piece, known)
        elif any(map(str.isalnum, piece)):
            yield piece


def _is_unspaced(sign: str) -> bool:
    return _UNSPACED.match(sign) is not None


def _is_capital(chunk: str) -> bool:
    return len(chunk) == 1 and "A" <= chunk <= "Z" and chunk != "I"


def _token_kind(chunk: str, digits: Sequence[str], *, is_beside: bool) -> SpeechTokenKind:
    if chunk.casefold() in digits:
        return "digit"
    if _is_capital(chunk) or (chunk == "I" and is_beside):
        return "letter"
    return "number" if _NUMBER.fullmatch(chunk) else "word"


ErrorKind = Literal[
    "homophone",
    "near",
    "similar",
    "far",
    "letter",
    "digit",
    "number",
    "deletion",
    "insertion",
    "split",
    "merge",
]

ALIKE = 0.02
NEAR = 0.15
SIMILAR = 0.35
"""The largest distances per phone of a homophone, a near, and a similar substitute.

A substitute beyond the last distance is far.
"""

_PAIR = 2


class RecognitionError(msgspec.Struct, frozen=True):
    """One error: the place of its first spoken word, the spoken and the recognized words.

    `distance` is per phone of the longer side: 0 sounds alike, 1 has nothing in common. It is None
    where one side is silent.
    """

    kind: ErrorKind
    at: int
    said: tuple[str, ...]
    heard: tuple[str, ...]
    distance: float | None


def recognition_error(
    at: int, said: Sequence[Token], heard: Sequence[str], lexicon: Lexicon
) -> RecognitionError:
    """Return the record of an error."""
    texts, words = tuple(token.text for token in said), tuple(heard)
    if not heard:
        return RecognitionError("deletion", at, texts, words, None)
    if not said:
        return RecognitionError("insertion", at, texts, words, None)
    meant = tuple(phone for token in said for phone in token_phones(token, lexicon))
    distance = phone_table().per_phone(meant, _sound(words, said, lexicon))
    return RecognitionError(_error_kind(said, words, distance), at, texts, words, distance)


def token_phones(token: Token, lexicon: Lexicon) -> Phones:
    """Return how a word that is said sounds; letters and digits by their names."""
    if token.kind in {"letter", "digit"}:
        return sign_sounds(lexicon.language)[token.text]
    return lexicon.sound(token.text)


def align_errors(
    said: Sequence[Token], heard: Sequence[str], lexicon: Lexicon
) -> tuple[RecognitionError, ...]:
    """Return the errors between spoken and recognized words, aligned by sound.

    An inserted word next to a substitution is a split if both words together sound more like the
    one that was said. Merges are found in the same way.

    Raises:
        DataError: If the texts have too many words to align.
    """
    names = [f"{at} {token.text}" for at, token in enumerate(said)]
    tokens = dict(zip(names, said, strict=True))

    def cost(name: str, word: str) -> float:
        token = tokens[name]
        if token.text == word:
            return 0.0
        apart = phone_table().per_phone(
            token_phones(token, lexicon), _sound((word,), [token], lexicon)
        )
        return min(0.5 + apart, 1.0)

    pairs = align(names, heard, cost)
    return _group_errors(pairs, tokens, lexicon)


def _group_errors(
    pairs: Sequence[Pair], tokens: Mapping[str, Token], lexicon: Lexicon
) -> tuple[RecognitionError, ...]:
    edits: list[RecognitionError] = []
    at = place = 0
    while place < len(pairs):
        size = 2 if _is_together(pairs[place : place + 2], tokens, lexicon) else 1
        edit = _edit_of(at, pairs[place : place + size], tokens, lexicon)
        if edit.said != edit.heard:
            edits.append(edit)
        at += len(edit.said)
        place += size
    return tuple(edits)


def _edit_of(
    at: int, pairs: Sequence[Pair], tokens: Mapping[str, Token], lexicon: Lexicon
) -> RecognitionError:
    said = [tokens[pair.said] for pair in pairs if pair.said is not None]
    heard = [pair.heard for pair in pairs if pair.heard is not None]
    return recognition_error(at, said, heard, lexicon)


def _is_together(pairs: Sequence[Pair], tokens: Mapping[str, Token], lexicon: Lexicon) -> bool:
    """Return whether two alignment steps are one split word, or two merged words."""
    whole = [pair for pair in pairs if pair.said is not None and pair.heard is not None]
    if len(pairs) != _PAIR or len(whole) != 1:
        return False
    together, alone = (_edit_of(0, some, tokens, lexicon).distance for some in (pairs, whole))
    return together is not None and alone is not None and together < alone


def _error_kind(said: Sequence[Token], heard: Sequence[str], distance: float) -> ErrorKind:
    if len(said) != len(heard):
        return "split" if len(said) < len(heard) else "merge"
    kind: SpeechTokenKind = said[0].kind
    if kind != "word":
        return kind
    limits: tuple[tuple[float, ErrorKind], ...] = (
        (ALIKE, "homophone"),
        (NEAR, "near"),
        (SIMILAR, "similar"),
    )
    return next((name for limit, name in limits if distance <= limit), "far")


def _sound(words: Sequence[str], said: Sequence[Token], lexicon: Lexicon) -> Phones:
    """Return the phones of recognized words.

    A letter or digit that replaces another is pronounced by its name.
    """
    signs = sign_sounds(lexicon.language)
    is_spelled = any(token.kind in {"letter", "digit"} for token in said)
    return tuple(
        phone
        for word in words
        for phone in (signs[word] if word in signs and is_spelled else lexicon.sound(word))
    )
