"""The one reader of phrasebooks."""

import re
from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter

import msgspec

from dragoman.core.errors import DataError
from dragoman.core.keys import content_key
from dragoman.core.language.phrasebook import (
    Hears,
    Joins,
    Pattern,
    Phrasebook,
    Says,
    Words,
    Writing,
)
from dragoman.core.texts.decoding import OutsideErrors
from dragoman.core.texts.sign_names import sign_names
from dragoman.core.texts.toml_values import decode_toml
from dragoman.simulation.phrases.checks import misunderstandings, slot_problems

MARKS = ",.;:?!"
"""Marks of ASCII behind which a value ends."""

_GROUPS: Mapping[str, tuple[frozenset[str], ...]] = {
    "name": (frozenset({"name"}), frozenset({"given", "family"})),
    "stated": (frozenset({"label", "value"}),),
}
"""The groups that entries of a kind must have: one of these sets."""


class _Writing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    spaced: bool
    clause_ends: str
    further_marks: str
    sentence_breaks: tuple[str, ...]
    keyword_endings: tuple[str, ...]
    rejoined: bool


class _Hears(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    request: tuple[str, ...]
    question: tuple[str, ...]
    open_question: tuple[str, ...]
    consent: tuple[str, ...]
    read_back: tuple[str, ...]
    spell: tuple[str, ...]
    nato: tuple[str, ...]
    closing: tuple[str, ...]
    own: tuple[str, ...]
    agreed: tuple[str, ...]
    refused: tuple[str, ...]
    hand_over: tuple[str, ...]
    spelled: tuple[str, ...]
    example: tuple[str, ...]
    name: tuple[str, ...]
    stated: tuple[str, ...]


class _Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"between": "is"}):
    between: tuple[str, ...]
    asking: frozenset[str]
    judged: frozenset[str]
    stop: frozenset[str]
    endings: tuple[str, ...]


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    language: str
    writing: _Writing
    says: Says
    joins: Joins
    hears: _Hears
    words: _Words
    labels: dict[str, str]
    verbs: dict[str, str]
    signs: dict[str, str] = {}


def decode_phrasebook(content: bytes, where: str) -> Phrasebook:
    """Decode a phrasebook and check it.

    Args:
        content: The file.
        where: How to name it in errors.

    Raises:
        DataError: Where it is damaged or contradicts itself: the first thing that is wrong.
    """
    with OutsideErrors(DataError, f"{where}: no phrasebook"):
        file = decode_toml(content, _File)
    _require_none([*slot_problems(file.says), *_problems(file)], where)
    book = _book(file)
    _require_none(misunderstandings(book), where)
    return book


def _require_none(problems: Sequence[str], where: str) -> None:
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise DataError(f"{where}: {problems[0]}{more}")


def _problems(file: _File) -> Iterator[str]:
    """Yield what is wrong with lists and patterns."""
    for kind in _Hears.__struct_fields__:
        for entry in attrgetter(kind)(file.hears):
            yield from _entry_problems(kind, entry)
    for broken in filter(_broken, file.writing.sentence_breaks):
        yield f"writing.sentence_breaks: {broken!r} is no regular expression ({_broken(broken)})"
    if not file.writing.clause_ends:
        yield "writing.clause_ends is empty: what ends a clause?"
    if not file.words.between:
        yield 'words: "is" is empty: what stands between a fact and its value?'
    for sign, name in file.signs.items():
        if not name.strip() or re.search(r"[\s-]", name):
            yield f"signs: {name!r} for {sign!r} must be one word without a hyphen"
    names = [name.casefold() for name in (sign_names().signs | file.signs).values()]
    if len(set(names)) < len(names):
        yield "signs: two signs have one name"


