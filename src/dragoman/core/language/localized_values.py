"""Localized values: number formats, date formats and labels for judging a conversation."""

from collections.abc import Callable, Mapping

import msgspec

from dragoman.core.conditions import ENGLISH
from dragoman.core.tasks import Action
from dragoman.core.tools import ToolCall

MONTHS = 12


class NumberFormat(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The signs in numbers: the decimal sign and the thousands separator."""

    decimal: str
    thousands: str


ENGLISH_NUMBERS = NumberFormat(".", ",")


class DateFormat(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The forms of dates.

    Attributes:
        forms: Templates with `{day}`, `{month}` (a number), `{month_name}` and `{year}`.
        months: The names of the months, January first.
        years_ahead: Numbers of years by which the calendars in use are ahead of the Gregorian one.
    """

    forms: tuple[str, ...]
    months: tuple[str, ...]
    years_ahead: tuple[int, ...] = (0,)


class LocalizedValues(msgspec.Struct, frozen=True):
    """The wording of one task's conversation; the defaults are English.

    Attributes:
        language: The spoken language.
        numbers: The number format of the language.
        dates: The date format of the language; None for ISO dates only.
        labels: The labels that stand for a value of the world on any surface, by the value.
        plan: The reference plan by action id, with arguments worded in the tools' languages; None
            for English tools.
        meant: A function that returns a call in the world's own values, for suites that judge calls
            as written; None if the written values are the world's own.
    """

    language: str = ENGLISH
    numbers: NumberFormat = ENGLISH_NUMBERS
    dates: DateFormat | None = None
    labels: Mapping[str, tuple[str, ...]] = {}
    plan: Mapping[str, Action] | None = None
    meant: Callable[[ToolCall], ToolCall] | None = None

    @property
    def is_english(self) -> bool:
        """Whether all wording is English."""
        return self.language == ENGLISH and self.plan is None


ENGLISH_VALUES = LocalizedValues()
