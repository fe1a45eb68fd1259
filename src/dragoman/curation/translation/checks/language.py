"""Checks of the language that came back: left in English, in another script, in another language."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator

from dragoman.conditions.language.text_invariants import LITERAL, QUOTED
from dragoman.core.language.correctness import FAMILIES
from dragoman.curation.translation.checks.anomalies import Anomaly
from dragoman.curation.translation.checks.expectations import function_words
from dragoman.curation.translation.checks.translated import Translated

_WORD = re.compile(r"[A-Za-z]+")
_ORDINARY = re.compile(r"(?<![A-Za-z0-9_])[a-z]{3,}(?![A-Za-z0-9_])")
_TRANSLATABLE = re.compile(r"(?<![A-Za-z0-9])(?:[A-Z]?[a-z]{2,}|[A-Z]{3,})(?![A-Za-z0-9])")
_LATIN = "LATIN"
_ENGLISH = "en"
_LEAST_LETTERS = 20
_SURE = 0.5
_FEW = 2
_SEVERAL = 3
_FOREIGN = 0.5


def copied(text: Translated) -> Iterator[Anomaly]:
    """Find a translation that is the source, where the source has words; addresses may stay."""
    place = text.segment.address.partition("::")[2]
    may_stay = text.segment.component == "database" and "address" in place
    if text.source == text.target and not may_stay and _TRANSLATABLE.search(text.source_words):
        yield text.anomaly("copied", "as in English")


def residual_english(text: Translated) -> Iterator[Anomaly]:
    """Find words of English grammar, and too many of the source's words, in a translation.

    What is quoted is left out: literals of a program may stay.
    """
    if text.source == text.target:
        return
    target = _unquoted(text.target_words)
    grammar = function_words() - text.expected.own_words
    words = (word for word in _WORD.findall(target) if word.islower() or word.istitle())
    english = [word for word in words if word.casefold() in grammar]
    if len(english) >= _FEW:
        yield text.anomaly("residual-english", f"English words: {_listed(english)}", len(english))
        return
    source = set(_ORDINARY.findall(_unquoted(text.source_words)))
    kept = [word for word in _ORDINARY.findall(target) if word in source]
    letters = sum(map(str.isalpha, target))
    few = len(kept) < _SEVERAL and text.language.script == _LATIN
    bound = text.expected.overlap
    if bound is not None and not few and sum(map(len, kept)) > bound * letters:
        yield text.anomaly("residual-english", f"kept from English: {_listed(kept)}", len(kept))


def wrong_script(text: Translated) -> Iterator[Anomaly]:
    """Find letters of a script that is not the language's.

    Latin letters may stand in any text; a text of another script that is mostly Latin words which
    the source has not is none of the language.
    """
    allowed = {text.language.script, _LATIN, *_scripts(text.source)}
    found = _scripts(text.target)
    foreign = {script: count for script, count in found.items() if script not in allowed}
    if sum(foreign.values()) >= _FEW:
        what = f"letters of {', '.join(sorted(foreign))}"
        yield text.anomaly("wrong-script", what, sum(foreign.values()))
    elif text.language.script != _LATIN and _is_mostly_latin(text):
        yield text.anomaly("wrong-script", f"mostly Latin letters, not {text.language.script}")


def wrong_language(text: Translated) -> Iterator[Anomaly]:
    """Find a text that a detector takes for a language that is not the target's.

    Asked of languages in Latin letters alone: others are known by their script. That a text is English
    is told by its words: in short texts a detector takes loan words for it.
    """
    if text.detector is None or text.language.script != _LATIN or text.source == text.target:
        return
    words = text.target_words
    found = text.detector.detect(words) if _letters(words) >= _LEAST_LETTERS else None
    if found is None or found.probability < _SURE:
        return
    expected = text.language.detector
    usual = {_ENGLISH, expected, *text.language.relatives}
    family = any(expected in each and found.label in each for each in FAMILIES)
    if found.label not in usual and not family:
        yield text.anomaly("wrong-language", f"taken for {found.label} ({found.probability:.2f})")


def _is_mostly_latin(text: Translated) -> bool:
    source = set(_WORD.findall(text.source.casefold()))
    words = _WORD.findall(text.target_words)
    latin = sum(len(word) for word in words if word.casefold() not in source)
    return latin > _FOREIGN * _letters(text.target_words)


def _letters(text: str) -> int:
    return sum(map(str.isalpha, text))


def _unquoted(text: str) -> str:
    return QUOTED.sub(" ", LITERAL.sub(" ", text))


def _scripts(text: str) -> Counter[str]:
    return Counter(
        unicodedata.name(letter, "?").partition(" ")[0]
        for letter in text
        if not letter.isascii() and unicodedata.category(letter) in {"Lu", "Ll", "Lt", "Lo"}
    )


def _listed(words: list[str]) -> str:
    return ", ".join(list(dict.fromkeys(words))[:8])
