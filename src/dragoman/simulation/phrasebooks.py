"""Phrasebooks: phrases of participants without a model in each language.

One TOML file for each language ships in the folder `phrasebooks`; the English one explains the
entries. A user's own phrasebook is in the folder of the language file: `ms.phrases.toml` for
`ms.toml`. A phrasebook is checked when it is read: what it says must be understood by what it
hears, and its sentences must have the slots that they need.
"""

import functools
import importlib.resources
import re
from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from pathlib import Path

import msgspec

from dragoman.core.conditions import ENGLISH
from dragoman.core.content_keys import content_key
from dragoman.core.errors import DataError
from dragoman.core.language.phrasebook import (
    Hears,
    Joins,
    Pattern,
    Phrasebook,
    Says,
    Words,
    Writing,
)
from dragoman.core.personas import PersonaPhrases
from dragoman.core.protocols import SessionStart
from dragoman.core.texts.decoding import TranslatedErrors, decode_toml
from dragoman.core.texts.entities import sign_names

SLOTS: Mapping[str, frozenset[str]] = {
    "fact": frozenset({"label", "value"}),
    "fact_spelled": frozenset({"label", "value", "spelled"}),
    "correction": frozenset({"facts"}),
    "deed_done": frozenset({"result"}),
    "deed_failed": frozenset({"result"}),
    "ask": frozenset({"questions"}),
    "question": frozenset({"label"}),
    "ask_parameter": frozenset({"parameter"}),
    "ask_parameter_about": frozenset({"parameter", "about"}),
    "read_back": frozenset({"facts"}),
    "read_back_fact": frozenset({"label", "value"}),
    "spell": frozenset({"labels"}),
    "digits": frozenset({"labels"}),
    "your_deeds": frozenset({"deeds"}),
    "deed": frozenset({"deed"}),
    "asked_for": frozenset({"things"}),
    "proposal": frozenset({"tool", "arguments"}),
    "argument": frozenset({"name", "value"}),
    "found": frozenset({"findings"}),
    "finding": frozenset({"name", "value"}),
}
"""The slots of each sentence; one that is not listed has none."""

_HEARD: Mapping[str, tuple[str, ...]] = {
    "request": ("ask", "read_back", "spell", "digits", "your_part", "proposal"),
    "consent": ("read_back", "proposal"),
    "read_back": ("read_back",),
    "spell": ("spell", "digits"),
    "closing": ("anything_else",),
    "agreed": ("consent", "consent_to_all", "right"),
    "refused": ("correction",),
    "spelled": ("fact_spelled",),
}
"""In which sentences each kind must be found."""

_STATEMENTS = ("all_done", "asked_for", "found", "nothing_left", "nothing_found")
_QUESTIONS = ("ask", "read_back", "spell", "digits", "your_part", "your_deeds", "proposal")
_UNHEARD: Mapping[str, tuple[str, ...]] = {
    "request": _STATEMENTS,
    "question": _STATEMENTS,
    "consent": ("ask", "question"),
    "spell": ("ask", "question", "read_back", "proposal"),
    "closing": (*_STATEMENTS, *_QUESTIONS),
    "refused": ("consent", "consent_to_all", "right"),
    "hand_over": (*_STATEMENTS, *_QUESTIONS, "anything_else"),
}
"""In which sentences each kind must not be found."""

_SLOT = re.compile(r"\{(\w*)\}")
_FILLED = "7"


def slot_problems(says: Says) -> list[str]:
    """Return what is wrong with the slots of sentences, and which sentences are empty."""
    return [
        f"says.{name}: {problem}"
        for name in Says.__struct_fields__
        if (problem := _slot_problem(getattr(says, name), SLOTS.get(name, frozenset())))
    ]


def misunderstandings(book: Phrasebook) -> list[str]:
    """Return which sentences are not understood by one who has the same phrasebook."""
    return [*_unheard(book), *_misunderstood(book), *_unread(book), *_ambiguous(book)]


def _slot_problem(sentence: str, wanted: frozenset[str]) -> str:
    if not sentence.strip():
        return "the sentence is empty"
    found = _SLOT.findall(sentence)
    for slot in sorted(wanted):
        if found.count(slot) != 1:
            return f"{{{slot}}} must stand in it once"
    if set(found) - wanted:
        return f"unknown slot {{{min(set(found) - wanted)}}}"
    if "{" in _SLOT.sub("", sentence) or "}" in _SLOT.sub("", sentence):
        return "a brace belongs to no slot"
    order = [slot for slot in ("label", "value", "spelled") if slot in found]
    if [slot for slot in found if slot in order] != order:
        return f"{' must stand before '.join(f'{{{slot}}}' for slot in order)}"
    return ""


