"""Checks of the wording: what nobody sees in it, answers around it, repeated words, spaces in Chinese, length."""

import re
from collections.abc import Iterator

from dragoman.curation.translation.checks.anomalies import Anomaly
from dragoman.curation.translation.checks.expectations import wrappers
from dragoman.curation.translation.checks.translated import Translated

_TWICE = re.compile(r"(?<!\S)([^\s\d.,:;!?*`_-]+) \1(?=[\s.,:;!?]|$)", re.IGNORECASE)
_HAN_SPACE = re.compile(r"(?<=[\u3400-\u9fff]) +(?=[\u3400-\u9fff])")
_FENCE = re.compile(r"\s*```")
# Controls, signs that turn text round whatever its script, tags, and what is no character.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202d\u202e\ufeff\ufffe\uffff\U000e0000-\U000e007f]"
)
_SHORT = 20
_WIDER = 1


def empty(text: Translated) -> Iterator[Anomaly]:
    """Find a translation of nothing but white space."""
    if text.source.strip() and not text.target.strip():
        yield text.anomaly("empty", "nothing came back")


def hidden(text: Translated) -> Iterator[Anomaly]:
    """Find characters that nobody sees and the source has not: they control, or turn text round."""
    had = set(text.source)
    for sign in dict.fromkeys(_HIDDEN.findall(text.target)):
        if sign not in had:
            yield text.anomaly("hidden-character", f"U+{ord(sign):04X}", text.target.count(sign))


def wrapped(text: Translated) -> Iterator[Anomaly]:
    """Find an answer that holds more than the translation: an announcement, a fence, quotes."""
    target, source = text.target.strip().casefold(), text.source.strip().casefold()
    for opening in wrappers():
        if target.startswith(opening) and not source.startswith(opening):
            yield text.anomaly("wrapped", f"begins with {opening!r}")
            return
    if _FENCE.match(target) and not _FENCE.match(source):
        yield text.anomaly("wrapped", "stands in a code fence")
    elif _is_quoted(target) and not _is_quoted(source):
        yield text.anomaly("wrapped", "stands in quotes")


def repeated_words(text: Translated) -> Iterator[Anomaly]:
    """Find a word twice in a row that neither the source nor the language repeats."""
    usual = text.expected.repeated | {
        found.group(1).casefold() for found in _TWICE.finditer(text.source)
    }
    for found in _TWICE.finditer(text.target):
        if found.group(1).casefold() not in usual:
            yield text.anomaly("repeated-word", f"{found.group()!r}")


def spaces_between_han(text: Translated) -> Iterator[Anomaly]:
    """Find spaces between Chinese characters."""
    count = len(_HAN_SPACE.findall(text.target))
    if count:
        yield text.anomaly("space-between-han", "spaces between Chinese characters", count)


def length(text: Translated) -> Iterator[Anomaly]:
    """Find a translation far shorter or longer than is usual; what must stay is not counted.

    Short texts vary more, so their bounds are wider.
    """
    bounds = text.expected.length
    source, target = len(text.source_words.strip()), len(text.target_words.strip())
    if bounds is None or source < _SHORT or not target:
        return
    low, high = bounds
    slack = 1 + _WIDER * _SHORT / source
    ratio = target / source
    if not low / slack <= ratio <= high * slack:
        yield text.anomaly("length-ratio", f"{ratio:.2f} characters for one of the source's")


def _is_quoted(text: str) -> bool:
    return len(text) > 1 and text[0] in "\"'\u201c\u300c" and text[-1] in "\"'\u201d\u300d"
