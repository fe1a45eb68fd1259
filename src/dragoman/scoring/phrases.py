"""English phrases by which rules recognise what a simulated user or its agent says."""

import re
import tomllib
from functools import cache
from importlib.resources import files

APOSTROPHE = "\u2019"
"""How many write the apostrophe that the phrases write as an ASCII one."""


def found(kind: str, text: str) -> str:
    """Return what a kind of phrase matches in a text; "" where it matches nothing."""
    match = _phrases()[kind].search(text.replace(APOSTROPHE, "'"))
    return match.group() if match else ""


@cache
def _phrases() -> dict[str, re.Pattern[str]]:
    text = (files("dragoman.scoring") / "user_phrases.toml").read_text("utf-8")
    return {
        kind: re.compile("|".join(patterns), re.IGNORECASE)
        for kind, patterns in tomllib.loads(text).items()
    }
