"""Character folding: variants of one character become one; source offsets are kept."""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache

import msgspec
from opencc import OpenCC

FOLDING = "dragoman-folding-1"
"""The name of these rules; changed rules get another name."""

_APOSTROPHES = dict.fromkeys("\u02bc\u2019\u2018\u0060\u00b4\u02b9\u2032\uff07\u02bb\u201b", "'")
_DASHES = dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d", "-")
_ARABIC = {"\u06cc": "\u064a", "\u0649": "\u064a", "\u06a9": "\u0643", "\u0640": ""}
_POWERS = {"\u00b2": "^2", "\u00b3": "^3", "\u00b9": "^1"}
_KEPT = frozenset("\u00b0\u00ba\u00aa")
_OTHERS = {sign: sign for sign in "\u00b0\u00ba\u00aa\u00d7"} | {"\u2044": "/"}
_SIGNS = _APOSTROPHES | _DASHES | _ARABIC | _POWERS | _OTHERS
_HARAKAT = re.compile("[\u064b-\u065f\u0670]")
_SARA_AM = re.compile("\u0e4d([\u0e48-\u0e4b]?)\u0e32|([\u0e48-\u0e4b])\u0e4d\u0e32")
_LONG_MARK = re.compile("(?<=[\u30a1-\u30fa\u30fc]{2})\u30fc(?![\u30a1-\u30fa\u30fc])")
_TONES = "\u0300\u0301\u0303\u0309\u0323"
_SARA_E = "\u0e40"
_DOUBLE_SARA_E = _SARA_E * 2
_LONG_SIGN = "\u30fc"
_JOINS_BEFORE = frozenset("\u0e33\u0e32\uff9e\uff9f")
_MERGES = frozenset("\u0307\u0e4d")
"""Marks that change the character before them although no normalization says so."""
_MOST_KNOWN = 20_000


class FoldedText(msgspec.Struct, frozen=True):
    """A text after folding, in its original letter case.

    Attributes:
        text: The folded text.
        places: The source position of each character and of the end; None if all positions are
            equal.
    """

    text: str
    places: tuple[int, ...] | None

    def place(self, at: int) -> int:
        """Return the source position of a position in the folded text."""
        return at if self.places is None else self.places[at]


def fold(text: str, language: str) -> FoldedText:
    """Return a text after folding.

    Args:
        text: Any text.
        language: The tag of its language; some rules are those of one language or script.
    """
    primary = primary_language(language)
    if text.isascii() and "`" not in text and primary not in {"tr", "az"}:
        return FoldedText(text, None)
    if _is_folded(text, primary):
        return FoldedText(_tone_placed(text) if primary == "vi" else text, None)
    pieces: list[str] = []
    places: list[int] = []
    for start, cluster in _clusters(text):
        folded = _folded_cluster(cluster, primary)
        pieces.append(folded)
        is_kept = folded == cluster
        places += range(start, start + len(cluster)) if is_kept else [start] * len(folded)
    joined = "".join(pieces)
    places.append(len(text))
    return _apply_multichar_rules(joined, places, primary)


def _is_folded(text: str, primary: str) -> bool:
    """Return whether folding changes no character; this holds for most texts.

    If a text is in NFC and none of its characters has a compatibility form, its NFKC is the text
    itself.
    """
    changed, kept = _changed_signs(primary)
    signs = set(text)
    for sign in signs - kept:
        if sign in changed or sign in _MERGES or _folded_cluster(sign, primary) != sign:
            if len(changed) < _MOST_KNOWN:
                changed.add(sign)
            return False
        if len(kept) < _MOST_KNOWN:
            kept.add(sign)
    return (
        _LONG_SIGN not in signs
        and _DOUBLE_SARA_E not in text
        and unicodedata.is_normalized("NFC", text)
    )


@cache
def _changed_signs(primary: str) -> tuple[set[str], set[str]]:  # noqa: ARG001
    """Return a language's characters that are known to change, and those known to stay."""
    return set(), set()


