"""Numbers as a language writes them, wherever they stand: next to letters, too."""

import re
from decimal import Decimal
from functools import cache

from dragoman.core.language.wording import NumberHabits


def numbers_in(text: str, habits: NumberHabits) -> dict[Decimal, None]:
    """Return the numbers of a text in their order, each once; digits may be of any script."""
    return dict.fromkeys(
        number_of(found.group(), habits) for found in _pattern(habits).finditer(text)
    )


def number_of(written: str, habits: NumberHabits) -> Decimal:
    """Return the value of a number as it is written."""
    return Decimal(written.replace(habits.thousands, "").replace(habits.decimal, "."))


@cache
def _pattern(habits: NumberHabits) -> re.Pattern[str]:
    decimal, thousands = re.escape(habits.decimal), re.escape(habits.thousands)
    return re.compile(
        rf"(?:\d{{1,3}}(?:{thousands}\d{{3}}){{1,9}}(?!\d)|\d{{1,40}})(?:{decimal}\d{{1,30}})?"
    )
