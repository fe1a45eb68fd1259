"""Acoustic effects: gain, clipping, filters, resampling, noise, babble, room reverberation."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import msgspec
from msgspec import Meta

from dragoman.conditions.voice.audio_effects.signal import (
    Signal,
    Spans,
    TreatedSignal,
    amplitude_ratio,
    decibels,
    frame_count,
    frame_spans,
    level,
    level_in_speech,
    limit_to_full_scale,
    mix_at_snr,
    signal_of,
)
from dragoman.core.audio import Audio
from dragoman.core.errors import DataError

if TYPE_CHECKING:
    import numpy as np

    from dragoman.conditions.voice.audio_effects.signal import Samples


class Gain(msgspec.Struct, frozen=True, tag_field="effect", tag="gain"):
    """The sound is louder or quieter; what then exceeds full scale is cut off in the end."""

    draws: ClassVar[bool] = False

    db: Annotated[float, Meta(ge=-80, le=40)]

    def treat(self, signal: Signal, _seed: int) -> TreatedSignal:
        """Return the signal at the other level."""
        changed = signal.whole if self.db else []
        return TreatedSignal(
            signal.with_samples(signal.samples * amplitude_ratio(self.db)), changed
        )


class Clip(msgspec.Struct, frozen=True, tag_field="effect", tag="clip"):
    """Peaks are cut off, as by a microphone that is held too close.

    Attributes:
        ceiling_db: Level above which they are cut off, relative to the highest peak, so that loud
            and quiet voices are clipped alike.
    """

    draws: ClassVar[bool] = False

    ceiling_db: Annotated[float, Meta(ge=-60, le=0)] = -6.0

    def treat(self, signal: Signal, _seed: int) -> TreatedSignal:
        """Return the clipped signal; the spans are the frames in which something was cut off."""
        import numpy as np

        sizes = np.abs(signal.samples)
        ceiling = float(sizes.max(initial=0.0)) * amplitude_ratio(self.ceiling_db)
        cut = sizes > ceiling
        frames = np.zeros(frame_count(signal), dtype=np.bool_)
        frames[np.flatnonzero(cut) // signal.frame_length] = True
        spans = frame_spans(frames, signal)
        samples = np.clip(signal.samples, -ceiling, ceiling)
        found: dict[str, object] = {"clipped_samples": int(cut.sum())}
        return TreatedSignal(signal.with_samples(samples), spans, found=found)


_BAND_ORDER = 4
_MUFFLE_ORDER = 2
_HIGHEST_SHARE = 0.99
"""An edge above this share of half the sampling rate filters nothing that could be heard."""


class BandPass(msgspec.Struct, frozen=True, tag_field="effect", tag="band_pass"):
    """Only a band of frequencies comes through (Butterworth, fourth order at each edge)."""

    draws: ClassVar[bool] = False

    low_hz: Annotated[float, Meta(ge=20, le=1_500)] = 300.0
    high_hz: Annotated[float, Meta(ge=2_000, le=96_000)] = 3_400.0

    def treat(self, signal: Signal, _seed: int) -> TreatedSignal:
        """Return the signal within the band."""
        high_passed = _apply_filter(signal, "highpass", _BAND_ORDER, self.low_hz)
        samples = _apply_filter(high_passed, "lowpass", _BAND_ORDER, self.high_hz).samples
        return TreatedSignal(signal.with_samples(samples), signal.whole, _engine())


class Muffle(msgspec.Struct, frozen=True, tag_field="effect", tag="muffle"):
    """The sound is dull, as through a scarf or a pocket (Butterworth, second order)."""

    draws: ClassVar[bool] = False

    cutoff_hz: Annotated[float, Meta(ge=200, le=96_000)] = 1_500.0

    def treat(self, signal: Signal, _seed: int) -> TreatedSignal:
        """Return the signal below the cut-off."""
        muffled = _apply_filter(signal, "lowpass", _MUFFLE_ORDER, self.cutoff_hz)
        return TreatedSignal(muffled, [] if muffled is signal else signal.whole, _engine())


def _apply_filter(
    signal: Signal, kind: Literal["lowpass", "highpass"], order: int, edge_hz: float
) -> Signal:
    import scipy.signal

    if edge_hz >= signal.rate_hz / 2 * _HIGHEST_SHARE or not len(signal.samples):
        return signal
    sections = scipy.signal.butter(order, edge_hz, kind, fs=signal.rate_hz, output="sos")
    samples: Samples = scipy.signal.sosfilt(sections, signal.samples)
    return signal.with_samples(samples)


def _engine() -> str:
    import scipy

    return f"scipy {scipy.__version__}"


class Resample(msgspec.Struct, frozen=True, tag_field="effect", tag="resample"):
    """The sound is sampled at another rate; what does not fit below half of it is filtered out."""

    draws: ClassVar[bool] = False

    rate_hz: Annotated[int, Meta(ge=4_000, le=192_000)]

    def treat(self, signal: Signal, _seed: int) -> TreatedSignal:
        """Return the signal at the rate."""
        import soxr

        samples = resample(signal.samples, signal.rate_hz, self.rate_hz)
        changed = signal.whole if signal.rate_hz != self.rate_hz else []
        return TreatedSignal(
            Signal(samples, self.rate_hz, signal.speech), changed, f"soxr {soxr.__version__}"
        )


def resample(samples: "Samples", from_hz: int, to_hz: int) -> "Samples":
    """Return samples at another rate."""
    import numpy as np
    import soxr

    if from_hz == to_hz or not len(samples):
        return samples
    return np.asarray(soxr.resample(samples, from_hz, to_hz), dtype=np.float64)


SnrDb = Annotated[float, Meta(ge=-40, le=90)]
"""A signal-to-noise ratio over the frames with speech."""

VEHICLES_PER_MINUTE = 12
_RUMBLE_FROM_HZ = 40.0
_TYRES_HZ = 1_000.0


class Noise(msgspec.Struct, frozen=True, tag_field="effect", tag="noise"):
    """Noise is added.

    Attributes:
        snr_db: Distance of the noise below the speech in dB, over the frames with speech.
        colour: `white` has equal power at all frequencies, `pink` in all octaves, and `street` is
            rumble with vehicles that pass.
    """

    draws: ClassVar[bool] = True

    snr_db: SnrDb
    colour: Literal["white", "pink", "street"] = "pink"

    def treat(self, signal: Signal, seed: int) -> TreatedSignal:
        """Return the signal with noise; for a street `passing` says when vehicles were near."""
        import numpy as np

        rng = np.random.default_rng(seed)
        if self.colour != "street":
            shape = _pink if self.colour == "pink" else np.ones_like
            return mix_at_snr(signal, shaped_noise(signal, rng, shape), self.snr_db)
        noise, passing = _street(signal, rng)
        treated = mix_at_snr(signal, noise, self.snr_db)
        heard = passing if treated.spans else []
        return msgspec.structs.replace(treated, found={**treated.found, "passing": heard})


def shaped_noise(
    like: Signal, rng: "np.random.Generator", amplitude: "Callable[[Samples], Samples]"
) -> "Samples":
    """Draw Gaussian noise of a signal's length with an amplitude by frequency in Hz.

    The amplitude is 0 at 0 Hz.
    """
    import numpy as np

    count = len(like.samples)
    if not count:
        return like.samples
    spectrum = np.fft.rfft(rng.standard_normal(count))
    hz = np.fft.rfftfreq(count, 1 / like.rate_hz).astype(np.float64)
    spectrum[0] = 0
    spectrum[1:] *= amplitude(hz[1:])
    return np.fft.irfft(spectrum, count)


def _pink(hz: "Samples") -> "Samples":
    import numpy as np

    return 1 / np.sqrt(hz)


def _street(like: Signal, rng: "np.random.Generator") -> tuple["Samples", Spans]:
    import numpy as np

    rumble = shaped_noise(like, rng, lambda hz: np.where(hz < _RUMBLE_FROM_HZ, 0.0, 1 / hz))
    tyres = shaped_noise(like, rng, lambda hz: np.exp(-(np.log(hz / _TYRES_HZ) ** 2)))
    times = np.arange(len(like.samples)) / like.rate_hz
    nearness = np.zeros_like(times)
    passing: Spans = []
    for _ in range(rng.poisson(like.seconds * VEHICLES_PER_MINUTE / 60)):
        moment, width, loudness = rng.uniform((0, 0.5, 1), (like.seconds, 1.5, 4))
        nearness += loudness * np.exp(-(((times - moment) / width) ** 2) / 2)
        span = max(0.0, moment - 2 * width), min(like.seconds, moment + 2 * width)
        passing.append([round(float(edge), 3) for edge in span])
    return _unit(rumble) * (1 + nearness) + 0.5 * _unit(tyres) * nearness, sorted(passing)


def _unit(samples: "Samples") -> "Samples":
    import numpy as np

    return samples / (np.sqrt(np.mean(samples**2)) or 1.0) if len(samples) else samples


_FARTHEST_DB = -6.0
_SPEECH_FROM_HZ, _SPEECH_FALLS_HZ = 100.0, 500.0
_SYLLABLES_HZ = (2.0, 6.0)


class Babble(msgspec.Struct, frozen=True, tag_field="effect", tag="babble"):
    """Voices in the background are added.

    Attributes:
        snr_db: Distance of all voices together below the speech in dB, over the frames with speech.
        talkers: Number of talkers; each is up to 6 dB quieter than the loudest could be.
        voices: Recordings of the talkers, used in turn and from random places on; without any, the
            talkers are noise with the spectrum and the rhythm of speech, in which no word can be
            heard.
    """

    draws: ClassVar[bool] = True

    snr_db: SnrDb
    talkers: Annotated[int, Meta(ge=1, le=100)] = 6
    voices: tuple[Audio, ...] = ()

    def treat(self, signal: Signal, seed: int) -> TreatedSignal:
        """Return the signal with the voices.

        Raises:
            DataError: If one of the given voices is silent.
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
            babble += said * amplitude_ratio(rng.uniform(_FARTHEST_DB, 0))
        treated = mix_at_snr(signal, babble, self.snr_db)
        hashes = [voice.reference().sha256 for voice in self.voices]
        return msgspec.structs.replace(treated, found={**treated.found, "voices": hashes})


