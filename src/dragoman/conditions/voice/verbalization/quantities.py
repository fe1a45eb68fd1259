"""Verbalization of quantities: units of measurement, ranges, fractions, dimensions, sums.

`m/s^2` becomes `meters per second squared`. The units are in `units.toml`.
"""

import importlib.resources
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Literal, NamedTuple

import msgspec

from dragoman.conditions.voice.verbalization.english_words import (
    cardinal,
    ordinal,
    spell_digits,
    spoken_date,
    spoken_number,
    spoken_year,
)

SignKind = Literal["formula", "quantity", "range", "path", "tag", "sign", "code"]
"""Kinds of texts with signs.

Examples in order: `x^2`, `5 m/s`, `5-10`, `/etc/hosts`, `#Road`, `C#`, `{"a": 1}`.
"""


class SignWording(NamedTuple):
    """A span of a text, its kind, and its verbalization."""

    start: int
    end: int
    kind: SignKind
    said: str


def apart(
    wordings: Iterable[SignWording], length: int, taken: Iterable[tuple[int, int]] = ()
) -> list[SignWording]:
    """Return wordings, in order, that overlap neither each other nor the taken spans.

    Args:
        wordings: The wordings; of overlapping ones the first counts.
        length: Length of the text.
        taken: Spans that stay as they are.
    """
    is_taken = bytearray(length)
    for start, end in taken:
        is_taken[start:end] = b"\1" * (end - start)
    chosen = []
    for each in wordings:
        if not any(is_taken[each.start : each.end]):
            is_taken[each.start : each.end] = b"\1" * (each.end - each.start)
            chosen.append(each)
    return sorted(chosen)


def worded_text(text: str, wordings: Sequence[SignWording]) -> str:
    """Return a text with the words in place of what is written."""
    parts, end = [], 0
    for each in wordings:
        parts += [text[end : each.start], each.said]
        end = each.end
    return "".join((*parts, text[end:]))


SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
"""Characters that superscripts stand for."""

_LENGTHS = frozenset({"meter", "kilometer", "centimeter", "millimeter", "mile", "foot", "inch"})
_POWERS = {"2": "squared", "3": "cubed"}
_SHAPES = {"2": "square", "3": "cubic"}
_POWER = r"(?:(?:\^|\*\*)[-\u2212]?[0-9]{1,2}|[⁻⁺]?[⁰¹²³⁴-⁹]{1,2}|(?<=m)[23](?![0-9]))"


