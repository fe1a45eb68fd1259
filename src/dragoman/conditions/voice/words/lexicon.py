"""How words sound: the ways of pocketsphinx's dictionary (cmudict), and those of espeak-ng's voices.

A word that cmudict lacks has espeak-ng's ways alone. The others have them beside theirs, since it is
espeak-ng that speaks: cmudict's `transaction` has a Z where espeak-ng says S, and its `four` an R that
a British voice does not say.
"""

import importlib.resources
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import msgspec

Pronunciations = Mapping[str, tuple[str, ...]]
"""Phones of each way of saying a word, separated by spaces, by the word."""

_VARIANT = re.compile(r"\(\d+\)$")
_TAG = re.compile(r"\([a-z-]+\)")
_IGNORED = re.compile("[ˈˌ \u203f\u0303ʲ_]")

OWN_WAYS: Mapping[str, tuple[str, ...]] = {
    "a": ("AH", "EY IY"),
    "e": ("IY IY",),
    "i": ("AY", "AY IY"),
    "o": ("OW AH",),
    "r": ("AA AH", "AA R"),
    "xray": ("EH K S R EY",),
    "z": ("Z IY", "Z EH D"),
}
"""Where cmudict has the American letter only, no such word, or one phone for a letter.

pocketsphinx hears a word of one phone as if silence came after it, so that spelled vowels would be
lost among other letters; with a second phone they are heard in their place.
"""

SPELLED_WAYS: Mapping[str, int] = {"a": 2, "i": 2}
"""Which way of a letter that is a word as well is the letter."""


def read_dictionary(path: Path) -> dict[str, tuple[str, ...]]:
    """Return the pronunciations in a file of pocketsphinx's form, and what we know better."""
    found: dict[str, list[str]] = {}
    for line in path.read_text("utf-8").splitlines():
        word, _, phones = line.partition(" ")
        found.setdefault(_VARIANT.sub("", word), []).append(phones.strip())
    return {word: tuple(ways) for word, ways in found.items()} | dict(OWN_WAYS)


def phones_of(ipa: str) -> str:
    """Return espeak-ng's phonemes as ARPAbet, signs that have no phone left out."""
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
