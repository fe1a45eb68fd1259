"""English phrases by which rules recognise what a simulated user or its agent says."""

import re
import tomllib
from collections.abc import Callable
from functools import cache
from importlib.resources import files

import msgspec

APOSTROPHE = "\u2019"
"""How many write the apostrophe that the phrases write as an ASCII one."""

_GAP = "\0"
_ESCAPED = re.compile(r"\\.|\[[^\]]*\]")
_BRACKETS = re.compile(r"\([^()]*\)")
_HOW_OFTEN = re.compile(r".[?*{]|[.^$+]")
_PLAIN = re.compile(r"[a-z' <>/:-]+")


def found(kind: str, text: str) -> str:
    """Return what a kind of phrase matches in a text; "" where it matches nothing."""
    straight = text.replace(APOSTROPHE, "'")
    phrases = _phrases()[kind]
    # Hardly any text holds one, and in small ASCII letters that is soon told.
    if straight.isascii():
        small = straight.lower()
        for word, search in phrases.one_by_one:
            if word in small and search(small):
                break
        else:
            return ""
    match = phrases.in_any_case.search(straight)
    return match.group() if match else ""


class _Phrases(msgspec.Struct, frozen=True):
    """Phrases of one kind: all in one; and one by one, what they need and what may be one of them."""

    in_any_case: re.Pattern[str]
    one_by_one: tuple[tuple[str, Callable[[str], object]], ...]


@cache
def _phrases() -> dict[str, _Phrases]:
    text = (files("dragoman.scoring") / "user_phrases.toml").read_text("utf-8")
    return {
        kind: _Phrases(
            re.compile("|".join(patterns), re.IGNORECASE),
            # Without the boundary of a word, the engine passes over all that a phrase cannot begin with.
            tuple((needed(each), re.compile(each.removeprefix(r"\b")).search) for each in patterns),
        )
        for kind, patterns in tomllib.loads(text).items()
    }


def needed(pattern: str) -> str:
    """Return the longest literal that whatever a pattern matches holds; "" where that is unclear.

    What stands in brackets, or before a sign that says how often, may be missing.
    """
    left, outside = "", _ESCAPED.sub(_GAP, pattern)
    while left != outside:
        left, outside = outside, _BRACKETS.sub(_GAP, outside)
    return max(_PLAIN.findall(_HOW_OFTEN.sub(_GAP, outside)), key=len, default="")