class Units(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Names of units, in singular and plural.

    Attributes:
        units: Units that are recognized by their signs alone.
        capitals: Units whose sign is one capital letter.
        words: Units that are written as words.
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
    """Return the unit that begins at a place, as long as it goes; None if none does."""
    match = _pattern().match(text, start)
    if match is None:
        return None
    parts = list(_parts(match.group()))
    is_capital = len(parts) == 1 and parts[0].name in units_table().capitals
    return UnitMatch(
        match.end(),
        _verbalize_unit_parts(parts, several=False),
        _verbalize_unit_parts(parts, several=True),
        len(parts),
        is_capital,
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


def _verbalize_unit_parts(parts: list[_Part], *, several: bool) -> str:
    said = []
    for at, part in enumerate(parts):
        is_last_above = at + 1 == len(parts) or parts[at + 1].is_below
        is_plural = several and not part.is_below and is_last_above
        words = _verbalize_powered_unit(part, is_plural=is_plural)
        said.append(f"per {words}" if part.is_below else words)
    return " ".join(said)


def _verbalize_powered_unit(part: _Part, *, is_plural: bool) -> str:
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


NUMBER = r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?(?![0-9])|[0-9]+(?:\.[0-9]+)?|\.[0-9]+"
"""A number in figures, with commas and decimals."""

_DIRECTIONS = frozenset("NW")
"""Units that stand behind decimals of coordinates, too."""
_OPERATORS = frozenset("^*+=²³")
_QUANTITY = re.compile(
    rf"(?<![\w.,$€£¥₹@#/^-])(?P<sign>[-\u2212]?)(?P<number>{NUMBER})(?=[-\ ]?[^\W0-9]"
    r"|\ ?[\u00d7*·°])"
)
_AFTER_FIGURES = re.compile(r"([VWkK])(?![\w^*/'-])")
_NAMED_CAPITALS = {"V": "volts", "W": "watts"}
_SIGNED = re.compile(rf"(?<![\w.)\]$€£¥/%#@-])[-\u2212](?P<number>{NUMBER})(?![\w-]*[A-Za-z_-])")
_POWER_OF_TEN = re.compile(
    r"\ ?(?:[x\u00d7*·]\ ?10(?:\^|\*\*)\(?(?P<power>[-\u2212+]?[0-9]{1,3})\)?"
    r"|[x\u00d7·]\ ?10(?P<raised>[⁻⁺]?[⁰¹²³⁴-⁹]{1,3}))"
    r"|[eE](?P<exponent>[-+]?[0-9]{1,3})(?![\w.])"
)
_BARE_UNIT = re.compile(r"(?<![\w./*^'-])(?=[A-Za-z\u00b5μΩÅ°])")
_RANGE = re.compile(
    r"(?<![\w.,/:#+^*-])(?P<currency>[$€£]?)(?P<low>[0-9]{1,4})\ ?[-\u2013]\ ?(?P<second>[$€£]?)"
    r"(?P<high>[0-9]{1,4})(?![\w.]*[0-9])(?![/:-])"
)
_FRACTION = re.compile(
    r"(?<![\w./$-])(?:(?P<whole>[0-9]{1,3})\ )?(?P<over>[0-9]{1,2})/(?P<under>[0-9]{1,3})"
    r"(?![\w/.]*[0-9])(?![/\w])"
)
_DATED = re.compile(
    r"\b(?:expir\w*|date|on|by|until|before|since|exp\.?)\b[\w\s:,]{0,12}$", re.IGNORECASE
)
_TIMES = re.compile(r"(?<=[0-9])\ ?\*\ ?(?=[$€£][0-9])")
_DIMENSIONS = re.compile(
    r"(?<![\w.,-])[0-9]{1,5}(?:\.[0-9]{1,3})?"
    r"(?:\ ?[xX\u00d7]\ ?[0-9]{1,5}(?:\.[0-9]{1,3})?){1,3}(?![\w^⁻-])"
)
_HEIGHT = re.compile(r"(?<![\w.])([0-9])'\ ?([0-9]{1,2})(?:\"|'')")
_DECADE = re.compile(r"(?<![\w.'-])(?:(1[0-9]|20)([1-9])0s|'([2-9])0s|([2-9])0s)\b")
_CURRENCY_CODE = re.compile(
    rf"(?<![\w.,$€£-])(?P<number>{NUMBER})(?=\ (?:USD|EUR|GBP|JPY|CNY|RMB|INR|AUD|CAD|CHF|SGD"
    r"|THB|IDR|VND|PHP)\b)"
)
_DECIMAL_WORD = re.compile(r"(?<![\w.,$€£-])[0-9]{1,6}\.[0-9]{1,9}(?=-[a-z])")
_DOTTED = re.compile(
    r"(?<![\w.])v?(?![0-9]{3}\.[0-9]{3}\.[0-9]{4}\b)[0-9]{1,5}(?:\.[0-9]{1,5}){2,7}(?![\w@]|\.[0-9])"
)
_LIST = re.compile(
    r"[\[({:=]\s?[-\u2212]?[0-9][0-9.]{0,20}(?:,[-\u2212]?[0-9][0-9.]{0,20}){1,400}\s?[\])}]"
)
_CLOSE = re.compile(r"[~≈]\ ?(?=[$€£]?[0-9])")
_VULGAR = {"½": "one half", "⅓": "one third", "⅔": "two thirds", "¼": "one quarter"}
_VULGAR |= {"¾": "three quarters", "⅛": "one eighth"}
_MONEY = re.compile(
    r"(?P<sign>[-\u2212]?)(?P<currency>US\$|[$€£¥₹₩₽฿₫])\ ?"
    r"(?P<number>[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?)"
    r"(?P<scale>(?:[kK]|[mM]|[bB]|[mM]n|[bB]n|[tT])\b|\ (?:thousand|million|billion|trillion)\b)?"
    r"(?![\w]|[.,][0-9])"
)
_TIME_WORDS = frozenset({"day", "week", "month", "year", "hour", "minute", "second", "seconds"})
_CURRENCIES = {"US$": "dollars", "$": "dollars", "€": "euros", "£": "pounds", "¥": "yen"}
_CURRENCIES |= {"₹": "rupees", "₩": "won", "₽": "rubles", "฿": "baht", "₫": "dong"}
_SCALES = {"k": "thousand", "m": "million", "mn": "million", "b": "billion", "bn": "billion"}
_SCALES |= {"t": "trillion"}
_OWN_AMOUNTS = frozenset("$€£")
"""Currencies whose plain amounts are values with a form of their own."""
_PARTS = {
    "24/7": "twenty four seven",
    "1/2": "one half",
    "1/4": "one quarter",
    "3/4": "three quarters",
}
_UNDER = frozenset({3, 5, 8, 10})
_MOST_CENTS = 2
_SHORT = 2
_LONG = 4
_YEARS = range(1000, 2100)


def quantities(text: str) -> Iterator[SignWording]:
    """Yield numbers with units or powers of ten."""
    for match in _QUANTITY.finditer(text):
        start, end = match.span()
        end, said, is_more = _extend_with_power_of_ten(text, end, spoken_figures(match["number"]))
        is_decimal = "." in match["number"]
        after = end + text.startswith((" ", "-"), end)
        unit = unit_at(text, after)
        if unit is not None and _is_unit(text, after, unit, is_decimal=is_decimal or is_more):
            is_one = text[end:after] == "-" or (match["number"] == "1" and not is_more)
            said = f"{said} {unit.one if is_one else unit.several}"
            end, is_more = unit.end, True
        if match["sign"]:
            said = f"minus {said}"
        elif (letter := _AFTER_FIGURES.match(text, end)) is not None:
            name = _NAMED_CAPITALS.get(letter[1], letter[1].upper())
            end, said, is_more = letter.end(), f"{said} {name}", True
        if is_more:
            yield SignWording(start, end, "quantity", said)


def bare_units(text: str) -> Iterator[SignWording]:
    """Yield units without a number that a slash or a power shows to be some: `km/h`."""
    for match in _BARE_UNIT.finditer(text):
        unit = unit_at(text, match.start())
        if unit is None:
            continue
        written = text[match.start() : unit.end]
        if _is_shown(written) and unit.parts > 1:
            yield SignWording(match.start(), unit.end, "quantity", unit.several)


def ranges(text: str) -> Iterator[SignWording]:
    """Yield ranges of small or round numbers, and of years: `5-10` is `five to ten`."""
    for match in _RANGE.finditer(text):
        low, high = match["low"], match["high"]
        is_years = {len(low), len(high)} == {4} and int(low) in _YEARS and int(high) in _YEARS
        is_small = len(low) <= _SHORT and len(high) <= _SHORT
        is_round = low.endswith("0") and high.endswith("0")
        is_figure = not (low.startswith("0") or high.startswith("0"))
        if match["second"] and not match["currency"]:
            continue
        goes_on = text[match.end() : match.end() + 1]
        if goes_on in _OPERATORS or (goes_on.isalpha() and unit_at(text, match.end()) is None):
            continue
        if int(low) < int(high) and is_figure and (is_years or is_small or is_round):
            say = (lambda year: spoken_year(int(year))) if is_years else spoken_number
            end, after = _after_range(text, match.end(), match["currency"])
            yield SignWording(match.start(), end, "range", f"{say(low)} to {say(high)}{after}")


def _after_range(text: str, end: int, currency: str) -> tuple[int, str]:
    """Return where a range with its unit ends, and the unit or the currency after a space."""
    if currency:
        return end, f" {_CURRENCIES[currency]}"
    start = end + text.startswith((" ", "-"), end)
    unit = unit_at(text, start)
    if unit is None or text[start : unit.end] in units_table().words or unit.is_capital:
        return end, ""
    return unit.end, f" {unit.several}"


def signed_numbers(text: str) -> Iterator[SignWording]:
    """Yield negative numbers: `-5` is `minus five`."""
    for match in _SIGNED.finditer(text):
        yield SignWording(*match.span(), "sign", f"minus {spoken_figures(match['number'])}")


def fractions(text: str) -> Iterator[SignWording]:
    """Yield fractions: `1/2` is `one half`, other numbers are said over each other."""
    for match in _FRACTION.finditer(text):
        if "0" in {match["over"][0], match["under"][0]} and not match["whole"]:
            said = spoken_date(match.group())
            if said != match.group():
                yield SignWording(*match.span(), "range", said)
            continue
        if _DATED.search(text, max(match.start() - 30, 0), match.start()):
            over, under = spoken_number(match["over"]), spoken_number(match["under"])
            if not match["whole"]:
                yield SignWording(*match.span(), "formula", f"{over} slash {under}")
            continue
        said = _fraction(match["over"], match["under"])
        if match["whole"]:
            if "over" in said:
                continue
            said = f"{spoken_number(match['whole'])} and {said}"
        yield SignWording(*match.span(), "formula", said)
    for at, sign in enumerate(text):
        if sign in _VULGAR:
            before = "and " if text[at - 1 : at].isdecimal() else ""
            yield SignWording(
                at, at + 1, "formula", f"{' ' if before else ''}{before}{_VULGAR[sign]}"
            )


def dimensions(text: str) -> Iterator[SignWording]:
    """Yield dimensions: `2x3` is `two by three`."""
    for match in _DIMENSIONS.finditer(text):
        numbers = re.findall(r"[0-9.]+", match.group())
        if not any(
            number.startswith("0") and number != "0" and "." not in number for number in numbers
        ):
            said = " by ".join(spoken_figures(number) for number in numbers)
            yield SignWording(*match.span(), "formula", said)


def sums(text: str) -> Iterator[SignWording]:
    """Yield money that is not a plain amount.

    These are other currencies, thousands as letters, debts, and parts of cents.
    """
    for match in _MONEY.finditer(text):
        scale, currency = (match["scale"] or "").strip(), match["currency"]
        decimals = match["number"].partition(".")[2]
        is_plain = currency in _OWN_AMOUNTS and len(decimals) <= _MOST_CENTS
        if is_plain and (len(scale) > _SHORT or not (scale or match["sign"])):
            continue
        words = f" {_SCALES.get(scale.casefold(), scale)}" if scale else ""
        name = _CURRENCIES[currency]
        minus = "minus " if match["sign"] else ""
        yield SignWording(
            *match.span(), "quantity", f"{minus}{spoken_figures(match['number'])}{words} {name}"
        )


def plain_signs(text: str) -> Iterator[SignWording]:
    """Yield heights, decades, and numbers before words that make them quantities.

    A tilde is read as `about`.
    """
    for match in _HEIGHT.finditer(text):
        said = f"{cardinal(int(match[1]))} foot {cardinal(int(match[2]))}"
        yield SignWording(*match.span(), "quantity", said)
    for match in _DECADE.finditer(text):
        century = f"{cardinal(int(match[1]))} " if match[1] else ""
        tens = cardinal(int(match[2] or match[3] or match[4]) * 10)
        several = f"{tens.removesuffix('y')}ies" if tens.endswith("y") else f"{tens}s"
        yield SignWording(*match.span(), "quantity", f"{century}{several}")
    for match in (*_DECIMAL_WORD.finditer(text), *_CURRENCY_CODE.finditer(text)):
        yield SignWording(*match.span(), "quantity", spoken_figures(match.group()))
    for match in _TIMES.finditer(text):
        yield SignWording(*match.span(), "sign", " times ")
    for match in _CLOSE.finditer(text):
        yield SignWording(*match.span(), "sign", "about ")


def dotted_numbers(text: str) -> Iterator[SignWording]:
    """Yield numbers with dots between them, such as those of versions: `three dot one dot zero`.

    The numbers of machines are also read this way.
    """
    for match in _DOTTED.finditer(text):
        numbers = match.group().removeprefix("v").split(".")
        first = "V " if match.group().startswith("v") else ""
        said = " dot ".join(
            spell_digits(number)
            if len(number) > _SHORT or number[0] == "0"
            else cardinal(int(number))
            for number in numbers
        )
        yield SignWording(*match.span(), "sign", f"{first}{said}")


def crowded_lists(text: str) -> Iterator[SignWording]:
    """Yield the commas of lists of numbers without spaces, which are none of one large number."""
    for match in _LIST.finditer(text):
        for comma in re.finditer(",", match.group()):
            at = match.start() + comma.start()
            yield SignWording(at, at + 1, "sign", ", ")


def spoken_figures(number: str) -> str:
    """Return a number in words, also one without a whole part: `.5`."""
    return spoken_number(f"0{number}" if number.startswith(".") else number)


def spoken_power(power: str) -> str:
    """Return the power of a number in words: `minus twelve`."""
    figures = power.translate(SUPERSCRIPTS).replace("\u2212", "-")
    minus = "minus " if figures.startswith("-") else ""
    return f"{minus}{spoken_number(figures.lstrip('+-'))}"


def _extend_with_power_of_ten(text: str, end: int, said: str) -> tuple[int, str, bool]:
    """Return a number with the power of ten behind it, its end, and whether there is one."""
    match = _POWER_OF_TEN.match(text, end)
    if match is None or (match["exponent"] and not _is_exponent(match, said)):
        return end, said, False
    power = match["power"] or match["raised"] or match["exponent"]
    return match.end(), f"{said} times ten to the power of {spoken_power(power)}", True


def _is_exponent(match: re.Match[str], said: str) -> bool:
    """Return whether `e` and figures after a number are a power of ten.

    Otherwise they may be a part of an id: `6E123`.
    """
    exponent = match["exponent"]
    is_short = match.group().startswith("e") and len(exponent) <= _SHORT
    return " point " in said or exponent[0] in "+-" or is_short


def _is_unit(text: str, start: int, unit: UnitMatch, *, is_decimal: bool) -> bool:
    """Return whether letters after a number are a unit, not a variable, a seat or a word."""
    written = text[start : unit.end]
    if written in units_table().words or (unit.is_capital and not is_decimal):
        return False
    if text[start - 1 : start] == " ":
        return written not in _DIRECTIONS
    if written == "L" and text[:start][-_LONG:].isdecimal():
        return False
    is_power = written[0] in "sghL" and "/" not in written and written[1:2] in {"^", "*", "²", "³"}
    return not (len(written) == 1 and text[unit.end : unit.end + 1] in _OPERATORS) and not is_power


def _is_shown(written: str) -> bool:
    """Return whether a possible unit is one.

    A pair of capitals such as `A/C`, and words with a slash, are not units.
    """
    parts = re.split(r"[/*·⋅]", written)
    if "/" not in written:
        return any(sign in written for sign in "^²³") and len(parts) > 1
    table = units_table()
    if all(part in table.words for part in parts):
        return parts[0] not in _TIME_WORDS
    return any(part.rstrip("^*0123456789²³") in table.units for part in parts) or any(
        sign in written for sign in "^²³"
    )


def _fraction(over: str, under: str) -> str:
    named = _PARTS.get(f"{over}/{under}")
    if named:
        return named
    if int(under) in _UNDER and 0 < int(over) < int(under) and (under != "10" or over == "1"):
        return f"{cardinal(int(over))} {ordinal(int(under))}{'s' if over != '1' else ''}"
    return f"{spoken_number(over)} over {spoken_number(under)}"
