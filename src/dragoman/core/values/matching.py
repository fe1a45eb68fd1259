"""The value matcher: whether a text states a value, in which form, and where.

A number, an amount, a date, a time or a percentage is stated by any reading with the same value.
Everything else (codes, telephone numbers, addresses, file names, names, free text) is stated by a row of
whole tokens with the same canonical units, however they are grouped. Nothing is found inside a token.
"""

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

from dragoman.core.values.lexicon import lexicon_of, nato_letters
from dragoman.core.values.reading import Item, ReadText, read

MATCHER = "dragoman-values-1"
"""The name of the rules by which values are found; changed rules have another name."""

Form = Literal["exact", "reformatted", "grouped", "spelled", "words"]
"""As the value is written; in another written form; in other groups; sign by sign; in number words."""

ValueType = Literal[
    "number", "money", "percent", "date", "time", "code", "phone", "email", "file", "name", "text"
]

_MIN_JOINED = 4
_MIN_ACROSS_COMMAS = 5
_MIN_PHONE_DIGITS = 7
_MAX_LINKS = 2
_TYPED = frozenset({"number", "money", "percent", "date", "time"})
_SIGN_NAMES = frozenset({"dot", "underscore", "dash", "slash", "at", "plus"})
_ADDRESS_SIGNS = frozenset({"dot", "underscore", "at"})
_ARTICLES = frozenset({"a", "i", "e", "o", "y"})


class Statement(NamedTuple):
    """Where and how a text states a value; `start` and `end` are places in the text."""

    form: Form
    start: int
    end: int


class Unit(NamedTuple):
    """One canonical unit of a text, and where it stands among tokens.

    Attributes:
        text: The unit.
        item: The number of its item.
        token: The first token of what it is part of.
        last: The last token of what it is part of.
        opens: Whether a row may begin with it: it is the first unit of a token.
        closes: Whether a row may end with it.
    """

    text: str
    item: int
    token: int
    last: int
    opens: bool
    closes: bool


def find_value(value: str, text: str, language: str) -> Statement | None:
    """Return where a text states a value; None where it does not.

    Args:
        value: As a call needs it; texts and numbers alike as text.
        text: What was said, typed or heard.
        language: The tag of the text's language.
    """
    if not value.strip() or not text:
        return None
    for target in _targets(value, language):
        found = _find(target, text, language)
        if found is not None:
            return found
    return None


def states(value: str, text: str, language: str) -> bool:
    """Whether a text states a value."""
    return find_value(value, text, language) is not None


def typed_values(value: str, text: str, language: str) -> tuple[str, ...]:
    """Return the values in a text that are of the type of another one, written plainly.

    Numbers are plain decimals, amounts the number alone, dates `2026-05-05`, times `17:30`. There are none
    for a value without a type of its own, such as a name or a code.
    """
    wanted = _targets(value, language)[0].typed
    if wanted is None:
        return ()
    kinds = {"number", "money", "percent"} if wanted.kind in {"number", "money"} else {wanted.kind}
    items = [item for item in read(text, language).items if item.kind in kinds]
    written = (_written(item, wanted) for item in items)
    return tuple(dict.fromkeys(each for each in written if each))


def _written(item: Item, wanted: Item) -> str:
    match item.value:
        case (str(), Decimal() as amount):
            return f"{amount.normalize():f}"
        case Decimal() as number:
            is_share = item.kind == "percent" and isinstance(wanted.value, Decimal)
            if is_share and isinstance(wanted.value, Decimal) and wanted.value % 1:
                number /= 100
            return f"{number.normalize():f}"
        case (None, int() as month, int() as day):
            return f"{month:02}-{day:02}"
        case (int() as year, int() as month, int() as day):
            return f"{year}-{month:02}-{day:02}"
        case frozenset() as minutes:
            first = min(minutes)
            return f"{first // 60:02}:{first % 60:02}"
        case _:
            return ""


class _Target(NamedTuple):
    """A value after reading: its typed value if it has one, and its canonical units joined."""

    raw: str
    kind: ValueType
    typed: Item | None
    joined: str
    digits: str


@lru_cache(maxsize=4096)
def _targets(value: str, language: str) -> tuple[_Target, ...]:
    """Return how a value can be read: as English has it, and as the text's language does."""
    own = _target(value, language)
    english = _target(value, "en") if language[:2] != "en" else own
    if english.kind in {"number", "money"} and english.typed is not None:
        return (english,) if own == english else (english, own)
    return (own,) if own == english else (own, english)


