"""Values by name as options have them: "single=50,nested=10", "api.example.org/X-API-Key=MY_KEY"."""

from collections.abc import Sequence

from dragoman.core.errors import UsageError


def numbers_by_name(option: str, written: str) -> dict[str, int]:
    """Return the numbers of an option.

    Raises:
        UsageError: Where something is no NAME=NUMBER, or a name is there twice.
    """
    found: dict[str, int] = {}
    for entry in filter(None, (part.strip() for part in written.split(","))):
        name, is_there, number = entry.partition("=")
        if not (is_there and number.isascii() and number.isdigit()) or name in found:
            raise UsageError(f"{option} {entry!r:.60}: NAME=NUMBER by commas, each name once")
        found[name] = int(number[:9])
    return found


def variables_by_target(listed: Sequence[str]) -> dict[str, str]:
    """Return the names of variables by "HOST/NAME".

    Raises:
        UsageError: For what is no HOST/NAME=VARIABLE.
    """
    found: dict[str, str] = {}
    for said in listed:
        target, equals, variable = said.rpartition("=")
        if not (equals and "/" in target and variable):
            # What was meant may be a key: it is not repeated.
            raise UsageError("--key: HOST/NAME=VARIABLE, as in api.example.org/X-API-Key=MY_KEY")
        found[target] = variable
    return found
