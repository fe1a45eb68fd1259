"""A check whether the extra `train` is installed; it loads nothing."""

from importlib.util import find_spec

from dragoman.core.errors import UsageError


def has_extra() -> bool:
    """Return whether all packages of the extra `train` are installed, without loading them."""
    needed = ("torch", "transformers", "trl", "peft", "tokenizers", "accelerate")
    return all(find_spec(name) is not None for name in needed)


def require_extra() -> None:
    """Refuse to go on without the extra `train`.

    Raises:
        UsageError: If it is not installed.
    """
    if not has_extra():
        raise UsageError(
            "training needs the extra: pip install 'dragoman[train]' (some 1.5 to 6 GB)"
        )
