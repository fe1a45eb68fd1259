"""Held-out values of every kind in callers' words, and how many arrive exactly.

`dev` is for choosing rules, `test` for the figures; they share neither names nor sentences. The
recognizer is an argument: any function from spoken words to heard words.
"""

import argparse
import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from string import ascii_uppercase, digits
from typing import Literal

import msgspec
from bench.voice.snapping import DEFAULT_SNAP_RULE, SnapRule, snap_names

from dragoman.conditions.voice.inverse_text_normalization.normalizer import written_form
from dragoman.conditions.voice.verbalization.english_words import spoken_amount, spoken_date
from dragoman.conditions.voice.verbalization.spelling import (
    SpokenStyle,
    spoken_email,
    verbalize_spelling,
)
from dragoman.core.texts.entities import MONTHS, contains_entity

Split = Literal["dev", "test"]
Hear = Callable[[str], str]
"""Function that takes the words of a caller and returns the heard words."""

SEED = 20_261_121
COUNT = 60


class Names(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Names and sentences of both splits."""

    database: tuple[str, ...]
    outside: tuple[str, ...]
    choosing: tuple[str, ...]
    hosts: tuple[str, ...]
    policy: tuple[str, ...]
    carriers: dict[Split, dict[str, tuple[str, ...]]]

    @property
    def everyone(self) -> tuple[str, ...]:
        """All names, those in the database and those outside."""
        return self.database + self.outside


class Case(msgspec.Struct, frozen=True):
    """One value, the words of the caller, and the closed list of names to snap to.

    An empty list means that the value is not snapped.
    """

    value: str
    spoken: str
    database: tuple[str, ...] = ()


class Kind(msgspec.Struct, frozen=True):
    """A row of the table: a kind of value, its verbalization, and its minimum in percent.

    `wanted` holds the minimum for clean audio and for telephone. For unknown names it is the
    maximum that may be snapped. Without it, nothing is promised.
    """

    name: str
    carrier: str
    style: SpokenStyle
    wanted: tuple[int, int] | None = None


PLAIN, NATO = SpokenStyle(), SpokenStyle(letters="nato")
AS_IN, TWICE = SpokenStyle(letters="as in"), SpokenStyle(twice=True)
WORDS = SpokenStyle(local_part="words")
KNOWN = "known name, snapped"
UNKNOWN = "unknown name, wrongly snapped"
KINDS = (
    Kind("date", "date", PLAIN, (95, 93)),
    Kind("amount", "amount", PLAIN, (93, 93)),
    Kind("tracking number, once", "tracking", PLAIN, (75, 68)),
    Kind("tracking number, twice", "tracking", TWICE, (85, 80)),
    Kind("code of no form, once", "code", PLAIN),
    Kind("code of no form, NATO", "code", NATO),
    Kind("e-mail, spelled", "email", PLAIN, (75, 70)),
    Kind("e-mail, as words", "email", WORDS),
    Kind("name, plain letters", "name", PLAIN, (45, 40)),
    Kind("name, said twice", "name", TWICE),
    Kind("name, NATO", "name", NATO, (70, 65)),
    Kind("name, as in", "name", AS_IN, (70, 65)),
    Kind(KNOWN, "name", PLAIN, (85, 83)),
    Kind(UNKNOWN, "name", PLAIN, (5, 5)),
)


def read_names() -> Names:
    """Return the names from the TOML file next to this module."""
    text = Path(__file__).with_suffix(".toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text), Names)


def entity_cases(
    kind: Kind, split: Split, count: int = COUNT, seed: int = SEED
) -> tuple[Case, ...]:
    """Return held-out values of a kind.

    The values are the same at every call; a larger count adds others to them.
    """
    names = read_names()
    random = Random(f"{seed}:{split}:{kind.name}")  # noqa: S311 - for speech, not for secrets
    carriers = names.carriers[split][kind.carrier]
    cases = []
    for _ in range(count):
        value, said = _value(kind, split, names, random)
        database = names.database if kind.name in {KNOWN, UNKNOWN} else ()
        cases.append(Case(value, random.choice(carriers).format(said), database))
    return tuple(cases)


def arrives(case: Case, heard: str, rule: SnapRule = DEFAULT_SNAP_RULE) -> bool:
    """Return whether a value stands exactly in the normalized text of the heard words."""
    snapped = snap_names(heard, case.database, rule).text if case.database else heard
    return contains_entity(case.value, written_form(snapped))


def is_snapped(case: Case, heard: str, rule: SnapRule = DEFAULT_SNAP_RULE) -> bool:
    """Return whether any name of the list replaced heard words."""
    return bool(snap_names(heard, case.database, rule).snaps)


def rate(kind: Kind, cases: Sequence[Case], heard: Sequence[str]) -> float:
    """Return the share of values that arrive, or of unknown names that are snapped."""
    check = is_snapped if kind.name == UNKNOWN else arrives
    hits = [check(case, words) for case, words in zip(cases, heard, strict=True)]
    return sum(hits) / len(hits)


def rows(hear: Hear, split: Split, count: int) -> Iterator[tuple[Kind, float]]:
    """Yield every kind with its rate."""
    for kind in KINDS:
        cases = entity_cases(kind, split, count)
        yield kind, rate(kind, cases, [hear(case.spoken) for case in cases])


def perfect(spoken: str) -> str:
    """Return every word in the form of recognizers: lower case, no punctuation."""
    return re.sub(r"[^\w' ]", "", spoken).casefold()


def print_entities(hear: Hear, split: Split, count: int) -> None:
    """Print the table."""
    for kind, share in rows(hear, split, count):
        wanted = "" if kind.wanted is None else f"   wanted {kind.wanted[0]}/{kind.wanted[1]}"
        print(f"  {kind.name:<30}{share:6.0%}  of {count}{wanted}")


def _value(kind: Kind, split: Split, names: Names, random: Random) -> tuple[str, str]:
    """Return a value and its verbalization."""
    match kind.carrier:
        case "date":
            month, day = random.randint(1, 12), random.randint(1, 28)
            year = f" {random.randint(1990, 2035)}" if random.random() < 2 / 3 else ""
            value = f"{MONTHS[month - 1]} {day}{year}"
            return value, spoken_date(value)
        case "amount":
            cents = f".{random.randint(1, 99):02}" if random.random() < 1 / 2 else ""
            value = f"${random.randint(2, 2_500)}{cents}"
            return value, spoken_amount(value)
        case "tracking" | "code":
            value = _tracking(random) if kind.carrier == "tracking" else _code(random)
            return value, verbalize_spelling(value, kind.style)
        case "email":
            value = _email(names, split, random)
            return value, spoken_email(value, kind.style)
        case _:
            pool = {UNKNOWN: names.outside, KNOWN: names.database}.get(kind.name, names.everyone)
            more = names.choosing if kind.name == UNKNOWN and split == "dev" else ()
            value = random.choice((*_half(pool, split), *more))
            return value, verbalize_spelling(value, kind.style)


def _tracking(random: Random) -> str:
    """Return a tracking number of one of three forms.

    The forms are those of postal parcels, of carriers, and of a shop's orders.
    """
    form = random.choice(("??#########!", "############", "W#######"))
    signs = {"?": ascii_uppercase, "#": digits}
    drawn = "".join(random.choice(signs.get(sign, sign)) for sign in form)
    return drawn.replace("!", random.choice(("US", "GB", "SG", "TH", "VN")))


def _code(random: Random) -> str:
    """Return a code without any form."""
    return "".join(random.choices(ascii_uppercase + digits * 2, k=10))


def _email(names: Names, split: Split, random: Random) -> str:
    first, second = (name.lower() for name in random.sample(_half(names.outside, split), 2))
    local = random.choice(
        (f"{first}.{second}", f"{first}{random.randint(1, 99)}", f"{first[0]}{second}")
    )
    return f"{local}@{random.choice(names.hosts)}"


def _half(names: Sequence[str], split: Split) -> Sequence[str]:
    return names[0::2] if split == "dev" else names[1::2]


def main() -> None:
    parser = argparse.ArgumentParser(description="Values as callers say them, written back.")
    parser.add_argument("--split", choices=("dev", "test"), default="test")
    parser.add_argument("--count", type=int, default=COUNT, help="values of each kind")
    options = parser.parse_args()
    print(f"{options.split}: every word heard")
    print_entities(perfect, options.split, options.count)


if __name__ == "__main__":
    main()
