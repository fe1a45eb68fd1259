"""Who plays the conversations of a configuration, and who does other work of a run."""

from dragoman.core.errors import UsageError
from dragoman.runs.backend import Backend, find_backend
from dragoman.spreading.crew import OpenCrew, WorkerPatience
from dragoman.spreading.hiring import crew_asked
from dragoman.wiring.grid.config import LOCAL, RunConfig

SILENCE_SECONDS = (10.0, 120.0)
"""The least and the most for which a worker may say nothing; between them as long as a conversation."""

BEYOND_SECONDS = 600.0
"""What a conversation's own limit of time does not cover: its end, judges, scores."""

UNLIMITED_SECONDS = 6 * 3600.0
"""How long a conversation may take that has no limit of its own."""


def backend_for(config: RunConfig) -> Backend:
    """Return what plays a configuration's conversations.

    Raises:
        UsageError: Where there is no such backend, it cannot be loaded, or two are asked for.
    """
    open_crew = crew_for(config)
    if open_crew is None:
        return find_backend(config.backend)
    if config.backend != LOCAL:
        raise UsageError(
            f"--workers and --ray spread a run's own conversations, --backend {config.backend} "
            "plays them elsewhere: leave one of them out"
        )
    from dragoman.runs.spreading.cells import SpreadBackend

    return SpreadBackend(open_crew)


def crew_for(config: RunConfig) -> OpenCrew | None:
    """Return what opens the crews that a configuration asks for; None where one process does all.

    Raises:
        UsageError: Where Ray is asked for and not installed.
    """
    return crew_asked(config.workers, config.ray, patience_of(config))


def patience_of(config: RunConfig) -> WorkerPatience:
    """Return when a worker is taken to hang: by the run's own limit of time where it has one."""
    least, most = SILENCE_SECONDS
    silence = most if config.timeout is None else min(max(config.timeout, least), most)
    if config.batches:
        # Whoever waits for a provider's batch may wait for a day.
        return WorkerPatience(silence)
    limit = UNLIMITED_SECONDS if config.timeout is None else config.timeout + BEYOND_SECONDS
    return WorkerPatience(silence, limit)
