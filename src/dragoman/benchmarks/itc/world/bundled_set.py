"""The bundled world loaded: its API documents, its handler, and its tasks as a task set."""

import functools
from collections.abc import Mapping
from typing import NamedTuple

from dragoman.benchmarks.itc.task_sets import ApiReply, CallSet, SetTask
from dragoman.benchmarks.itc.world.api_data import countries
from dragoman.benchmarks.itc.world.api_documents import documents_of
from dragoman.benchmarks.itc.world.request_handler import SimulatedApis
from dragoman.benchmarks.itc.world.tasks import tasks_of
from dragoman.core.apis.documents import ApiDocument
from dragoman.core.apis.tasks import ApiTask
from dragoman.core.protocols import Provenance

NOW = "2026-03-16T10:00:00Z"
"""Monday 16 March 2026, 10:00 UTC: what every task means by today."""


class BundledApiSet(NamedTuple):
    """The bundled APIs: their documents, their tasks, and their simulation."""

    documents: tuple[ApiDocument, ...]
    tasks: tuple[ApiTask, ...]
    apis: SimulatedApis


@functools.cache
def load_bundled_apis() -> BundledApiSet:
    """Load the bundled world; it is read once.

    Raises:
        DataError: If its files do not fit each other.
    """
    rows = countries()
    return BundledApiSet(documents_of(rows), tasks_of(rows), SimulatedApis(rows))


NAME = "itc:world"

_SOURCE = Provenance(
    "the bundled world of APIs, all invented", "Apache-2.0", "Dragoman's own data", ""
)
_FINE = 400


def load_bundled_set() -> CallSet:
    """Return the bundled tasks.

    Raises:
        DataError: If the world's files do not fit each other.
    """
    loaded = load_bundled_apis()
    return CallSet(
        NAME,
        loaded.documents,
        tuple(map(SetTask, loaded.tasks)),
        _SOURCE,
        instructions=f'It is {NOW} (UTC). What is asked for "today" or "tomorrow" is meant from '
        "that day on.",
        replies=_Replies(loaded.apis),
    )


class _Replies:
    def __init__(self, apis: SimulatedApis) -> None:
        self._apis = apis

    def __call__(self, operation: str, arguments: Mapping[str, object]) -> ApiReply:
        try:
            answer = self._apis.call(operation, arguments)
        except KeyError:
            return ApiReply(f"there is no API {operation!r:.80}", is_error=True)
        text = answer.body.decode("utf-8", "replace")
        if answer.status < _FINE:
            return ApiReply(text)
        return ApiReply(f"HTTP {answer.status}: {text}", is_error=True)
