"""The packages that embedded speech needs, which are an extra."""

from importlib.metadata import PackageNotFoundError, version

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
