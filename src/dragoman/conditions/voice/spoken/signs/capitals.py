"""Words in capitals: which of them are said as words, and which are spelled."""

import re
from collections.abc import Iterator

from dragoman.conditions.voice.spoken.words import english_words

MIN_WORD = 4
"""A shorter word in capitals is spelled, unless it is known or stands among shouted ones."""

_CAPITALS = re.compile(r"(?<![\w.-])(?<!\w')[A-Z]+(?:'[A-Z]{1,2})?(?![\w@&-]|['.][A-Za-z])")
_TWO = re.compile(r"[A-Z]{2}")
_GAP = re.compile(r"[ \t,]{1,3}")
_CUE = re.compile(
    r"\b(?:code|id|number|reservation|confirmation|ticket|reference|locator|pnr|flight|spelled|symbol|"
    r"ticker|stocks?|shares?|prices?)(?:\s+(?:is|of|for|in|number|code|id))?\s*[:#]?\s*$",
    re.IGNORECASE,
)
_ONSETS = (
    "b|bl|br|c|ch|chr|cl|cr|d|dr|dw|f|fl|fr|g|gh|gl|gn|gr|h|j|k|kl|kn|kr|l|m|n|p|ph|pl|pr|qu|r|rh|s|sc|"
    "sch|scr|sh|shr|sk|sl|sm|sn|sp|spl|spr|squ|st|str|sw|t|th|thr|tr|tw|v|w|wh|wr|y|z"
)
_CODAS = (
    "b|bs|c|ck|cks|ct|cts|d|dd|ds|f|ff|ft|g|gh|ght|gs|h|hn|k|ks|l|ld|lds|lf|lk|ll|lls|lm|lp|ls|lt|lts|"
    "m|mb|mp|mps|ms|n|nce|nch|nd|nds|ng|ngs|nk|nks|nn|ns|nt|nts|p|ph|ps|pt|pts|r|rch|rd|rds|rf|rg|rk|"
    "rks|rl|rls|rm|rms|rn|rns|rp|rs|rst|rt|rth|rts|s|sh|sk|sm|sp|ss|st|sts|t|tch|th|ths|ts|tt|v|w|wd|wl|"
    "wn|wns|x|xt|y|ys|z|zz"
)
_SAYABLE = re.compile(
    rf"(?:{_ONSETS})?(?:[aeiouy]{{1,2}}|eau)(?:[bcdfghjklmnpqrstvwxz]{{1,3}}[aeiouy]{{1,2}}){{0,6}}(?:{_CODAS})?"
)
_DOUBLED = re.compile(
    r"(aa|ii|uu|yy|vv|jj|hh|kk|ww|xx|qq|q(?!u)|[^aeiouylrhwsn][^aeiouylrhws][bcdfgkmnpqtvxz])"
)


def is_sayable(word: str) -> bool:
    """Whether a word's letters could be a word's of English."""
    small = word.casefold()
    return _SAYABLE.fullmatch(small) is not None and _DOUBLED.search(small) is None


def capital_words(text: str) -> Iterator[tuple[int, int]]:
    """Yield the places of words in capitals that are said as words: shouted ones, and names."""
    if _TWO.search(text) is None:
        return
    stretch: list[re.Match[str]] = []
    for match in _CAPITALS.finditer(text):
        if stretch and not _GAP.fullmatch(text, stretch[-1].end(), match.start()):
            yield from _words(text, stretch)
            stretch = []
        stretch.append(match)
    yield from _words(text, stretch)


def with_small_words(text: str) -> str:
    """Return a text in which words in capitals that are said as words have small letters."""
    parts, end = [], 0
    for start, after in capital_words(text):
        parts += [text[end:start], text[start:after].lower()]
        end = after
    return "".join((*parts, text[end:]))


def _words(text: str, stretch: list[re.Match[str]]) -> Iterator[tuple[int, int]]:
    known = english_words().capitals
    said = [_is_word(text, match) for match in stretch]
    is_shouted = len(stretch) > 1 and any(said)
    for match, is_word in zip(stretch, said, strict=True):
        if is_word or (is_shouted and match.group() in known.short):
            yield match.span()


def _is_word(text: str, match: re.Match[str]) -> bool:
    word = match.group()
    if word in english_words().capitals.words:
        return True
    letters = word.partition("'")[0]
    if len(letters) < MIN_WORD or letters in english_words().capitals.spelled:
        return False
    return is_sayable(letters) and not _CUE.search(text, max(match.start() - 40, 0), match.start())
