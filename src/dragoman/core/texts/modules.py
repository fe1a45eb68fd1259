"""Modules of Python that are read as text and never run."""

import ast
import warnings

from dragoman.core.errors import DataError

MAX_SOURCE = 2_000_000
"""The longest module text that is read, in characters."""


def parsed_module(source: str, where: str) -> ast.Module:
    """Return a module's syntax tree.

    Args:
        source: Its text.
        where: How to name it in errors.

    Raises:
        DataError: Where it is too long or no valid Python.
    """
    if len(source) > MAX_SOURCE:
        raise DataError(f"{where}: the module is longer than {MAX_SOURCE} characters")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        reason = str(error).partition("\n")[0]
        raise DataError(f"{where}: not valid Python: {reason}") from error
