"""Where tau2-bench's data come from, and how its tool schemas are composed from its modules."""

import functools
import importlib.resources
from collections.abc import Mapping

from dragoman.benchmarks.pulling.sources import Derived, PinnedSource, load_source


@functools.cache
def tau2_source() -> PinnedSource:
    """Return the pinned upstream of tau2-bench's English domains."""
    folder = importlib.resources.files("dragoman.benchmarks.tau2")
    return load_source(folder.joinpath("sources.toml").read_bytes())


def derive_schemas(entry: Derived, modules: Mapping[str, str]) -> list[dict[str, object]]:
    """Return a toolkit's schemas from the texts of its modules.

    Args:
        entry: The file of schemas, which names its modules: the toolkit first, then its records.
        modules: Their texts by short name.

    Raises:
        DataError: Where the modules are not of the form that is understood.
    """
    from dragoman.benchmarks.tau2.schemas import tool_schemas

    toolkit, *models = entry.modules
    return tool_schemas(modules[toolkit], [modules[name] for name in models], where=toolkit)
