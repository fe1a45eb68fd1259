"""What a judge found wrong with the sides of a conversation, in the terms of SEATauBench."""

from typing import Literal

import msgspec

from dragoman.core.tools import Role

Severity = Literal["minor", "critical", "critical_helped", "critical_hindered"]
"""How grave an error is. `minor` and `critical` are for the agent; a critical error of the user
either helped or hindered the agent."""

Level = Literal["minor", "critical"]
"""The two severities that tables tell apart."""


class ReportedError(msgspec.Struct, frozen=True, omit_defaults=True):
    """One error as a judge reported it, with its tags as it wrote them.

    Attributes:
        by: Whose error it is.
        severity: How grave it is.
        tags: The judge's own words for what kind of error it is.
        position: The place of the turn among the conversation's events.
        why: What the judge says of it.
        quote: A passage of the conversation that shows it.
    """

    by: Role
    severity: Severity
    tags: tuple[str, ...]
    position: int
    why: str = ""
    quote: str = ""


class JudgedError(msgspec.Struct, frozen=True, omit_defaults=True):
    """One error of one side.

    Attributes:
        by: Whose error it is.
        severity: How grave it is; None where the judge's word for it is not known.
        tags: What kind of error it is, each tag once.
        unscored_tags: How many of the judge's tags could not be read.
    """

    by: Role
    severity: Severity | None
    tags: tuple[str, ...] = ()
    unscored_tags: int = 0

    @property
    def level(self) -> Level | None:
        """The severity as tables have it."""
        if self.severity is None:
            return None
        return "minor" if self.severity == "minor" else "critical"


class ErrorReview(msgspec.Struct, frozen=True):
    """Everything that a judge found in one conversation."""

    errors: tuple[JudgedError, ...]

    def errors_of(self, side: Role) -> tuple[JudgedError, ...]:
        """Return the errors of one side."""
        return tuple(error for error in self.errors if error.by == side)
