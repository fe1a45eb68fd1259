"""Values that a text names, in English and as the labels of a language."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from dragoman.conditions.language.text_rules.scripts import is_latin
from dragoman.conditions.language.value_maps import fold


class Swapped(NamedTuple):
    """Values that a translation names less often than the source, and those that it adds."""

    fewer: list[str]
    added: list[str]


def values_in_place_of_others(
    labels: Mapping[str, str], original: str, translation: str
) -> Swapped | None:
    """Return the values of a field that a translation names in place of others; None where none.

    Args:
        labels: Labels of the field's values, by value.
        original: The English text, folded.
        translation: Its translation, folded.
    """
    named = {value: _mentions(value, original) for value in labels}
    if not any(named.values()):
        return None
    shown = {value: _mentions(label, translation) for value, label in labels.items()}
    fewer = [value for value in named if named[value] > shown[value]]
    added = [value for value in shown if shown[value] and not named[value]]
    return Swapped(fewer, added) if fewer and added else None


def _mentions(text: str, within: str) -> int:
    """Return how often a folded text stands in another; in Latin script, as whole words."""
    folded = fold(text)
    if folded not in within or not is_latin(text):
        return within.count(folded)
    return len(re.findall(rf"(?<![^\W\d_]){re.escape(folded)}(?![^\W\d_])", within))
