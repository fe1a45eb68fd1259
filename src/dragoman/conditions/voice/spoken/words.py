"""The English words of numbers, letters and signs: the table beside this module."""

import importlib.resources
from functools import cache

import msgspec


class Endings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the names of files and of hosts end with."""

    files: tuple[str, ...]
    hosts: tuple[str, ...]


class Capitals(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words in capitals that are said as words, not letter by letter."""

    words: frozenset[str]


class SpokenWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words as they are said, and as they may be heard.

    Attributes:
        units: 0 to 19.
        tens: 20 to 90.
        around: Words of the sentence around a value, of which none begins one.
        ordinals: Those that are not the number and `th`, by the number's last word.
        heard_ordinals: Words that an ordinal is misheard as, and its number.
        nato: The alphabet's word of each letter.
        as_in: The word that names each letter in `B as in boy`.
        signs: The word of each sign.
        heard_signs: Other words of signs.
        heard_nato: Other words of the alphabet.
        heard_letters: Other words of letters and digits.
        homophones: Words that sound like a letter or a digit.
        endings: Of files and hosts.
        capitals: Words that are no acronyms.
        measures: The words of measures after a number.
    """

    units: tuple[str, ...]
    tens: tuple[str, ...]
    around: tuple[str, ...]
    ordinals: dict[str, str]
    heard_ordinals: dict[str, int]
    nato: dict[str, str]
    as_in: dict[str, str]
    signs: dict[str, str]
    heard_signs: dict[str, str]
    heard_nato: dict[str, str]
    heard_letters: dict[str, str]
    homophones: dict[str, str]
    endings: Endings
    capitals: Capitals
    measures: dict[str, str]

    @property
    def taken(self) -> frozenset[str]:
        """Words that stand for a letter, a digit or a sign, or belong around a value.

        A part of a name that is one of them is spelled.
        """
        return frozenset(
            {
                *self.around,
                *self.units,
                *self.tens,
                *self.nato.values(),
                *self.signs.values(),
                *self.heard_signs,
                *self.heard_nato,
                *self.heard_letters,
                *self.homophones,
                *("double", "triple", "ray"),
            }
        )


@cache
def english_words() -> SpokenWords:
    """Return the table of English words."""
    content = importlib.resources.files(__package__).joinpath("words.toml").read_bytes()
    return msgspec.toml.decode(content, type=SpokenWords)
