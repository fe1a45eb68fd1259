"""Audio as FLAC: smaller than WAV, and the same samples again."""

import io

from dragoman.core.errors import DataError, UsageError
from dragoman.core.voice.audio import MAX_SECONDS, Audio

_SUBTYPE = "PCM_16"
_MAX_RATE_HZ = 192_000
_NOT_INSTALLED = "recorded audio is FLAC, and reading it is an extra: pip install 'dragoman[voice]'"


def require_flac() -> None:
    """See that FLAC can be read and written.

    Raises:
        UsageError: Where the extra `voice` is not installed.
    """
    try:
        import soundfile  # noqa: F401 - whether it is there is the question
    except (ImportError, OSError) as error:
        raise UsageError(_NOT_INSTALLED) from error


def flac_of(audio: Audio) -> bytes:
    """Return audio as a FLAC file; the same library gives equal audio equal bytes.

    Raises:
        UsageError: Where the extra `voice` is not installed.
        DataError: For audio without samples, for which FLAC has no form.
    """
    require_flac()
    import numpy as np
    import soundfile

    if not audio.pcm:
        raise DataError("audio without samples cannot be a FLAC file")
    file = io.BytesIO()
    samples = np.frombuffer(audio.pcm, dtype="<i2")
    soundfile.write(file, samples, audio.rate_hz, format="FLAC", subtype=_SUBTYPE)
    return file.getvalue()


def audio_in(content: bytes, where: str) -> Audio:
    """Read a FLAC file of 16-bit mono samples.

    Raises:
        UsageError: Where the extra `voice` is not installed.
        DataError: Where it is damaged, of another form, or too long; the line begins with `where`.
    """
    require_flac()
    import soundfile

    try:
        with soundfile.SoundFile(io.BytesIO(content)) as file:
            form = (file.format, file.channels, file.subtype)
            most = MAX_SECONDS * min(file.samplerate, _MAX_RATE_HZ)
            if form != ("FLAC", 1, _SUBTYPE) or file.frames > most:
                raise DataError(
                    f"{where}: not FLAC of 16-bit mono, or longer than {MAX_SECONDS:.0f} seconds"
                )
            return Audio(file.read(dtype="int16").astype("<i2").tobytes(), file.samplerate)
    except soundfile.SoundFileError as error:
        raise DataError(f"{where}: no readable FLAC file ({error})") from error
