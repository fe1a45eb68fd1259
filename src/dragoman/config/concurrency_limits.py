"""Record of the time-outs and the concurrency that a run really used."""

import msgspec


class LocalEndpoint(msgspec.Struct, frozen=True):
    """A server on this machine that a run asks, by the name that it was given and its address."""

    name: str
    address: str


class ConcurrencyLimits(msgspec.Struct, frozen=True):
    """How long a run waits, and how much it asks at a time; what nobody gave was chosen.

    Attributes:
        concurrency: Conversations at the same time.
        read_timeout: Seconds that servers may be silent.
        local_read_timeout: Seconds that servers on this machine may be silent.
        local_servers: Those that the run asks.
        chosen: The options that were chosen because of these servers.
    """

    concurrency: int
    read_timeout: float
    local_read_timeout: float
    local_servers: tuple[LocalEndpoint, ...] = ()
    chosen: tuple[str, ...] = ()
