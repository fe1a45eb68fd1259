"""The audio of a set: FLAC files by the hash of their sound."""

import threading
from collections.abc import Container, Iterator
from pathlib import Path

from dragoman.core.errors import DataError
from dragoman.core.speech import AudioRef
from dragoman.core.texts.decoding import OutsideErrors
from dragoman.core.voice.audio import Audio
from dragoman.store.audio_files import MOST_SOUND
from dragoman.store.audio_sets.flac import audio_in, flac_of
from dragoman.store.audio_sets.layout import AUDIO, audio_name
from dragoman.store.foreign_files import read_plain, require_inside
from dragoman.store.whole_files import write_whole


class SetSounds:
    """The audio files under one set's folder; `core.voice.sounds.Sounds`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._writing = threading.Lock()

    def keep(self, audio: Audio) -> AudioRef:
        """Store audio, whole or not at all, and return its reference.

        Raises:
            DataError: Where it cannot be written, or has no samples.
            UsageError: Where the extra `voice` is not installed.
        """
        reference, content = audio.reference(), flac_of(audio)
        # Words that sound the same may be kept by two threads at a time, in one file.
        path = self._folder / audio_name(reference.sha256)
        with self._writing, OutsideErrors(DataError, f"{path}: cannot store audio"):
            require_inside(self._folder, path)
            write_whole(path, (content,))
        return reference

    def sound(self, audio: AudioRef) -> Audio:
        """Return stored audio.

        Raises:
            DataError: Where its file is missing or damaged, or holds another sound.
            UsageError: Where the extra `voice` is not installed.
        """
        path = self._folder / audio_name(audio.sha256)
        with OutsideErrors(DataError, f"{path}: cannot be read"):
            content = read_plain(path, MOST_SOUND)
        found = audio_in(content, str(path))
        if found.reference() != audio:
            raise DataError(f"{path}: another sound than its name says")
        return found

    def others(self, known: Container[str]) -> Iterator[Path]:
        """Yield the files that are no audio of these hashes.

        Raises:
            DataError: Where the folder cannot be read.
        """
        folder = self._folder / AUDIO
        with OutsideErrors(DataError, f"{folder}: cannot be read"):
            files = sorted(path for path in folder.rglob("*") if not path.is_dir())
        for path in files:
            name = path.relative_to(self._folder).as_posix()
            if path.stem not in known or audio_name(path.stem) != name:
                yield path
