"""A text as its user would say it, by rules; the same text, seed and rules give the same words."""

from collections.abc import Collection, Iterator, Sequence
from random import Random

import msgspec

from dragoman.core.content_keys import content_key, derive_seed
from dragoman.curation.speech.messages import StatedValue
from dragoman.curation.speech.reading.numbers import number_of
from dragoman.curation.speech.rules.disfluencies import (
    Range,
    inside_sentences,
    left_signs,
    sentence_starts,
    spelled_names,
    unquoted,
)
from dragoman.curation.speech.rules.edits import edited
from dragoman.curation.speech.rules.phenomena import Phenomena
from dragoman.curation.speech.rules.spans import WholeSpan, places_of, spoken_spans
from dragoman.curation.speech.rules.wording import as_typed, can_be_worded, worded


class Rewritten(msgspec.Struct, frozen=True):
    """A text as it is said, and what was done to it, in order."""

    said: str
    phenomena: tuple[str, ...] = ()


def rewritten(
    text: str,
    values: Sequence[StatedValue],
    rules: Phenomena,
    seed: int,
    written: Collection[str] | None = (),
) -> Rewritten:
    """Return a text as speech.

    Args:
        text: What the user types.
        values: What of it calls need.
        rules: Of its language.
        seed: Of the set.
        written: Values that stay as they are written; None for all, with their quotation marks.
    """
    draws = {
        name: Random(derive_seed(content_key(text, rules.version, seed), name))  # noqa: S311 - no secret
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
            edits.append(worded(text, span) if is_worded else as_typed(text, span))
        edits += left_signs(text, whole)
        edits += spelled_names(text, _first_places(values, text), rules, draws["names"])
        edits += unquoted(text, places, rules, draws["quotes"])
    return Rewritten(*edited(text, edits))


def _first_places(values: Sequence[StatedValue], text: str) -> list[Range]:
    found = (next(places_of(each.value, text), None) for each in values)
    return sorted({place for place in found if place is not None})


def _wordy_places(value: str, text: str) -> Iterator[Range]:
    """Yield where a value stands that is no number: signs in it have to arrive as they are."""
    if number_of(value) is None:
        yield from places_of(value, text)


def _meets(span: WholeSpan, places: Sequence[Range]) -> bool:
    return any(span.start < last and first < span.end for first, last in places)
