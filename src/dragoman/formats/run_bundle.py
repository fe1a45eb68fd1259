"""Run bundles: one zip file with a run, its audio and an HTML report; packs and unpacks them.

A bundle may come from anybody. The names, number and lengths of files are checked before a byte is
written. Only the run's file and audio are written, each as a new plain file in a new folder, and
only if it matches the manifest. An unpacked run is untrusted: it can be read, and is resumed only
with the user's consent. The report inside is not unpacked, because its scripts come from somebody
else.
"""

import contextlib
import hashlib
import re
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import msgspec

from dragoman.core.episodes import Episode, Message
from dragoman.core.errors import DataError, StoreError, UsageError
from dragoman.core.progress import long_step
from dragoman.core.replies import TextReply
from dragoman.core.version import VERSION
from dragoman.dataframes.run_views import run_views
from dragoman.report.html_report import render_report
from dragoman.store.atomic_files import atomic_folder, atomic_path
from dragoman.store.audio_files import FOLDER, MOST_SOUND, AudioFiles, audio_path
from dragoman.store.run_store import RunStore, open_run

FORMAT = "dragoman-bundle-1"

MANIFEST = "bundle.json"
REPORT = "report.html"
README = "README.txt"
RUN = "run.sqlite"

MOST_FILES = 400_000
MOST_BYTES = 32 * 2**30
"""Largest size of all files of a bundle, unpacked, in bytes."""

MOST_TIMES = 100
SMALL = 256 * 2**20
"""Bytes to which a bundle may unpack even if that exceeds `MOST_TIMES` the size of its file.

Small bundles are thus always accepted. A run is compressed about ten times.
"""

MOST_MANIFEST = 128 * 2**20

AUDIO = re.compile(r"audio/([0-9a-f]{2})/(\1[0-9a-f]{62})\.wav")
"""An audio file is named by the hash of its bytes."""


class BundledFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One file: the hash and the length of its bytes."""

    sha256: str
    bytes: int


class BundleManifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Manifest of a bundle.

    It has the bundle's format, the version that made it, the run's name, and the other files.
    """

    format: str
    dragoman: str
    run: str
    files: dict[str, BundledFile]


_BLOCK = 2**20
_BROKEN = (
    *(zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError),
    *(OverflowError, ValueError, msgspec.MsgspecError),
)


