"""Named sets of choices: where behaviour may differ, every choice is a field of a named record.

The name stands in results and keys, and carries the version: a changed value is a new name.
"""

from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar

import msgspec

from dragoman.core.errors import UsageError


class RuleSet(msgspec.Struct, frozen=True):
    """One set of choices; each further field names the behaviour it switches on.

    Attributes:
        name: The name that results and keys carry.
    """

    name: str


Chosen = TypeVar("Chosen", bound=RuleSet)


class RuleSets(Mapping[str, Chosen], Generic[Chosen]):
    """The rule sets of one kind by their names, in the order in which they are listed."""

    def __init__(self, kind: str, *sets: Chosen) -> None:
        """Keep sets; `kind` is what a refusal calls them, such as `rules`."""
        self._kind = kind
        self._sets = {rules.name: rules for rules in sets}

    def __getitem__(self, name: str) -> Chosen:
        return self._sets[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._sets)

    def __len__(self) -> int:
        return len(self._sets)

    def find(self, name: str, owner: str = "") -> Chosen:
        """Return the set of that name.

        Args:
            name: As it was written.
            owner: Whose sets these are, such as a suite's name, where others have more.

        Raises:
            UsageError: Where there is none of that name; it names those that exist.
        """
        if name not in self._sets:
            none = f"{owner} has no {self._kind}" if owner else f"unknown {self._kind}"
            raise UsageError(f"{none} {name!r}: choose one of {', '.join(self._sets)}")
        return self._sets[name]
