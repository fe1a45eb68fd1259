"""How callers spell and count, whatever the suite: codes, names, dates, amounts and addresses.

These sentences are made from a seed and hold no suite's values; they tell a language model that a
letter follows a letter and that hundreds come after numbers.
"""

from random import Random
from string import ascii_uppercase, digits

from dragoman.conditions.voice.spoken_dates import spoken_date, spoken_time
from dragoman.conditions.voice.spoken_money import spoken_amount
from dragoman.conditions.voice.spoken_numbers import cardinal
from dragoman.conditions.voice.spoken_spelling import SpokenStyle, spelled

_SEED = 20_261_121
_SPELLED = 3_000
_COUNTED = 2_000
_CARRIERS = ("{}", "{}", "my name is {}", "it is spelled {}", "the number is {}", "the code is {}")
_STYLES = (
    SpokenStyle(),
    SpokenStyle(),
    SpokenStyle(letters="nato"),
    SpokenStyle(letters="as in"),
    SpokenStyle(twice=True),
)


def patterns() -> tuple[str, ...]:
    """Return the sentences, the same at every call."""
    random = Random(_SEED)  # noqa: S311 - for speech, not for secrets
    said = [_spelled(random) for _ in range(_SPELLED)]
    return (*said, *(_counted(random) for _ in range(_COUNTED)))


def _spelled(random: Random) -> str:
    signs = random.choice((ascii_uppercase, digits, ascii_uppercase + digits * 2))
    value = "".join(random.choices(signs, k=random.randint(4, 11)))
    return random.choice(_CARRIERS).format(spelled(value, random.choice(_STYLES)))


def _counted(random: Random) -> str:
    kind = random.choice(("date", "amount", "time", "number"))
    if kind == "date":
        year = f"{random.randint(1950, 2035)}-" if random.getrandbits(1) else ""
        return spoken_date(f"{year}{random.randint(1, 12):02}-{random.randint(1, 28):02}")
    if kind == "amount":
        cents = f".{random.randint(0, 99):02}" if random.getrandbits(1) else ""
        return spoken_amount(f"${random.randint(1, 3_000)}{cents}")
    if kind == "time":
        return spoken_time(f"{random.randint(0, 23)}:{random.randint(0, 59):02}")
    return cardinal(random.choice((random.randint(0, 99), random.randint(100, 9_999))))
