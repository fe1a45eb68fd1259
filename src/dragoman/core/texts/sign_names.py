"""What digits, letters and signs are called where values are spelled: the table beside this module."""

from functools import cache
from importlib.resources import files

import msgspec


class SignNames(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The English names of signs.

    Attributes:
        digits: The words of 0 to 9.
        nato: The NATO alphabet's word of each letter, one word without a hyphen.
        nato_in_english: Its words whose usual English spelling is another.
        signs: The word of each sign that is no letter or digit.
    """

    digits: tuple[str, ...]
    nato: dict[str, str]
    nato_in_english: dict[str, str]
    signs: dict[str, str]


@cache
def sign_names() -> SignNames:
    """Return the table of names."""
    content = files(__package__).joinpath("sign_names.toml").read_bytes()
    return msgspec.toml.decode(content, type=SignNames)
