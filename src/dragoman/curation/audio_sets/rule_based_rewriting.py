"""Rule-based rewriting of text as speech: seeded disfluencies, never inside values.

The phenomena are data: a file per language with rates and words. The same text, seed and rules give
the same words.
"""

import importlib.resources
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from random import Random
from typing import Annotated

import msgspec

from dragoman.conditions.voice.verbalization.symbols import leftover_signs
from dragoman.core.content_keys import content_key, derive_seed
from dragoman.core.errors import UsageError
from dragoman.curation.audio_sets.messages import StatedValue
from dragoman.curation.audio_sets.value_readers import number_of
from dragoman.curation.audio_sets.value_verbalization import (
    TextEdit,
    WholeSpan,
    apply_edits,
    as_typed,
    can_be_worded,
    places_of,
    spoken_spans,
    verbalize_span,
)

Rate = Annotated[float, msgspec.Meta(ge=0, le=1)]


class Inserted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A phenomenon that adds words.

    Attributes:
        rate: The share of the possible places at which it occurs.
        words: The inserted words; `{word}` is the word at that place.
        at: The words before which it can occur; empty for the beginnings of sentences.
    """

    rate: Rate
    words: tuple[str, ...]
    at: frozenset[str] = frozenset()


class Phenomena(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The phenomena of one language.

    Attributes:
        version: The version of these rules; changed data need another one.
        worded: The share of values, by kind, that are put in words; `path` is for values with signs
            inside.
        unquoted: The share of quotation marks that are dropped.
        lowered: Words that lose their capital letter if words are inserted before them.
        after_verbs: Words that follow a verb and never a name; a word before them loses its capital
            letter too.
        kept: Words with signs inside that are not values.
        false_start: Words at the beginning of a message.
        filler_first: Words at the beginnings of sentences.
        filler: Words inside sentences.
        hesitation: Repeated words.
        correction: Words begun, taken back and said again.
        spelling: Words after names that spell them; `{word}` stands for the letters.
    """

    version: str
    worded: dict[str, Rate]
    unquoted: Rate
    lowered: frozenset[str]
    after_verbs: frozenset[str]
    kept: frozenset[str]
    false_start: Inserted
    filler_first: Inserted
    filler: Inserted
    hesitation: Inserted
    correction: Inserted
    spelling: Inserted

    @property
    def inside(self) -> Mapping[str, Inserted]:
        """The phenomena that occur inside sentences, by name."""
        return {
            "correction": self.correction,
            "hesitation": self.hesitation,
            "filler": self.filler,
        }


@cache
def phenomena_of(language: str) -> Phenomena:
    """Return the phenomena of a language.

    Raises:
        UsageError: If the language has none.
    """
    primary = language.replace("_", "-").split("-")[0].casefold()
    folder = importlib.resources.files("dragoman.curation.audio_sets") / "languages"
    known = sorted(file.name.removesuffix(".toml") for file in folder.iterdir())
    if primary not in known:
        raise UsageError(
            f"no rules rewrite {language!r:.20} as speech; there are some for {', '.join(known)}"
        )
    content = (folder / f"{primary}.toml").read_bytes()
    return msgspec.toml.decode(content, type=Phenomena)


_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")
_SENTENCE = re.compile(r"(?:^|(?<=[.?!]\s))(?=\w)")
_SHORTENED = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|St|Jr|Sr|vs|etc|No|e\.g|i\.e|approx|[A-Z])\.\s$")
_NAME = re.compile(r"[A-Z][a-z]{2,14}(?: [A-Z][a-z]{1,14}){0,2}")
_STOPS = ".,?!;:"

Range = tuple[int, int]


