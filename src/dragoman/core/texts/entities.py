"""Named entities that must arrive exactly, and argument values that a turn states.

Entities are e-mail addresses, file names, dates, times, amounts, ids and names. The module also has
the names of digits, letters and signs for values that are spelled aloud.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from decimal import Decimal
from functools import cache, lru_cache
from importlib.resources import files
from typing import Literal, get_args

import msgspec

from dragoman.core.texts.expected_values import ExpectedValue
from dragoman.core.value_matching.matcher import find_value


class SignNames(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The English names of signs.

    Attributes:
        digits: The words of 0 to 9.
        nato: The NATO alphabet's word of each letter, one word without a hyphen.
        nato_in_english: Words of the alphabet with another usual English spelling.
        signs: The word of each sign other than letters and digits.
    """

    digits: tuple[str, ...]
    nato: dict[str, str]
    nato_in_english: dict[str, str]
    signs: dict[str, str]


@cache
def sign_names() -> SignNames:
    """Return the table of names."""
    content = files(__package__).joinpath("sign_names.toml").read_bytes()
    return msgspec.toml.decode(content, type=SignNames)


EntityKind = Literal[
    "email", "file", "date", "time", "amount", "phone", "code", "acronym", "number", "name"
]

MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
_ORDINAL = r"(?![0-9]{1,4}(?:st|nd|rd|th)\b)"
_MEASURES = r"(?:[kKMGT]B|GHz|MHz|Hz|km|kg|cm|mm|ml|mph)"
_MONTH = rf"(?:{'|'.join(f'{month}|{month[:3]}' for month in MONTHS)})\.?"

# The first alternative that fits takes its characters.
_ENTITY = re.compile(
    rf"""(?<![\w@])(?:
    (?P<email>[\w.+-]{{1,64}}@[A-Za-z0-9-]{{1,63}}(?:\.[A-Za-z0-9-]{{1,63}}){{1,5}})
  | (?P<file>[A-Za-z0-9][\w-]{{0,79}}
      \.(?:pdf|txt|md|py|csv|json|docx|doc|xlsx|xls|pptx|jpg|png|zip|html|xml|log)\b)
  | (?P<date>[0-9]{{4}}-[0-9][0-9]-[0-9][0-9](?!\w) | [0-9]{{1,2}}/[0-9]{{1,2}}/[0-9]{{4}}(?!\w)
      | {_MONTH}\ [0-9]{{1,2}}(?:st|nd|rd|th)?(?!\w)(?:,?\ (?:19|20)[0-9][0-9](?!\w))?
      | [0-9]{{1,2}}(?:st|nd|rd|th)?\ (?:of\ )?{_MONTH}(?!\w)(?:,?\ (?:19|20)[0-9][0-9](?!\w))?)
  | (?P<time>[0-9]{{1,2}}:[0-5][0-9](?![\w:])(?:\ ?[AaPp]\.?[Mm]\b)?
      | [0-9]{{1,2}}\ ?[AaPp]\.?[Mm]\b)
  | (?P<amount>[$€£]\ ?[0-9][0-9,]{{0,20}}(?:\.[0-9]{{1,2}})?(?!\w)
      | [0-9][0-9,]{{0,20}}(?:\.[0-9]{{1,2}})?\ (?:dollars|euros|pounds)\b)
  | (?P<phone>\+?(?:[0-9]{{1,3}}[ .-])?\(?[0-9]{{3}}\)?[ .-][0-9]{{3}}[ .-][0-9]{{4}}(?!\w)
      | \+[0-9]{{7,15}}(?!\w)
      | \+(?=(?:[ .-]?[0-9]){{7,15}}(?!\w))[0-9]{{1,3}}(?:[ .-][0-9]{{2,8}}){{1,4}}(?!\w))
  | (?P<number>[0-9]{{1,3}}(?:,[0-9]{{3}}){{1,5}}(?:\.[0-9]{{1,9}})?(?!\w)
      | [1-9][0-9]{{0,2}}0{{3,12}}(?!\w)
      | (?!0[0-9])[0-9]{{1,4}}(?:\.[0-9]{{1,9}})?(?![\w-])
      | [0-9]{{1,4}}(?:\.[0-9]+)?(?={_MEASURES}\b))
  | (?P<code>\#?{_ORDINAL}(?=[\w-]{{0,160}}[0-9])
      [A-Za-z0-9]{{1,80}}(?:[_-][A-Za-z0-9]{{1,80}}){{0,9}}(?!\w)
      | [A-Za-z0-9]{{1,80}}(?:_[A-Za-z0-9]{{1,80}}){{1,9}}(?!\w))
  | (?P<acronym>[A-Z]{{2,6}}(?![\w']))
    )""",
    re.VERBOSE,
)


class FoundEntity(msgspec.Struct, frozen=True):
    """A value in a text: its kind, its text and its position."""

    kind: EntityKind
    text: str
    start: int
    end: int

    @property
    def canonical(self) -> str:
        """The canonical form of the value, equal for all ways to write it."""
        return canonical_entity(self.kind, self.text)


_KINDS: Mapping[str, EntityKind] = {kind: kind for kind in get_args(EntityKind)}


def find_entities(text: str) -> Iterator[FoundEntity]:
    """Yield the values of a text that are recognizable by form, in their order.

    Names have no form of their own.
    """
    for match in _ENTITY.finditer(text):
        kind = _KINDS[match.lastgroup or ""]
        yield FoundEntity(kind, match.group(), match.start(), match.end())


@lru_cache(maxsize=4096)
def kind_of(value: str) -> EntityKind:
    """Return the kind of a whole value; `name` if its form shows none."""
    match = _ENTITY.fullmatch(value.strip())
    return "name" if match is None else _KINDS[match.lastgroup or ""]


