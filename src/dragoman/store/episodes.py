"""How episodes, scores and measures are kept: JSON, compressed where it is large."""

import threading
from collections.abc import Sequence
from typing import Any

import msgspec
import zstandard

from dragoman.core.episodes import Ending, Episode
from dragoman.core.measures import Measured
from dragoman.core.scores import Score
from dragoman.core.tasks import Task
from dragoman.core.usage import Usage
from dragoman.store.record_bounds import MOST_MEMORY, bounded_json

_MOST_TASKS_MEMORY = 4 * MOST_MEMORY
_MOST_TASKS_TIMES = 1024
"""Tasks of a run are one record, of which tau2's 2,285 telecom tasks take 76 MB. Longer ones may take
this many times what they take on the disk: a file that is no larger than a bomb is none."""


class _Head(msgspec.Struct):
    """The fields of an episode that tables need; decoding it skips the events."""

    ending: Ending
    steps: int
    errors: int
    malformed_calls: int = 0
    calls_in_text: int = 0
    usage: tuple[Usage, ...] = ()
    started: float = 0.0
    seconds: float = 0.0


class _Zstandard(threading.local):
    """A compressor and a decompressor for each thread: they let go of the interpreter while they work."""

    def __init__(self) -> None:
        self.compressor = zstandard.ZstdCompressor(level=1)
        self.decompressor = zstandard.ZstdDecompressor()


class EpisodeCodec:
    """Encodes and decodes episodes and scores, in any thread."""

    def __init__(self) -> None:
        self._encoder = msgspec.json.Encoder()
        self._episode = msgspec.json.Decoder(Episode)
        self._head = msgspec.json.Decoder(_Head)
        self._score = msgspec.json.Decoder(Score)
        self._measured = msgspec.json.Decoder(Measured)
        self._zstandard = _Zstandard()

    def encode_episode(self, episode: Episode) -> bytes:
        """Return an episode's stored form, or raise one of `UNWRITABLE`."""
        return self._zstandard.compressor.compress(self.written_episode(episode))

    def written_episode(self, episode: Episode) -> bytes:
        """Return an episode as JSON, to be compressed, or raise one of `UNWRITABLE`."""
        return bounded_json(self._encoder.encode(episode))

    def compressed(self, episodes: Sequence[bytes]) -> list[bytes]:
        """Return the stored forms of written episodes; the interpreter is let go of once for all."""
        compressor = self._zstandard.compressor
        if len(episodes) == 1:
            return [compressor.compress(episodes[0])]
        frames = compressor.multi_compress_to_buffer(list(episodes))
        return [frames[place].tobytes() for place in range(len(frames))]

    def decode_episode(self, data: bytes) -> Episode:
        """Return the episode in its stored form."""
        return self._episode.decode(self._unpacked(data))

    def decode_head(self, data: bytes) -> Episode:
        """Return the episode without its events and its source."""
        head: Any = self._head.decode(self._unpacked(data))
        return Episode(
            events=(),
            ending=head.ending,
            steps=head.steps,
            errors=head.errors,
            malformed_calls=head.malformed_calls,
            calls_in_text=head.calls_in_text,
            usage=head.usage,
            started=head.started,
            seconds=head.seconds,
        )

    def encode_tasks(self, tasks: dict[str, Task]) -> bytes:
        """Return the stored form of a run's tasks."""
        return self._zstandard.compressor.compress(self._encoder.encode(tasks))

    def decode_tasks(self, data: bytes) -> dict[str, Task]:
        """Return the tasks in their stored form."""
        most = max(_MOST_TASKS_MEMORY, _MOST_TASKS_TIMES * len(data))
        return msgspec.json.decode(self._unpacked(data, most), type=dict[str, Task])

    def encode_score(self, score: Score) -> bytes:
        """Return a score's stored form, or raise one of `UNWRITABLE`."""
        return bounded_json(self._encoder.encode(score))

    def decode_score(self, data: bytes) -> Score:
        """Return the score in its stored form."""
        return self._score.decode(bounded_json(data))

    def encode_measured(self, measured: Measured) -> bytes:
        """Return the stored form of what a measure counted."""
        return bounded_json(self._encoder.encode(measured))

    def decode_measured(self, data: bytes) -> Measured:
        """Return what a measure counted in its stored form."""
        return self._measured.decode(bounded_json(data))

    def _unpacked(self, data: bytes, most: int = MOST_MEMORY) -> bytes:
        """Return a record's JSON, or raise ValueError where it could take more memory than this."""
        # The JSON and its texts take as much each. What a frame says of its size is believed by the
        # decompressor, whatever the bound.
        size = zstandard.frame_content_size(data)
        if size > most // 2:
            raise ValueError(f"it unpacks to {size:,} bytes, more than a record may hold")
        content = self._zstandard.decompressor.decompress(data, max_output_size=most // 2)
        return bounded_json(content, most)
