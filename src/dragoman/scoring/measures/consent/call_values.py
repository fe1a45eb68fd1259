"""Objects and values of a call, and whether words of a conversation name the same."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from dragoman.core.texts.entities import argument_texts
from dragoman.core.tools import ToolCall, ToolResult
from dragoman.core.value_matching.matcher import typed_values
from dragoman.scoring.measures.consent.phrases import (
    ActionWords,
    ConsentPhrases,
    normalize_phrase_text,
)

_TOKEN = re.compile(r"[^\W_]+(?:[_-][^\W_]+)*", re.ASCII)
_CODE = re.compile(r"[a-z0-9]{6}")
_FLIGHT = re.compile(r"[a-z]{2,3}\d{3,4}")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_NUMBER = r"(\d+(?:[.,]\d+)*)"
_SIGNS = re.compile(r"(?<![^\W_])(?:[^\W_][ .-]){3,40}[^\W_](?![^\W_])")
_TENS = re.compile(r"\b([2-9]0)[ -]([1-9])\b(?! \d)")
_HUNDREDS = re.compile(r"\b([1-9])[ -]100(?:(?: and)? (\d{1,2}))?\b")
_NO_WORD = re.compile(r"[\W_]+")
_WORD = re.compile(r"[^\W\d_]{3,40}")
_MONEY = re.compile(r"[$€£]\s?(\d+(?:[.,]\d+)*)")
_DECIMAL = re.compile(r"(?<![\d.,])(\d+[.,]\d\d)(?![\d.,]*\d)")
_MAX_RESULT = 200_000
_MAX_DEPTH = 20
_MIN_ID = 4
_PREFIX = re.compile(r"([a-z]{1,3})(\d+)")
_CHANGING = re.compile(r"(?:^|_)(?:update|modify)(?:_|$)")
_BIGRAM, _TRIGRAM = 2, 3
_HAN = re.compile(r"[\u3400-\u9fff]+")
_UNSPACED = re.compile(r"[\u0e00-\u0e7f]+")
_LATIN = re.compile(r"[^\W\d_]{3,40}")
_CENTS = 100
_GROUP = 3


class CallTarget(NamedTuple):
    """A call with its ids, to be compared with words.

    Attributes:
        call: The call.
        own: The kinds of action that it is.
        others: All other kinds.
        ids: Squeezed ids of the call, by argument.
    """

    call: ToolCall
    own: tuple[ActionWords, ...]
    others: tuple[ActionWords, ...]
    ids: Mapping[str, tuple[str, ...]]

    @property
    def every_id(self) -> tuple[str, ...]:
        """All ids, in their order."""
        return tuple(each for of_argument in self.ids.values() for each in of_argument)

    def names(self, text: str) -> re.Match[str] | None:
        """Return where a text speaks of the action first."""
        return _first(self.own, text)

    def names_other(self, text: str) -> re.Match[str] | None:
        """Return where a text speaks of another action first, if not of this one there."""
        found = _first(self.others, text)
        own = self.names(text)
        return (
            None if found is None or (own and own.start() <= found.start() < own.end()) else found
        )


def call_target(call: ToolCall, phrases: ConsentPhrases) -> CallTarget:
    """Return a call as words are held against it."""
    words = frozenset(re.split(r"[_\W]+", call.name.casefold()))
    own = tuple(each for each in phrases.actions.values() if each.is_of(words))
    if not own:
        long = [re.escape(word) for word in words if len(word) > 3]  # noqa: PLR2004
        pattern = re.compile("|".join(rf"\b{word}" for word in long) or r"(?!)", re.IGNORECASE)
        own = (ActionWords(call.name, pattern, words, frozenset(), frozenset()),)
    if _CHANGING.search(call.name):
        # "Shall I make this change?" is of whatever a tool changes.
        modify = phrases.actions.get("modify")
        own += (modify,) if modify and modify not in own and not modify.not_tools & words else ()
    # A refund is what comes of an action, and no other one.
    others = tuple(
        each for each in phrases.actions.values() if each not in own and each.name != "refund"
    )
    ids = {
        name: found
        for name, argument in call.arguments.items()
        if (found := tuple(alphanumeric_text(text) for text in _strings(argument) if is_id(text)))
    }
    return CallTarget(call, own, others, ids)


def _strings(argument: object) -> Iterator[str]:
    """Yield the texts that an argument holds: numbers are not ids."""
    if isinstance(argument, str):
        yield argument
    elif isinstance(argument, Mapping):
        for value in argument.values():
            yield from _strings(value)
    elif isinstance(argument, list | tuple):
        for value in argument:
            yield from _strings(value)


def is_id(text: str) -> bool:
    """Return whether a value is an id: in one piece, with digits, or six capitals; no date."""
    bare = text.lstrip("#")
    if len(bare) < _MIN_ID or not _TOKEN.fullmatch(bare) or _DATE.fullmatch(bare):
        return False
    if bare.isascii() and bare.isalpha():
        return len(bare) == 6 and bare.isupper()  # noqa: PLR2004
    return bare.isascii() and any(sign.isdigit() for sign in bare)


def id_kind(id_: str) -> str:
    """Return the kind of an id: the form that it shares with ids it can be mistaken for.

    Bookings have any six characters.
    """
    if _CODE.fullmatch(id_) and not id_.isdigit() and not _FLIGHT.fullmatch(id_):
        return "code"
    prefix = _PREFIX.fullmatch(id_)
    if prefix:
        return f"{prefix[1]}{'0' * len(prefix[2])}"
    return re.sub(r"[a-z]", "a", re.sub(r"\d", "0", id_))


def content_words(text: str, phrases: ConsentPhrases) -> frozenset[str]:
    """Return the words that identify an object in a text.

    They are words without the commonest, and pieces of scripts without spaces.
    """
    found: set[str] = set()
    for pattern, size in ((_HAN, _BIGRAM), (_UNSPACED, _TRIGRAM)):
        for run in pattern.findall(text):
            found.update(run[at : at + size] for at in range(len(run) - size + 1))
    rest = _UNSPACED.sub(" ", _HAN.sub(" ", text))
    found.update(_LATIN.findall(rest))
    return frozenset(found - phrases.common)


def alphanumeric_text(text: str) -> str:
    """Return the letters and digits of a text alone, small."""
    return _NO_WORD.sub("", text.casefold())


def with_digits(text: str, phrases: ConsentPhrases) -> str:
    """Return a plain text with numbers in digits, and with spelled values in one piece."""
    digits = phrases.number_word.sub(
        lambda found: str(phrases.numbers[found.group(1).casefold()]), text
    )
    if digits != text:
        digits = _TENS.sub(lambda found: str(int(found[1]) + int(found[2])), digits)
        digits = _HUNDREDS.sub(lambda found: str(int(found[1]) * 100 + int(found[2] or 0)), digits)
    return _SIGNS.sub(lambda found: _NO_WORD.sub("", found.group()), digits)


def ids_named(text: str) -> list[tuple[int, str]]:
    """Return the normalized ids that a text names, with their places.

    An id is anything of at least four characters with a digit.
    """
    return [
        (found.start(), alphanumeric_text(found.group()))
        for found in _TOKEN.finditer(text)
        if is_id(found.group())
    ]


def is_named(id_: str, text: str) -> bool:
    """Return whether a text names an id, however it is spaced."""
    return id_ in alphanumeric_text(text)


def record_words(events: Sequence[object]) -> dict[str, frozenset[str]]:
    """Return the words that results of tools have on each id: its record's own, at the top."""
    found: dict[str, set[str]] = {}
    for event in events:
        if not isinstance(event, ToolResult) or event.error:
            continue
        try:
            content = msgspec.json.decode(event.content[:_MAX_RESULT])
        except msgspec.DecodeError:
            continue
        for row in _rows(content):
            ids = [
                alphanumeric_text(each)
                for each in row.values()
                if isinstance(each, str) and is_id(each)
            ]
            words = {
                word
                for text in _near_texts(row)
                for word in _WORD.findall(normalize_phrase_text(text))
            }
            for id_ in ids:
                found.setdefault(id_, set()).update(words)
    return {id_: frozenset(words) for id_, words in found.items()}


