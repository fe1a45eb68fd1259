"""A local resolver: names stand for what a test says, and for something else the next time."""

import socket
from collections.abc import Mapping, Sequence

from aiohttp.abc import AbstractResolver, ResolveResult


class LocalNames(AbstractResolver):
    """Resolves names from a table; other names are not known.

    Args:
        addresses: What a name stands for, one address each time it is asked for; the last for good.
    """

    def __init__(self, addresses: Mapping[str, Sequence[str]]) -> None:
        self._addresses = {name: list(each) for name, each in addresses.items()}
        self.asked: list[str] = []

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Return the address that a name stands for this time.

        Raises:
            OSError: For a name that is not in the table.
        """
        self.asked.append(host)
        left = self._addresses.get(host)
        if not left:
            raise OSError(None, "no such name")
        address = left.pop(0) if len(left) > 1 else left[0]
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=family,
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
        ]

    async def close(self) -> None:
        """Release nothing."""