def inside_sentences(
    text: str, whole: Sequence[Range], rules: Phenomena, draw: Random
) -> Iterator[TextEdit]:
    """Yield insertions before words inside sentences.

    Args:
        text: The text.
        whole: Spans without insertions.
        rules: The rules of the text's language.
        draw: The random generator.
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
    """Yield fillers at the beginnings of sentences, and a false start before the first one."""
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

    A name is not spelled if it is a part of a longer one or contains a common word: `The Plaza`.
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


def drop_quotation_marks(
    text: str, whole: Sequence[Range], rules: Phenomena, draw: Random
) -> Iterator[TextEdit]:
    """Yield the removal of quotation marks outside of values."""
    for match in _QUOTE.finditer(text):
        start, end = match.span()
        is_inside = any(first <= start and end <= last for first, last in whole)
        if not is_inside and draw.random() < rules.unquoted:
            yield TextEdit(start, end, _gap(text, start, end), "quotation mark")


def left_signs(text: str, whole: Sequence[Range]) -> Iterator[TextEdit]:
    """Yield the removal of signs that are not said: escapes, brackets, Markdown marks."""
    for each in leftover_signs(text):
        if not any(first < each.end and each.start < last for first, last in whole):
            yield TextEdit(each.start, each.end, each.said, "sign left out")


def _gap(text: str, start: int, end: int) -> str:
    """Return the space that replaces a quotation mark between two sentences or words."""
    is_stop = text[start - 1 : start] in tuple(_STOPS)
    is_apart = text[start - 1 : start].isalnum() and text[end : end + 1].isupper()
    return " " if (is_stop and text[end : end + 1].isalnum()) or is_apart else ""


_QUOTE = re.compile(
    r"(?<!\w)(?<!\w\\)['\"`\u2018\u201c]|['\"`\u2019\u201d](?!\w)|(?<=\w)[\"`\u201d]"
)


def _going_on(text: str, start: int, words: str, rules: Phenomena) -> tuple[int, str]:
    """Return the end and the text of words inserted before a sentence.

    The sentence's first letter becomes lower case if it continues the inserted words.
    """
    first = _WORD.match(text, start)
    is_small = words.endswith(",") and first is not None and _is_common(first.group(), text, rules)
    return (start + 1, f"{words} {text[start].lower()}") if is_small else (start, f"{words} ")


def _is_common(word: str, text: str, rules: Phenomena) -> bool:
    """Return whether a word is capitalized only as the first of a sentence.

    Names and acronyms are not.
    """
    small = word.casefold()
    if word != word.capitalize() or small == "i" or small.startswith(("i'", "i\u2019")):
        return False
    if small in rules.lowered:
        return True
    after = rf"(?<!\w){word}\s+(?:{'|'.join(map(re.escape, sorted(rules.after_verbs)))})\s"
    is_small = re.search(rf"(?<!\w){re.escape(small)}(?!\w)", text) is not None
    return is_small or (bool(rules.after_verbs) and re.search(after, text) is not None)


def _insertion(text: str, at: Range, words: str, name: str) -> TextEdit:
    """Return a word with words inserted at its place; a filler is set apart by a comma."""
    start, end = at
    word = text[start:end]
    if "{word}" in words:
        again = word if word == "I" else word.lower()
        return TextEdit(start, end, words.replace("{word}", word, 1).format(word=again), name)
    needs_comma = text[start - 2 : start - 1] not in tuple(_STOPS)
    gap = start - 1 if needs_comma else start
    return TextEdit(gap, end, f"{', ' if needs_comma else ''}{words} {word}", name)


class RewrittenText(msgspec.Struct, frozen=True):
    """A text rewritten as speech, and the phenomena in it, in order."""

    said: str
    phenomena: tuple[str, ...] = ()


def rewrite_text(
    text: str,
    values: Sequence[StatedValue],
    rules: Phenomena,
    seed: int,
    written: Collection[str] | None = (),
) -> RewrittenText:
    """Return a text as speech.

    Args:
        text: The user's typed text.
        values: Its values that calls need.
        rules: The rules of its language.
        seed: The seed of the set.
        written: Values that stay as written; None for all, with their quotation marks.
    """
    draws = {
        name: Random(derive_seed(content_key(text, rules.version, seed), name))  # noqa: S311
        for name in ("worded", "inside", "starts", "names", "quotes")
    }
    places = [place for each in values for place in places_of(each.value, text)]
    spans = spoken_spans(text, rules.kept)
    whole = [*places, *((span.start, span.end) for span in spans)]
    edits = [
        *inside_sentences(text, whole, rules, draws["inside"]),
        *sentence_starts(text, whole, rules, draws["starts"]),
    ]
    if written is not None:
        kept = [place for value in written for place in places_of(value, text)]
        held = kept + [place for each in values for place in _wordy_places(each.value, text)]
        for span in spans:
            if draws["worded"].random() >= rules.worded.get(span.kind, 0):
                continue
            is_held = _meets(span, held if span.said else kept)
            is_worded = can_be_worded(text, span) and not is_held
            edits.append(verbalize_span(text, span) if is_worded else as_typed(text, span))
        edits += left_signs(text, whole)
        edits += spelled_names(text, _first_places(values, text), rules, draws["names"])
        edits += drop_quotation_marks(text, places, rules, draws["quotes"])
    return RewrittenText(*apply_edits(text, edits))


def _first_places(values: Sequence[StatedValue], text: str) -> list[Range]:
    found = (next(places_of(each.value, text), None) for each in values)
    return sorted({place for place in found if place is not None})


def _wordy_places(value: str, text: str) -> Iterator[Range]:
    """Yield the spans of a value that is not a number; signs in it must be kept."""
    if number_of(value) is None:
        yield from places_of(value, text)


def _meets(span: WholeSpan, places: Sequence[Range]) -> bool:
    return any(span.start < last and first < span.end for first, last in places)