def _target(value: str, language: str) -> _Target:
    readout = read(value.strip(), language)
    typed = _typed_item(readout)
    units = [unit.text for unit in units_of(readout)]
    if units[:1] == ["plus"] and any(map(str.isdigit, "".join(units))):
        units = units[1:]
    digits = "".join(sign for sign in value if sign.isdigit())
    return _Target(
        value.strip(), value_type(value, language), typed, "".join(units), digits or ""
    )


def _typed_item(readout: ReadText) -> Item | None:
    """Return the typed reading that a whole value is; None for a code, a name and the like."""
    items = [item for item in readout.items if item.atoms]
    if len(items) == 1 and items[0].kind in _TYPED:
        return items[0]
    return None


@lru_cache(maxsize=4096)
def value_type(value: str, language: str = "en") -> ValueType:
    """Return the type of a value by how it is written."""
    plain = value.strip()
    readout = read(plain, language)
    typed = _typed_item(readout)
    if typed is not None:
        digits = "".join(sign for sign in plain if sign.isdigit())
        if typed.kind != "number":
            return typed.kind  # type: ignore[return-value]
        if plain.startswith("+") and len(digits) >= _MIN_PHONE_DIGITS:
            return "phone"
        return "code" if len(digits) > 1 and plain.lstrip("#").startswith("0") and plain.isdigit() else "number"
    kinds = {item.kind for item in readout.items}
    signs = {atom for item in readout.items if item.kind == "sign" for atom in item.atoms}
    if "@" in plain and "dot" in signs and " " not in plain:
        return "email"
    if "dot" in signs and " " not in plain and plain[-1:].isalnum():
        return "file"
    if plain and all(sign.isdigit() or sign in "+-(). /" for sign in plain):
        count = sum(sign.isdigit() for sign in plain)
        return "phone" if count >= _MIN_PHONE_DIGITS else "code"
    if " " not in plain and ("code" in kinds or any(map(str.isdigit, plain)) or "_" in plain):
        return "code"
    if plain.isupper() and plain.isalpha() and len(plain) <= 6:
        return "code"
    return "name" if any(word[:1].isupper() for word in plain.split()) else "text"


def _find(target: _Target, text: str, language: str) -> Statement | None:
    readout = read(text, language)
    if target.typed is not None:
        found = _find_typed(target, target.typed, readout)
        if found is not None:
            return _statement(readout, target, *found)
        if target.typed.kind != "number" or not _may_be_grouped(target):
            return None
    for units in _variants(readout):
        row = _find_row(target, units, readout)
        if row is not None:
            first, last = units[row[0]], units[row[1]]
            return _statement(readout, target, first.token, last.last)
    return None


def _may_be_grouped(target: _Target) -> bool:
    """Whether the digits of a number may also be those of a code: there are enough of them."""
    return len(target.digits) >= _MIN_JOINED or target.raw.startswith("0")


# Typed values


def _find_typed(target: _Target, typed: Item, readout: ReadText) -> tuple[int, int] | None:
    items = readout.items
    for number, item in enumerate(items):
        if item.kind in _TYPED and _is_same(typed, item):
            return item.first, item.end - 1
        if item.kind == "ordinal" and typed.kind == "number" and item.value == typed.value:
            is_figure = not item.is_words or readout.language[:2] in {"en", "id"}
            if is_figure:
                return item.first, item.end - 1
        if typed.kind == "time" and _is_clock_pair(typed, items, number, readout):
            return item.first, items[number + 1].end - 1
        if typed.kind == "number" and item.kind == "number":
            joined = _joined_number(typed, items, number, readout)
            if joined is not None:
                return joined
    return None


def _is_clock_pair(
    typed: Item, items: tuple[Item, ...], at: int, readout: ReadText
) -> bool:
    """Whether two number words state an hour and minutes on 24 hours: `seventeen thirty`."""
    if at + 1 >= len(items) or not _continues(items, at + 1, readout):
        return False
    if at + 2 < len(items) and _continues(items, at + 2, readout):
        return False
    hour, minute = items[at], items[at + 1]
    if not (hour.is_words and minute.is_words) or (at and _continues(items, at, readout)):
        return False
    one, other = hour.value, minute.value
    if not isinstance(one, Decimal) or not isinstance(other, Decimal):
        return False
    if not (13 <= one <= 23 and 10 <= other < 60) or one % 1 or other % 1:
        return False
    return isinstance(typed.value, frozenset) and typed.value == {int(one) * 60 + int(other)}


