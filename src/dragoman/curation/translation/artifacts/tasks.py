"""Task files: the texts that users, agents and judges read, by an allow-list of places."""

from collections.abc import Iterator, Mapping

from dragoman.conditions.language.artifacts import translatable_fields
from dragoman.conditions.language.text_invariants import has_letters
from dragoman.core.errors import DataError
from dragoman.core.texts.decoding import JsonPath, put, value_at
from dragoman.curation.translation.artifacts.file import FileArtifact, SourcedFile
from dragoman.curation.translation.artifacts.json_places import decode, encode, texts_along
from dragoman.curation.translation.segments import Segment, address_of

_MESSAGE = "content"


def tasks_artifact(origin: SourcedFile, content: bytes) -> FileArtifact:
    """Return a JSON list of tasks as an artifact.

    Raises:
        DataError: Where it is no list of tasks.
    """
    tasks = _tasks(content, origin.name)
    found = {
        address_of(origin.name, place): (place, text)
        for at, task in enumerate(tasks)
        for place, text in _texts(task, at)
    }
    segments = tuple(
        Segment(address, "tasks", text, "text", f"{origin.domain}/text")
        for address, (_, text) in found.items()
    )
    names = [str(task.get("id")) for task in tasks]
    lengths = {
        place[:-1]: _length(value_at(tasks, place[:-1]))
        for place, _ in found.values()
        if isinstance(place[-1], int)
    }

    def write(texts: Mapping[str, str]) -> bytes:
        changed = {
            place: texts[address]
            for address, (place, text) in found.items()
            if texts.get(address, text) != text
        }
        if not changed:
            return content
        written = _tasks(content, origin.name)
        put(written, changed)
        return encode(written)

    def read(translated: bytes, where: str) -> dict[str, str]:
        by_name = {str(task.get("id")): task for task in _tasks(translated, where)}

        def text_at(place: JsonPath) -> object:
            # A language may have more keywords than English, or fewer: none is one of another then.
            task, length = by_name.get(names[int(place[0])]), lengths.get(place[:-1])
            is_other = length is not None and _length(value_at(task, place[1:-1])) != length
            return None if is_other else value_at(task, place[1:])

        there = {address: text_at(place) for address, (place, _) in found.items()}
        return {address: text for address, text in there.items() if isinstance(text, str)}

    return FileArtifact(origin, "tasks", segments, write, read)


def _length(value: object) -> int:
    """Return how many entries a list has; 0 where there is none."""
    return len(value) if isinstance(value, list) else 0


def _tasks(content: bytes, where: str) -> list[dict[str, object]]:
    tasks = decode(content, where)
    if not isinstance(tasks, list) or not all(isinstance(task, dict) for task in tasks):
        raise DataError(f"{where}: not a list of tasks")
    return tasks


def _texts(task: dict[str, object], at: int) -> Iterator[tuple[JsonPath, str]]:
    """Yield the texts of a task that are to be translated."""
    for pattern in translatable_fields().tasks:
        for place, text in texts_along(task, pattern):
            if has_letters(text) and _is_said(task, place):
                yield (at, *place), text


def _is_said(task: dict[str, object], place: JsonPath) -> bool:
    """Return whether a place is none of a message, or of one that somebody said."""
    if place[-1] != _MESSAGE:
        return True
    message = value_at(task, place[:-1])
    return isinstance(message, dict) and message.get("role") in translatable_fields().said_by
