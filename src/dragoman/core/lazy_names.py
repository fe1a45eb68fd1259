"""Lazy names of modules (PEP 562): re-exports and old names, resolved on first use."""

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module


def lazy_names(
    module: str, places: Mapping[str, Sequence[str]]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` for a module that re-exports names.

    Args:
        module: The module that re-exports them.
        places: The names by the module that defines them.
    """
    defined_in = {name: place for place, names in places.items() for name in names}

    def load(name: str) -> object:
        if name not in defined_in:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        value: object = getattr(import_module(defined_in[name]), name)
        setattr(sys.modules[module], name, value)
        return value

    return load, lambda: sorted(defined_in)


def old_names(module: str) -> Callable[[str], object]:
    """Return `__getattr__` for a module whose names of version 0.1 have moved."""

    def load(name: str) -> object:
        if name.startswith("__"):  # Python asks every module for `__path__`
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        from dragoman._old_paths import old_name

        return old_name(module, name)

    return load
