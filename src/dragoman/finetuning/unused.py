"""Rows that are not learnt from."""

import msgspec


class UnusedRow(msgspec.Struct, frozen=True):
    """A row that is not learnt from, and why."""

    row: str
    why: str
