"""Where the conversations of a configuration are played."""

from dragoman.core.errors import UsageError
from dragoman.runs.backend import Backend, find_backend
from dragoman.wiring.grid.config import LOCAL, RunConfig


def backend_for(config: RunConfig) -> Backend:
    """Return what plays a configuration's conversations.

    Raises:
        UsageError: Where there is no such backend, it cannot be loaded, or two are asked for.
    """
    spreads = config.workers > 1 or config.ray
    if spreads and config.backend != LOCAL:
        raise UsageError(
            f"--workers and --ray spread a run's own conversations, --backend {config.backend} "
            "plays them elsewhere: leave one of them out"
        )
    if config.ray:
        from dragoman.runs.spreading.ray_cluster import by_ray

        return by_ray(config.ray, config.workers)
    if config.workers > 1:
        from dragoman.runs.spreading.cells import by_processes

        return by_processes(config.workers)
    return find_backend(config.backend)
