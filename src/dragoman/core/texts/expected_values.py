"""What an argument of an expected call may be, in the texts that a user can say."""

from collections.abc import Iterable

import msgspec

from dragoman.core.texts.said_values import texts_of


class ExpectedValue(msgspec.Struct, frozen=True):
    """One argument of one expected call.

    Attributes:
        turn: The turn in which it is expected, from 0.
        argument: The parameter's name.
        alternatives: What will do; each alternative is all texts and numbers that it holds.
    """

    turn: int
    argument: str
    alternatives: tuple[tuple[str, ...], ...]


def expected_value(turn: int, argument: str, alternatives: Iterable[object]) -> ExpectedValue:
    """Return an argument's value with the texts of each of its alternatives, those without any left out."""
    texts = (tuple(texts_of(alternative)) for alternative in alternatives)
    return ExpectedValue(turn, argument, tuple(each for each in texts if each))
