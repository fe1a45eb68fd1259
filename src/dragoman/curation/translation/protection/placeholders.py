"""Placeholders: what stands in a text for what a translator must not touch.

`⟦1⟧` holds no letter of any language, needs no space beside it, and its number says which slot it is
for. Translators return it in other brackets, with spaces, or with the digits of another script: all
of these are read. A text that holds one of them by itself has it hidden like everything that stays.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

_BRACKETS = (
    ("\u27e6", "\u27e7"),
    ("\u301a", "\u301b"),
    ("\u3010", "\u3011"),
    ("\u3016", "\u3017"),
    (r"\[\[", r"\]\]"),
    ("\uff3b\uff3b", "\uff3d\uff3d"),
)
# One digit class for all scripts: Thai and full-width digits are `\d` too.
_READ = re.compile("|".join(rf"{opened}\s?(\d{{1,6}})\s?{closed}" for opened, closed in _BRACKETS))


class Placed(NamedTuple):
    """A placeholder in a text: its number, and where it stands."""

    number: int
    start: int
    end: int


def placeholder(number: int) -> str:
    """Return the placeholder with a number."""
    return f"\u27e6{number}\u27e7"


def placeholders_in(text: str) -> Iterator[Placed]:
    """Yield the placeholders of a text in any of their forms, in order."""
    for found in _READ.finditer(text):
        digits = next(group for group in found.groups() if group is not None)
        yield Placed(int(digits), found.start(), found.end())
