"""Kinds of hearing errors, the same for those that a recognizer makes and for simulated ones."""

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from dragoman.conditions.voice.mishearing.lexicons import Lexicon
from dragoman.conditions.voice.mishearing.phones import Phones, phone_table
from dragoman.conditions.voice.mishearing.spelling import sign_sounds
from dragoman.conditions.voice.mishearing.tokens import Kind, Token
from dragoman.core.texts.alignment import Pair, aligned

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
"""Distances per phone up to which a substitute is a homophone, near, or similar; beyond it is far."""

_PAIR = 2


class Edit(msgspec.Struct, frozen=True):
    """One error: the place of its first word among those said, what was said, and what was heard.

    `distance` is per phone of the longer side: 0 sounds alike, 1 has nothing in common. It is None
    where one side is silent.
    """

    kind: ErrorKind
    at: int
    said: tuple[str, ...]
    heard: tuple[str, ...]
    distance: float | None


def edit_of(at: int, said: Sequence[Token], heard: Sequence[str], lexicon: Lexicon) -> Edit:
    """Return the record of an error."""
    texts, words = tuple(token.text for token in said), tuple(heard)
    if not heard:
        return Edit("deletion", at, texts, words, None)
    if not said:
        return Edit("insertion", at, texts, words, None)
    meant = tuple(phone for token in said for phone in sound_of(token, lexicon))
    distance = phone_table().per_phone(meant, _sound(words, said, lexicon))
    return Edit(_kind(said, words, distance), at, texts, words, distance)


def sound_of(token: Token, lexicon: Lexicon) -> Phones:
    """Return how a word that is said sounds; letters and digits by their names."""
    if token.kind in {"letter", "digit"}:
        return sign_sounds(lexicon.language)[token.text]
    return lexicon.sound(token.text)


def edits_between(
    said: Sequence[Token], heard: Sequence[str], lexicon: Lexicon
) -> tuple[Edit, ...]:
    """Return the errors between what was said and what was heard, aligned by sound.

    A word heard for nothing beside a substitution is a split where both words together sound more
    like the one that was said, and likewise a merge.

    Raises:
        DataError: Where there are too many words to align.
    """
    names = [f"{at} {token.text}" for at, token in enumerate(said)]
    tokens = dict(zip(names, said, strict=True))

    def cost(name: str, word: str) -> float:
        token = tokens[name]
        if token.text == word:
            return 0.0
        apart = phone_table().per_phone(sound_of(token, lexicon), _sound((word,), [token], lexicon))
        return min(0.5 + apart, 1.0)

    pairs = aligned(names, heard, cost)
    return _grouped(pairs, tokens, lexicon)


def _grouped(
    pairs: Sequence[Pair], tokens: Mapping[str, Token], lexicon: Lexicon
) -> tuple[Edit, ...]:
    edits: list[Edit] = []
    at = place = 0
    while place < len(pairs):
        size = 2 if _is_together(pairs[place : place + 2], tokens, lexicon) else 1
        edit = _edit_of(at, pairs[place : place + size], tokens, lexicon)
        if edit.said != edit.heard:
            edits.append(edit)
        at += len(edit.said)
        place += size
    return tuple(edits)


def _edit_of(at: int, pairs: Sequence[Pair], tokens: Mapping[str, Token], lexicon: Lexicon) -> Edit:
    said = [tokens[pair.said] for pair in pairs if pair.said is not None]
    heard = [pair.heard for pair in pairs if pair.heard is not None]
    return edit_of(at, said, heard, lexicon)


def _is_together(pairs: Sequence[Pair], tokens: Mapping[str, Token], lexicon: Lexicon) -> bool:
    """Whether two steps of an alignment are one word that fell apart, or two that ran together."""
    whole = [pair for pair in pairs if pair.said is not None and pair.heard is not None]
    if len(pairs) != _PAIR or len(whole) != 1:
        return False
    together, alone = (_edit_of(0, some, tokens, lexicon).distance for some in (pairs, whole))
    return together is not None and alone is not None and together < alone


def _kind(said: Sequence[Token], heard: Sequence[str], distance: float) -> ErrorKind:
    if len(said) != len(heard):
        return "split" if len(said) < len(heard) else "merge"
    kind: Kind = said[0].kind
    if kind != "word":
        return kind
    limits: tuple[tuple[float, ErrorKind], ...] = (
        (ALIKE, "homophone"),
        (NEAR, "near"),
        (SIMILAR, "similar"),
    )
    return next((name for limit, name in limits if distance <= limit), "far")


def _sound(words: Sequence[str], said: Sequence[Token], lexicon: Lexicon) -> Phones:
    """Return how heard words sound; a letter or digit heard for one is said by its name."""
    signs = sign_sounds(lexicon.language)
    is_spelled = any(token.kind in {"letter", "digit"} for token in said)
    return tuple(
        phone
        for word in words
        for phone in (signs[word] if word in signs and is_spelled else lexicon.sound(word))
    )
