"""Which words of a user's turn fill the arguments of a task's calls."""

from collections.abc import Iterator, Mapping
from decimal import Decimal

import msgspec

from dragoman.core.texts.entities import EntityKind, kind_of
from dragoman.core.values.matching import find_value

MAX_DEPTH = 20
"""Arguments nested deeper are not looked into."""


class SaidValue(msgspec.Struct, frozen=True):
    """A value that an argument takes from what is said: its kind, and as it is said.

    `value` is what the argument has; `text_event` is how the turn writes it (`May 5, 2026` for
    `2026-05-05`).
    """

    argument: str
    kind: EntityKind
    value: str
    said: str


def said_values(
    arguments: Mapping[str, object], turn: str, language: str = "en"
) -> tuple[SaidValue, ...]:
    """Return the values of a call's arguments that a turn states, each argument's values once.

    Texts and numbers are looked for at any depth; what the user never says (ids that a tool looked
    up) is none of them.
    """
    found = {
        (name, value): SaidValue(name, kind_of(value), value, turn[where.start : where.end])
        for name, argument in arguments.items()
        for value in texts_of(argument)
        if (where := find_value(value, turn, language)) is not None
    }
    return tuple(found.values())


def number_text(number: float) -> str:
    """Return a number as a plain decimal."""
    return str(number) if isinstance(number, int) else f"{Decimal(repr(number)).normalize():f}"


def texts_of(argument: object, depth: int = MAX_DEPTH) -> Iterator[str]:
    """Yield the texts and numbers that an argument holds at any depth, numbers as plain decimals."""
    match argument:
        case str() if argument.strip():
            yield argument
        case bool():
            return
        case int() | float():
            yield number_text(argument)
        case list() | tuple() if depth:
            for entry in argument:
                yield from texts_of(entry, depth - 1)
        case dict() if depth:
            for entry in argument.values():
                yield from texts_of(entry, depth - 1)
        case _:
            return
