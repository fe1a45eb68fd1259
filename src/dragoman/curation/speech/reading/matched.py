"""How a text states a value, by the value matcher and, where it is said, by the value's own words."""

from collections.abc import Mapping
from functools import lru_cache

import msgspec

from dragoman.conditions.voice.verbalization.spoken_form import verbalize
from dragoman.core.value_matching.matcher import Form, find_value
from dragoman.core.value_matching.reader_state import ReadItem
from dragoman.core.value_matching.typed_values import value_type
from dragoman.core.value_matching.value_reader import read
from dragoman.curation.speech.reading.how import How

_HOW: Mapping[Form, How] = {
    "exact": "exactly",
    "reformatted": "exactly",
    "grouped": "spelled",
    "spelled": "spelled",
    "words": "in words",
}
_UNHEARD = "dash"
_TYPED = frozenset({"number", "money", "percent", "date", "time"})
"""Types whose values have several written forms."""
_MATCHED_ONLY = _TYPED | {"phone", "email"}
"""Types of which the matcher knows all that is said of them."""


class MatchedReader(msgspec.Struct, frozen=True):
    """Finds values by the value matcher (`MATCHER`).

    Attributes:
        language: The tag of the texts' language.
    """

    language: str

    def how_stated(self, value: str, text: str) -> How | None:
        """Return how a typed text states a value; None where it does not."""
        found = find_value(value, text, self.language)
        if found is None:
            return None
        if found.form == "grouped" and value_type(value, self.language) in _TYPED:
            return "exactly"  # another way of writing it in figures: `1 000`, `5 %`
        stretch = text[found.start : found.end]
        if found.form == "reformatted" and _has_sign_names(value, stretch, self.language):
            return "spelled"
        return _HOW[found.form]

    def how_said(self, value: str, text: str) -> How | None:
        """Return how a text that is said or heard states a value; None where it does not.

        It may also be in the words that the value alone is put into: tags, units, formulas.
        """
        how = self.how_stated(value, text)
        if how is not None or value_type(value, self.language) in _MATCHED_ONLY:
            return how
        return "in words" if _has_words_of(value, text, self.language) else None


def _has_sign_names(value: str, stretch: str, language: str) -> bool:
    """Whether a stretch that states a value has other letters than it: names of its signs."""
    has_own_form = value_type(value, language) in _TYPED
    return not has_own_form and _letters(stretch) != _letters(value)


def _letters(text: str) -> str:
    return "".join(sign for sign in text.casefold() if sign.isalnum())


def _has_words_of(value: str, text: str, language: str) -> bool:
    """Whether the words that a value is put into stand in a text, as no part of a longer value."""
    items = [item for item in read(text, language).items if _heard_units(item)]
    return any(
        _stands_at(wanted, items, at)
        for wanted in _words_of(value, language)
        for at in range(len(items))
        if _begins(wanted, items[at])
    )


@lru_cache(maxsize=4096)
def _words_of(value: str, language: str) -> tuple[tuple[str, ...], ...]:
    """Return the units of a value's words: alone, and behind a number, where a unit of measure is one."""
    words = verbalize(value, language)
    alone = _units_of(words, language)
    behind = _units_of(f"2 {words}", language)[1:]
    return tuple(dict.fromkeys(units for units in (alone, behind) if units))


def _units_of(words: str, language: str) -> tuple[str, ...]:
    return tuple(unit for item in read(words, language).items for unit in _heard_units(item))


def _heard_units(item: ReadItem) -> tuple[str, ...]:
    """Return the units of an item that scoring counts; a dash may be said or not."""
    return tuple(unit for unit in item.atoms if unit != _UNHEARD)


def _begins(wanted: tuple[str, ...], item: ReadItem) -> bool:
    units = _heard_units(item)
    return wanted[: len(units)] == units


def _stands_at(wanted: tuple[str, ...], items: list[ReadItem], start: int) -> bool:
    units: tuple[str, ...] = ()
    end = start
    while end < len(items) and len(units) < len(wanted):
        units += _heard_units(items[end])
        end += 1
    if units != wanted:
        return False
    goes_on_before = start > 0 and _belong(items[start - 1].atoms[-1], wanted[0])
    goes_on_after = end < len(items) and _belong(wanted[-1], items[end].atoms[0])
    return not goes_on_before and not goes_on_after


def _belong(one: str, other: str) -> bool:
    """Whether two units beside each other are digits or letters of one spelling or formula."""
    return len(one) == len(other) == 1 and "a" not in {one, other}