def _is_same(wanted: Item, item: Item) -> bool:
    match wanted.kind:
        case "number":
            return _number_of(item, wanted) == wanted.value
        case "date":
            return item.kind == "date" and _is_same_date(wanted.value, item.value)
        case "time":
            return item.kind == "time" and _is_same_time(wanted.value, item.value)
        case "percent":
            return item.kind == "percent" and item.value == wanted.value
        case _:
            return item.kind == wanted.kind and item.value == wanted.value


def _number_of(item: Item, wanted: Item) -> object:
    """Return the number that an item states; a share may be stated as a percentage."""
    if item.kind == "money" and isinstance(item.value, tuple):
        return item.value[1]
    if item.kind == "percent" and isinstance(item.value, Decimal):
        is_share = isinstance(wanted.value, Decimal) and wanted.value % 1 != 0
        if is_share and isinstance(wanted.value, Decimal) and item.value == wanted.value * 100:
            return wanted.value
        return item.value
    return item.value if item.kind == "number" else None


def _is_same_date(wanted: object, found: object) -> bool:
    """Whether a date is stated; what the value does not say may be anything."""
    if not isinstance(wanted, tuple) or not isinstance(found, tuple):
        return False
    return all(own is None or own == other for own, other in zip(wanted, found, strict=True))


def _is_same_time(wanted: object, found: object) -> bool:
    """Whether a time is stated; a value without the half of the day may be in either."""
    if not isinstance(wanted, frozenset) or not isinstance(found, frozenset):
        return False
    if len(wanted) > 1 and max(wanted) < 13 * 60:
        wanted = frozenset({max(wanted)})  # `12:00` is noon; nobody writes `00:00` so
        return wanted <= found
    if len(wanted) > 1:
        return bool(wanted & found)
    if len(found) == 1:
        return wanted == found
    # `05:30` is said without the half of the day; `5:30 PM` is not.
    return min(found) in wanted


def _joined_number(
    typed: Item, items: tuple[Item, ...], start: int, readout: ReadText
) -> tuple[int, int] | None:
    """Find a number that is said digit by digit, in pairs, or in groups of three figures."""
    if not isinstance(typed.value, Decimal) or typed.value < 10 or typed.value % 1:
        return None
    wanted = f"{typed.value:f}"
    if start and _continues(items, start, readout):
        return None
    digits, at = "", start
    sizes: list[int] = []
    words = True
    while at < len(items) and items[at].kind == "number" and (at == start or _continues(items, at, readout)):
        item = items[at]
        own = item.digits or (f"{item.value:f}" if isinstance(item.value, Decimal) else "")
        if not own.isdigit():
            return None
        digits, at = digits + own, at + 1
        sizes.append(len(own))
        words = words and item.is_words
    if len(sizes) < 2 or digits != wanted:
        return None
    is_digits = max(sizes) == 1
    is_pairs = words and set(sizes) <= {1, 2} and sizes[0] == 2
    is_thousands = sizes[0] <= 3 and set(sizes[1:]) == {3}
    if not (is_digits or is_pairs or is_thousands):
        return None
    return items[start].first, items[at - 1].end - 1


def _continues(items: tuple[Item, ...], at: int, readout: ReadText) -> bool:
    """Whether an item goes on what stands before it: a number behind a number, without a comma."""
    before, item = items[at - 1], items[at]
    gap = readout.tokens[item.first].gap
    return before.kind == "number" and item.kind == "number" and gap in {" ", "-", ""}


# Rows of units


@lru_cache(maxsize=512)
def _units(readout_text: str, language: str) -> tuple[Unit, ...]:
    return tuple(units_of(read(readout_text, language)))


def units_of(readout: ReadText) -> Iterator[Unit]:
    """Yield the canonical units of a text with the tokens that they come from."""
    for number, item in enumerate(readout.items):
        yield from _units_of_item(number, item, readout)


def _units_of_item(number: int, item: Item, readout: ReadText) -> Iterator[Unit]:
    atoms = item.atoms
    if not atoms:
        return
    last = item.end - 1
    by_token = _by_token(item, readout)
    if by_token is None:
        end = len(atoms) - 1
        for at, atom in enumerate(atoms):
            yield Unit(atom, number, item.first, last, at == 0, at == end)
        return
    for token, own in by_token:
        end = len(own) - 1
        for at, atom in enumerate(own):
            yield Unit(atom, number, token, token, at == 0, at == end)


