"""English phrases by which rules recognise what a simulated user or its agent says."""

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

import msgspec

APOSTROPHE = "\u2019"
"""How many write the apostrophe that the phrases write as an ASCII one."""


def found(kind: str, text: str) -> str:
    """Return what a kind of phrase matches in a text; "" where it matches nothing."""
    straight = text.replace(APOSTROPHE, "'")
    phrases = _phrases()[kind]
    # Hardly any text holds one: in small letters, what does not is told five times faster.
    if straight.isascii() and not phrases.in_small_letters.search(straight.lower()):
        return ""
    match = phrases.in_any_case.search(straight)
    return match.group() if match else ""


class _Phrases(msgspec.Struct, frozen=True):
    in_any_case: re.Pattern[str]
    in_small_letters: re.Pattern[str]


@cache
def _phrases() -> dict[str, _Phrases]:
    text = (files("dragoman.scoring") / "user_phrases.toml").read_text("utf-8")
    return {
        kind: _Phrases(re.compile("|".join(patterns), re.IGNORECASE), _in_small_letters(patterns))
        for kind, patterns in tomllib.loads(text).items()
    }


def _in_small_letters(patterns: Sequence[str]) -> re.Pattern[str]:
    """Return what finds the same, and tries a word's beginning once for all that begin with one."""
    begins = r"\b"
    at_word = "|".join(
        f"(?:{each.removeprefix(begins)})" for each in patterns if each[:2] == begins
    )
    others = [f"(?:{each})" for each in patterns if each[:2] != begins]
    return re.compile("|".join([*([f"{begins}(?:{at_word})"] if at_word else []), *others]))