def _unheard(book: Phrasebook) -> Iterator[str]:
    for kind, sentences in _HEARD.items():
        for name in sentences:
            if not _pattern(book, kind).search(_fill_slots(getattr(book.says, name))):
                yield f"says.{name} is not recognized by hears.{kind}: {getattr(book.says, name)!r}"


def _misunderstood(book: Phrasebook) -> Iterator[str]:
    for kind, sentences in _UNHEARD.items():
        for name in sentences:
            found = _pattern(book, kind).search(_fill_slots(getattr(book.says, name)))
            if found:
                yield f"says.{name} is taken for hears.{kind}, by {found.group()!r}"


def _unread(book: Phrasebook) -> Iterator[str]:
    """Yield facts whose wording cannot be parsed."""
    for name in ("fact", "read_back_fact"):
        behind = _fill_slots(getattr(book.says, name).partition("{label}")[2])
        if not book.hears.value.match(behind):
            yield f'says.{name}: what stands behind {{label}} is not in "is" of [words]: {behind!r}'
    reported = book.says.fact.format(label=book.label("postcode"), value="KL-4830")
    if not any(pattern.search(reported) for pattern in book.hears.stated):
        yield f"says.fact is not recognized by hears.stated: {reported!r}"
    spelled = book.says.fact_spelled.partition("{value}")[2].partition("{spelled}")
    if any(re.search(r"\w", sign) for sign in (spelled[0][-1:], spelled[2][:1])):
        yield "says.fact_spelled: {spelled} needs a space or a mark before and behind it"


def _ambiguous(book: Phrasebook) -> Iterator[str]:
    known: dict[str, str] = {}
    for name, label in book.labels.items():
        if not label.strip():
            yield f"labels.{name} is empty"
        elif label.casefold() in known:
            yield f"labels.{name} is called what {known[label.casefold()]} is called: {label!r}"
        known.setdefault(label.casefold(), name)


def _pattern(book: Phrasebook, kind: str) -> Pattern:
    pattern: Pattern = getattr(book.hears, kind)
    return pattern


def _fill_slots(sentence: str) -> str:
    """Return a sentence with something in its slots that no language has words in."""
    return _SLOT.sub(_FILLED, sentence)


_KINDS = ("agreed", "refused", "spelled")
_FACTS_SLOT = "{facts}"


def find_misleading_phrases(persona_phrases: PersonaPhrases, book: Phrasebook) -> list[str]:
    """Return persona phrases that sound like a yes, a no or a spelling, or state a fact."""
    return list(_misleading(persona_phrases, book))