def _by_token(item: Item, readout: ReadText) -> list[tuple[int, tuple[str, ...]]] | None:
    """Return the units of each token of a code; None for anything else."""
    if item.kind != "code":
        return None
    shared: list[tuple[int, tuple[str, ...]]] = []
    left = list(item.atoms)
    for token in range(item.first, item.end):
        text = readout.tokens[token].text
        own: list[str] = []
        while left and len("".join(own).replace("point", ".")) < len(text):
            own.append(left.pop(0))
        shared.append((token, tuple(own)))
    return shared


def _variants(readout: ReadText) -> Iterator[tuple[Unit, ...]]:
    """Yield the units of a text, and once more with the letters that words of an alphabet name."""
    units = _units(readout.text, readout.language)
    yield units
    spelled = _with_named_letters(units, readout)
    if spelled != units:
        yield spelled
    plain = _without_links(units, readout)
    if plain != units:
        yield plain


def _with_named_letters(units: tuple[Unit, ...], readout: ReadText) -> tuple[Unit, ...]:
    """Replace names of letters by the letters: `bê`, `alfa`, `B as in boy`, `double u`."""
    lexicon = lexicon_of(readout.language)
    english = lexicon.language == "en"
    letters = nato_letters() if english else {}
    texts = [unit.text for unit in units]
    found: list[Unit] = []
    at = 0
    while at < len(units):
        unit = units[at]
        letter, end = letters.get(unit.text, ""), at + 1
        if english and texts[at + 1 : at + 3] in (["as", "in"], ["for", "in"]) and len(unit.text) == 1:
            letter, end = unit.text, min(at + 4, len(units))
        elif english and texts[at : at + 2] in (["double", "u"], ["double", "you"]):
            letter, end = "w", at + 2
        elif english and texts[at : at + 2] == ["x", "ray"]:
            letter, end = "x", at + 2
        elif not letter and (named := lexicon.letter.at(texts, at)) is not None:
            letter, end = named
        if letter:
            last = units[end - 1].last
            found.append(Unit(letter, unit.item, unit.token, last, opens=True, closes=True))
        else:
            found.append(unit)
        at = end
    return tuple(found)


def _without_links(units: tuple[Unit, ...], readout: ReadText) -> tuple[Unit, ...]:
    """Leave out words that link the parts of a code: `US, numbered 9148817941`, `dash`, `hyphen`."""
    links = lexicon_of(readout.language).code_link
    found: list[Unit] = []
    for at, unit in enumerate(units):
        before = units[at - 1] if at else None
        after = units[at + 1] if at + 1 < len(units) else None
        is_link = unit.text in links or unit.text == "dash"
        is_between = before is not None and after is not None and _is_sign(after) and _is_codelike(before)
        if not (is_link and is_between and unit.opens and unit.closes):
            found.append(unit)
    return tuple(found)


def _is_sign(unit: Unit) -> bool:
    return len(unit.text) == 1 and unit.text.isalnum()


def _is_codelike(unit: Unit) -> bool:
    return _is_sign(unit) or (unit.text.isascii() and unit.text.isalpha() and len(unit.text) <= 3)


def _find_row(target: _Target, units: tuple[Unit, ...], readout: ReadText) -> tuple[int, int] | None:
    """Return the first and last unit of the row that states a value."""
    wanted = target.joined
    if not wanted:
        return None
    for start, unit in enumerate(units):
        if not unit.opens or not wanted.startswith(unit.text):
            continue
        end, length = start, 0
        while end < len(units) and wanted.startswith(units[end].text, length):
            length += len(units[end].text)
            if length == len(wanted):
                if units[end].closes and _stands_alone(target, units, start, end, readout):
                    return start, end
                break
            end += 1
    return None


def _stands_alone(
    target: _Target, units: tuple[Unit, ...], start: int, end: int, readout: ReadText
) -> bool:
    """Whether a row is no part of a longer value, and its parts belong together."""
    before = units[start - 1] if start else None
    after = units[end + 1] if end + 1 < len(units) else None
    gaps = [
        readout.tokens[right.token].gap
        for left, right in pairwise(units[start : end + 1])
        if right.token != left.token
    ]
    if not _may_cross(target, gaps, units[start : end + 1]):
        return False
    if before is not None and _is_joined_before(target, before, units[start], readout):
        return False
    return after is None or not _is_joined_after(target, units[end], after, readout, bool(gaps))


def _may_cross(target: _Target, gaps: Iterable[str], row: tuple[Unit, ...]) -> bool:
    """Whether the gaps inside a row may belong to the value: the end of a stretch does only in free text."""
    found = set(gaps)
    if target.kind in {"text", "name"}:
        return True
    if target.kind == "code" and len(target.joined) < _MIN_ACROSS_COMMAS and "," in found:
        return False
    if target.kind == "number":
        is_digits = all(len(unit.text) == 1 for unit in row)
        return is_digits and not ({",", "."} & found and len(row) < _MIN_ACROSS_COMMAS)
    return True


