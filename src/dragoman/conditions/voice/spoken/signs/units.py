"""Units of measurement in words: `m/s^2` is `meters per second squared`."""

import importlib.resources
import re
from functools import cache
from typing import NamedTuple

import msgspec

from dragoman.conditions.voice.spoken.numbers import cardinal

SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
"""What small raised signs stand for."""

_LENGTHS = frozenset({"meter", "kilometer", "centimeter", "millimeter", "mile", "foot", "inch"})
_POWERS = {"2": "squared", "3": "cubed"}
_SHAPES = {"2": "square", "3": "cubic"}
_POWER = r"(?:(?:\^|\*\*)[-\u2212]?[0-9]{1,2}|[⁻⁺]?[⁰¹²³⁴-⁹]{1,2}|(?<=m)[23](?![0-9]))"


class Units(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What units are called: one, and several.

    Attributes:
        units: Those whose signs are enough.
        capitals: Those that are one capital letter.
        words: Those that are words already.
    """

    units: dict[str, tuple[str, str]]
    capitals: dict[str, tuple[str, str]]
    words: dict[str, tuple[str, str]]


class UnitMatch(NamedTuple):
    """A unit in a text: where it ends, its words after one and after several, and its parts."""

    end: int
    one: str
    several: str
    parts: int
    is_capital: bool


class _Part(NamedTuple):
    """A unit with its power, and whether it stands below the line."""

    name: str
    power: str
    is_below: bool


def unit_at(text: str, start: int) -> UnitMatch | None:
    """Return the unit that begins at a place, as long as it goes; None where none does."""
    match = _pattern().match(text, start)
    if match is None:
        return None
    parts = list(_parts(match.group()))
    is_capital = len(parts) == 1 and parts[0].name in units_table().capitals
    return UnitMatch(
        match.end(), _said(parts, several=False), _said(parts, several=True), len(parts), is_capital
    )


@cache
def units_table() -> Units:
    """Return the table of units."""
    content = importlib.resources.files(__package__).joinpath("units.toml").read_bytes()
    return msgspec.toml.decode(content, type=Units)


@cache
def _names() -> dict[str, tuple[str, str]]:
    table = units_table()
    return table.words | table.capitals | table.units


@cache
def _pattern() -> re.Pattern[str]:
    names = "|".join(sorted(map(re.escape, _names()), key=len, reverse=True))
    unit = rf"(?:{names})(?![A-Za-z]){_POWER}?"
    return re.compile(rf"{unit}(?:[/*·⋅]{unit}){{0,3}}(?![\w^])")


@cache
def _pieces() -> re.Pattern[str]:
    names = "|".join(sorted(map(re.escape, _names()), key=len, reverse=True))
    return re.compile(rf"([/*·⋅]?)({names})(?![A-Za-z])({_POWER}?)")


def _parts(written: str) -> list[_Part]:
    return [
        _Part(match[2], match[3].translate(SUPERSCRIPTS).lstrip("^*"), match[1] == "/")
        for match in _pieces().finditer(written)
    ]


def _said(parts: list[_Part], *, several: bool) -> str:
    said = []
    for at, part in enumerate(parts):
        is_last_above = at + 1 == len(parts) or parts[at + 1].is_below
        is_plural = several and not part.is_below and is_last_above
        words = _powered(part, is_plural=is_plural)
        said.append(f"per {words}" if part.is_below else words)
    return " ".join(said)


def _powered(part: _Part, *, is_plural: bool) -> str:
    name = _names()[part.name][is_plural]
    singular = _names()[part.name][0]
    if part.power in _SHAPES and singular in _LENGTHS:
        return f"{_SHAPES[part.power]} {name}"
    if not part.power:
        return name
    if part.power in _POWERS:
        return f"{name} {_POWERS[part.power]}"
    number = part.power.replace("\u2212", "-").lstrip("+")
    minus = "minus " if number.startswith("-") else ""
    return f"{name} to the power of {minus}{cardinal(int(number.lstrip('-')))}"
