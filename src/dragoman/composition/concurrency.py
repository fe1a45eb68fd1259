"""Default time-outs and concurrency of a run, lower for servers on this machine.

An option that the user gives holds for every server, wherever it is.
"""

from collections.abc import Iterator

from dragoman.config.agent_specs import parse_agent
from dragoman.config.concurrency_limits import ConcurrencyLimits, LocalEndpoint
from dragoman.config.run_config import MAX_COUNT, RunConfig
from dragoman.core.errors import UsageError
from dragoman.models.http.transport import LOCAL_TIMEOUTS, Timeouts, is_local_address
from dragoman.registry.agents import SCHEMES
from dragoman.registry.providers import addresses_of, base_address_of, origin_of
from dragoman.simulation.participants.canonical_arguments import wrapped_agent_name

LOCAL_CONCURRENCY = 4
"""The number of concurrent conversations with a server on this machine.

llama.cpp and LM Studio accept 4.
"""

DEFAULT_CONCURRENCY = 64
"""The number of concurrent conversations by default."""

BATCH_CONCURRENCY = 5_000
"""The minimum number of concurrent conversations in a run with batches.

So many conversations can wait for a batch together.
"""

_CHAT = ("agents", "user", "judge", "user_judge", "embeddings", "clarify", "exposures")
_SPEECH = ("asr", "speakers")
_BEFORE_MODEL = "2+"
"""The prefix of a model's name in an exposure."""


def local_servers(config: RunConfig) -> tuple[LocalEndpoint, ...]:
    """Return the servers on this machine that a configuration names.

    Addresses that cannot be parsed are omitted.
    """
    found = (
        LocalEndpoint(name, origin_of(address))
        for name, address in _addresses(config)
        if is_local_address(address)
    )
    return tuple(dict.fromkeys(found))


def default_concurrency(config: RunConfig) -> int:
    """Return how many conversations run at a time; enough to fill a batch if there are any."""
    at_once = config.concurrency
    if at_once is None:
        at_once = LOCAL_CONCURRENCY if local_servers(config) else DEFAULT_CONCURRENCY
    return max(at_once, BATCH_CONCURRENCY) if config.batches else at_once


def require_read_timeout(read_timeout: float | None) -> None:
    """Raise UsageError if a read time-out is out of range."""
    if read_timeout is not None and not 0 < read_timeout <= MAX_COUNT:
        raise UsageError(f"--read-timeout {read_timeout:g}: seconds above 0, at most {MAX_COUNT}")


def timeouts_of(read_timeout: float | None) -> Timeouts | None:
    """Return the time-outs for all servers; None if the address of each server decides."""
    if read_timeout is None:
        return None
    return Timeouts(read=read_timeout, total=max(Timeouts().total, read_timeout))


def concurrency_limits(config: RunConfig) -> ConcurrencyLimits:
    """Return the time-outs and the concurrency of a run."""
    servers = local_servers(config)
    given = config.read_timeout
    options = {"concurrency": config.concurrency, "read_timeout": given}
    return ConcurrencyLimits(
        default_concurrency(config),
        Timeouts().read if given is None else given,
        LOCAL_TIMEOUTS.read if given is None else given,
        servers,
        tuple(name for name, value in options.items() if value is None) if servers else (),
    )


def _addresses(config: RunConfig) -> Iterator[tuple[str, str]]:
    """Yield the names of models and agents, each with the addresses of its servers."""
    for field in (*_CHAT, *_SPEECH):
        value: str | tuple[str, ...] = getattr(config, field)
        for written in (value,) if isinstance(value, str) else value:
            behind = wrapped_agent_name(written)
            spec = parse_agent(behind).spec if field == "agents" else behind
            name = spec.removeprefix(_BEFORE_MODEL)
            for address in _addresses_of(field, name):
                yield name, address


def _addresses_of(field: str, name: str) -> tuple[str, ...]:
    from dragoman.models.model_spec import parse_model_spec
    from dragoman.speech.specs import SpeechSpec, parse_recognizer, parse_synthesizer

    if "/" not in name:
        return ()
    if name.startswith(SCHEMES):
        return (name,)
    try:
        if field not in _SPEECH:
            return addresses_of(parse_model_spec(name))
        read = parse_recognizer(name) if field == "asr" else parse_synthesizer(name)
        return (base_address_of(read),) if isinstance(read, SpeechSpec) else ()
    except UsageError:
        # The code that opens the model reports the error in its name.
        return ()
