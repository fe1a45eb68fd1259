"""Fillers, hesitations, self-corrections, false starts and spelled names, between values and never in them."""

import re
from collections.abc import Iterator, Sequence
from random import Random

from dragoman.conditions.voice.verbalization.symbols import leftover_signs
from dragoman.curation.speech.rules.edits import TextEdit
from dragoman.curation.speech.rules.phenomena import Phenomena

_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")
_SENTENCE = re.compile(r"(?:^|(?<=[.?!]\s))(?=\w)")
_SHORTENED = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|St|Jr|Sr|vs|etc|No|e\.g|i\.e|approx|[A-Z])\.\s$")
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
        if any(first < start < last for first, last in whole) or _SHORTENED.search(
            text, max(start - 10, 0), start
        ):
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
    """Yield the spelling of names after they are said: `that's L-I-A-M`.

    No name is spelled that is a part of a longer one, or has a common word in it: `The Plaza`.
    """
    for start, end in places:
        name, behind = text[start:end], text[end : end + 1]
        is_part = any(
            (first, last) != (start, end) and first <= start and end <= last
            for first, last in places
        )
        if is_part or any(word.casefold() in rules.lowered for word in name.split()):
            continue
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
            yield TextEdit(start, end, _gap(text, start, end), "quotation mark")


def left_signs(text: str, whole: Sequence[Range]) -> Iterator[TextEdit]:
    """Yield signs that nobody says, outside of values: escapes, brackets, marks of markdown."""
    for each in leftover_signs(text):
        if not any(first < each.end and each.start < last for first, last in whole):
            yield TextEdit(each.start, each.end, each.said, "sign left out")


def _gap(text: str, start: int, end: int) -> str:
    """Return the space that a quotation mark leaves between two sentences or words."""
    is_stop = text[start - 1 : start] in tuple(_STOPS)
    is_apart = text[start - 1 : start].isalnum() and text[end : end + 1].isupper()
    return " " if (is_stop and text[end : end + 1].isalnum()) or is_apart else ""


_QUOTE = re.compile(
    r"(?<!\w)(?<!\w\\)['\"`\u2018\u201c]|['\"`\u2019\u201d](?!\w)|(?<=\w)[\"`\u201d]"
)


def _going_on(text: str, start: int, words: str, rules: Phenomena) -> tuple[int, str]:
    """Return where words before a sentence end, and what they are with its small first letter."""
    first = _WORD.match(text, start)
    is_small = words.endswith(",") and first is not None and _is_common(first.group(), text, rules)
    return (start + 1, f"{words} {text[start].lower()}") if is_small else (start, f"{words} ")


def _is_common(word: str, text: str, rules: Phenomena) -> bool:
    """Whether a word has its capital only as the first of a sentence, and is no name or acronym."""
    small = word.casefold()
    if word != word.capitalize() or small == "i" or small.startswith(("i'", "i\u2019")):
        return False
    if small in rules.lowered:
        return True
    after = rf"(?<!\w){word}\s+(?:{'|'.join(map(re.escape, sorted(rules.after_verbs)))})\s"
    is_small = re.search(rf"(?<!\w){re.escape(small)}(?!\w)", text) is not None
    return is_small or (bool(rules.after_verbs) and re.search(after, text) is not None)


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
