"""Texts that the voices read for the acoustic model.

They are sentences of our own (in `adaptation_sentences.txt`), frequent words, codes and numbers.
Words and codes are drawn with a seed of the voice. A fifth of the dictionary's words is never drawn
(`is_held_out`), so that the model's accuracy on unread words can be measured.
"""

import hashlib
from pathlib import Path
from random import Random
from string import ascii_uppercase, digits

import numpy as np

from dragoman.conditions.voice.pocketsphinx_data import (
    Pronunciations,
    pocketsphinx_model_folder,
    read_bigrams,
)
from dragoman.conditions.voice.verbalization.english_words import (
    cardinal,
    spoken_amount,
    spoken_date,
    spoken_time,
)
from dragoman.conditions.voice.verbalization.english_words import spell_digits as said_digits
from dragoman.conditions.voice.verbalization.spelling import (
    SpokenStyle,
    spoken_email,
    verbalize_spelling,
)

SENTENCES = Path(__file__).parent / "adaptation_sentences.txt"

SENTENCES_PER_VOICE = 130
WORD_ROWS_PER_VOICE = 260
CODES_PER_VOICE = 150
NAMES_PER_VOICE = 200
ADDRESSES_PER_VOICE = 70
NUMBERS_PER_VOICE = 60

_FREQUENT = 9_000
_WORDS_IN_A_ROW = 9
_HELD_OUT_BELOW = 51
_CODE_CARRIERS = (
    "{}",
    "{} is the reference",
    "it says {} on the paper",
    "letters {} please note",
    "write down {} now",
    "she told me {} yesterday",
    "the booking code reads {} okay",
)
_NUMBER_CARRIERS = (
    "{} was mentioned",
    "we agreed on {} together",
    "they wrote {} on it",
    "maybe {} is correct",
)
_NAME_CARRIERS = (
    "{}",
    "please read {} back",
    "they write {} in full",
    "her surname goes {} thanks",
    "i think it was {} in the end",
)
_ADDRESS_CARRIERS = ("{}", "mail goes to {} first", "she uses {} at work")
_PLAIN = (
    *(SpokenStyle(),) * 4,
    *(SpokenStyle(group=0),) * 3,
    *(SpokenStyle(group=1),) * 2,
    SpokenStyle(twice=True),
)
_STYLES = (*_PLAIN, *(SpokenStyle(letters="nato"),) * 3, SpokenStyle(letters="as in"))
_HOSTS = ("mail", "post", "inbox", "letters", "webmail", "network")
_ENDINGS = ("com", "net", "org", "co.uk")
_LEAST_FREQUENT_SPELLED = 3_000


def is_held_out(word: str) -> bool:
    return hashlib.sha256(word.encode()).digest()[0] < _HELD_OUT_BELOW


def sentences() -> tuple[str, ...]:
    return tuple(SENTENCES.read_text("utf-8").splitlines())


def frequent_words(known: Pronunciations) -> tuple[str, ...]:
    """Return the generic model's most frequent words that may be read, in that order."""
    bigrams = read_bigrams(pocketsphinx_model_folder() / "en-us.lm.bin")
    words = (bigrams.words[number] for number in np.argsort(-bigrams.single, kind="stable"))
    usable = (word for word in words if word.isalpha() and len(word) > 1 and word in known)
    return tuple(
        word for word, _ in zip(usable, range(_FREQUENT), strict=False) if not is_held_out(word)
    )


def texts_for(voice: int, frequent: tuple[str, ...]) -> tuple[str, ...]:
    """Return the texts that the voice with a number reads."""
    random = Random(voice)  # noqa: S311 - draws words, keeps no secret
    own = sentences()
    first = voice * 97 % len(own)
    return (
        *(own[(first + n) % len(own)] for n in range(SENTENCES_PER_VOICE)),
        *(_row(random, frequent) for _ in range(WORD_ROWS_PER_VOICE)),
        *(_code(random) for _ in range(CODES_PER_VOICE)),
        *(_name(random, frequent) for _ in range(NAMES_PER_VOICE)),
        *(_address(random, frequent) for _ in range(ADDRESSES_PER_VOICE)),
        *(_number(random) for _ in range(NUMBERS_PER_VOICE)),
    )


def _row(random: Random, frequent: tuple[str, ...]) -> str:
    return " ".join(random.choices(frequent, k=_WORDS_IN_A_ROW))


def _code(random: Random) -> str:
    signs = random.choice((ascii_uppercase, ascii_uppercase + digits * 2, digits))
    style = random.choice(_STYLES)
    length = 5 if style.letters == "as in" else random.randint(4, 10)
    value = "".join(random.choices(signs, k=length))
    return _carried(random, _CODE_CARRIERS, verbalize_spelling(value, style))


def _name(random: Random, frequent: tuple[str, ...]) -> str:
    """Return a rarer word in the form in which callers spell a name.

    Its letters follow each other as in names.
    """
    value = random.choice(frequent[_LEAST_FREQUENT_SPELLED:])
    return _carried(random, _NAME_CARRIERS, verbalize_spelling(value, random.choice(_PLAIN)))


def _address(random: Random, frequent: tuple[str, ...]) -> str:
    first, second = random.choices(frequent[_LEAST_FREQUENT_SPELLED:], k=2)
    local = random.choice((f"{first}.{second}", f"{first}{random.randint(1, 99)}", second))
    host = f"{random.choice(_HOSTS)}.{random.choice(_ENDINGS)}"
    return random.choice(_ADDRESS_CARRIERS).format(spoken_email(f"{local}@{host}"))


def _carried(random: Random, carriers: tuple[str, ...], said: str) -> str:
    return random.choice(carriers).format(f", {said},").strip(", ")


def _number(random: Random) -> str:
    written = (
        spoken_date(
            f"{random.randint(1950, 2035)}-{random.randint(1, 12):02}-{random.randint(1, 28):02}"
        ),
        spoken_date(f"{random.randint(1, 12):02}-{random.randint(1, 28):02}"),
        spoken_amount(f"${random.randint(1, 3_000)}.{random.randint(0, 99):02}"),
        spoken_time(f"{random.randint(0, 23)}:{random.randint(0, 59):02}"),
        cardinal(random.randint(10, 9_999)),
        said_digits(f"{random.randint(100, 99_999)}"),
    )
    return random.choice(_NUMBER_CARRIERS).format(random.choice(written))
