"""Facts that a speaker can only know or invent: ids, e-mail addresses, numbers, phone numbers."""

import re
import unicodedata
from collections.abc import Iterable, Iterator

# The first alternative that fits takes its characters: a date is no phone number, an amount no id.
# Words of letters alone are none of these, and most of any text.
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
"""What every fact has: most messages have neither, and are not looked through any further."""

_OTHERS = re.compile(r"[^a-z0-9]+")
_NO_SIGNS = bytes(set(range(128)) - set(b"abcdefghijklmnopqrstuvwxyz0123456789"))
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_MEASURE = re.compile(r"[0-9]+[A-Za-z]+")
_MIN_CODE, _MIN_NUMBER, _MIN_PHONE, _MIN_DIGITS = 5, 4, 7, 3
_MOST_MISREAD = 2


def identifying(text: str) -> Iterator[str]:
    """Yield the facts in a text that identify something.

    These are e-mail addresses; groups of digits that make a phone or card number of seven digits
    or more; codes of five characters or more that mix letters and digits (three digits, or capitals
    only); numbers of four digits or more. Dates, times, years, amounts, numbers that end in 00 and
    measures (256GB) are quantities, which people may also reckon.
    """
    readable = plain(text)
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


def unknown(facts: Iterable[str], known: str) -> Iterator[str]:
    """Yield the facts that do not occur in a text; both are compared by letters and digits only."""
    squeezed: str | None = None
    for fact in facts:
        squeezed = squeeze(known) if squeezed is None else squeezed
        if not is_in(fact, squeezed):
            yield fact


def is_in(fact: str, squeezed: str) -> bool:
    """Whether a fact occurs in what `squeeze` left of a text."""
    core = squeeze(fact)
    # Country codes come and go.
    return (core[-_MIN_PHONE:] if core.isdigit() else core) in squeezed


def is_misread(wrong: str, right: str) -> bool:
    """Whether two values (see `squeeze`) differ in one or two signs of as many."""
    if len(wrong) != len(right):
        return False
    return 0 < sum(one != other for one, other in zip(wrong, right, strict=True)) <= _MOST_MISREAD


def squeeze(text: str) -> str:
    """Return a text's ASCII letters and digits, in small letters.

    Of texts that are joined by anything else, it is theirs joined.
    """
    if text.isascii():
        return text.encode().lower().translate(None, _NO_SIGNS).decode()
    return _OTHERS.sub("", plain(text).casefold())


def plain(text: str) -> str:
    """Return a text with compatible characters unified and every decimal digit as ASCII."""
    if text.isascii():
        return text
    return "".join(map(_digit, unicodedata.normalize("NFKC", text)))


def _digit(character: str) -> str:
    return str(unicodedata.decimal(character)) if character.isdecimal() else character


def _is_long(number: str) -> bool:
    """Whether groups of digits make a phone or card number; clock times are groups of two."""
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