def _clip(voice: Audio, rate_hz: int) -> "Samples":
    """Return what a voice says, at a rate and at a level of 1."""
    spoken = signal_of(voice)
    loudness = level_in_speech(spoken.samples, spoken)
    if not loudness:
        raise DataError(f"babble: a voice of {voice.seconds:.1f} s is silent: leave it out")
    return resample(spoken.samples / loudness, spoken.rate_hz, rate_hz)


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


_FIRST_REFLECTION_S = 0.003
_DECAY_DB = 60


class Reverb(msgspec.Struct, frozen=True, tag_field="effect", tag="reverb"):
    """The sound comes back from the walls of a room that is drawn at random.

    The level of the speech stays as it was, unless that would exceed full scale; the reverberation
    after the end of the signal is cut off.

    Attributes:
        rt60_s: Seconds until the reverberation has fallen by 60 dB.
        direct_db: Distance of the direct sound above all reflections together, in dB.
    """

    draws: ClassVar[bool] = True

    rt60_s: Annotated[float, Meta(ge=0.05, le=5)] = 0.4
    direct_db: Annotated[float, Meta(ge=-20, le=40)] = 6.0

    def treat(self, signal: Signal, seed: int) -> TreatedSignal:
        """Return the sound in the room."""
        import numpy as np
        import scipy
        from scipy.signal import fftconvolve

        before = level_in_speech(signal.samples, signal)
        if not before:
            return TreatedSignal(signal, [], f"scipy {scipy.__version__}")
        room = impulse_response(self, signal.rate_hz, np.random.default_rng(seed))
        reflected: Samples = fftconvolve(signal.samples, room)[: len(signal.samples)]
        after = level_in_speech(reflected, signal)
        samples, down = limit_to_full_scale(reflected * before / after)
        found: dict[str, object] = {"turned_by_db": decibels(down)}
        engine = f"scipy {scipy.__version__}"
        return TreatedSignal(signal.with_samples(samples), signal.whole, engine, found)


def impulse_response(reverb: Reverb, rate_hz: int, rng: "np.random.Generator") -> "Samples":
    """Draw what a room makes of a single click: the click, and noise that decays exponentially."""
    import numpy as np

    times = np.arange(round(reverb.rt60_s * rate_hz)) / rate_hz
    room = rng.standard_normal(len(times)) * 10 ** (-_DECAY_DB / 20 * times / reverb.rt60_s)
    room[times < _FIRST_REFLECTION_S] = 0
    room *= amplitude_ratio(-reverb.direct_db) / np.sqrt(np.sum(room**2))
    room[0] = 1
    return room
