"""Default time-outs and concurrency of a run, lower for servers on this machine.

An option that is given holds for every server, wherever it is.
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
"""Conversations at a time where nothing else is said."""

BATCH_CONCURRENCY = 5_000
"""Conversations that wait for a batch together, whatever their number is otherwise."""

_CHAT = ("agents", "user", "judge", "user_judge", "embeddings", "clarify", "exposures")
_SPEECH = ("asr", "speakers")
_BEFORE_MODEL = "2+"
"""Stands before the model's name in an exposure."""


def local_servers(config: RunConfig) -> tuple[LocalEndpoint, ...]:
    """Return the servers on this machine that a configuration names.

    Addresses that cannot be read are left out.
    """
    found = (
        LocalEndpoint(name, origin_of(address))
        for name, address in _addresses(config)
        if is_local_address(address)
    )
    return tuple(dict.fromkeys(found))


def default_concurrency(config: RunConfig) -> int:
    """Return how many conversations go on at a time; with batches at least enough to fill one."""
    at_once = config.concurrency
    if at_once is None:
        at_once = LOCAL_CONCURRENCY if local_servers(config) else DEFAULT_CONCURRENCY
    return max(at_once, BATCH_CONCURRENCY) if config.batches else at_once


def require_read_timeout(read_timeout: float | None) -> None:
    """Raise UsageError for a limit on silence that is none."""
    if read_timeout is not None and not 0 < read_timeout <= MAX_COUNT:
        raise UsageError(f"--read-timeout {read_timeout:g}: seconds above 0, at most {MAX_COUNT}")


def timeouts_of(read_timeout: float | None) -> Timeouts | None:
    """Return how long all servers are waited for; None where their addresses decide."""
    if read_timeout is None:
        return None
    return Timeouts(read=read_timeout, total=max(Timeouts().total, read_timeout))


def concurrency_limits(config: RunConfig) -> ConcurrencyLimits:
    """Return how long a run waits and how much it asks at a time."""
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
    """Yield the names of models and agents with the addresses that they are reached at."""
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
        # Whoever makes a model of the name says what is wrong with it.
        return ()
