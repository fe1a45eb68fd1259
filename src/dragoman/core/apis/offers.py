"""By which names operations are offered to an agent, which must tell them apart."""

from collections import Counter
from collections.abc import Mapping

from dragoman.core.apis.documents import ApiDocument, Operation


def offered_names(offered: Mapping[str, tuple[ApiDocument, Operation]]) -> dict[str, str]:
    """Return the names of operations that are offered together, by their ids.

    It is the operation's own name; where two have the same, that of its document stands before it, and
    where these are equal too, its id takes its place.
    """
    names = {key: operation.name for key, (_, operation) in offered.items()}
    twice = _twice(names)
    for key in twice:
        document, operation = offered[key]
        names[key] = f"{document.tool_name}: {operation.name}"
    names.update({key: key for key in _twice(names)})
    return names


def _twice(names: Mapping[str, str]) -> list[str]:
    counts = Counter(names.values())
    return [key for key, name in names.items() if counts[name] > 1]
