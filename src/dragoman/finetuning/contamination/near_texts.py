"""Which of many texts is nearly another one, whatever language or script it is in.

Texts are compared by the share of common pieces (Jaccard), five letters long and two where one letter
says as much as a syllable or a word, without case, marks and blanks; other words at a few places,
another order or punctuation hide nothing.
"""

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

_PIECE, _WIDE_PIECE = 5, 2


def plain(text: str) -> str:
    """Return the letters and digits of a text in small ones, in one form."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(letter for letter in folded if letter.isalnum() or _is_mark(letter))


def _is_mark(letter: str) -> bool:
    """Whether a sign belongs to the letter before it: vowels of many scripts do."""
    return unicodedata.category(letter) in {"Mn", "Mc"}


class NearTexts:
    """Finds what a text is nearly.

    Args:
        texts: What others are compared with.
        near: From which share of common pieces on.
    """

    def __init__(self, texts: Sequence[str], near: float) -> None:
        self._near = near
        self._pieces = [frozenset(_pieces(text)) for text in texts]
        spread = Counter(piece for pieces in self._pieces for piece in pieces)
        self._with: defaultdict[str, list[int]] = defaultdict(list)
        for at, pieces in enumerate(self._pieces):
            # Two sets that share so much must share one of the rarest pieces of either.
            rare = sorted(pieces, key=lambda piece: (spread[piece], piece))
            for piece in rare[: len(rare) - int(near * len(rare)) + 1]:
                self._with[piece].append(at)

    def nearest(self, text: str) -> tuple[int, float] | None:
        """Return the place of the nearest text and its share; None where none is near."""
        pieces = frozenset(_pieces(text))
        candidates = {at for piece in pieces for at in self._with.get(piece, ())}
        shares = {at: self._share(pieces, self._pieces[at]) for at in candidates}
        near = [(share, -at) for at, share in shares.items() if share >= self._near]
        if not near:
            return None
        share, at = max(near)
        return -at, share

    @staticmethod
    def _share(one: frozenset[str], other: frozenset[str]) -> float:
        together = len(one | other)
        return len(one & other) / together if together else 0.0


def _pieces(text: str) -> Iterator[str]:
    letters = plain(text)
    if 0 < len(letters) <= _PIECE:
        yield letters
    for at, letter in enumerate(letters):
        long = _WIDE_PIECE if unicodedata.east_asian_width(letter) == "W" else _PIECE
        if at + long <= len(letters):
            yield letters[at : at + long]
