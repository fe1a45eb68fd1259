"""Packs a run: its file as one, the sounds of its conversations, and a report of it."""

import hashlib
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import msgspec

from dragoman.core.episodes import Episode, Message
from dragoman.core.errors import StoreError
from dragoman.core.replies import TextReply
from dragoman.core.version import VERSION
from dragoman.exchange.bundles.layout import (
    FORMAT,
    MANIFEST,
    README,
    REPORT,
    RUN,
    BundledFile,
    BundleManifest,
)
from dragoman.exchange.placing import place_file
from dragoman.report.html_report import render_report
from dragoman.store.audio_files import FOLDER, AudioFiles, audio_path
from dragoman.store.run_store import RunStore, open_run
from dragoman.tables.run_views import run_views

_TEXT = """A run of Dragoman: {run}

Unpack this file and open report.html in a browser: it needs nothing else, and its sounds are in audio/.
With Dragoman: dragoman unbundle FILE
"""

_BLOCK = 2**20


class Packed(msgspec.Struct, frozen=True):
    """What was packed: the file, how many sounds, and how many that the run names were not there."""

    path: Path
    sounds: int
    missing: int


def pack_run(folder: Path, out: Path, rules: str | None, judge: str | None) -> Packed:
    """Write a run as one file.

    Args:
        folder: The run.
        out: The file; one that is there is replaced.
        rules: The rules of the scoring that the report shows; None for the newest.
        judge: Its judge.

    Raises:
        StoreError: Where the run cannot be read, or the file not be written.
    """
    with open_run(folder, write=False) as store:
        named = dict.fromkeys(name for _, _, each in store.episodes() for name in _sounds(each))
        sounds = AudioFiles(folder)
        there = [name for name in named if _is_there(sounds, name)]
        (view,) = run_views([folder], rules, judge)
        view = msgspec.structs.replace(view, audio=FOLDER if there else "")
        packing = _Packing(store, sounds, there, render_report([view], view.name), view.name)
        place_file(out, packing.write)
    return Packed(out, len(there), len(named) - len(there))


class _Packing:
    """One bundle while it is written."""

    def __init__(
        self, store: RunStore, sounds: AudioFiles, names: list[str], report: str, run: str
    ) -> None:
        self._store = store
        self._sounds = sounds
        self._names = names
        self._report = report
        self._run = run
        self._files: dict[str, BundledFile] = {}

    def write(self, path: Path) -> None:
        """Write the file."""
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            self._add(archive, README, _TEXT.format(run=self._run).encode())
            self._add(archive, REPORT, self._report.encode())
            with tempfile.TemporaryDirectory(prefix="dragoman-") as beside:
                copy = Path(beside) / RUN
                self._store.copy_to(copy)
                self._add_file(archive, RUN, copy)
            for name in self._names:
                self._add(archive, audio_path(name), self._sounds.read(name))
            manifest = BundleManifest(FORMAT, VERSION, self._run, self._files)
            archive.writestr(_entry(MANIFEST), msgspec.json.encode(manifest))

    def _add(self, archive: zipfile.ZipFile, name: str, content: bytes) -> None:
        archive.writestr(_entry(name), content)
        self._files[name] = BundledFile(hashlib.sha256(content).hexdigest(), len(content))

    def _add_file(self, archive: zipfile.ZipFile, name: str, source: Path) -> None:
        digest, size = hashlib.sha256(), 0
        with source.open("rb") as file, archive.open(_entry(name), "w", force_zip64=True) as target:
            while block := file.read(_BLOCK):
                target.write(block)
                digest.update(block)
                size += len(block)
        self._files[name] = BundledFile(digest.hexdigest(), size)


def _entry(name: str) -> zipfile.ZipInfo:
    """Return an entry that says nothing of when and by whom it was made."""
    entry = zipfile.ZipInfo(name)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    return entry


def _sounds(episode: Episode) -> Iterator[str]:
    for event in episode.events:
        if isinstance(event, Message) and isinstance(event.reply, TextReply):
            for audio in (event.reply.utterance.audio, event.reply.utterance.clean_audio):
                if audio is not None:
                    yield audio.sha256


def _is_there(sounds: AudioFiles, name: str) -> bool:
    """Whether a run has the sound of this name: a link in somebody else's run may lead anywhere."""
    try:
        return hashlib.sha256(sounds.read(name)).hexdigest() == name
    except StoreError:
        return False