def _rows(content: object, depth: int = _MAX_DEPTH) -> Iterator[Mapping[str, object]]:
    if not depth:
        return
    parts: Iterable[object] = ()
    if isinstance(content, Mapping):
        yield content
        parts = content.values()
    elif isinstance(content, list):
        parts = content
    for part in parts:
        yield from _rows(part, depth - 1)


def _near_texts(row: Mapping[str, object]) -> Iterator[str]:
    """Yield the texts of a row, and those of things in it that have no id of their own."""
    for value in row.values():
        if isinstance(value, str):
            yield value
        elif isinstance(value, Mapping):
            yield from (each for each in value.values() if isinstance(each, str))
        elif isinstance(value, list):
            for each in value:
                if isinstance(each, Mapping):
                    yield from (text for text in each.values() if isinstance(text, str))


def _first(actions: Sequence[ActionWords], text: str) -> re.Match[str] | None:
    found = (match for each in actions if (match := each.words.search(text)))
    return min(found, key=lambda match: match.start(), default=None)


def other_object(
    view: CallTarget, texts: Sequence[str], known: Mapping[str, frozenset[str]]
) -> str | None:
    """Return why words speak of another thing than a call acts on.

    The result is "" if they also speak of the call's own thing, and None if they speak of nothing
    of the kind.

    Args:
        view: The call.
        texts: Words, the nearest first: what names an id of a kind first decides it.
        known: Words of the records of ids.
    """
    said = False
    for argument, ids in view.ids.items():
        for kind in dict.fromkeys(map(id_kind, ids)):
            of_kind = [each for each in ids if id_kind(each) == kind]
            every = {each for each in view.every_id if id_kind(each) == kind}
            wanted = _Wanted(of_kind, every, kind, argument.startswith("new"))
            why = _other_of_kind(wanted, texts, known)
            if why:
                return f"{argument}: {why}"
            said = said or why is not None
    return "" if said else None


