"""Dragoman: how good is a tool-calling agent when its user does not type English?"""

from typing import TYPE_CHECKING

from dragoman.core.version import VERSION

if TYPE_CHECKING:
    from dragoman.api import RunResult, compare, frames, load, resume, run
    from dragoman.dataframes.comparisons import RunComparison

__version__ = VERSION
__all__ = [
    "RunComparison",
    "RunResult",
    "__version__",
    "compare",
    "frames",
    "load",
    "resume",
    "run",
]


def __getattr__(name: str) -> object:
    """Load the public functions on first use, so that importing the package costs nothing."""
    if name in __all__:
        from dragoman import api

        return getattr(api, name)
    raise AttributeError(f"module 'dragoman' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
