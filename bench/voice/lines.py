"""Channels through which speech is sent, for adaptation and for measurement."""

from dragoman.conditions.voice.audio_effects.effects import BandPass, Noise, Resample
from dragoman.conditions.voice.audio_effects.presets import Effect
from dragoman.conditions.voice.audio_effects.transmission import MuLaw

TELEPHONE: tuple[Effect, ...] = (
    Resample(rate_hz=8_000),
    BandPass(low_hz=300.0, high_hz=3_400.0),
    MuLaw(),
)


def noisy_telephone(snr_db: float) -> tuple[Effect, ...]:
    return (Noise(snr_db=snr_db, colour="pink"), *TELEPHONE)


MEASURED: dict[str, tuple[Effect, ...]] = {
    "clean": (),
    "telephone": TELEPHONE,
    "telephone, noise at 20 dB": noisy_telephone(20.0),
}
