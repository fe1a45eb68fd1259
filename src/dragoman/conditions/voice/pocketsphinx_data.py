"""Readers of pocketsphinx data: pronunciation dictionary (cmudict) and binary n-gram model.

A word that cmudict lacks has only the pronunciations of espeak-ng. The other words have them in
addition, since espeak-ng synthesizes the audio: cmudict's `transaction` has a Z where espeak-ng
says S, and its `four` an R that a British voice does not say.

pocketsphinx can decode with an n-gram file and return single probabilities, but cannot list its
content. The file holds: the words `Trie Language Model`, the order, the number of n-grams of each
order, tables of the quantised weights, the single words with the start of their pairs, the pairs
and triples in packed bits, and the names of the words. A pair is stored under its second word.
Weights are logarithms to the base 1.0001.
"""

import importlib.resources
import math
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from dragoman.core.errors import DataError, UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


NOT_INSTALLED = "speech is an extra: pip install 'dragoman[voice]'"


def installed_version(package: str) -> str:
    """Return the version of one of the extra's packages.

    Raises:
        UsageError: If the package is not installed.
    """
    try:
        return version(package)
    except PackageNotFoundError as error:
        raise UsageError(NOT_INSTALLED) from error


def pocketsphinx_model_folder() -> Path:
    """Return the folder of pocketsphinx's English model.

    Raises:
        UsageError: If the extra `voice` is not installed.
    """
    spec = find_spec("pocketsphinx")
    if spec is None or spec.origin is None:
        raise UsageError(NOT_INSTALLED)
    return Path(spec.origin).parent / "model" / "en-us"


Pronunciations = Mapping[str, tuple[str, ...]]
"""Pronunciations by word, each as phones separated by spaces."""

_VARIANT = re.compile(r"\(\d+\)$")
_TAG = re.compile(r"\([a-z-]+\)")
_IGNORED = re.compile("[ˈˌ \u203f\u0303ʲ_]")

CUSTOM_PRONUNCIATIONS: Mapping[str, tuple[str, ...]] = {
    "a": ("AH", "EY IY"),
    "e": ("IY IY",),
    "i": ("AY", "AY IY"),
    "o": ("OW AH",),
    "r": ("AA AH", "AA R"),
    "xray": ("EH K S R EY",),
    "z": ("Z IY", "Z EH D"),
}
"""Pronunciations of letters that cmudict lacks, or has only American or as one phone.

pocketsphinx recognizes a word of one phone only before silence, so that spelled vowels would be
lost among other letters; with a second phone they are recognized in their place.
"""

SPELLED_WAYS: Mapping[str, int] = {"a": 2, "i": 2}
"""Number of the pronunciation that is the letter, for letters that are also words."""


def read_dictionary(path: Path) -> dict[str, tuple[str, ...]]:
    """Return the pronunciations in a pocketsphinx dictionary file, with corrections."""
    found: dict[str, list[str]] = {}
    for line in path.read_text("utf-8").splitlines():
        word, _, phones = line.partition(" ")
        found.setdefault(_VARIANT.sub("", word), []).append(phones.strip())
    return {word: tuple(ways) for word, ways in found.items()} | dict(CUSTOM_PRONUNCIATIONS)


def ipa_to_arpabet(ipa: str) -> str:
    """Return espeak-ng's phonemes as ARPAbet, without signs that have no phone."""
    rest = _IGNORED.sub("", _TAG.sub("", ipa))
    table = _arpabet()
    phones: list[str] = []
    while rest:
        sign = next((sign for sign in table if rest.startswith(sign)), rest[0])
        if sign in table:
            phones.append(table[sign])
        rest = rest.removeprefix(sign)
    return " ".join(phones)


def dictionary_lines(ways: Pronunciations) -> Iterator[str]:
    """Yield the lines of a dictionary in pocketsphinx's form, every way of a word numbered."""
    for word in sorted(ways):
        for number, phones in enumerate(ways[word], 1):
            yield f"{word}{f'({number})' if number > 1 else ''} {phones}\n"


@cache
def _arpabet() -> Mapping[str, str]:
    """Return the phones of IPA signs, longer signs before those that begin like them."""
    content = importlib.resources.files(__package__).joinpath("arpabet.toml").read_bytes()
    table = msgspec.toml.decode(content, type=dict[str, str])
    return {sign: table[sign] for sign in sorted(table, key=len, reverse=True)}


if TYPE_CHECKING:
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
        DataError: If the file is not such a model.
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
