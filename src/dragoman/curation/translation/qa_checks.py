"""Translation QA checks of a text by rules: lost terms, language, numbers, structure."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal

from dragoman.conditions.language.text_invariants import (
    LITERAL,
    QUOTED,
    code_spans_of,
    find_swapped_values,
    headings_of,
    lines_of,
    list_items_of,
    number_of,
    numbers_as_written,
    numbers_in,
)
from dragoman.conditions.language.value_sets import fold_spelling
from dragoman.core.language.correctness import FAMILIES
from dragoman.core.language.localized_values import ENGLISH_NUMBERS
from dragoman.curation.translation.do_not_translate import shape_of
from dragoman.curation.translation.placeholders import Kind, Span
from dragoman.curation.translation.qa_issues import QaIssue, SegmentPair, function_words, wrappers
from dragoman.scoring.required_phrases import date_forms

_CODES: Mapping[Kind, str] = {
    "id": "id-lost",
    "phone": "address-lost",
    "address": "address-lost",
    "marker": "marker-lost",
    "template": "template-lost",
    "identifier": "identifier-lost",
    "heading": "identifier-lost",
    "code": "code-lost",
    "literal": "literal-lost",
    "name": "name-lost",
}
_OPAQUE: frozenset[Kind] = frozenset({"id", "phone", "address"})
_COUNTED: frozenset[Kind] = frozenset({"marker", "template"})


def check_lost(text: SegmentPair) -> Iterator[QaIssue]:
    """Find terms that must stay and are missing in the translation.

    Templates and markers must also occur as often as in the source.
    """
    for (kind, word), count in _counts(text.source, text.kept).items():
        if kind not in _CODES:
            continue
        there = len(re.findall(_whole(word), text.target))
        if kind == "name" and any(form in text.target for form in _dates(word, text)):
            continue
        if not there or (kind in _COUNTED and there != count):
            what = f"{word} is not repeated" if not there else f"{word}: {there} for {count}"
            yield text.issue(_CODES[kind], what, max(1, abs(count - there)))


def check_invented(text: SegmentPair) -> Iterator[QaIssue]:
    """Find ids, addresses and templates in the translation that the source does not have."""
    for (kind, word), count in _counts(text.target, text.found).items():
        if word in text.source:
            continue
        if kind in _OPAQUE:
            yield text.issue("id-invented", f"{word} is not in the source", count)
        elif kind == "template":
            yield text.issue("template-lost", f"{word} is not in the source", count)


def check_swapped(text: SegmentPair) -> Iterator[QaIssue]:
    """Find ids of one shape in another order than in the source.

    The order is that of first occurrences, and no id is lost.
    """
    source, target = _in_order(text.source, text.kept), _in_order(text.target, text.found)
    for shape, words in source.items():
        others = [word for word in target.get(shape, ()) if word in words]
        if words != others and len(words) == len(others):
            yield text.issue("id-swapped", f"{' '.join(words)} became {' '.join(others)}")


def check_labels(text: SegmentPair) -> Iterator[QaIssue]:
    """Find quoted values that occur neither with their label nor as the value itself."""
    target = fold_spelling(text.target)
    missing = Counter(
        (text.source[span.start : span.end], called)
        for span in text.kept
        if span.kind == "value"
        and not span.is_prose
        and (called := _not_called(text, span, target))
    )
    for (word, called), count in missing.items():
        yield text.issue("label-missing", f"{word!r} is not called {called}", count)


def check_swapped_values(text: SegmentPair) -> Iterator[QaIssue]:
    """Find values that are replaced by other values of fields with the same name.

    Values of one word are omitted: in prose they may be ordinary words.
    """
    if text.segment.mode == "label":
        return
    source, target = fold_spelling(text.source), fold_spelling(text.target)
    for field, labels in text.glossary.by_field.items():
        telling = {value: label for value, label in labels.items() if " " in fold_spelling(value)}
        found = find_swapped_values(telling, source, target)
        if found is not None:
            added, fewer = (", ".join(map(repr, each)) for each in (found.added, found.fewer))
            yield text.issue("value-swapped", f"{field}: names {added} and not {fewer}")


def _not_called(text: SegmentPair, span: Span, target: str) -> str:
    """Return the expected label of a quoted value; "" if the translation has it."""
    word = text.source[span.start : span.end]
    label = text.glossary.label_at(text.source, span.start, span.end)
    every = text.glossary.labels(text.glossary.mentions.among(word))
    accepted = (label,) if label is not None else every
    if any(fold_spelling(each) in target for each in (*accepted, word)):
        return ""
    return " or ".join(map(repr, accepted)) or repr(word)


def _dates(word: str, text: SegmentPair) -> Iterator[str]:
    """Yield the date formats of the language for an ISO date."""
    return date_forms(word, text.language.dates)


def _in_order(text: str, spans: tuple[Span, ...]) -> dict[str, list[str]]:
    """Return the distinct ids of a text by shape, in order."""
    found: dict[str, dict[str, None]] = {}
    for span in spans:
        if span.kind in _OPAQUE:
            word = text[span.start : span.end]
            found.setdefault(shape_of(word) or str(len(word)), {})[word] = None
    return {shape: list(words) for shape, words in found.items()}


def _counts(text: str, spans: tuple[Span, ...]) -> Counter[tuple[Kind, str]]:
    return Counter((span.kind, text[span.start : span.end]) for span in spans)


def _whole(word: str) -> str:
    return rf"(?<![A-Za-z0-9_]){re.escape(word)}(?![A-Za-z0-9_])"


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


def check_copied(text: SegmentPair) -> Iterator[QaIssue]:
    """Find a translation that equals the source, if that has words; addresses may stay."""
    place = text.segment.address.partition("::")[2]
    may_stay = text.segment.component == "database" and "address" in place
    if text.source == text.target and not may_stay and _TRANSLATABLE.search(text.source_words):
        yield text.issue("copied", "as in English")


def check_residual_english(text: SegmentPair) -> Iterator[QaIssue]:
    """Find English function words, and too many of the source's words, in a translation.

    Quoted text is omitted, since literals of a program may stay.
    """
    if text.source == text.target:
        return
    target = _strip_quotations(text.target_words)
    grammar = function_words() - text.expected.own_words
    words = (word for word in _WORD.findall(target) if word.islower() or word.istitle())
    english = [word for word in words if word.casefold() in grammar]
    if len(english) >= _FEW:
        yield text.issue(
            "residual-english", f"English words: {_format_word_list(english)}", len(english)
        )
        return
    source = set(_ORDINARY.findall(_strip_quotations(text.source_words)))
    kept = [word for word in _ORDINARY.findall(target) if word in source]
    letters = sum(map(str.isalpha, target))
    few = len(kept) < _SEVERAL and text.language.script == _LATIN
    bound = text.expected.overlap
    if bound is not None and not few and sum(map(len, kept)) > bound * letters:
        yield text.issue(
            "residual-english", f"kept from English: {_format_word_list(kept)}", len(kept)
        )


def check_wrong_script(text: SegmentPair) -> Iterator[QaIssue]:
    """Find letters of a script that is not the language's.

    Latin letters may occur in any text. A text for another script is an issue if it is mostly Latin
    words that the source does not have.
    """
    allowed = {text.language.script, _LATIN, *_scripts(text.source)}
    found = _scripts(text.target)
    foreign = {script: count for script, count in found.items() if script not in allowed}
    if sum(foreign.values()) >= _FEW:
        what = f"letters of {', '.join(sorted(foreign))}"
        yield text.issue("wrong-script", what, sum(foreign.values()))
    elif text.language.script != _LATIN and _is_mostly_latin(text):
        yield text.issue("wrong-script", f"mostly Latin letters, not {text.language.script}")


def check_wrong_language(text: SegmentPair) -> Iterator[QaIssue]:
    """Find a text that a detector takes for another language than the target.

    Only languages with Latin letters are checked, since the script identifies others. English is
    found by its function words, since a detector takes loan words in short texts for English.
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
        yield text.issue("wrong-language", f"taken for {found.label} ({found.probability:.2f})")


