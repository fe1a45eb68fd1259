"""In which form a model's stored replies hold calls: told from all that it gave, or chosen.

Lists are native calls, with arguments as JSON texts or as objects. Text is read by every form that
shows in it, and the form that reads most replies is the model's.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal

import msgspec

from dragoman.benchmarks.bfcl.checking.judging import read, reply_of
from dragoman.benchmarks.bfcl.questions import Question
from dragoman.benchmarks.bfcl.rules import DEFAULT_RULES, BfclRules
from dragoman.benchmarks.bfcl.single.calls_check import STORED_FORMS, TOLD_FORMS, written
from dragoman.benchmarks.bfcl.text.bounds import UnreadableError
from dragoman.benchmarks.bfcl.text.formats.table import FORMATS
from dragoman.benchmarks.bfcl.text.formats.values import calls_of
from dragoman.benchmarks.bfcl.text.items import read_items, read_object_items
from dragoman.benchmarks.bfcl.text_calls import CALL_FORMS, told_apart
from dragoman.core.episodes import Move
from dragoman.core.errors import UsageError
from dragoman.core.speech import Called, Reply, Unparsed, say
from dragoman.core.texts.carried import UNWRITABLE
from dragoman.core.tools import ToolCall

Kind = Literal["items", "objects", "named"]
"""How native calls are stored: by name with JSON texts or with objects, or as `{"name": ...}`."""

DEFAULT = "python"
"""The form in which BFCL asks for calls in text, and the first of those that read equally many."""

_SIGNS: Mapping[str, tuple[str, ...]] = {
    **{name: ("<TOOLCALL>",) if tagged else () for name, (_, tagged) in CALL_FORMS.items()},
    **{name: found.signs for name, found in FORMATS.items()},
}
"""What stands in replies that speak for a form of text, in the order in which forms are tried."""

TEXT_FORMS = tuple(_SIGNS)
"""The names of the forms of text."""


_NATIVE: Mapping[str, Callable[[object], tuple[ToolCall, ...]]] = {
    "items": read_items,
    "objects": read_object_items,
    "named": calls_of,
}


class Answered(msgspec.Struct, frozen=True):
    """A question with the result that is stored for it."""

    question: Question
    result: object


class ReplyReading(msgspec.Struct, frozen=True):
    """The form of a model's replies, and by form how many of the replies speak for it."""

    form: str
    spoken_for: Mapping[str, int] = {}


def reading_of(answered: Sequence[Answered], model: str, chosen: str | None = None) -> ReplyReading:
    """Return how a model's replies are read.

    Args:
        answered: All questions that it was asked, in any category.
        model: Its name: those that end in `-FC` call natively, where nothing says otherwise.
        chosen: The form of its texts, where somebody chose one; lists are read as they are.

    Raises:
        UsageError: Where there is no such form.
    """
    if chosen is not None and chosen not in TEXT_FORMS:
        raise UsageError(f"unknown format {chosen!r}: choose one of {', '.join(TEXT_FORMS)}")
    kind = _kind(answered)
    if kind is not None:
        return ReplyReading(_native(kind, answered))
    if chosen is not None:
        return ReplyReading(_told(chosen, answered))
    counts = _counts(answered)
    form = max(counts, key=counts.__getitem__) if counts else DEFAULT
    if form == DEFAULT and model.endswith("-FC"):
        return ReplyReading(_native("items", answered), counts)
    return ReplyReading(_told(form, answered), counts)


def reply_of_result(answered: Answered, form: str, rules: BfclRules = DEFAULT_RULES) -> Reply:
    """Return what a stored result is: calls, words, or calls that cannot be read."""
    if isinstance(answered.result, str):
        return _reply_of_text(answered.result, answered.question, form, rules)
    return _reply_of_list(answered.result, form.removesuffix("-dotted"))


def _reply_of_text(text: str, question: Question, form: str, rules: BfclRules) -> Reply:
    said = say(text)
    if not text.strip():
        return Unparsed(text, "neither words nor calls")
    if form in STORED_FORMS:
        return said
    found = written(Move("agent", said, call_form=form), question)
    return told_apart(reply_of(found, question.functions, rules), text)


def _reply_of_list(stored: object, kind: str) -> Reply:
    try:
        calls = _NATIVE.get(kind, read_items)(stored)
    except UnreadableError as error:
        return Unparsed(msgspec.json.encode(stored).decode(), str(error))
    if not calls:
        return Unparsed("[]", "an empty list of calls")
    if any(not _is_carried(call.arguments) for call in calls):
        # Judged as it was stored: what was read could not be kept as it is.
        return Unparsed(msgspec.json.encode(stored).decode(), "values that JSON cannot carry")
    return Called(calls)


def _is_carried(arguments: Mapping[str, object]) -> bool:
    """Whether arguments are the same after they were written and read: NaN, for one, is not."""
    try:
        read_again: object = msgspec.json.decode(msgspec.json.encode(arguments))
    except UNWRITABLE:
        return False
    return read_again == arguments


def _kind(answered: Sequence[Answered]) -> Kind | None:
    """Return how native calls are stored; None where there are none."""
    lists = [entry.result for entry in answered if isinstance(entry.result, list)]
    items = [item for listed in lists for item in listed if isinstance(item, dict)]
    if items and all({"name", "arguments"} <= item.keys() for item in items):
        return "named"
    if any(isinstance(value, dict) for item in items for value in item.values()):
        return "objects"
    return "items" if lists else None


def _counts(answered: Sequence[Answered]) -> dict[str, int]:
    """Return by form how many replies bear its signs and hold calls that it reads."""
    counts = dict.fromkeys(TEXT_FORMS, 0)
    for entry in answered:
        text = entry.result
        if isinstance(text, str):
            for form, signs in _SIGNS.items():
                counts[form] += all(sign in text for sign in signs) and bool(_calls(entry, form))
    return {form: count for form, count in counts.items() if count}


def _calls(answered: Answered, form: str) -> tuple[ToolCall, ...]:
    """Return the calls that a form reads in a text; none where it reads nothing."""
    move = Move("agent", say(str(answered.result)), call_form=form)
    try:
        return read(written(move, answered.question), DEFAULT_RULES)
    except UnreadableError:
        return ()


def _native(kind: Kind, answered: Sequence[Answered]) -> str:
    called = [(entry, name) for entry in answered for name in _called(entry.result, kind)]
    return f"{kind}-dotted" if _balance(called) > 0 else kind


def _told(form: str, answered: Sequence[Answered]) -> str:
    """Return a form of text; one of a model's own says whether names were underscored for it."""
    if f"{form}-underscored" not in TOLD_FORMS:
        return form
    texts = [entry for entry in answered if isinstance(entry.result, str)]
    called = [(entry, call.name) for entry in texts for call in _calls(entry, form)]
    return f"{form}-underscored" if _balance(called) < 0 else form


def _called(result: object, kind: Kind) -> Iterator[str]:
    for item in result if isinstance(result, list) else ():
        if isinstance(item, dict):
            yield from [str(item.get("name"))] if kind == "named" else item


def _balance(called: Sequence[tuple[Answered, str]]) -> int:
    """Return how many more calls spell a dotted name as it is than with `_` for dots."""
    balance = 0
    for entry, name in called:
        dotted = {each.name for each in entry.question.functions if "." in each.name}
        balance += (name in dotted) - (name in {each.replace(".", "_") for each in dotted})
    return balance
