"""Other people who talk at the same time."""

from typing import TYPE_CHECKING, Annotated, ClassVar

import msgspec
from msgspec import Meta

from dragoman.conditions.voice.lines.audio import signal_of
from dragoman.conditions.voice.lines.levels import factor, level, level_in_speech, mixed_in
from dragoman.conditions.voice.lines.noise import SnrDb, shaped_noise
from dragoman.conditions.voice.lines.resampling import resampled
from dragoman.conditions.voice.lines.signal import Signal, Treated
from dragoman.core.errors import DataError
from dragoman.core.voice.audio import Audio

if TYPE_CHECKING:
    import numpy as np

    from dragoman.conditions.voice.lines.signal import Samples

_FARTHEST_DB = -6.0
_SPEECH_FROM_HZ, _SPEECH_FALLS_HZ = 100.0, 500.0
_SYLLABLES_HZ = (2.0, 6.0)


class Babble(msgspec.Struct, frozen=True, tag_field="effect", tag="babble"):
    """Voices in the background are added.

    Attributes:
        snr_db: How far all of them together lie below the speech, over the frames with speech.
        talkers: How many talk; each is up to 6 dB quieter than the loudest could be.
        voices: What they say, in turns and from random places on; without any, the talkers are
            noise with the spectrum and the rhythm of speech, in which no word can be heard.
    """

    draws: ClassVar[bool] = True

    snr_db: SnrDb
    talkers: Annotated[int, Meta(ge=1, le=100)] = 6
    voices: tuple[Audio, ...] = ()

    def treat(self, signal: Signal, seed: int) -> Treated:
        """Return the signal with the voices.

        Raises:
            DataError: Where voices are given and one of them is silent.
        """
        import numpy as np

        rng = np.random.default_rng(seed)
        babble = np.zeros_like(signal.samples)
        voices = [_clip(voice, signal.rate_hz) for voice in self.voices]
        order = rng.permutation(len(voices))
        for talker in range(self.talkers):
            if voices:
                voice = voices[order[talker % len(voices)]]
                said = _from_anywhere(voice, len(babble), rng)
            else:
                said = _wordless(signal, rng)
            babble += said * factor(rng.uniform(_FARTHEST_DB, 0))
        treated = mixed_in(signal, babble, self.snr_db)
        hashes = [voice.reference().sha256 for voice in self.voices]
        return msgspec.structs.replace(treated, found={**treated.found, "voices": hashes})


def _clip(voice: Audio, rate_hz: int) -> "Samples":
    """Return what a voice says, at a rate and at a level of 1."""
    spoken = signal_of(voice)
    loudness = level_in_speech(spoken.samples, spoken)
    if not loudness:
        raise DataError(f"babble: a voice of {voice.seconds:.1f} s is silent: leave it out")
    return resampled(spoken.samples / loudness, spoken.rate_hz, rate_hz)


def _from_anywhere(said: "Samples", count: int, rng: "np.random.Generator") -> "Samples":
    """Return a number of samples of a voice that goes round and round."""
    import numpy as np

    return np.resize(np.roll(said, -int(rng.integers(max(1, len(said))))), count)


def _wordless(like: Signal, rng: "np.random.Generator") -> "Samples":
    """Return noise with the long-term spectrum of speech that swells with its syllables."""
    import numpy as np

    slow, fast = _SYLLABLES_HZ
    voice = shaped_noise(
        like, rng, lambda hz: (hz > _SPEECH_FROM_HZ) / (1 + (hz / _SPEECH_FALLS_HZ) ** 2)
    )
    swell = shaped_noise(like, rng, lambda hz: ((hz > slow) & (hz < fast)).astype(np.float64))
    said = voice * np.abs(swell)
    return said / (level(said) or 1.0)
