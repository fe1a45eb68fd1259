"""pocketsphinx decoder for one utterance, and its acoustic models (stock and adapted).

A decoder keeps its adaptation to the channel from one utterance to the next, so a second use may
recognize the same audio differently. It is prepared once in a worker process and used once, in a
child that is forked from it.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol, cast

import msgspec

from dragoman.conditions.voice.pocketsphinx_data import pocketsphinx_model_folder
from dragoman.core.audio import Audio
from dragoman.core.errors import DataError
from dragoman.speech.embedded.worker_messages import DecoderFiles

RATE_HZ = 16_000
"""Sampling rate of the acoustic model; other audio is resampled."""

SILENCE_BEFORE = 0.2
SILENCE_AFTER = 0.4
ADAPTED_FILES = ("means", "variances", "sendump", "transition_matrices")

LANGUAGE_WEIGHTS: Mapping[str, float] = {"lw": 5.0, "fwdflatlw": 6.5, "bestpathlw": 7.5}
"""Weights of the language model against an adapted acoustic model, by decoder pass.

The decoder has three passes.
"""

_FULL_SCALE = 32_767
_DITHER_SEED = 0
_FAINTEST = 4
"""Sample values up to this one are silence, and not more than the noise that is added."""


class Hypothesis(Protocol):
    """A decoder's hypothesis of the spoken words."""

    hypstr: str


class Decoder(Protocol):
    """The part of pocketsphinx's decoder that is used here."""

    def start_utt(self) -> None:
        """Begin an utterance."""

    def process_raw(self, data: bytes, no_search: bool, full_utt: bool) -> int:  # noqa: D102
        ...

    def end_utt(self) -> None:
        """End the utterance."""

    def hyp(self) -> Hypothesis | None:
        """Return the best hypothesis; None if nothing was recognized."""


def prepare_decoder(files: DecoderFiles) -> Decoder:
    """Return a decoder that has not processed any audio yet.

    Raises:
        UsageError: If the extra `voice` is not installed.
        DataError: If the files are not a model.
    """
    stock = pocketsphinx_model_folder()
    from pocketsphinx import Config
    from pocketsphinx import Decoder as PocketsphinxDecoder

    config = Config(
        hmm=str(stock / "en-us"),
        lm=files.language_model,
        dict=files.dictionary,
        loglevel="FATAL",
    )
    if files.acoustics:
        for setting, name in zip(("mean", "var", "sendump", "tmat"), ADAPTED_FILES, strict=True):
            config[setting] = str(Path(files.acoustics) / name)
        for setting, weight in LANGUAGE_WEIGHTS.items():
            config[setting] = weight
    try:
        return cast("Decoder", PocketsphinxDecoder(config))
    except (RuntimeError, ValueError) as error:
        raise DataError(f"pocketsphinx cannot read {files.language_model}: {error}") from error


def decode_words(decoder: Decoder, audio: Audio) -> str:
    """Return the transcript of an unused decoder; "" for no words."""
    if _is_silent(audio):
        return ""
    decoder.start_utt()
    decoder.process_raw(padded_samples(audio), False, True)
    decoder.end_utt()
    best = decoder.hyp()
    return best.hypstr.strip() if best else ""


def _is_silent(audio: Audio) -> bool:
    """Return whether nothing in audio is louder than the noise that is added to it.

    A model would hear words in such audio.
    """
    import numpy as np

    samples = np.frombuffer(audio.pcm, "<i2")
    return samples.size == 0 or int(np.abs(samples.astype(np.int32)).max()) <= _FAINTEST


def padded_samples(audio: Audio) -> bytes:
    """Return samples at the model's rate, with silence around and the faintest noise over all.

    Digital silence has no logarithm, and the features are logarithms of energies.
    """
    import numpy as np
    import soxr

    samples = np.frombuffer(audio.pcm, "<i2").astype(np.float32)
    if audio.rate_hz != RATE_HZ:
        samples = np.asarray(soxr.resample(samples, audio.rate_hz, RATE_HZ), np.float32)
    padded = np.pad(samples, (int(SILENCE_BEFORE * RATE_HZ), int(SILENCE_AFTER * RATE_HZ)))
    dither = np.random.default_rng(_DITHER_SEED).normal(0, 1, len(padded))
    return bytes(
        np.clip(np.rint(padded + dither), -_FULL_SCALE - 1, _FULL_SCALE).astype("<i2").tobytes()
    )


class Acoustics(msgspec.Struct, frozen=True):
    """An acoustic model: its name, the folder of its files, and their hash.

    The folder is "" for the files of pocketsphinx.
    """

    name: str
    folder: str
    sha256: str


def adapted_acoustics() -> Acoustics:
    """Return the bundled model; files that it lacks come from pocketsphinx's own package.

    Raises:
        DataError: If its files are missing.
    """
    return acoustics_in(Path(__file__).parent / "acoustic_model", "adapted")


def stock_acoustics() -> Acoustics:
    """Return the model that comes with pocketsphinx."""
    return Acoustics("stock", "", "")


def acoustics_in(folder: Path, name: str) -> Acoustics:
    """Return the model whose files are in a folder.

    Raises:
        DataError: If its files are missing.
    """
    digest = hashlib.sha256()
    for file in ADAPTED_FILES:
        try:
            digest.update((folder / file).read_bytes())
        except OSError as error:
            raise DataError(f"{folder / file}: no file of an acoustic model: {error}") from error
    return Acoustics(name, str(folder), digest.hexdigest())
