"""Expected argument values of a conversation's calls."""

import msgspec


class ExpectedValue(msgspec.Struct, frozen=True):
    """One argument of one expected call.

    Attributes:
        turn: The turn of the call, from 0.
        argument: The parameter's name.
        alternatives: The right values; each is the tuple of all texts and numbers that it contains.
    """

    turn: int
    argument: str
    alternatives: tuple[tuple[str, ...], ...]
