"""Whether what a phrasebook says is understood by what it hears, and has the slots that it needs."""

import re
from collections.abc import Iterator, Mapping

from dragoman.core.language.phrasebook import Pattern, Phrasebook, Says

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
    return [*_unheard(book), *_taken_amiss(book), *_unread(book), *_ambiguous(book)]


def _slot_problem(sentence: str, wanted: frozenset[str]) -> str:
    if not sentence.strip():
        return "the sentence is empty"
    found = _SLOT.findall(sentence)
    for slot in sorted(wanted):
        if found.count(slot) != 1:
            return f"{{{slot}}} must stand in it once"
    if set(found) - wanted:
        return f"there is no slot {{{min(set(found) - wanted)}}}"
    if "{" in _SLOT.sub("", sentence) or "}" in _SLOT.sub("", sentence):
        return "a brace belongs to no slot"
    order = [slot for slot in ("label", "value", "spelled") if slot in found]
    if [slot for slot in found if slot in order] != order:
        return f"{' must stand before '.join(f'{{{slot}}}' for slot in order)}"
    return ""


def _unheard(book: Phrasebook) -> Iterator[str]:
    for kind, sentences in _HEARD.items():
        for name in sentences:
            if not _pattern(book, kind).search(_filled(getattr(book.says, name))):
                yield f"says.{name} is not recognised by hears.{kind}: {getattr(book.says, name)!r}"


def _taken_amiss(book: Phrasebook) -> Iterator[str]:
    for kind, sentences in _UNHEARD.items():
        for name in sentences:
            found = _pattern(book, kind).search(_filled(getattr(book.says, name)))
            if found:
                yield f"says.{name} is taken for hears.{kind}, by {found.group()!r}"


def _unread(book: Phrasebook) -> Iterator[str]:
    """Yield facts that are told so that they cannot be taken in."""
    for name in ("fact", "read_back_fact"):
        behind = _filled(getattr(book.says, name).partition("{label}")[2])
        if not book.hears.value.match(behind):
            yield f'says.{name}: what stands behind {{label}} is not in "is" of [words]: {behind!r}'
    told = book.says.fact.format(label=book.label("postcode"), value="KL-4830")
    if not any(pattern.search(told) for pattern in book.hears.stated):
        yield f"says.fact is not recognised by hears.stated: {told!r}"
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


def _filled(sentence: str) -> str:
    """Return a sentence with something in its slots that no language has words in."""
    return _SLOT.sub(_FILLED, sentence)
