"""Time as a caller feels it: how long an agent's reply took."""

import msgspec


class Latency(msgspec.Struct, frozen=True, omit_defaults=True):
    """How long one reply took, from when it was asked for.

    Only what was answered counts: neither failed attempts, nor what was waited for before and between.

    Attributes:
        seconds: To the end of the whole reply; None where nobody knows.
        first_word: To its first word, in seconds, where it was seen to come; None where the reply came
            in one piece.
        is_stated: Whether who replied is a program of ours, whose own time says nothing: a constant
            stands for it wherever time is read.
        overlap: For how many seconds it was spoken while the user was speaking; None where nothing can
            overlap.
        is_interrupted: Whether the user cut it short; None where no user can.
    """

    seconds: float | None = None
    first_word: float | None = None
    is_stated: bool = False
    overlap: float | None = None
    is_interrupted: bool | None = None


UNKNOWN = Latency()
"""A reply of which nobody knows how long it took."""

STATED = Latency(is_stated=True)
"""A reply of a program of ours."""
