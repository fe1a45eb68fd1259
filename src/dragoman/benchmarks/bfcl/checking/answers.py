"""The values that an answer takes for one place."""

import msgspec

from dragoman.benchmarks.bfcl.checking.standard_form import comparable
from dragoman.benchmarks.bfcl.questions import OMISSION
from dragoman.benchmarks.bfcl.rules import BfclRules
from dragoman.benchmarks.bfcl.verdicts import UndecidableError


class Answers(msgspec.Struct, frozen=True):
    """The values that will do under one rule set: see `answers_of`.

    Attributes:
        values: The alternatives, without the mark of omission where that is no value.
        rules: The rule set.
    """

    values: list[object]
    rules: BfclRules

    @property
    def types(self) -> list[type]:
        """The types that a value may have instead of the schema's."""
        types = [type(value) for value in self.values if value != OMISSION]
        return types if self.rules.any_alternative_sets_the_type else types[:1]

    @property
    def texts(self) -> list[object]:
        """The texts among the values, as the rules compare them."""
        return [comparable(value, self.rules) for value in self.values if isinstance(value, str)]

    @property
    def elements(self) -> list["Answers"]:
        """For each value that is a list, its elements."""
        return [answers_of(value, self.rules) for value in self.values if isinstance(value, list)]

    @property
    def lists(self) -> list[list[object]]:
        """The expected lists; for the reference text is one too, of its characters.

        Raises:
            UndecidableError: Where the reference breaks.
        """
        kinds = (list,) if self.rules.markers_are_not_values else (list, str)
        lists = [list(value) for value in self.values if isinstance(value, kinds)]
        if len(lists) < len(self.values) and not self.rules.markers_are_not_values:
            raise UndecidableError(
                "the reference breaks on what is no list where lists are expected"
            )
        return lists

    @property
    def comparable_lists(self) -> list[list[object]]:
        """The expected lists with their elements as the rules compare them."""
        return [[comparable(element, self.rules) for element in listed] for listed in self.lists]


def answers_of(alternatives: list[object], rules: BfclRules) -> Answers:
    """Return what will do; where the mark of omission stands alone it is a value."""
    return Answers(values_of(alternatives, rules), rules)


def values_of(alternatives: list[object], rules: BfclRules) -> list[object]:
    """Return the alternatives that are values; where the mark of omission stands alone it is one."""
    if not rules.markers_are_not_values or OMISSION not in alternatives:
        return alternatives
    return [value for value in alternatives if value != OMISSION] or alternatives
