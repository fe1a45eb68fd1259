"""What a realtime server speaks with, and hears with: no recognizer, but what can be known of audio."""

import math
import struct
from collections.abc import Awaitable, Callable, Mapping

import msgspec

from dragoman.core.audio import SAMPLE_BYTES, Audio
from dragoman.core.recordings import Recordings
from dragoman.models.realtime_protocol import RATE_HZ, prepare_audio
from dragoman.testing.coded_speech import decoded_text

Speak = Callable[[str], Awaitable[Audio]]
"""Returns words as audio at 24 kHz."""

Hear = Callable[[Audio], str]
"""Returns what is known of audio, as words."""

SECONDS_PER_CHARACTER = 0.06
"""About how long speech takes."""

PERIOD_SAMPLES, LOUDNESS = 100, 6_000
"""A tone of 240 Hz, not loud."""

_PERIOD = struct.pack(
    f"<{PERIOD_SAMPLES}h",
    *(
        int(LOUDNESS * math.sin(2 * math.pi * place / PERIOD_SAMPLES))
        for place in range(PERIOD_SAMPLES)
    ),
)


async def speak_tone(text: str) -> Audio:
    """Return a tone that lasts as long as saying the words would."""
    count = int(len(text) * SECONDS_PER_CHARACTER * RATE_HZ)
    whole = _PERIOD * (count // PERIOD_SAMPLES + 1)
    return Audio(whole[: count * SAMPLE_BYTES], RATE_HZ)


def hear_code(audio: Audio) -> str:
    """Return the words of audio in the code of `dragoman.testing.speech`; of other audio, which it is."""
    # What is too short was filled up with silence, which is no sign of the code.
    if words := decoded_text(Audio(audio.pcm.rstrip(b"\0"), audio.rate_hz)):
        return words
    reference = audio.reference()
    return f"(audio of {reference.seconds:.2f} s, {reference.sha256})"


def hear_known(known: Mapping[str, str]) -> Hear:
    """Return what hears audio that is known.

    Args:
        known: Words by the hash of the audio at 24 kHz, as `known_sound` makes it.
    """
    return lambda audio: known.get(audio.reference().sha256) or hear_code(audio)


def hear_recorded(recordings: Recordings) -> Hear:
    """Return what hears recorded messages as they were typed.

    Raises:
        DataError: Where their audio is missing or damaged.
    """
    messages = (message for task in recordings.tasks for message in recordings.of(task))
    texts = {message.audio: message.text for message in messages if message.audio is not None}
    return hear_known({known_sound(recordings.sound(audio)): text for audio, text in texts.items()})


def known_sound(audio: Audio) -> str:
    """Return the hash by which a server knows audio that a client sends."""
    return prepare_audio(audio).reference().sha256


class MouthAndEar(msgspec.Struct, frozen=True):
    """What speaks and what hears."""

    speak: Speak = speak_tone
    hear: Hear = hear_code