def unpack_run(path: Path, out: Path) -> BundleManifest:
    """Convert a bundle to a run.

    Args:
        path: The bundle.
        out: The run's folder, new or empty.

    Raises:
        DataError: If the file is not a bundle, is damaged, or holds anything that bundles do not
            have.
        UsageError: If the folder is not empty.
        StoreError: If its content is not a run, or the run cannot be written.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out} is there already and not empty: choose another --out")
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise DataError(f"{path}: no bundle, but a pipe or a device")
    with _errors(path), zipfile.ZipFile(path) as archive:
        manifest = _manifest(path, archive)
        _require_room(path, out, manifest)
        with atomic_folder(out.absolute(), overwrite=False) as draft, _errors(path):
            _write_all(archive, manifest, draft)
            open_run(draft, write=False).close()
    return manifest


@contextlib.contextmanager
def _errors(path: Path) -> Iterator[None]:
    try:
        yield
    except _BROKEN as error:
        raise DataError(f"{path}: damaged or no bundle ({error!s:.200})") from error
    except OSError as error:
        raise StoreError(
            f"{error.filename or path}: cannot unpack ({error.strerror or error})"
        ) from error


def _manifest(path: Path, archive: zipfile.ZipFile) -> BundleManifest:
    """Return a bundle's manifest, which must match the bundle's files."""
    names = archive.namelist()
    if len(names) > MOST_FILES:
        raise DataError(f"{path}: {len(names)} files, more than {MOST_FILES}")
    if MANIFEST not in names:
        raise DataError(f"{path}: no bundle of a run: it has no {MANIFEST}")
    entry = archive.getinfo(MANIFEST)
    if entry.file_size > MOST_MANIFEST:
        raise DataError(f"{path}: its {MANIFEST} is larger than {MOST_MANIFEST} bytes")
    with archive.open(entry) as file:
        content = file.read(MOST_MANIFEST)
    manifest = msgspec.json.decode(content, type=BundleManifest)
    if manifest.format != FORMAT:
        raise DataError(f"{path}: format {manifest.format!r:.40}, this version reads {FORMAT}")
    if sorted(names) != sorted([MANIFEST, *manifest.files]):
        raise DataError(f"{path}: what is in it is not what its {MANIFEST} names")
    for name, stated in manifest.files.items():
        _require_fitting(path, name, stated, archive.getinfo(name))
    if RUN not in manifest.files:
        raise DataError(f"{path}: no run in it")
    return manifest


def _require_fitting(path: Path, name: str, stated: BundledFile, entry: zipfile.ZipInfo) -> None:
    """Refuse names that bundles do not have, and lengths that differ from the manifest."""
    sound = AUDIO.fullmatch(name)
    if sound is None and name not in {README, REPORT, RUN}:
        raise DataError(f"{path}: no bundle has a file {name!r:.80}")
    if sound is not None and (sound[2] != stated.sha256 or stated.bytes > MOST_SOUND):
        raise DataError(f"{path}: {name} is not the sound of its name, or too long")
    if stated.bytes != entry.file_size or stated.bytes < 0:
        raise DataError(f"{path}: {name} has not the length that {MANIFEST} states")


def _require_room(path: Path, out: Path, manifest: BundleManifest) -> None:
    wanted = sum(stated.bytes for stated in manifest.files.values())
    most = min(MOST_BYTES, SMALL + MOST_TIMES * path.stat().st_size)
    if wanted > most:
        raise DataError(
            f"{path}: {wanted:,} bytes unpacked, more than {most:,}: no run is that dense"
        )
    above = next(folder for folder in out.absolute().parents if folder.exists())
    if wanted > shutil.disk_usage(above).free:
        raise StoreError(f"{out}: {wanted:,} bytes do not fit on this disk: choose another --out")


def _write_all(archive: zipfile.ZipFile, manifest: BundleManifest, folder: Path) -> None:
    for name, stated in manifest.files.items():
        if name == RUN or AUDIO.fullmatch(name):
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            _write(archive, name, stated, target)


def _write(archive: zipfile.ZipFile, name: str, stated: BundledFile, target: Path) -> None:
    """Write one file up to its stated length, and refuse it if its content differs."""
    digest, left = hashlib.sha256(), stated.bytes
    with archive.open(name) as source, target.open("xb") as file:
        while block := source.read(min(_BLOCK, left + 1)):
            left -= len(block)
            if left < 0:
                break
            digest.update(block)
            file.write(block)
    if left or digest.hexdigest() != stated.sha256:
        raise DataError(f"{archive.filename}: {name} is not what {MANIFEST} says: it was changed")


_TEXT = """A run of Dragoman: {run}

Unpack this file and open report.html in a browser: it needs no other program, and its audio \
files are in audio/.
With Dragoman: dragoman unbundle FILE
"""


class PackedBundle(msgspec.Struct, frozen=True):
    """The packed file, the number of its audio files, and the number of missing ones.

    Missing audio files are those that the run names and that were not found.
    """

    path: Path
    sounds: int
    missing: int


def pack_run(folder: Path, out: Path, rules: str | None, judge: str | None) -> PackedBundle:
    """Write a run as one file.

    Args:
        folder: The run.
        out: The file; an existing one is replaced.
        rules: The rules of the scoring in the report; None for the newest.
        judge: The judge of the scoring in the report.

    Raises:
        StoreError: If the run cannot be read, or the file cannot be written.
    """
    with open_run(folder, write=False) as store:
        with long_step("looking for sounds"):
            named = dict.fromkeys(name for _, _, each in store.episodes() for name in _sounds(each))
        sounds = AudioFiles(folder)
        there = [name for name in named if _is_there(sounds, name)]
        with long_step("reading conversations"):
            (view,) = run_views([folder], rules, judge)
        view = msgspec.structs.replace(view, audio=FOLDER if there else "")
        with long_step("rendering the report"):
            report = render_report([view], view.name)
        packing = _Packing(store, sounds, there, report, view.name)
        with (
            long_step("packing"),
            atomic_path(out, zipfile.LargeZipFile) as draft,
        ):
            packing.write(draft)
    return PackedBundle(out, len(there), len(named) - len(there))


class _Packing:
    """Writer of one bundle."""

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
    """Return an entry that does not reveal its time and author."""
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
    """Return whether a run has the audio of this name.

    A link in somebody else's run may lead anywhere.
    """
    try:
        return hashlib.sha256(sounds.read(name)).hexdigest() == name
    except StoreError:
        return False
