"""Bodies of answers from the web, read up to a bound."""

import aiohttp


class TooLongError(Exception):
    """A body has more bytes than are read."""


async def bounded_body(response: aiohttp.ClientResponse, most_bytes: int) -> bytes:
    """Return the body of an answer as it came.

    Raises:
        TooLongError: Where it has more bytes than that.
    """
    content = bytearray()
    async for chunk in response.content.iter_any():
        content += chunk
        if len(content) > most_bytes:
            raise TooLongError(f"more than {most_bytes:,} bytes")
    return bytes(content)