@lru_cache(maxsize=1_000)
def primary_language(language: str) -> str:
    """Return the language of a tag without region and script: `zh` for `cmn-Hans` and `yue`."""
    primary = language.replace("_", "-").split("-")[0].casefold()
    if primary in {"cmn", "yue", "wuu", "nan", "hak", "zh"}:
        return "zh"
    return {"tl": "fil", "ms": "id"}.get(primary, primary)


def _clusters(text: str) -> Iterator[tuple[int, str]]:
    """Yield each character with the combining marks behind it, and its position."""
    start = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or not (unicodedata.combining(text[at]) or text[at] in _JOINS_BEFORE):
            yield start, text[start:at]
            start = at


@lru_cache(maxsize=20_000)
def _folded_cluster(cluster: str, primary: str) -> str:
    if primary in {"tr", "az"}:
        cluster = cluster.replace("I", "\u0131").replace("\u0130", "i").replace("I\u0307", "i")
    mapped = "".join(_SIGNS.get(sign, sign) for sign in cluster)
    if mapped != cluster:
        return mapped if len(cluster) == 1 else _folded_cluster(mapped, primary)
    if cluster in _KEPT:
        return cluster
    unified = unicodedata.normalize("NFKC", cluster)
    if unified == "\u0069\u0307":
        unified = "i"
    kept = "".join(
        str(unicodedata.decimal(sign)) if sign.isdecimal() else _SIGNS.get(sign, sign)
        for sign in unified
        if unicodedata.category(sign) != "Cf"
    )
    kept = _HARAKAT.sub("", kept)
    kept = _SARA_AM.sub(lambda match: f"{match[1] or match[2] or ''}\u0e33", kept)
    if primary == "zh":
        kept = "".join(map(_simplify_chinese, kept))
    return kept


def _apply_multichar_rules(text: str, places: list[int], primary: str) -> FoldedText:
    """Apply the rules for several characters; they only remove characters."""
    if primary == "th" and _DOUBLE_SARA_E in text:
        seconds = [match.start() + 1 for match in re.finditer(_DOUBLE_SARA_E, text)]
        text, places = _without(text, places, seconds)
        text = "".join(_sara_e(text, places))
    if _LONG_SIGN in text:
        text, places = _without(text, places, [m.start() for m in _LONG_MARK.finditer(text)])
    if primary == "vi":
        text = _tone_placed(text)
    return FoldedText(text, tuple(places))


def _sara_e(text: str, places: list[int]) -> Iterator[str]:
    """Yield the characters, with one vowel in place of two signs of the source."""
    for at, sign in enumerate(text):
        is_double = sign == _SARA_E and places[at + 1] - places[at] == len(_DOUBLE_SARA_E)
        yield "\u0e41" if is_double else sign


def _without(text: str, places: list[int], left_out: list[int]) -> tuple[str, list[int]]:
    gone = set(left_out)
    kept = [at for at in range(len(text)) if at not in gone]
    return "".join(text[at] for at in kept), [*(places[at] for at in kept), places[-1]]


@cache
def _tone_pairs() -> re.Pattern[str]:
    toned = {
        vowel: "".join(unicodedata.normalize("NFC", vowel + tone) for tone in _TONES)
        for vowel in "aeyAEY"
    }
    return re.compile(
        rf"(?<![qQ])([oO])([{toned['a']}{toned['e']}{toned['A']}{toned['E']}])(?!\w)"
        rf"|(?<![qQ])([uU])([{toned['y']}{toned['Y']}])(?!\w)"
    )


def _tone_placed(text: str) -> str:
    """Return Vietnamese with the tone of final `oa`, `oe`, `uy` on the first vowel."""

    def moved(match: re.Match[str]) -> str:
        first, second = (match[1], match[2]) if match[1] else (match[3], match[4])
        decomposed = unicodedata.normalize("NFD", second)
        base, tone = decomposed[0], decomposed[1:]
        return unicodedata.normalize("NFC", first + tone) + base

    return _tone_pairs().sub(moved, text)


@lru_cache(maxsize=10_000)
def _simplify_chinese(sign: str) -> str:
    """Return the simplified form of a Chinese character; other characters are unchanged."""
    return str(_converter().convert(sign)) if "\u3400" <= sign <= "\u9fff" else sign


@cache
def _converter() -> OpenCC:
    return OpenCC("t2s")
