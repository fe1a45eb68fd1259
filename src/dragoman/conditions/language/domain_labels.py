"""One map for all values of a domain, as the released system has it: of equal values the last wins."""

from collections.abc import Mapping

import msgspec

from dragoman.conditions.language.value_maps import ValueSet


class DomainLabels(msgspec.Struct, frozen=True):
    """The labels of a domain's values, whatever set they are of.

    Attributes:
        labels: Label by canonical value.
        canonicals: The values that each label stands for.
    """

    labels: dict[str, str]
    canonicals: dict[str, frozenset[str]]

    def exact_set(self, values: tuple[str, ...]) -> ValueSet:
        """Return a place's values; a label is taken where it stands for one of them only."""
        meanings = {label: found & set(values) for label, found in self.canonicals.items()}
        return ValueSet(
            "a place of the domain",
            {value: self.labels.get(value, value) for value in values},
            {label: next(iter(found)) for label, found in meanings.items() if len(found) == 1},
        )


def domain_labels(value_sets: Mapping[str, ValueSet]) -> DomainLabels:
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
