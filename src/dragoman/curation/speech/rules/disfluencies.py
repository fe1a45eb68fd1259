"""Fillers, hesitations, self-corrections, false starts and spelled names, between values and never in them."""

import re
from collections.abc import Iterator, Sequence
from random import Random

from dragoman.curation.speech.rules.edits import TextEdit
from dragoman.curation.speech.rules.phenomena import Phenomena

_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")
_SENTENCE = re.compile(r"(?:^|(?<=[.?!]\s))(?=\w)")
_NAME = re.compile(r"[A-Z][a-z]{2,14}(?: [A-Z][a-z]{1,14}){0,2}")
_STOPS = ".,?!;:"

Range = tuple[int, int]


def inside_sentences(
    text: str, whole: Sequence[Range], rules: Phenomena, draw: Random
) -> Iterator[TextEdit]:
    """Yield what is inserted before words inside of sentences.

    Args:
        text: The text.
        whole: Stretches that nothing is inserted into.
        rules: Of the text's language.
        draw: Decides.
    """
    for match in _WORD.finditer(text):
        start, end = match.span()
        is_first = text[:start].rstrip()[-1:] in {"", ".", "?", "!", ":"}
        if is_first or any(first < end and start < last for first, last in whole):
            continue
        for name, inserted in rules.inside.items():
            is_place = match.group().casefold() in inserted.at and text[start - 1] == " "
            if is_place and text[end : end + 1] == " " and draw.random() < inserted.rate:
                yield _insertion(text, (start, end), draw.choice(inserted.words), name)
                break


def sentence_starts(
    text: str, whole: Sequence[Range], rules: Phenomena, draw: Random
) -> Iterator[TextEdit]:
    """Yield fillers at the beginnings of sentences, and a false start before the first."""
    for match in _SENTENCE.finditer(text):
        start = match.start()
        if any(first < start < last for first, last in whole):
            continue
        said = []
        if not start and draw.random() < rules.false_start.rate:
            said.append(("false start", draw.choice(rules.false_start.words)))
        if draw.random() < rules.filler_first.rate:
            said.append(("filler", draw.choice(rules.filler_first.words)))
        if said:
            words = " ".join(each for _, each in said)
            yield TextEdit(start, *_going_on(text, start, words, rules), said[0][0])


def spelled_names(
    text: str, places: Sequence[Range], rules: Phenomena, draw: Random
) -> Iterator[TextEdit]:
    """Yield the spelling of names after they are said: `that's L-I-A-M`."""
    for start, end in places:
        name, behind = text[start:end], text[end : end + 1]
        if not _NAME.fullmatch(name) or behind not in {"", " ", ".", ",", "?", "!"}:
            continue
        if draw.random() < rules.spelling.rate:
            letters = " ".join("-".join(word.upper()) for word in name.split())
            said = draw.choice(rules.spelling.words).format(word=letters)
            comma = "," if behind == " " else ""
            yield TextEdit(end, end, f", {said}{comma}", "spelled name")


def unquoted(
    text: str, whole: Sequence[Range], rules: Phenomena, draw: Random
) -> Iterator[TextEdit]:
    """Yield quotation marks that are not said, outside of values."""
    for match in _QUOTE.finditer(text):
        start, end = match.span()
        is_inside = any(first <= start and end <= last for first, last in whole)
        if not is_inside and draw.random() < rules.unquoted:
            yield TextEdit(start, end, "", "quotation mark")


_QUOTE = re.compile(r"(?<!\w)['\"`\u2018\u201c]|['\"`\u2019\u201d](?!\w)|(?<=\w)[\"`\u201d]")


def _going_on(text: str, start: int, words: str, rules: Phenomena) -> tuple[int, str]:
    """Return where words before a sentence end, and what they are with its small first letter."""
    first = _WORD.match(text, start)
    is_small = (
        words.endswith(",") and first is not None and first.group().casefold() in rules.lowered
    )
    return (start + 1, f"{words} {text[start].lower()}") if is_small else (start, f"{words} ")


def _insertion(text: str, at: Range, words: str, name: str) -> TextEdit:
    """Return a word with what is said at its place, set apart by a comma before a filler."""
    start, end = at
    word = text[start:end]
    if "{word}" in words:
        again = word if word == "I" else word.lower()
        return TextEdit(start, end, words.replace("{word}", word, 1).format(word=again), name)
    needs_comma = text[start - 2 : start - 1] not in tuple(_STOPS)
    gap = start - 1 if needs_comma else start
    return TextEdit(gap, end, f"{', ' if needs_comma else ''}{words} {word}", name)