def _is_mostly_latin(text: SegmentPair) -> bool:
    source = set(_WORD.findall(text.source.casefold()))
    words = _WORD.findall(text.target_words)
    latin = sum(len(word) for word in words if word.casefold() not in source)
    return latin > _FOREIGN * _letters(text.target_words)


def _letters(text: str) -> int:
    return sum(map(str.isalpha, text))


def _strip_quotations(text: str) -> str:
    return QUOTED.sub(" ", LITERAL.sub(" ", text))


def _scripts(text: str) -> Counter[str]:
    return Counter(
        unicodedata.name(letter, "?").partition(" ")[0]
        for letter in text
        if not letter.isascii() and unicodedata.category(letter) in {"Lu", "Ll", "Lt", "Lo"}
    )


def _format_word_list(words: list[str]) -> str:
    return ", ".join(list(dict.fromkeys(words))[:8])


_AFTERNOON = re.compile(r"(\d{1,2})(?::\d\d){0,2}\s?[Pp]\.?\s?[Mm]\b")
_NOON = 12
_USUAL_WORDS = 10


def check_numbers(text: SegmentPair) -> Iterator[QaIssue]:
    """Find numbers of the source that are missing or rewritten in the translation.

    Separators may be those of the language or of English, and digits those of any script. Small
    numbers may be words, hours may count to 24, and years may be of the language's calendars.
    """
    lost = [
        written
        for written in dict.fromkeys(numbers_as_written(text.source_words))
        if not re.search(rf"(?<!\d)(?<!\d[.,]){re.escape(written)}(?![.,]?\d)", text.target)
    ]
    if not lost:
        return
    there = _numbers_in_translation(text)
    hours = {Decimal(found) for found in _AFTERNOON.findall(text.source)}
    for written in lost:
        number = number_of(written, ENGLISH_NUMBERS)
        others = {number, *(number + ahead for ahead in text.language.dates.years_ahead)}
        if number in hours:
            others.add(number + _NOON)
        if not others.isdisjoint(there):
            yield text.issue("number-rewritten", f"{written} is written with other signs")
        elif _may_be_word(text, number):
            yield text.issue("number-rewritten", f"{written} is written as a word")
        else:
            yield text.issue("number-lost", f"{written} is not repeated")


