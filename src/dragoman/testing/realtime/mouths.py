"""What a realtime server speaks with, and hears with: no recognizer, but what can be known of audio."""

from collections.abc import Awaitable, Callable, Mapping

import msgspec

from dragoman.core.voice.audio import Audio
from dragoman.models.realtime.pcm import RATE_HZ, as_sent
from dragoman.testing.coded_speech import decoded_text

Speak = Callable[[str], Awaitable[Audio]]
"""Returns words as audio at 24 kHz."""

Hear = Callable[[Audio], str]
"""Returns what is known of audio, as words."""

SECONDS_PER_CHARACTER = 0.06
"""About how long speech takes."""

TONE_HZ, LOUDNESS = 220, 6_000


async def speak_tone(text: str) -> Audio:
    """Return a tone that lasts as long as saying the words would."""
    import numpy as np

    count = int(len(text) * SECONDS_PER_CHARACTER * RATE_HZ)
    tone = LOUDNESS * np.sin(np.arange(count) * (2 * np.pi * TONE_HZ / RATE_HZ))
    return Audio(tone.astype("<i2").tobytes(), RATE_HZ)


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


def known_sound(audio: Audio) -> str:
    """Return the hash by which a server knows audio that a client sends."""
    return as_sent(audio).reference().sha256


class MouthAndEar(msgspec.Struct, frozen=True):
    """What speaks and what hears."""

    speak: Speak = speak_tone
    hear: Hear = hear_code
