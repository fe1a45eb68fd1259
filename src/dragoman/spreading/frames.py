"""The frames in which items and answers travel between a run and its worker processes."""

import struct
from asyncio import IncompleteReadError, StreamReader

HEAD = struct.Struct(">IQB")
"""The length of the content, the number of the item, and what the content is."""

DO, ANSWER, BROKE, REFUSED, BEAT = range(5)
"""An item, its answer, why there is none, why the work cannot be opened at all, and: are you there?"""


def framed(number: int, kind: int, content: bytes) -> bytes:
    """Return a content with its head."""
    return HEAD.pack(len(content), number, kind) + content


async def read_frame(reader: StreamReader) -> tuple[int, int, bytes] | None:
    """Return number, kind and content of the next frame; None where the other side is gone."""
    try:
        length, number, kind = HEAD.unpack(await reader.readexactly(HEAD.size))
        return number, kind, await reader.readexactly(length)
    except (IncompleteReadError, ConnectionError):
        return None