def _numbers_in_translation(text: SegmentPair) -> set[Decimal]:
    """Return all numbers of a translation, in every possible reading."""
    target = text.target
    own, english = (
        numbers_in(target, habits) for habits in (text.language.numbers, ENGLISH_NUMBERS)
    )
    found = {*own, *english}
    for word, scale in text.expected.scales.items():
        for number in re.findall(rf"(?<!\d)(\d{{1,12}}(?:[.,]\d{{1,12}})?)\s?{word}", target):
            found.add(Decimal(number.replace(",", ".")) * scale)
    return found


def _may_be_word(text: SegmentPair, number: Decimal) -> bool:
    """Return whether a small number may be written as a word in the target text.

    If the words of the language are unknown, the result is true for usual small numbers.
    """
    words = text.expected.number_words
    if not words:
        return number <= _USUAL_WORDS
    target = text.target.casefold()
    return number in range(len(words)) and any(word in target for word in words[int(number)])


_PARTS: tuple[tuple[str, Callable[[str], list[str]]], ...] = (
    ("heading-lost", headings_of),
    ("list-item-lost", list_items_of),
    ("code-span-lost", code_spans_of),
)


def check_parts(text: SegmentPair) -> Iterator[QaIssue]:
    """Find a different number of headings, list items or code spans."""
    for code, parts_of in _PARTS:
        had, has = len(parts_of(text.source)), len(parts_of(text.target))
        if had != has:
            what = f"{had} in English, {has} in the translation"
            yield text.issue(code, what, abs(had - has))


