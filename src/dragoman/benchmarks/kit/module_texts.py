"""The texts of modules, for what is read of them and never run."""

import importlib.util
from collections.abc import Iterable

from dragoman.core.errors import DataError


def module_texts(names: Iterable[str]) -> dict[str, str]:
    """Return the texts of modules by their path below what they are imported from.

    Args:
        names: The names that import them, such as `lending.records`.

    Raises:
        DataError: Where there is no such module, or only a compiled one.
    """
    return {f"{name.replace('.', '/')}.py": _text(name) for name in names}


def _text(name: str) -> str:
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError) as error:
        raise DataError(f"the module {name} is not there: {error}") from error
    read = getattr(spec.loader if spec else None, "get_source", None)
    text = read(name) if read else None
    if not isinstance(text, str):
        raise DataError(f"the module {name} has no text that could be read")
    return text
