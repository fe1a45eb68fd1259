"""Values that words state: identifiers by their form, and values that a task knows.

Identifiers are facts that a speaker can only know or invent: ids, e-mail addresses, phone
numbers.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

from dragoman.core.tasks import Task
from dragoman.core.texts.entities import EntityKind, argument_texts, contains_entity, find_entities
from dragoman.scoring.speech_accuracy import separate_latin_words

# The first alternative that fits takes its characters: a date is not a phone number, an amount not
# an id. Words of letters alone are none of these, and most of any text.
_FACT = re.compile(
    r"""(?<![A-Za-z0-9_])(?:
    (?P<words>(?:[A-Za-z]{1,80}+(?![A-Za-z0-9_@.%+#-])[ ,?!:;'\n]{1,9}+){1,99}+)
  | (?P<email>[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,5})
  | (?P<date>[0-9]{1,4}(?P<sign>[-/. ])[0-9]{1,2}(?P=sign)[0-9]{1,4}(?![0-9]))
  | (?P<phone>\+?\(?[0-9]{2,4}\)?(?:[ .-]\(?[0-9]{2,4}\)?){2,4}(?![0-9]))
  | (?P<amount>[$€£¥₫฿₹]\s?[0-9][0-9.,]{0,30}
      | [0-9][0-9.,]{0,30}\s?(?:[$€£¥₫฿₹]|(?:dollars?|usd|euros?|eur|bucks|points|miles)\b)
      | [0-9]{1,3}(?:,[0-9]{3}){1,9}(?:\.[0-9]{1,9})?
      | [0-9]{1,30}[.,:][0-9]{1,30})
  | (?P<token>\#?[A-Za-z0-9]{1,80}(?:_[A-Za-z0-9]{1,80}){0,9})
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_SIGN = re.compile(r"[0-9@]")
"""Characters in every fact; messages without them are not searched any further."""

_OTHERS = re.compile(r"[^a-z0-9]+")
_NO_SIGNS = bytes(set(range(128)) - set(b"abcdefghijklmnopqrstuvwxyz0123456789"))
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_MEASURE = re.compile(r"[0-9]+[A-Za-z]+")
_MIN_CODE, _MIN_NUMBER, _MIN_PHONE, _MIN_DIGITS = 5, 4, 7, 3
_MOST_MISREAD = 2


def find_identifiers(text: str) -> Iterator[str]:
    """Yield the facts in a text that identify something.

    These are e-mail addresses; groups of digits that make a phone or card number of seven digits
    or more; codes of five characters or more that mix letters and digits (three digits, or capitals
    only); numbers of four digits or more. Dates, times, years, amounts, numbers that end in 00 and
    measures (256GB) are quantities, which people may also reckon.
    """
    readable = normalize_characters(text)
    if not _SIGN.search(readable):
        return
    for found in _FACT.finditer(readable):
        fact = found.group()
        match found.lastgroup:
            case "email":
                yield fact.rstrip(".-")
            case "phone" if _is_long(fact):
                yield fact
            case "token" if _identifies(fact.lstrip("#")):
                yield fact
            case _:
                pass


def unknown_identifiers(facts: Iterable[str], known: str) -> Iterator[str]:
    """Yield the facts that do not occur in a text; both are compared by letters and digits only."""
    squeezed: str | None = None
    for fact in facts:
        squeezed = alphanumeric(known) if squeezed is None else squeezed
        if not contains_identifier(fact, squeezed):
            yield fact


def contains_identifier(fact: str, squeezed: str) -> bool:
    """Return whether a fact occurs in what `alphanumeric` left of a text."""
    core = alphanumeric(fact)
    # Country codes come and go.
    return (core[-_MIN_PHONE:] if core.isdigit() else core) in squeezed


def is_misread(wrong: str, right: str) -> bool:
    """Return whether two values (see `alphanumeric`) differ in one or two signs of as many."""
    if len(wrong) != len(right):
        return False
    return 0 < sum(one != other for one, other in zip(wrong, right, strict=True)) <= _MOST_MISREAD


def alphanumeric(text: str) -> str:
    """Return a text's ASCII letters and digits, in small letters.

    Of texts that are joined by anything else, it is theirs joined.
    """
    if text.isascii():
        return text.encode().lower().translate(None, _NO_SIGNS).decode()
    return _OTHERS.sub("", normalize_characters(text).casefold())


def normalize_characters(text: str) -> str:
    """Return a text with compatible characters unified and every decimal digit as ASCII."""
    if text.isascii():
        return text
    return "".join(map(_digit, unicodedata.normalize("NFKC", text)))


def _digit(character: str) -> str:
    return str(unicodedata.decimal(character)) if character.isdecimal() else character


def _is_long(number: str) -> bool:
    """Return whether groups of digits make a phone or card number.

    Clock times are groups of two.
    """
    groups = re.findall(r"[0-9]+", number)
    return sum(map(len, groups)) >= _MIN_PHONE and max(map(len, groups)) >= _MIN_DIGITS


def _identifies(token: str) -> bool:
    if token.isalpha():
        return False
    digits = sum(character.isdigit() for character in token)
    if digits == len(token):
        is_quantity = bool(_YEAR.fullmatch(token)) or token.endswith("00")
        return len(token) >= _MIN_NUMBER and not is_quantity
    if digits == 0 or len(token) < _MIN_CODE or _MEASURE.fullmatch(token):
        return False
    return digits >= _MIN_DIGITS or token.isupper()


_MIN_SIGNS = 2
"""Shorter values stand in too many texts that say nothing of them."""

_MIN_ID_DIGITS = 3
"""Number of digits from which a word that no task knows counts as an id."""

IDENTIFYING: frozenset[EntityKind] = frozenset({"email", "phone", "code"})
"""Kinds of values that identify something.

Numbers and dates may mean something different.
"""


def known_values(task: Task) -> tuple[str, ...]:
    """Return the values that a task's user may have to say: facts, and values of calls."""
    actions = () if task.criteria is None else task.criteria.actions or ()
    facts = (fact.value for fact in task.scenario.facts)
    planned = (value for action in actions for value in argument_texts(action.arguments))
    values = dict.fromkeys((*facts, *planned))
    return tuple(value for value in values if len(value) >= _MIN_SIGNS)


@lru_cache(maxsize=256)
def stated_values(known: tuple[str, ...], text: str, language: str) -> tuple[str, ...]:
    """Return the known values that a text states, and its further identifiers.

    These are ids, telephone numbers and addresses. The results are cached for a while, since
    several measures read the same messages.
    """
    words = separate_latin_words(text, language)
    stated = (value for value in known if contains_entity(value, words))
    beside = tuple(filter(is_long_identifier, stated_identifiers(text, language)))
    if not beside:
        return tuple(stated)
    # "7700 900913, so +44 7700 900913" states one number.
    wholes = (*alphanumeric_values(known), *map(alphanumeric, beside))
    parts = {
        each for each in beside if any(_is_part(alphanumeric(each), whole) for whole in wholes)
    }
    right = alphanumeric_values(known)
    others = (each for each in beside if each not in parts and alphanumeric(each) not in right)
    return (*stated, *others)


def _is_part(value: str, whole: str) -> bool:
    return value in whole and value != whole


@lru_cache(maxsize=256)
def stated_identifiers(text: str, language: str) -> tuple[str, ...]:
    """Return the values that identify something by their form, known to a task or not."""
    found = find_entities(separate_latin_words(text, language))
    return tuple(each.text for each in found if each.kind in IDENTIFYING)


def is_long_identifier(value: str) -> bool:
    """Return whether a value has enough digits for an id, or is an e-mail address."""
    return "@" in value or sum(map(str.isdigit, value)) >= _MIN_ID_DIGITS


@lru_cache(maxsize=16)
def alphanumeric_values(known: tuple[str, ...]) -> frozenset[str]:
    """Return known values as `alphanumeric` writes them."""
    return frozenset(map(alphanumeric, known))


@lru_cache(maxsize=1024)
def value_key(value: str) -> str:
    """Return what all writings of a stated value have in common."""
    return alphanumeric(value) or value