def _is_joined_before(target: _Target, before: Unit, first: Unit, readout: ReadText) -> bool:
    gap = readout.tokens[first.token].gap
    if before.token == first.token and before.item == first.item:
        return True
    if target.kind in {"email", "file"}:
        if not before.text.isascii() and not first.text.isascii() and _is_unspaced(readout):
            return False  # without spaces nobody can tell where a name begins
        is_sign = before.text in _SIGN_NAMES and before.text not in {"at", "plus", "slash"}
        return (is_sign and gap in {"", " "}) or (gap == "" and before.text != "slash")
    if gap == "":
        # A sign that is said, such as the currency of an amount or the hash of an id.
        return _is_alphanumeric(before) and not _is_unspaced(readout)
    if target.kind == "name" and gap == "-" and before.text.isalpha() and len(before.text) > 1:
        return True
    if target.kind in {"code", "phone", "number"}:
        if before.text in _ADDRESS_SIGNS - {"at"} and gap == " ":
            return before.text == "underscore"
        return _is_grouped(before, first, gap, at_start=True)
    return target.kind in {"name", "text"} and before.text == "underscore"


def _is_joined_after(
    target: _Target, last: Unit, after: Unit, readout: ReadText, has_gaps: bool
) -> bool:
    gap = readout.tokens[after.token].gap
    if after.token == last.token and after.item == last.item:
        return after.text != "s"
    if target.kind in {"email", "file"}:
        return (after.text in {"dot", "underscore"} and gap in {"", " "}) or (gap == "" and _is_alphanumeric(after))
    if gap == "":
        return _is_alphanumeric(after) and not _is_unspaced(readout)
    if target.kind == "name" and gap == "-" and after.text.isalpha() and len(after.text) > 1:
        return True
    if target.kind in {"code", "phone", "number"}:
        if not has_gaps and gap == " " and last.token != after.token:
            return last.text.isdigit() and after.text.isdigit() and after.opens and not after.closes and False
        return _is_grouped(last, after, gap, at_start=False)
    return target.kind in {"name", "text"} and after.text == "underscore"


def _is_unspaced(readout: ReadText) -> bool:
    return not lexicon_of(readout.language).is_spaced


def _is_alphanumeric(unit: Unit) -> bool:
    return unit.text not in _SIGN_NAMES and unit.text not in {"percent", "and", "minus", "equals"}


def _is_grouped(left: Unit, right: Unit, gap: str, *, at_start: bool) -> bool:
    """Whether two units beside the edge of a row belong to one code: digits, or spelled letters."""
    if gap not in {" ", "-"}:
        return False
    outer = left if at_start else right
    inner = right if at_start else left
    if outer.text.isdigit() and inner.text.isdigit():
        return True
    is_letter = len(outer.text) == 1 and outer.text.isalpha() and outer.text.isascii()
    if gap == "-":
        return outer.text.isdigit() or is_letter
    if at_start:
        return is_letter and outer.text not in _ARTICLES
    return is_letter and outer.text not in _ARTICLES and inner.text.isdigit()


def _statement(readout: ReadText, target: _Target, first: int, last: int) -> Statement:
    tokens = readout.tokens
    start, end = tokens[first].start, tokens[last].end
    if target.raw[:1] in {"#", "+"} and readout.text[start - 1 : start] == target.raw[:1]:
        start -= 1
    said = readout.text[start:end]
    return Statement(_form(target, said, first, last, readout), start, end)


def _form(target: _Target, said: str, first: int, last: int, readout: ReadText) -> Form:
    if said.casefold() == target.raw.casefold():
        return "exact"
    tokens = readout.tokens[first : last + 1]
    lexicon = lexicon_of(readout.language)
    if any(token.kind == "word" and token.text in lexicon.number for token in tokens):
        return "words"
    if len(tokens) > 2 and all(len(token.text) == 1 for token in tokens if token.kind != "sign"):
        return "spelled"
    if target.kind in {"code", "phone", "number"} and len(tokens) > 1:
        return "grouped"
    return "reformatted"


def statements(values: Iterable[str], text: str, language: str) -> Mapping[str, Statement | None]:
    """Return for each value, once, where a text states it."""
    return {value: find_value(value, text, language) for value in dict.fromkeys(values)}
