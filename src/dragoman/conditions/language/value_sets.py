"""Value sets: labels of enumerated values in a language, with a reversible map back.

A map belongs to a field, never to a domain: `Active` of a line and `standing` of a SIM card are two
values of two fields. Text is accepted in the spellings that models write: another Unicode form,
case, white space, quotes around it, spaces or hyphens for underscores. A spelling that two values
would share is refused when the set is built. `DomainLabels` is the one map for a whole domain
that the released SEATauBench has: of equal values the last one wins.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping

import msgspec

from dragoman.conditions.language.artifacts import ValueSetText
from dragoman.core.errors import DataError
from dragoman.core.texts.characters import strip_accents

ESCAPE = "\\"
"""Stands before a value of an open field that would be read as the label of another."""

_QUOTES = "'\"`\u2018\u2019\u201c\u201d\u00ab\u00bb\u300c\u300d"
_SEPARATORS = str.maketrans({"_": " ", "-": " "})


class ValueSet(msgspec.Struct, frozen=True):
    """The values of a field: their labels, and every spelling that is accepted for each.

    Attributes:
        name: The field or enumeration, for messages.
        labels: Label by canonical value.
        spellings: Canonical value by folded spelling.
        is_open: Whether the field may hold other values too, which are shown as they are.
        unaccented: Canonical value by label without accents, if accents do not matter; labels that
            differ only in accents are not among them.
    """

    name: str
    labels: dict[str, str]
    spellings: dict[str, str]
    is_open: bool = False
    unaccented: dict[str, str] = {}

    def label(self, value: str) -> str:
        """Return the label of a value; a value outside the set is its own label.

        In an open field `canon(label(value))` is the value for every text.
        """
        known = self.labels.get(value)
        if known is not None:
            return known
        if self.is_open and (value.startswith(ESCAPE) or fold_spelling(value) in self.spellings):
            return ESCAPE + value
        return value

    def canon(self, text: str) -> str | None:
        """Return the value that a text means, or None if it means none.

        In an open field every text means something: a value of the set, or itself.
        """
        if self.is_open and text.startswith(ESCAPE):
            return text[len(ESCAPE) :]
        found = self.known(text)
        return text if found is None and self.is_open else found

    def known(self, text: str) -> str | None:
        """Return the value of the set that a text means, or None if it means none of them."""
        found = self.spellings.get(fold_spelling(text))
        return (
            self.unaccented.get(strip_accents(text)) if found is None and self.unaccented else found
        )

    @property
    def canonicals(self) -> tuple[str, ...]:
        """The values in the world's own spelling."""
        return tuple(self.labels)

    def without_accents(self) -> "ValueSet":
        """Return the same values, whose labels may be written without their accents."""
        bare = {value: strip_accents(label) for value, label in self.labels.items()}
        uses = Counter(bare.values())
        alone = {text: value for value, text in bare.items() if uses[text] == 1}
        return msgspec.structs.replace(self, unaccented=alone)

    def opened(self) -> "ValueSet":
        """Return the same values for a field that may hold others too."""
        return msgspec.structs.replace(self, is_open=True)


def fold_spelling(text: str) -> str:
    """Return what all accepted spellings of a text have in common."""
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    folded = " ".join(plain.translate(_SEPARATORS).split())
    inner = folded[1:-1].strip()
    return inner if inner and folded[0] in _QUOTES and folded[-1] in _QUOTES else folded


