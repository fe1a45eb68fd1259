"""Rubrics: what a judge is to look at, and the booleans and integers that it answers.

A rubric is two files side by side, `NAME@VERSION.md`, the text that a judge is given, and
`NAME@VERSION.toml`, its questions and the figures to make of the answers.
"""

import re
import tomllib
from pathlib import Path
from typing import Literal

import msgspec

from dragoman.core.errors import DataError
from dragoman.core.keys import content_key
from dragoman.core.measures import Averaging, Derived, Rate, Reads, Total
from dragoman.core.texts.decoding import UNREADABLE

JUDGED = "judged"
"""What a rubric's figures may count beside its questions: conversations, or replies, judged."""

MAX_BYTES = 256 * 1024

_STEM = re.compile(r"([a-z][a-z0-9_]{0,40})@([0-9A-Za-z._]{1,20})")
_NAME = re.compile(r"[a-z][a-z0-9_]{0,40}")

Over = Literal["conversation", "agent replies", "user replies"]
"""What is judged: all of it at once, or each reply of a side from what came before."""


class RubricQuestion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One question.

    Attributes:
        name: The id of its answer.
        type: What it is answered by.
        text: The question.
        least: The smallest integer that it may be answered by.
        most: The largest.
        within: Counts of which it counts a part, so that it exceeds none of them.
        quote: Whether true, or a count above 0, needs a quote from what was shown.
        said_by: Whose words the quote must be; "" for anything shown.
    """

    name: str
    type: Literal["boolean", "integer"]
    text: str
    least: int = 0
    most: int = 1_000
    within: tuple[str, ...] = ()
    quote: bool = False
    said_by: Literal["", "agent", "user"] = ""


class _Rate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    numerator: tuple[str, ...]
    denominator: tuple[str, ...]
    averaging: Averaging = "micro"
    reads: Reads = "number"


class _Schema(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    question: tuple[RubricQuestion, ...]
    over: Over = "conversation"
    rate: tuple[_Rate, ...] = ()


class Rubric(msgspec.Struct, frozen=True):
    """One rubric as it was read; its version ends in a hash of its content."""

    name: str
    version: str
    text: str
    over: Over
    questions: tuple[RubricQuestion, ...]
    figures: tuple[Derived, ...]


def read_rubric(path: Path) -> Rubric:
    """Read a rubric by its schema, `NAME@VERSION.toml`; the text lies beside it.

    Raises:
        DataError: Where a file cannot be read, or holds something else.
    """
    named = _STEM.fullmatch(path.stem)
    if named is None or path.suffix != ".toml":
        raise DataError(f"{path}: a rubric's schema is called NAME@VERSION.toml")
    text, written = _text(path.with_suffix(".md")), _text(path)
    try:
        schema = msgspec.convert(tomllib.loads(written), _Schema)
    except (tomllib.TOMLDecodeError, *UNREADABLE) as error:
        raise DataError(f"{path}: no schema of a rubric ({error})") from error
    _require_sound(path, schema)
    return Rubric(
        named[1],
        f"{named[2]}@{content_key(text, written)[:8]}",
        text,
        schema.over,
        schema.question,
        (*map(_figure, schema.question), *map(_rate, schema.rate)),
    )


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise DataError(f"{path}: more than {MAX_BYTES} bytes: no rubric")
        return path.read_text("utf-8")
    except OSError as error:
        raise DataError(f"{path}: the rubric cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: the rubric is no UTF-8 text") from error


def _require_sound(path: Path, schema: _Schema) -> None:
    names = [question.name for question in schema.question]
    odd = next((name for name in names if not _NAME.fullmatch(name) or name == JUDGED), None)
    if odd is not None or len(set(names)) != len(names) or not names:
        raise DataError(
            f"{path}: questions need names of their own, in small letters: {odd or names}"
        )
    counts = {question.name for question in schema.question if question.type == "integer"}
    for question in schema.question:
        if not {*question.within} <= counts - {question.name}:
            raise DataError(f"{path}: {question.name!r} is within what is no other count")
        if question.said_by and not question.quote:
            raise DataError(f"{path}: {question.name!r} says whose quote, but wants none")
    for rate in schema.rate:
        for name in (*rate.numerator, *rate.denominator):
            if name not in {*names, JUDGED}:
                raise DataError(
                    f"{path}: rate {rate.name!r} counts {name!r}, which nobody is asked"
                )


def _figure(question: RubricQuestion) -> Derived:
    if question.type == "integer":
        return Total(question.name, (question.name,))
    return Rate(question.name, (question.name,), (JUDGED,))


def _rate(rate: _Rate) -> Rate:
    return Rate(rate.name, rate.numerator, rate.denominator, rate.averaging, reads=rate.reads)