def check_line_breaks(text: SegmentPair) -> Iterator[QaIssue]:
    """Find a different number of lines, not counting blank ones."""
    had, has = len(lines_of(text.source)), len(lines_of(text.target))
    if had != has and text.target.strip():
        yield text.issue("line-breaks", f"{had} lines in English, {has} in the translation")


def check_outer_space(text: SegmentPair) -> Iterator[QaIssue]:
    """Find different white space before or after the text."""
    if text.target.strip() and _around(text.source) != _around(text.target):
        yield text.issue("outer-space", "white space around the text is not the source's")


def _around(text: str) -> tuple[str, str]:
    inner = text.strip()
    before, _, after = text.partition(inner)
    return before, after


_TWICE = re.compile(r"(?<!\S)([^\s\d.,:;!?*`_-]+) \1(?=[\s.,:;!?]|$)", re.IGNORECASE)
_HAN_SPACE = re.compile(r"(?<=[\u3400-\u9fff]) +(?=[\u3400-\u9fff])")
_FENCE = re.compile(r"\s*```")
# Control characters, characters that reverse the direction of text, tags, and noncharacters.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202d\u202e\ufeff\ufffe\uffff\U000e0000-\U000e007f]"
)
_SHORT = 20
_WIDER = 1


def check_empty(text: SegmentPair) -> Iterator[QaIssue]:
    """Find a translation that consists only of white space."""
    if text.source.strip() and not text.target.strip():
        yield text.issue("empty", "nothing came back")


def check_hidden(text: SegmentPair) -> Iterator[QaIssue]:
    """Find invisible characters that the source does not have, such as direction controls."""
    had = set(text.source)
    for sign in dict.fromkeys(_HIDDEN.findall(text.target)):
        if sign not in had:
            yield text.issue("hidden-character", f"U+{ord(sign):04X}", text.target.count(sign))


def check_wrapped(text: SegmentPair) -> Iterator[QaIssue]:
    """Find an answer with more than the translation: an announcement, a fence, quotes."""
    target, source = text.target.strip().casefold(), text.source.strip().casefold()
    for opening in wrappers():
        if target.startswith(opening) and not source.startswith(opening):
            yield text.issue("wrapped", f"begins with {opening!r}")
            return
    if _FENCE.match(target) and not _FENCE.match(source):
        yield text.issue("wrapped", "stands in a code fence")
    elif _is_quoted(target) and not _is_quoted(source):
        yield text.issue("wrapped", "stands in quotes")


def check_repeated_words(text: SegmentPair) -> Iterator[QaIssue]:
    """Find a word repeated in a row that neither the source nor the language repeats."""
    usual = text.expected.repeated | {
        found.group(1).casefold() for found in _TWICE.finditer(text.source)
    }
    for found in _TWICE.finditer(text.target):
        if found.group(1).casefold() not in usual:
            yield text.issue("repeated-word", f"{found.group()!r}")


def check_spaces_between_han(text: SegmentPair) -> Iterator[QaIssue]:
    """Find spaces between Chinese characters."""
    count = len(_HAN_SPACE.findall(text.target))
    if count:
        yield text.issue("space-between-han", "spaces between Chinese characters", count)


def check_length(text: SegmentPair) -> Iterator[QaIssue]:
    """Find a translation that is much shorter or longer than usual.

    Terms that must stay are not counted. Short texts vary more, so their limits are wider.
    """
    bounds = text.expected.length
    source, target = len(text.source_words.strip()), len(text.target_words.strip())
    if bounds is None or source < _SHORT or not target:
        return
    low, high = bounds
    slack = 1 + _WIDER * _SHORT / source
    ratio = target / source
    if not low / slack <= ratio <= high * slack:
        yield text.issue("length-ratio", f"{ratio:.2f} characters for one of the source's")


def _is_quoted(text: str) -> bool:
    return len(text) > 1 and text[0] in "\"'\u201c\u300c" and text[-1] in "\"'\u201d\u300d"
