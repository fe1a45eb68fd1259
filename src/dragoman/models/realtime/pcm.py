"""Audio as the realtime protocol carries it: 16-bit samples at 24 kHz, in base64."""

import base64
import binascii
from collections.abc import Iterator

from dragoman.core.errors import UsageError
from dragoman.core.voice.audio import SAMPLE_BYTES, Audio
from dragoman.models.wire.sending import Unreadable

RATE_HZ = 24_000
BYTES_PER_SECOND = RATE_HZ * SAMPLE_BYTES
CHUNK_SECONDS = 2
SHORTEST_SECONDS = 0.1
"""Less than this is refused by endpoints; it is filled up with silence."""


def at_rate(audio: Audio) -> Audio:
    """Return audio as the protocol wants it; equal audio gives equal samples.

    Raises:
        UsageError: Where another rate is needed and the package for it is missing.
    """
    if audio.rate_hz == RATE_HZ:
        return audio
    try:
        import soxr
    except ImportError as error:
        raise UsageError(
            "audio of another rate than 24 kHz needs pip install 'dragoman[voice]'"
        ) from error
    import numpy as np

    samples = np.frombuffer(audio.pcm, dtype="<i2")
    resampled = soxr.resample(samples, audio.rate_hz, RATE_HZ)
    return Audio(np.asarray(resampled, dtype="<i2").tobytes(), RATE_HZ)


def as_sent(audio: Audio) -> Audio:
    """Return audio as an endpoint gets it: at the protocol's rate, and not shorter than it takes.

    Raises:
        UsageError: As `at_rate` does.
    """
    pcm = at_rate(audio).pcm
    missing = int(SHORTEST_SECONDS * BYTES_PER_SECOND) - len(pcm)
    return Audio(pcm + bytes(max(0, missing)), RATE_HZ)


def chunks(audio: Audio) -> Iterator[str]:
    """Yield audio as the texts that are appended to an endpoint's buffer."""
    pcm = as_sent(audio).pcm
    size = CHUNK_SECONDS * BYTES_PER_SECOND
    for start in range(0, len(pcm), size):
        yield base64.b64encode(pcm[start : start + size]).decode()


def samples_of(text: str) -> bytes:
    """Return the samples that a text holds.

    Raises:
        Unreadable: Where it is no base64 of whole samples.
    """
    try:
        pcm = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise Unreadable("audio that is no base64") from error
    if len(pcm) % SAMPLE_BYTES:
        raise Unreadable("audio that ends within a sample")
    return pcm
