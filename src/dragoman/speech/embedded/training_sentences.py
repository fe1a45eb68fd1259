"""Training sentences of language models: a suite's texts, and patterns of spelling and counting.

The patterns are made from a seed, of random signs and frequent English words, and hold no suite's
values; they show a language model that a letter follows a letter and that hundreds follow numbers.
"""

import re
from collections.abc import Iterator, Sequence
from random import Random
from string import ascii_uppercase, digits

from dragoman.conditions.voice.verbalization.english_words import (
    cardinal,
    spoken_amount,
    spoken_date,
    spoken_time,
)
from dragoman.conditions.voice.verbalization.spelling import (
    SpokenStyle,
    spoken_email,
    verbalize_spelling,
)
from dragoman.conditions.voice.verbalization.spoken_form import verbalize
from dragoman.speech.embedded.language_model import SuiteText

MAX_VALUES = 60_000
"""More texts of one database are not read: their words come again and again."""

_MAX_DEPTH = 32
_SENTENCE_END = re.compile(r"(?<=[.!?:;])\s+|\n+")
_WORD_BREAK = re.compile(r"_|(?<=[a-z])(?=[A-Z])")
_MARKUP = re.compile(r"[*`|<>\[\]{}()\"]+|^#+")


def text_sentences(source: str, text: str) -> SuiteText:
    """Return the sentences of a text in markdown, as they are said."""
    parts = (
        " ".join(_MARKUP.sub(" ", part).split()).lstrip("- ") for part in _SENTENCE_END.split(text)
    )
    return SuiteText(source, tuple(dict.fromkeys(verbalize(part) for part in parts if part)))


def record_sentences(source: str, value: object) -> SuiteText:
    """Return the texts in decoded JSON, each as a sentence.

    Values are verbalized, and names are given as words. Texts at more than 32 levels of depth, and
    texts after `MAX_VALUES`, are skipped.
    """
    found: dict[str, None] = {}
    for text in _texts(value, 0):
        if len(found) >= MAX_VALUES:
            break
        found[text] = None
    sentences = (text_sentences(source, text).sentences for text in found)
    return SuiteText(source, tuple(dict.fromkeys(said for row in sentences for said in row)))


def _texts(value: object, depth: int) -> Iterator[str]:
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, str):
        yield value
        if "_" in value:
            yield _WORD_BREAK.sub(" ", value)
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield _WORD_BREAK.sub(" ", str(name))
            yield from _texts(inner, depth + 1)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner, depth + 1)


_SEED = 20_261_121
_CODES = 4_000
_NAMES = 6_000
_ADDRESSES = 2_000
_COUNTED = 2_000
_CARRIERS = ("{}", "{}", "my name is {}", "it is spelled {}", "the number is {}", "the code is {}")
_ADDRESS_CARRIERS = ("{}", "it is {}", "my email is {}", "the address is {}", "write to {}")
_STYLES = (
    SpokenStyle(),
    SpokenStyle(),
    SpokenStyle(letters="nato"),
    SpokenStyle(letters="as in"),
    SpokenStyle(twice=True),
)
_HOSTS = ("gmail", "yahoo", "outlook", "hotmail", "icloud", "mail", "example", "proton")
_ENDINGS = ("com", "com", "com", "net", "org", "co.uk")
_COUNTRIES = ("US", "GB", "CA", "AU", "DE", "FR", "CN", "JP", "SG", "TH", "VN", "ID", "MY", "PH")
_TOO_FREQUENT = 1_000
"""A sentence with this many words is hardly ever a name."""
_SHORTEST = 3
_NOON = 12


def pattern_sentences(words: Sequence[str]) -> tuple[str, ...]:
    """Return the sentences, the same at every call.

    Args:
        words: English words, the frequent ones first; rarer ones are spelled as names are.
    """
    random = Random(_SEED)  # noqa: S311 - for speech, not for secrets
    names = [word for word in words[_TOO_FREQUENT:] if word.isalpha() and len(word) >= _SHORTEST]
    return (
        *(_compose_spelled_sentence(random, _code(random)) for _ in range(_CODES)),
        *(_compose_spelled_sentence(random, random.choice(names)) for _ in range(_NAMES)),
        *(_address(random, names) for _ in range(_ADDRESSES)),
        *(_draw_verbalized_value(random) for _ in range(_COUNTED)),
    )


def _compose_spelled_sentence(random: Random, value: str) -> str:
    return random.choice(_CARRIERS).format(verbalize_spelling(value, random.choice(_STYLES)))


def _code(random: Random) -> str:
    """Return a code of any signs, of letters before digits, or of a parcel in the post."""
    shape = random.choice(("any", "any", "letters first", "post"))
    if shape == "any":
        signs = random.choice((ascii_uppercase, digits, ascii_uppercase + digits * 2))
        return _draw_signs(random, signs, random.randint(4, 11))
    if shape == "post":
        signs = _draw_signs(random, ascii_uppercase, 2) + _draw_signs(random, digits, 9)
        return f"{signs}{random.choice(_COUNTRIES)}"
    first = _draw_signs(random, ascii_uppercase, random.randint(1, 3))
    return f"{first}{_draw_signs(random, digits, random.randint(3, 9))}"


def _draw_signs(random: Random, signs: str, length: int) -> str:
    return "".join(random.choices(signs, k=length))


def _address(random: Random, names: Sequence[str]) -> str:
    first, second = random.choice(names), random.choice(names)
    number = random.randint(1, 99)
    local = random.choice((f"{first}.{second}", f"{first}{number}", f"{first[0]}{second}", second))
    address = f"{local}@{random.choice(_HOSTS)}.{random.choice(_ENDINGS)}"
    return random.choice(_ADDRESS_CARRIERS).format(spoken_email(address))


def _draw_verbalized_value(random: Random) -> str:
    kind = random.choice(("date", "amount", "time", "number"))
    if kind == "date":
        year = f"{random.randint(1950, 2035)}-" if random.getrandbits(1) else ""
        return spoken_date(f"{year}{random.randint(1, 12):02}-{random.randint(1, 28):02}")
    if kind == "amount":
        cents = f".{random.randint(0, 99):02}" if random.getrandbits(1) else ""
        return spoken_amount(f"${random.randint(1, 3_000)}{cents}")
    if kind == "time":
        hour, minute = random.randint(0, 23), random.randint(0, 59)
        half = "AM" if hour < _NOON else "PM"
        return spoken_time(f"{(hour - 1) % _NOON + 1}:{minute:02} {half}")
    return cardinal(random.choice((random.randint(0, 99), random.randint(100, 9_999))))