def canonical_entity(kind: EntityKind, text: str) -> str:
    """Return the canonical form of a value, for comparison only.

    Dates become ISO dates (`05-05` without a year). Times use 24 hours. Amounts and numbers are
    plain decimals, an amount after its currency sign. Letters are small, since case is not heard;
    the `#` before an id is not heard either. An impossible value (31 February) does not change.
    """
    text = " ".join(text.split()).casefold()
    write = _CANONICAL.get(kind)
    return text if write is None else write(text)


def contains_entity(value: str, text: str) -> bool:
    """Return whether a text contains a value in any way to write it.

    Numbers may be written as amounts, and below ten as words. Ids and phone numbers are compared by
    their letters, digits, dots, hyphens and underscores. Names are compared as whole words in any
    case.
    """
    kind = kind_of(value)
    wanted = canonical_entity(kind, value)
    match kind:
        case "number":
            named = sign_names().digits[int(wanted)] if re.fullmatch(r"\d", wanted) else value
            found = {entry.canonical.lstrip("$€£") for entry in _find_all_entities(text)}
            return wanted in found or _has_word_borders(named, text)
        case "code" | "phone":
            write = _figures if wanted.lstrip("+").isdecimal() else _code
            return wanted in {write(found.text.casefold()) for found in _find_all_entities(text)}
        case "acronym" | "name":
            return _has_word_borders(value, text)
        case _:
            return wanted in {
                found.canonical for found in _find_all_entities(text) if found.kind == kind
            }


@lru_cache(maxsize=16)
def _find_all_entities(text: str) -> tuple[FoundEntity, ...]:
    """Return the values of a text; the cache serves repeated searches in one text."""
    return tuple(find_entities(text))


_NAMED = {"$": "dollar", "€": "euro", "£": "pound"}


def _has_word_borders(words: str, text: str) -> bool:
    wanted = " ".join(words.casefold().split())
    return bool(wanted) and (
        re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", " ".join(text.casefold().split()))
        is not None
    )


def _amount(text: str) -> str:
    sign = next(sign for sign, name in _NAMED.items() if sign in text or name in text)
    return f"{sign}{_decimal(text)}"


def _phone(text: str) -> str:
    return re.sub(r"[^0-9+]", "", text)


def _code(text: str) -> str:
    return text.removeprefix("#")


def _figures(text: str) -> str:
    """Return an id or phone number without its separators; an id with letters unchanged."""
    return text if any(map(str.isalpha, text)) else _phone(text)


def _decimal(text: str) -> str:
    digits = re.sub(r"[^0-9.]", "", text)
    number = Decimal(digits).normalize()
    return f"{number:f}"


def _date(text: str) -> str:
    numbers = [int(number) for number in re.findall(r"\d+", text)]
    month = next(
        (place for place, name in enumerate(MONTHS, 1) if name[:3].casefold() in text), None
    )
    if month is not None:
        day, *years = numbers
    elif "/" in text:
        month, day, *years = numbers
    else:
        *years, month, day = numbers
    try:
        checked = date(years[0] if years else 2000, month, day)
    except ValueError:
        return text
    return checked.isoformat() if years else f"{checked:%m-%d}"


def _time(text: str) -> str:
    numbers = [int(number) for number in re.findall(r"\d+", text)]
    hour, minute = numbers[0], numbers[1] if len(numbers) > 1 else 0
    if "m" in text:
        hour = hour % 12 + (12 if "p" in text else 0)
    return f"{hour:02}:{minute:02}"


_CANONICAL: dict[EntityKind, Callable[[str], str]] = {
    "date": _date,
    "time": _time,
    "amount": _amount,
    "number": _decimal,
    "phone": _phone,
    "code": _code,
}


MAX_DEPTH = 20
"""Deepest nesting of arguments that is searched."""


class StatedArgument(msgspec.Struct, frozen=True):
    """An argument's value that a user's turn states, with its kind and its spoken text.

    `value` is the argument's text. `said` is the turn's text (`May 5, 2026` for `2026-05-05`).
    """

    argument: str
    kind: EntityKind
    value: str
    said: str


def stated_arguments(
    arguments: Mapping[str, object], turn: str, language: str = "en"
) -> tuple[StatedArgument, ...]:
    """Return the values of a call's arguments that a turn states, once for each argument.

    Texts and numbers are searched at any depth. Values that the user never says (ids that a tool
    looked up) are not included.
    """
    found = {
        (name, value): StatedArgument(name, kind_of(value), value, turn[where.start : where.end])
        for name, argument in arguments.items()
        for value in argument_texts(argument)
        if (where := find_value(value, turn, language)) is not None
    }
    return tuple(found.values())


def number_text(number: float) -> str:
    """Return a number as a plain decimal."""
    return str(number) if isinstance(number, int) else f"{Decimal(repr(number)).normalize():f}"


def argument_texts(argument: object, depth: int = MAX_DEPTH) -> Iterator[str]:
    """Yield the texts and numbers in an argument at any depth.

    Numbers are plain decimals.
    """
    match argument:
        case str() if argument.strip():
            yield argument
        case bool():
            return
        case int() | float():
            yield number_text(argument)
        case list() | tuple() if depth:
            for entry in argument:
                yield from argument_texts(entry, depth - 1)
        case dict() if depth:
            for entry in argument.values():
                yield from argument_texts(entry, depth - 1)
        case _:
            return


def expected_value(turn: int, argument: str, alternatives: Iterable[object]) -> ExpectedValue:
    """Return an argument's value with the texts of each of its alternatives.

    Alternatives without texts are omitted.
    """
    texts = (tuple(argument_texts(alternative)) for alternative in alternatives)
    return ExpectedValue(turn, argument, tuple(each for each in texts if each))
