"""The labelled tables of stated values: those used for making rules, and held-out ones."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import msgspec

from dragoman.core.value_matching.matcher import states


class LabelledCase(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    type: str
    language: str
    value: str
    text: str
    stated: bool
    why: str


@cache
def labelled(name: str) -> tuple[LabelledCase, ...]:
    lines = Path(__file__).with_name(f"{name}.jsonl").read_text("utf-8").splitlines()
    return tuple(msgspec.json.decode(line, type=LabelledCase) for line in lines)


OWN, HELD_OUT = labelled("stated_values"), labelled("stated_values_held_out")


@cache
def is_found(case: LabelledCase) -> bool:
    return states(case.value, case.text, case.language)


def wrong(cases: Sequence[LabelledCase]) -> dict[str, str]:
    return {
        case.id: f"{case.value!r} in {case.text!r}: {case.why}"
        for case in cases
        if is_found(case) != case.stated
    }


def precision(cases: Sequence[LabelledCase]) -> float:
    found = [case for case in cases if is_found(case)]
    return sum(case.stated for case in found) / len(found)


def recall(cases: Sequence[LabelledCase]) -> float:
    stated = [case for case in cases if case.stated]
    return sum(map(is_found, stated)) / len(stated)