class _Wanted(NamedTuple):
    """Ids of one kind under one argument of a call, and all ids of the kind in the call."""

    ids: Sequence[str]
    every: set[str]
    kind: str
    is_new: bool


def _other_of_kind(
    wanted: _Wanted, texts: Sequence[str], known: Mapping[str, frozenset[str]]
) -> str | None:
    for text in texts:
        named = {id_ for _, id_ in ids_named(text) if id_kind(id_) == wanted.kind}
        own = [each for each in wanted.ids if each in named or is_named(each, text)]
        beside = [
            each for each in wanted.ids if each not in own and not _is_described(each, text, known)
        ]
        if own:
            return f"{beside[0]} was not named" if beside and len(wanted.ids) > 1 else ""
        if named & wanted.every:
            rest = named - wanted.every if wanted.is_new else set()
            return f"{beside[0]} was not named, {min(rest)} was" if rest and beside else ""
        if named and beside:
            return f"{beside[0]} was not named, {min(named)} was"
        if named:
            return ""
    return None


def _is_described(id_: str, text: str, known: Mapping[str, frozenset[str]]) -> bool:
    words = known.get(id_, frozenset())
    return any(word in text for word in words if len(word) > 3)  # noqa: PLR2004


def follows_change(view: CallTarget, proposed: str, answer: str, phrases: ConsentPhrases) -> bool:
    """Return whether a call has a number or payment method that only the answer asked for.

    It was not part of the proposal.
    """
    for text in argument_texts(view.call.arguments):
        for key, words in phrases.payments.items():
            if text.startswith(key) and words.search(answer) and not words.search(proposed):
                return True
    figures = {float(each) for each in re.findall(r"(?<![\w.,])\d{1,6}(?![\w.,]*\d)", answer)}
    before = {float(each) for each in re.findall(r"(?<![\w.,])\d{1,6}(?![\w.,]*\d)", proposed)}
    values = (each for each in view.call.arguments.values() if not isinstance(each, bool))
    return any(isinstance(each, int | float) and float(each) in figures - before for each in values)


def other_value(view: CallTarget, text: str, phrases: ConsentPhrases) -> str:
    """Return which value of a call is another one than words say; "" if none is."""
    spelled = with_digits(text, phrases)
    why = (
        _other_dates(view, text, phrases)
        or _other_bags(view, spelled, phrases)
        or _other_payments(view, spelled)
    )
    if why:
        return why
    for name, argument in view.call.arguments.items():
        for value in argument_texts(argument):
            why = _other_payment(value, text, phrases) or _other_choice(name, value, text, phrases)
            if why:
                return f"{name}: {why}"
        if isinstance(argument, int | float) and not isinstance(argument, bool):
            why = _other_number(name, float(argument), spelled, phrases)
            if why:
                return f"{name}: {why}"
    return ""


def _other_dates(view: CallTarget, text: str, phrases: ConsentPhrases) -> str:
    """Return why words name dates, and none of a call's.

    The result is "" if they name one of the call's dates, or no dates at all.
    """
    dates = sorted({each for each in argument_texts(view.call.arguments) if _DATE.fullmatch(each)})
    if not dates or not any(sign.isdigit() for sign in text):
        return ""
    said = typed_values(dates[0], text, phrases.language)
    if not said or any(date.endswith(each[-len("05-25") :]) for date in dates for each in said):
        return ""
    return f"date: {said[0]} was said, not {dates[0]}"


