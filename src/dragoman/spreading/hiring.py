"""Which crew is meant by `--workers` and `--ray`."""

from dragoman.core.errors import UsageError
from dragoman.spreading.crew import OpenCrew, WorkerPatience


def crew_asked(workers: int, ray: str, patience: WorkerPatience) -> OpenCrew | None:
    """Return what opens the crews that are asked for; None where one process does all.

    Args:
        workers: How many they are.
        ray: The cluster whose actors they are; "" for processes of this machine.
        patience: When one is taken to hang.

    Raises:
        UsageError: For less than one, or where Ray is asked for and not installed.
    """
    if workers < 1:
        raise UsageError(f"--workers {workers}: at least 1")
    if ray:
        from dragoman.spreading.ray_cluster import by_ray

        return by_ray(ray, workers, patience)
    if workers > 1:
        from dragoman.spreading.processes import by_processes

        return by_processes(workers, patience)
    return None
