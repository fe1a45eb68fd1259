"""Values that the calls of a conversation are expected to have."""

import msgspec


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