def build_value_set(
    name: str,
    labels: Mapping[str, str],
    aliases: Mapping[str, Iterable[str]] | None = None,
    *,
    is_open: bool = False,
) -> ValueSet:
    """Build a value set and prove that no spelling means two of its values.

    Args:
        name: The field or enumeration, for messages.
        labels: Label by canonical value.
        aliases: Further labels that are taken, by canonical value.
        is_open: Whether the field may hold other values too.

    Raises:
        DataError: If a label is blank, an alias stands for an unknown value, or two values share a
            spelling.
    """
    more = {} if aliases is None else aliases
    unknown = [value for value in more if value not in labels]
    if unknown:
        raise DataError(f"{name}: aliases are declared for {unknown[0]!r}, which is not a value")
    spellings: dict[str, str] = {}
    for value, label in labels.items():
        for text in (value, label, *more.get(value, ())):
            _take(name, spellings, text, value)
    return ValueSet(name, dict(labels), spellings, is_open)


def value_set_from_artifact(
    name: str, text: ValueSetText, aliases: Mapping[str, Iterable[str]] | None = None
) -> ValueSet:
    """Build a value set from an artifact, with aliases declared there and elsewhere.

    Raises:
        DataError: For the same reasons as in `build_value_set`, and if a value is listed twice.
    """
    more = {} if aliases is None else aliases
    labels = {value.canonical: value.localized for value in text.values}
    if len(labels) < len(text.values):
        raise DataError(f"{name}: a value is listed twice")
    own = {value.canonical: value.aliases for value in text.values}
    taken = {value: (*own.get(value, ()), *more.get(value, ())) for value in {**own, **more}}
    return build_value_set(name, labels, taken)


def join_value_sets(name: str, sets: Iterable[ValueSet]) -> ValueSet:
    """Return the values of several sets as one, for a field that may hold any of them.

    Raises:
        DataError: If a spelling means different values, or a value has two labels.
    """
    labels: dict[str, str] = {}
    spellings: dict[str, str] = {}
    is_open = False
    for each in sets:
        is_open = is_open or each.is_open
        for value, label in each.labels.items():
            if labels.setdefault(value, label) != label:
                raise DataError(f"{name}: {value!r} has the labels {labels[value]!r} and {label!r}")
        for spelling, value in each.spellings.items():
            _claim(name, spellings, spelling, value)
    return ValueSet(name, labels, spellings, is_open)


def _take(name: str, spellings: dict[str, str], text: str, value: str) -> None:
    folded = fold_spelling(text)
    if not folded or text.startswith(ESCAPE):
        raise DataError(f"{name}: {value!r} has a label that is blank or starts with {ESCAPE}")
    _claim(name, spellings, folded, value)


def _claim(name: str, spellings: dict[str, str], spelling: str, value: str) -> None:
    other = spellings.setdefault(spelling, value)
    if other != value:
        raise DataError(
            f"{name}: {spelling!r} would mean both {other!r} and {value!r}: give one another label"
        )


class DomainLabels(msgspec.Struct, frozen=True):
    """The labels of a domain's values, independent of their sets.

    Attributes:
        labels: Label by canonical value.
        canonicals: The values that each label stands for.
    """

    labels: dict[str, str]
    canonicals: dict[str, frozenset[str]]

    def exact_set(self, values: tuple[str, ...]) -> ValueSet:
        """Return the values of a place; a label is accepted if it stands for only one of them."""
        meanings = {label: found & set(values) for label, found in self.canonicals.items()}
        return ValueSet(
            "a place of the domain",
            {value: self.labels.get(value, value) for value in values},
            {label: next(iter(found)) for label, found in meanings.items() if len(found) == 1},
        )


def build_domain_labels(value_sets: Mapping[str, ValueSet]) -> DomainLabels:
    """Return the one map of a domain's value sets, in their order."""
    labels: dict[str, str] = {}
    canonicals: dict[str, frozenset[str]] = {}
    for each in value_sets.values():
        for value, label in each.labels.items():
            labels[value] = label
            canonicals[label] = canonicals.get(label, frozenset()) | {value}
    return DomainLabels(labels, canonicals)


def exact_value(value_set: ValueSet, text: str) -> str:
    """Return the value that a text is or labels, letter by letter; the text where it is neither."""
    return text if text in value_set.labels else value_set.spellings.get(text, text)
