"""How words sound: the ways of pocketsphinx's dictionary (cmudict), and espeak-ng's own way.

A word that cmudict lacks has espeak-ng's way alone. The others have it beside theirs, since it is
espeak-ng that speaks: cmudict's `transaction` has a Z where espeak-ng says S.
"""

import importlib.resources
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path

import msgspec

Pronunciations = Mapping[str, tuple[str, ...]]
"""Phones of each way of saying a word, separated by spaces, by the word."""

_VARIANT = re.compile(r"\(\d+\)$")
_TAG = re.compile(r"\([a-z-]+\)")
_IGNORED = re.compile("[ˈˌ \u203f\u0303ʲ_]")

_OWN: Mapping[str, tuple[str, ...]] = {"z": ("Z IY", "Z EH D"), "xray": ("EH K S R EY",)}
"""Where cmudict has the American letter only, or no such word."""


def read_dictionary(path: Path) -> dict[str, tuple[str, ...]]:
    """Return the pronunciations in a file of pocketsphinx's form, and what we know better."""
    found: dict[str, list[str]] = {}
    for line in path.read_text("utf-8").splitlines():
        word, _, phones = line.partition(" ")
        found.setdefault(_VARIANT.sub("", word), []).append(phones.strip())
    return {word: tuple(ways) for word, ways in found.items()} | dict(_OWN)


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


def dictionary_text(
    words: Iterable[str], known: Pronunciations, phonemes: Callable[[str], str]
) -> str:
    """Return a dictionary of these words; a word without any phone is left out."""
    lines: list[str] = []
    for word in sorted(set(words)):
        ways = dict.fromkeys((*known.get(word, ()), phones_of(phonemes(word))))
        for number, phones in enumerate(way for way in ways if way):
            lines.append(f"{word}{f'({number + 1})' if number else ''} {phones}\n")
    return "".join(lines)


@cache
def _arpabet() -> Mapping[str, str]:
    """Return the phones of IPA signs, longer signs before those that begin like them."""
    content = importlib.resources.files(__package__).joinpath("arpabet.toml").read_bytes()
    table = msgspec.toml.decode(content, type=dict[str, str])
    return {sign: table[sign] for sign in sorted(table, key=len, reverse=True)}
