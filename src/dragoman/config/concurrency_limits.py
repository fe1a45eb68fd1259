"""Record of the time-outs and the concurrency that a run really used."""

import msgspec


class LocalEndpoint(msgspec.Struct, frozen=True):
    """A server on this machine that a run uses: its given name and its address."""

    name: str
    address: str


class ConcurrencyLimits(msgspec.Struct, frozen=True):
    """The time-outs and the concurrency of a run, given by the user or chosen by default.

    Attributes:
        concurrency: Number of conversations at the same time.
        read_timeout: Seconds that a server may be silent.
        local_read_timeout: Seconds that a server on this machine may be silent.
        local_servers: The servers on this machine that the run sends requests to.
        chosen: The options whose values were chosen because of these servers.
    """

    concurrency: int
    read_timeout: float
    local_read_timeout: float
    local_servers: tuple[LocalEndpoint, ...] = ()
    chosen: tuple[str, ...] = ()
