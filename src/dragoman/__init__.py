"""Dragoman: how good is a tool-calling agent when its user does not type English?"""

import sys
from typing import TYPE_CHECKING

from dragoman.core.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

    from dragoman.api import RunResult, compare, frames, load, resume, run
    from dragoman.dataframes.comparisons import RunComparison

__version__ = VERSION
"""The version of the package, as a string."""

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


class _OldPathFinder:
    """Finder of moved modules of version 0.1; Python asks it after all other finders."""

    @staticmethod
    def find_spec(
        name: str,
        path: "Sequence[str] | None" = None,  # noqa: ARG004 - the protocol of finders
        target: "ModuleType | None" = None,  # noqa: ARG004
    ) -> "ModuleSpec | None":
        """Return the spec of a module under its old name; None for any other name."""
        if not name.startswith("dragoman."):
            return None
        from dragoman._old_paths import find_old_module

        return find_old_module(name)


sys.meta_path.append(_OldPathFinder)