def _entry_problems(kind: str, entry: str) -> Iterator[str]:
    place = f"hears.{kind}: {entry!r}"
    if not entry.strip(" *"):
        yield f"{place} is empty"
        return
    expression = _expression(entry)
    if expression is None:
        if kind in _GROUPS:
            yield f"{place} must be a regular expression between slashes"
        return
    if broken := _broken(expression):
        yield f"{place} is no regular expression ({broken})"
    elif kind in _GROUPS:
        groups = set(re.compile(expression).groupindex)
        if groups not in _GROUPS[kind]:
            wanted = " or ".join(", ".join(sorted(each)) for each in _GROUPS[kind])
            yield f"{place} must have the groups {wanted}"


def _broken(expression: str) -> str:
    """Return why something is no regular expression; "" where it is one."""
    try:
        re.compile(expression)
    except re.error as error:
        return str(error)
    return ""


def _book(file: _File) -> Phrasebook:
    writing, words, hears = file.writing, file.words, file.hears
    found = {
        kind: _found(attrgetter(kind)(hears), writing)
        for kind in _Hears.__struct_fields__
        if kind not in _GROUPS
    }
    return Phrasebook(
        name=f"{file.language}@{content_key(file)[:8]}",
        says=file.says,
        joins=file.joins,
        hears=Hears(
            **found,
            name=tuple(re.compile(entry[1:-1]) for entry in hears.name),
            stated=tuple(re.compile(entry[1:-1], re.IGNORECASE) for entry in hears.stated),
            value=_value(words.between, writing),
        ),
        words=Words(
            asking=_folded(words.asking),
            judged=_folded(words.judged),
            stop=_folded(words.stop),
            endings=words.endings,
        ),
        writing=Writing(
            spaced=writing.spaced,
            clause_end=re.compile(f"[{re.escape(writing.clause_ends)}]"),
            further_marks=writing.further_marks,
            sentence_break=re.compile("|".join(f"(?:{each})" for each in writing.sentence_breaks)),
            keyword_endings=writing.keyword_endings,
            rejoined=writing.rejoined,
        ),
        labels=file.labels,
        verbs=file.verbs,
        signs=sign_names().signs | file.signs,
    )


def _found(entries: Sequence[str], writing: _Writing) -> Pattern:
    """Return what finds any of some entries; what finds nothing where there are none."""
    wanted = [_expression(entry) or _phrase(entry, writing.spaced) for entry in entries]
    return re.compile("|".join(f"(?:{each})" for each in wanted) or "(?!)", re.IGNORECASE)


def _expression(entry: str) -> str | None:
    """Return the regular expression between slashes; None for a phrase."""
    is_expression = len(entry) > len("//") and entry.startswith("/") and entry.endswith("/")
    return entry[1:-1] if is_expression else None


def _phrase(entry: str, spaced: bool) -> str:
    """Return the expression of a phrase: whole words, or with a star at its end the beginning of one."""
    phrase = entry.removesuffix("*").strip()
    before = r"(?<!\w)" if spaced and re.match(r"\w", phrase) else ""
    is_whole = spaced and not entry.endswith("*") and re.search(r"\w$", phrase)
    behind = r"(?!\w)" if is_whole else ""
    return f"{before}{re.escape(phrase)}{behind}"


def _value(between: Sequence[str], writing: _Writing) -> Pattern:
    """Return what finds, right behind the name of a fact, what it is said to be: perhaps nothing."""
    marks = re.escape(f"{MARKS}{writing.further_marks}")
    ends = re.escape(f".;{writing.further_marks}")
    words = "|".join(f"{re.escape(word)}{_gap(word, writing)}" for word in between)
    bare = "|".join(map(re.escape, between))
    return re.compile(
        rf"\s*(?:(?:{words})(?P<value>[^\s{marks}]+)|(?:{bare})\s*(?:[{ends}]|$))", re.IGNORECASE
    )


def _gap(word: str, writing: _Writing) -> str:
    return r"\s+" if writing.spaced and re.search(r"\w$", word) else r"\s*"


def _folded(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word.casefold() for word in words)