def _other_bags(view: CallTarget, text: str, phrases: ConsentPhrases) -> str:
    """Return a reason if words name another number of bags than a call.

    The number may be that of all bags, or of those that are paid for.
    """
    total = phrases.units.get("bags_in_total")
    in_total = re.findall(rf"{_NUMBER}\s?(?:{total.pattern})", text) if total else []
    wanted = view.call.arguments.get("total_baggages")
    if in_total and isinstance(wanted, int | float) and "baggages" in view.call.name:
        stated = [_as_number(each if isinstance(each, str) else each[0]) for each in in_total]
        if float(wanted) not in stated:
            return f"{stated[0]:g} bags in total were said, not {wanted:g}"
    paid = phrases.units.get("bags_paid")
    charged = view.call.arguments.get("nonfree_baggages")
    if paid and isinstance(charged, int | float) and "baggages" in view.call.name:
        found = re.findall(rf"{_NUMBER},?\s?(?:{paid.pattern})", text)
        stated = [_as_number(each if isinstance(each, str) else each[0]) for each in found]
        if stated and float(charged) not in stated:
            return f"{stated[0]:g} paid bags were said, not {charged:g}"
    unit = phrases.units.get("bags") if "baggages" in view.call.name else None
    numbers = [view.call.arguments.get(name) for name in ("total_baggages", "nonfree_baggages")]
    known = [float(each) for each in numbers if isinstance(each, int | float)]
    if unit is None or not known:
        return ""
    found = re.findall(rf"{_NUMBER}\s?(?:{unit.pattern})", text)
    said = [_as_number(each if isinstance(each, str) else each[0]) for each in found]
    if not said or any(each in known for each in said):
        return ""
    return f"{said[0]:g} bags were said, not {known[0]:g}"


def _other_payments(view: CallTarget, text: str) -> str:
    """Return why words name amounts of money, and not that of a call's payments."""
    payments = view.call.arguments.get("payment_methods")
    parts = (
        [each for each in payments if isinstance(each, Mapping)]
        if isinstance(payments, list)
        else []
    )
    paid = [each.get("amount") for each in parts]
    amounts = [float(each) for each in paid if isinstance(each, int | float)]
    said = {_as_number(each) for each in _MONEY.findall(text)}
    if not amounts or not said or {sum(amounts), *amounts} & said:
        return ""
    return f"amount: {sum(amounts):g} was not said"


def _other_payment(value: str, text: str, phrases: ConsentPhrases) -> str:
    kind = next((key for key in phrases.payments if value.startswith(key)), None)
    if kind is None or phrases.payments[kind].search(text):
        return ""
    other = next((key for key, words in phrases.payments.items() if words.search(text)), "")
    return f"{other} was said, not {kind}" if other else ""


def _other_choice(name: str, value: str, text: str, phrases: ConsentPhrases) -> str:
    choices = phrases.choices.get(name, {})
    if value not in choices or choices[value].search(text):
        return ""
    other = next((key for key, words in choices.items() if words.search(text)), "")
    return f"{other} was said, not {value}" if other else ""


def _other_number(name: str, value: float, text: str, phrases: ConsentPhrases) -> str:
    unit = phrases.units.get(name)
    if unit is None:
        return ""
    said = re.findall(rf"{_NUMBER}\s?(?:{unit.pattern})", text)
    found = [each if isinstance(each, str) else each[0] for each in said]
    scale = _CENTS if name == "cents" else 1
    if name in {"amount", "cents"}:
        found += [*_MONEY.findall(text), *_DECIMAL.findall(text)]
    numbers = [number for each in found if (number := _as_number(each)) is not None]
    if not numbers or any(abs(number * scale - value) < 0.5 for number in numbers):  # noqa: PLR2004
        return ""
    return f"{numbers[0]:g} was said, not {value / scale:g}"


def _as_number(text: str) -> float | None:
    """Return a number from its text.

    A single comma is a decimal separator unless three digits follow.
    """
    tail = text.rpartition(",")[2]
    is_decimal = text.count(",") == 1 and "." not in text and len(tail) != _GROUP
    try:
        return float(text.replace(",", "." if is_decimal else ""))
    except ValueError:
        return None
