"""Localized values: number formats, date formats and labels that a conversation is judged by."""

from collections.abc import Callable, Mapping

import msgspec

from dragoman.core.conditions import ENGLISH
from dragoman.core.tasks import Action
from dragoman.core.tools import ToolCall

MONTHS = 12


class NumberFormat(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The signs in numbers: before decimals, and between thousands."""

    decimal: str
    thousands: str


ENGLISH_NUMBERS = NumberFormat(".", ",")


class DateFormat(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The forms of dates.

    Attributes:
        forms: Templates with `{day}`, `{month}` (a number), `{month_name}` and `{year}`.
        months: The names of the months, January first.
        years_ahead: How many years the calendars in use are ahead of the Gregorian one.
    """

    forms: tuple[str, ...]
    months: tuple[str, ...]
    years_ahead: tuple[int, ...] = (0,)


class LocalizedValues(msgspec.Struct, frozen=True):
    """The wording of one task's conversation; the defaults are English's, where nothing differs.

    Attributes:
        language: The language that is spoken.
        numbers: How numbers are written in it.
        dates: How dates are written in it; None for ISO dates only.
        labels: What stands for a value of the world on any surface, by the value.
        plan: The reference plan by action id, as the tools' languages word its arguments; None
            where the tools are English.
        meant: Returns a call in the world's own values, for suites that judge calls as they were
            written; None where these are the world's own anyway.
    """

    language: str = ENGLISH
    numbers: NumberFormat = ENGLISH_NUMBERS
    dates: DateFormat | None = None
    labels: Mapping[str, tuple[str, ...]] = {}
    plan: Mapping[str, Action] | None = None
    meant: Callable[[ToolCall], ToolCall] | None = None

    @property
    def is_english(self) -> bool:
        """Whether nothing is worded otherwise than in English."""
        return self.language == ENGLISH and self.plan is None


ENGLISH_VALUES = LocalizedValues()
