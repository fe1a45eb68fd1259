"""Audio files of a run: WAV files by content hash, written once and never changed."""

from pathlib import Path

from dragoman.core.audio import Audio, read_wav, write_wav
from dragoman.core.errors import StoreError
from dragoman.core.replies import AudioRef
from dragoman.core.texts.decoding import TranslatedErrors
from dragoman.store.atomic_files import atomic_write
from dragoman.store.safe_files import read_plain, require_inside

FOLDER = "audio"

MOST_SOUND = 128 * 2**20
"""Largest WAV file that is read, in bytes; ten minutes at 96 kHz are less."""


class AudioFiles:
    """The audio of one run."""

    def __init__(self, run: Path) -> None:
        self._run = run
        self._kept: set[str] = set()

    def keep(self, audio: Audio) -> AudioRef:
        """Store audio and return its reference; existing audio is not written again.

        Raises:
            StoreError: If the file cannot be written.
        """
        reference = audio.reference()
        if reference.sha256 in self._kept:
            return reference
        path = self._run / audio_path(reference.sha256)
        with TranslatedErrors(StoreError, f"{path}: cannot store audio"):
            require_inside(self._run, path)
            if not path.exists():
                atomic_write(path, write_wav(audio))
        self._kept.add(reference.sha256)
        return reference

    def sound(self, audio: AudioRef) -> Audio:
        """Return stored audio.

        Raises:
            StoreError: If the file is missing.
            DataError: If the file is damaged.
        """
        return read_wav(self.read(audio.sha256), audio_path(audio.sha256))

    def read(self, sha256: str) -> bytes:
        """Return the bytes of a WAV file.

        Raises:
            StoreError: If the file is missing.
        """
        path = self._run / audio_path(sha256)
        with TranslatedErrors(StoreError, f"{path}: cannot read audio"):
            return read_plain(path, MOST_SOUND)


def audio_path(sha256: str) -> str:
    """Return the path of an audio file in the run's folder."""
    return f"{FOLDER}/{sha256[:2]}/{sha256}.wav"
