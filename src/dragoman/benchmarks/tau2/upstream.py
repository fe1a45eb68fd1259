"""Where tau2-bench's data come from, and how its tool schemas are composed from its modules."""

import functools
import importlib.resources
from collections.abc import Mapping

from dragoman.benchmarks.pulling.sources import Derived, PinnedSource, load_source

DOCSTRINGS = "_docstrings.json"
"""How the names of files with docstrings end."""


@functools.cache
def tau2_source() -> PinnedSource:
    """Return the pinned upstream of tau2-bench's English domains."""
    folder = importlib.resources.files("dragoman.benchmarks.tau2")
    return load_source(folder.joinpath("sources.toml").read_bytes())


def derive_schemas(
    entry: Derived, modules: Mapping[str, str]
) -> list[dict[str, object]] | dict[str, str]:
    """Return a toolkit's schemas, or its docstrings, from the texts of its modules.

    Args:
        entry: The file, which names its modules: the toolkit first, then its records.
        modules: Their texts by short name.

    Raises:
        DataError: Where the modules are not of the form that is understood.
    """
    from dragoman.benchmarks.tau2.schemas import tool_docstrings, tool_schemas

    toolkit, *models = entry.modules
    if entry.name.endswith(DOCSTRINGS):
        return tool_docstrings(modules[toolkit], where=toolkit)
    return tool_schemas(modules[toolkit], [modules[name] for name in models], where=toolkit)
