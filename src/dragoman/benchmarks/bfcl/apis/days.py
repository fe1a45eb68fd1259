"""Days as calls and scenarios write them."""

import re
from datetime import datetime

_FULL = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def read_day(text: str) -> datetime:
    """Return the beginning of a day, or raise what `strptime` raises for a text that is none.

    Most are written in full, which is read without it in a tenth of the time.
    """
    try:
        if _FULL.fullmatch(text):
            return datetime.fromisoformat(text)
    except (TypeError, ValueError):
        pass  # what is wrong is told in the words of `strptime`
    return datetime.strptime(text, "%Y-%m-%d")  # noqa: DTZ007 - the reference knows no zones
