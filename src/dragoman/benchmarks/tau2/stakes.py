"""What can go badly wrong in tau2-bench's domains; the reference itself does not say."""

from functools import cache
from importlib.resources import files

import msgspec

from dragoman.core.tasks import Stakes


def domain_stakes(domain: str) -> Stakes:
    """Return what is at stake in a domain, of whatever policy or mode: `telecom-solo` is telecom."""
    return _stakes().get(domain.partition("-")[0], Stakes())


@cache
def _stakes() -> dict[str, Stakes]:
    content = (files("dragoman.benchmarks.tau2") / "stakes.toml").read_bytes()
    return msgspec.toml.decode(content, type=dict[str, Stakes])
