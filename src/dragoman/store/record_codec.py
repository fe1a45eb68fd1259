"""Codec of stored episodes, scores and measures: bounded JSON, compressed if it is large."""

import re
import threading
from collections.abc import Sequence
from itertools import islice
from typing import Any

import msgspec
import zstandard

from dragoman.core.episodes import Episode, Termination
from dragoman.core.errors import DataError
from dragoman.core.measures import MeasureResult
from dragoman.core.scores import Score
from dragoman.core.tasks import Task
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.core.usage import Usage

DAMAGE_ERRORS = (
    *DECODING_ERRORS,
    DataError,
    zstandard.ZstdError,
    TypeError,
    ValueError,
    AttributeError,
)
"""Errors of decoding damaged or foreign rows."""

MOST_MEMORY = 32 * 2**20
"""Bytes that a record's JSON and its decoded values may occupy together.

This allows for 16 MiB of plain text, 6 MiB of text with emoji, or 300,000 small values.
Conversations of benchmarks need less than a hundredth of it.
"""

_BYTES_PER_VALUE = 100
"""Bytes that the most expensive small values occupy.

`[]` is a list of 56 bytes, plus its slot in another list and overhead.
"""

_WIDEST = 4
"""Bytes per character of a text that contains an emoji."""

_VALUE = re.compile(rb'"(?:[^"\\]++|\\.)*+"?|[\[{,]', re.DOTALL)
"""A whole string, or the character that begins another value.

Characters within strings begin none.
"""

_HAS_EMOJI = re.compile(rb"[\xf0-\xff]|\\u").search
_HAS_WIDE = re.compile(rb"[\xc4-\xef]").search


def require_bounded_json(content: bytes, most: int = MOST_MEMORY) -> bytes:
    """Return a record's JSON unchanged if decoding it is safe.

    Args:
        content: The JSON.
        most: Largest number of bytes that the JSON and its decoded values may occupy together.

    Raises:
        ValueError: If they could occupy more.
    """
    size = len(content)
    # A byte costs at most itself, its place in a text and one value: nearly all records end here.
    if size * (1 + _WIDEST + _BYTES_PER_VALUE) <= most:
        return content
    left = most - size
    if size <= left:
        left -= size * _character_width(content)
    else:
        left = -1
    if left < 0:
        raise ValueError(f"its {size:,} bytes are more than a record may hold")
    values = left // _BYTES_PER_VALUE
    if sum(1 for _ in islice(_VALUE.finditer(content), values + 1)) > values:
        raise ValueError(f"its {size:,} bytes hold more than {values:,} values")
    return content


def _character_width(content: bytes) -> int:
    if _HAS_EMOJI(content):
        return _WIDEST
    return 2 if _HAS_WIDE(content) else 1


_MOST_TASKS_MEMORY = 4 * MOST_MEMORY
_MOST_TASKS_TIMES = 1024
"""Maximum ratio of the memory of a run's tasks to their size on disk.

The tasks of a run are one record, and tau2's 2,285 telecom tasks occupy 76 MB of it. Larger records
may occupy this many times their size on disk. A file within this limit is not a decompression bomb.
"""


class _Head(msgspec.Struct):
    """The fields of an episode that tables need; decoding it skips the events."""

    ending: Termination
    steps: int
    errors: int
    malformed_calls: int = 0
    calls_in_text: int = 0
    usage: tuple[Usage, ...] = ()
    started: float = 0.0
    seconds: float = 0.0


class _Zstandard(threading.local):
    """A compressor and a decompressor for each thread.

    They release the interpreter while they work.
    """

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
        self._measured = msgspec.json.Decoder(MeasureResult)
        self._zstandard = _Zstandard()

    def encode_episode(self, episode: Episode) -> bytes:
        """Return an episode's stored form, or raise one of `SERIALIZATION_ERRORS`."""
        return self._zstandard.compressor.compress(self.written_episode(episode))

    def written_episode(self, episode: Episode) -> bytes:
        """Return an episode as uncompressed JSON, or raise one of `SERIALIZATION_ERRORS`."""
        return require_bounded_json(self._encoder.encode(episode))

    def compressed(self, episodes: Sequence[bytes]) -> list[bytes]:
        """Return the stored forms of encoded episodes.

        The interpreter is released once for all of them.
        """
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
        """Return a score's stored form, or raise one of `SERIALIZATION_ERRORS`."""
        return require_bounded_json(self._encoder.encode(score))

    def decode_score(self, data: bytes) -> Score:
        """Return the score in its stored form."""
        return self._score.decode(require_bounded_json(data))

    def encode_measured(self, measured: MeasureResult) -> bytes:
        """Return the stored form of a measure's result."""
        return require_bounded_json(self._encoder.encode(measured))

    def decode_measured(self, data: bytes) -> MeasureResult:
        """Return the measure's result in its stored form."""
        return self._measured.decode(require_bounded_json(data))

    def _unpacked(self, data: bytes, most: int = MOST_MEMORY) -> bytes:
        """Return a record's JSON, or raise ValueError if it could occupy more memory than this."""
        # The JSON and its texts take the same space each. The decompressor trusts the size in a
        # frame's header, whatever the limit.
        size = zstandard.frame_content_size(data)
        if size > most // 2:
            raise ValueError(f"it unpacks to {size:,} bytes, more than a record may hold")
        content = self._zstandard.decompressor.decompress(data, max_output_size=most // 2)
        return require_bounded_json(content, most)
