"""The bundled world's tasks as a set; what its APIs answer is what its server sends."""

from collections.abc import Mapping

from dragoman.benchmarks.itc.records import ApiReply, CallSet, SetTask
from dragoman.benchmarks.itc.world.answering import ApiWorld
from dragoman.benchmarks.itc.world.loading import NOW, load_world
from dragoman.core.protocols import Provenance

NAME = "itc:world"

_SOURCE = Provenance(
    "the bundled world of APIs, all invented", "Apache-2.0", "Dragoman's own data", ""
)
_FINE = 400


def world_set() -> CallSet:
    """Return the bundled tasks.

    Raises:
        DataError: Where the world's files do not fit each other.
    """
    loaded = load_world()
    return CallSet(
        NAME,
        loaded.documents,
        tuple(map(SetTask, loaded.tasks)),
        _SOURCE,
        told=f'It is {NOW} (UTC). What is asked for "today" or "tomorrow" is meant from that day on.',
        replies=_Replies(loaded.world),
    )


class _Replies:
    def __init__(self, world: ApiWorld) -> None:
        self._world = world

    def __call__(self, operation: str, arguments: Mapping[str, object]) -> ApiReply:
        try:
            answer = self._world.call(operation, arguments)
        except KeyError:
            return ApiReply(f"there is no API {operation!r:.80}", is_error=True)
        text = answer.body.decode("utf-8", "replace")
        if answer.status < _FINE:
            return ApiReply(text)
        return ApiReply(f"HTTP {answer.status}: {text}", is_error=True)
