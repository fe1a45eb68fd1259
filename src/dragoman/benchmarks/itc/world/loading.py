"""The bundled world as a whole."""

import functools
from typing import NamedTuple

from dragoman.benchmarks.itc.world.answering import ApiWorld
from dragoman.benchmarks.itc.world.documents import documents_of
from dragoman.benchmarks.itc.world.reading import countries
from dragoman.benchmarks.itc.world.tasks import tasks_of
from dragoman.core.apis.documents import ApiDocument
from dragoman.core.apis.tasks import ApiTask

NOW = "2026-03-16T10:00:00Z"
"""Monday 16 March 2026, 10:00 UTC: what every task means by today."""


class BundledWorld(NamedTuple):
    """What is known of the APIs, what is asked of them, and what they answer."""

    documents: tuple[ApiDocument, ...]
    tasks: tuple[ApiTask, ...]
    world: ApiWorld


@functools.cache
def load_world() -> BundledWorld:
    """Load the bundled world; it is read once.

    Raises:
        DataError: Where its files do not fit each other.
    """
    rows = countries()
    return BundledWorld(documents_of(rows), tasks_of(rows), ApiWorld(rows))
