"""Reader of the binary n-gram models that pocketsphinx ships: its words, and pairs of them.

pocketsphinx can decode with such a file and ask it for single probabilities, but cannot list what is
in it. The file holds: the words `Trie Language Model`, the order, the number of n-grams of each order,
tables of the quantised weights, the single words with the start of their pairs, the pairs and triples
in packed bits, and the names of the words. A pair stands under its second word. Weights are logarithms
to the base 1.0001.
"""

import math
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from dragoman.core.errors import DataError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]
    Floats = NDArray[np.float64]

_MAGIC = b"Trie Language Model"
_ORDER = 3
_QUANTISED_TO_16_BITS = 1
_TABLE = 2**16
_WEIGHT_BITS = 16
_LOG_BASE = 1.0001


class Bigrams(msgspec.Struct, frozen=True):
    """An n-gram model without its triples; probabilities and backoffs are natural logarithms.

    `first`, `second` and `pair` run in parallel: pairs of word numbers and their probability.
    """

    words: tuple[str, ...]
    single: "Floats"
    backoff: "Floats"
    first: "Integers"
    second: "Integers"
    pair: "Floats"


def read_bigrams(path: Path) -> Bigrams:
    """Read words and pairs of a binary model.

    Raises:
        DataError: Where the file is no such model.
    """
    import numpy as np

    content = path.read_bytes()
    at = len(_MAGIC)
    if not content.startswith(_MAGIC) or content[at] != _ORDER:
        raise DataError(f"{path}: not a binary trigram model of pocketsphinx")
    counts = [int(count) for count in np.frombuffer(content, "<u4", _ORDER, at + 1)]
    at += 1 + 4 * _ORDER
    if int(np.frombuffer(content, "<i4", 1, at)[0]) != _QUANTISED_TO_16_BITS:
        raise DataError(f"{path}: its weights are not quantised to 16 bits")
    at += 4
    pair_weights = np.frombuffer(content, "<f4", _TABLE, at)
    at += 3 * 4 * _TABLE
    singles = np.frombuffer(content, [("p", "<f4"), ("b", "<f4"), ("n", "<u4")], counts[0] + 1, at)
    at += singles.nbytes
    word_bits, next_bits = counts[0].bit_length(), counts[2].bit_length()
    width = word_bits + 2 * _WEIGHT_BITS + next_bits
    packed = np.frombuffer(content, np.uint8, _packed_bytes(counts[1], width), at)
    at += packed.nbytes + _packed_bytes(counts[2], word_bits + _WEIGHT_BITS) + 4
    words = tuple(name.decode() for name in content[at:].split(b"\0")[:-1])
    if len(words) != counts[0]:
        raise DataError(f"{path}: {len(words)} words instead of {counts[0]}")
    scale = math.log(_LOG_BASE)
    pairs = int(singles["n"][-1])
    weights = _fields(packed, pairs, width, (word_bits + _WEIGHT_BITS, _WEIGHT_BITS))
    return Bigrams(
        words=words,
        single=singles["p"][:-1].astype(np.float64) * scale,
        backoff=singles["b"][:-1].astype(np.float64) * scale,
        first=_fields(packed, pairs, width, (0, word_bits)),
        second=np.repeat(np.arange(counts[0]), np.diff(singles["n"]).astype(np.int64)),
        pair=pair_weights[weights].astype(np.float64) * scale,
    )


def _packed_bytes(entries: int, width: int) -> int:
    return ((1 + entries) * width + 7) // 8 + 8


def _fields(
    packed: "NDArray[np.uint8]", entries: int, width: int, field: tuple[int, int]
) -> "Integers":
    """Return one field of every entry, by its offset and its width in bits."""
    import numpy as np

    offset, bits = field
    starts = np.arange(entries, dtype=np.int64) * width + offset
    positions = starts >> 3
    values = np.zeros(entries, np.uint64)
    for byte in range(5):
        values |= packed[positions + byte].astype(np.uint64) << np.uint64(8 * byte)
    shifted = values >> (starts & 7).astype(np.uint64)
    return (shifted & np.uint64(2**bits - 1)).astype(np.int64)
