"""The values that an answer takes for one place."""

from functools import cached_property

from dragoman.benchmarks.bfcl.checking.standard_form import comparable
from dragoman.benchmarks.bfcl.questions import OMISSION
from dragoman.benchmarks.bfcl.rules import BfclRules
from dragoman.benchmarks.bfcl.verdicts import UndecidableError


class Answers:
    """The values that will do under one rule set.

    What follows from them is found out once for all values that are compared with them.

    Attributes:
        values: The alternatives, without the mark of omission where that is no value.
        types: The types that a value may have instead of the schema's.
    """

    def __init__(self, alternatives: list[object], rules: BfclRules) -> None:
        self.values = values_of(alternatives, rules)
        self._rules = rules
        types = [type(value) for value in self.values if value != OMISSION]
        self.types = types if rules.any_alternative_sets_the_type else types[:1]

    @cached_property
    def texts(self) -> frozenset[str]:
        """The texts among the values, as the rules compare them."""
        return frozenset(
            str(comparable(value, self._rules)) for value in self.values if isinstance(value, str)
        )

    @cached_property
    def hold_more_than_lists(self) -> bool:
        """Whether a value is no list."""
        return not all(isinstance(value, list) for value in self.values)

    @cached_property
    def elements(self) -> tuple["Answers", ...]:
        """For each value that is a list, its elements."""
        return tuple(
            Answers(value, self._rules) for value in self.values if isinstance(value, list)
        )

    @cached_property
    def lists(self) -> list[list[object]]:
        """The expected lists; for the reference text is one too, of its characters.

        Raises:
            UndecidableError: Where the reference breaks.
        """
        kinds = (list,) if self._rules.markers_are_not_values else (list, str)
        lists = [list(value) for value in self.values if isinstance(value, kinds)]
        if len(lists) < len(self.values) and not self._rules.markers_are_not_values:
            raise UndecidableError(
                "the reference breaks on what is no list where lists are expected"
            )
        return lists

    @cached_property
    def comparable_lists(self) -> list[list[object]]:
        """The expected lists with their elements as the rules compare them."""
        return [[comparable(element, self._rules) for element in listed] for listed in self.lists]


def values_of(alternatives: list[object], rules: BfclRules) -> list[object]:
    """Return the alternatives that are values; where the mark of omission stands alone it is one."""
    if not rules.markers_are_not_values or OMISSION not in alternatives:
        return alternatives
    return [value for value in alternatives if value != OMISSION] or alternatives
