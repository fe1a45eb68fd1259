"""Bounds what a stored record may cost in memory, before it is decoded.

A record of some kilobytes can unpack to millions of small values, each of which becomes an object
many times its size. Whoever sends a run wrote its records, so each is looked at first.
"""

import re
from itertools import islice

MOST_MEMORY = 32 * 2**20
"""Bytes that a record's JSON and its decoded values may take together: 16 MiB of plain text, 6 MiB of
text with emoji, or 300,000 small values. Conversations of benchmarks take less than a hundredth."""

_BYTES_PER_VALUE = 100
"""What the costliest small values take: `[]` is a list of 56 bytes, its place in another and the rest."""

_WIDEST = 4
"""Bytes that each character takes in a text that holds one emoji."""

_VALUE = re.compile(rb'"(?:[^"\\]++|\\.)*+"?|[\[{,]', re.DOTALL)
"""A whole text, or the sign that begins another value; signs within texts begin none."""

_HAS_EMOJI = re.compile(rb"[\xf0-\xff]|\\u").search
_HAS_WIDE = re.compile(rb"[\xc4-\xef]").search


def bounded_json(content: bytes, most: int = MOST_MEMORY) -> bytes:
    """Return a record's JSON as it is, where it may be decoded.

    Args:
        content: The JSON.
        most: Bytes that the JSON and what is decoded from it may take together.

    Raises:
        ValueError: Where they could take more.
    """
    size = len(content)
    # A byte costs itself, its place in a text and one value at most: nearly all records end here.
    if size * (1 + _WIDEST + _BYTES_PER_VALUE) <= most:
        return content
    left = most - size
    if size <= left:
        left -= size * _character_width(content)
    else:
        left = -1
    if left < 0:
        raise ValueError(f"its {size:,} bytes are more than a record may hold")
    values = left // _BYTES_PER_VALUE
    if sum(1 for _ in islice(_VALUE.finditer(content), values + 1)) > values:
        raise ValueError(f"its {size:,} bytes hold more than {values:,} values")
    return content


def _character_width(content: bytes) -> int:
    if _HAS_EMOJI(content):
        return _WIDEST
    return 2 if _HAS_WIDE(content) else 1