def _misleading(persona_phrases: PersonaPhrases, book: Phrasebook) -> Iterator[str]:
    for saying in (persona_phrases.slip, persona_phrases.repeat):
        if saying.count(_FACTS_SLOT) != 1 or "{" in saying.replace(_FACTS_SLOT, ""):
            yield f"{saying!r}: {_FACTS_SLOT} must stand in it once, and no other slot"
    said = (
        *persona_phrases.vague,
        *persona_phrases.asks_back,
        *persona_phrases.openings,
        *persona_phrases.asides,
        persona_phrases.slip.replace(_FACTS_SLOT, ""),
        persona_phrases.repeat.replace(_FACTS_SLOT, ""),
    )
    for saying in said:
        for kind in _KINDS:
            found = getattr(book.hears, kind).search(saying)
            if found:
                yield f"{saying!r} is taken for hears.{kind}, by {found.group()!r}"
        if any(pattern.search(saying) for pattern in book.hears.stated):
            yield f"{saying!r} is taken for a fact"


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
        where: Name of the file in errors.

    Raises:
        DataError: If it is damaged or contradicts itself; the message names the first problem.
    """
    with TranslatedErrors(DataError, f"{where}: no phrasebook"):
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
    for broken in filter(_pattern_error, file.writing.sentence_breaks):
        yield (
            f"writing.sentence_breaks: {broken!r} is not a regular expression "
            f"({_pattern_error(broken)})"
        )
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
    if broken := _pattern_error(expression):
        yield f"{place} is not a regular expression ({broken})"
    elif kind in _GROUPS:
        groups = set(re.compile(expression).groupindex)
        if groups not in _GROUPS[kind]:
            wanted = " or ".join(", ".join(sorted(each)) for each in _GROUPS[kind])
            yield f"{place} must have the groups {wanted}"


def _pattern_error(expression: str) -> str:
    """Return why something is not a regular expression; "" if it is one."""
    try:
        re.compile(expression)
    except re.error as error:
        return str(error)
    return ""


def _book(file: _File) -> Phrasebook:
    writing, words, hears = file.writing, file.words, file.hears
    found = {
        kind: _compile_entries(attrgetter(kind)(hears), writing)
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
            asking=_fold_words(words.asking),
            judged=_fold_words(words.judged),
            stop=_fold_words(words.stop),
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


def _compile_entries(entries: Sequence[str], writing: _Writing) -> Pattern:
    """Return what finds any of some entries; what finds nothing if there are none."""
    wanted = [_expression(entry) or _phrase(entry, writing.spaced) for entry in entries]
    return re.compile("|".join(f"(?:{each})" for each in wanted) or "(?!)", re.IGNORECASE)


def _expression(entry: str) -> str | None:
    """Return the regular expression between slashes; None for a phrase."""
    is_expression = len(entry) > len("//") and entry.startswith("/") and entry.endswith("/")
    return entry[1:-1] if is_expression else None


def _phrase(entry: str, spaced: bool) -> str:
    """Return the regular expression of a phrase.

    It matches whole words, or the beginning of a word if the phrase ends with a star.
    """
    phrase = entry.removesuffix("*").strip()
    before = r"(?<!\w)" if spaced and re.match(r"\w", phrase) else ""
    is_whole = spaced and not entry.endswith("*") and re.search(r"\w$", phrase)
    behind = r"(?!\w)" if is_whole else ""
    return f"{before}{re.escape(phrase)}{behind}"


def _value(between: Sequence[str], writing: _Writing) -> Pattern:
    """Return the pattern of a fact's stated value right after the fact's name.

    The value may be absent.
    """
    marks = re.escape(f"{MARKS}{writing.further_marks}")
    ends = re.escape(f".;{writing.further_marks}")
    words = "|".join(f"{re.escape(word)}{_gap(word, writing)}" for word in between)
    bare = "|".join(map(re.escape, between))
    return re.compile(
        rf"\s*(?:(?:{words})(?P<value>[^\s{marks}]+)|(?:{bare})\s*(?:[{ends}]|$))", re.IGNORECASE
    )


def _gap(word: str, writing: _Writing) -> str:
    return r"\s+" if writing.spaced and re.search(r"\w$", word) else r"\s*"


def _fold_words(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word.casefold() for word in words)


MAX_BYTES = 200_000
ENDING = ".phrases.toml"


def english_phrasebook() -> Phrasebook:
    """Return the English phrasebook, which is the default."""
    book = shipped_phrasebook(ENGLISH)
    if book is None:
        raise DataError(f"{ENGLISH}.toml is missing among the phrasebooks")
    return book


def session_phrasebook(opening: SessionStart) -> Phrasebook:
    """Return the phrases of the language that a session is to speak."""
    return opening.phrases or english_phrasebook()


def find_phrasebook(code: str, file: Path | None) -> Phrasebook | None:
    """Return a language's phrasebook, or None if there is none.

    The phrasebook next to the language's file takes precedence over the bundled one.

    Args:
        code: The language's code.
        file: The file that describes the language; None for a bundled language.

    Raises:
        DataError: If a phrasebook is damaged.
    """
    beside = None if file is None else file.with_name(f"{file.stem}{ENDING}")
    if beside is None or not beside.is_file():
        return shipped_phrasebook(code)
    with (
        TranslatedErrors(DataError, f"{beside}: the phrases cannot be read"),
        beside.open("rb") as at,
    ):
        content = at.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise DataError(f"{beside}: phrases take at most {MAX_BYTES} bytes")
    return decode_phrasebook(content, str(beside))


@functools.cache
def shipped_phrasebook(code: str) -> Phrasebook | None:
    """Return the bundled phrasebook of a language; None if there is none.

    Raises:
        DataError: If it is damaged.
    """
    resource = importlib.resources.files("dragoman.simulation").joinpath(
        "phrasebooks", f"{code}.toml"
    )
    return decode_phrasebook(resource.read_bytes(), f"{code}.toml") if resource.is_file() else None
