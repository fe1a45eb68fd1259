"""Unpacks a bundle, which may come from anybody.

Names, number and lengths are checked before a byte is written; nothing but the run's file and sounds
is written, each as a new plain file in a new folder, and only if it is what the manifest says. What
is unpacked is a run of somebody else's: it is read as one, and goes on only with a person's word. The
report inside is left where it is, for its scripts would be a stranger's.
"""

import contextlib
import hashlib
import os
import shutil
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import msgspec

from dragoman.core.errors import DataError, StoreError, UsageError
from dragoman.exchange.bundles.layout import (
    AUDIO,
    FORMAT,
    MANIFEST,
    MOST_BYTES,
    MOST_FILES,
    MOST_MANIFEST,
    MOST_TIMES,
    README,
    REPORT,
    RUN,
    SMALL,
    BundledFile,
    BundleManifest,
)
from dragoman.store.audio_files import MOST_SOUND
from dragoman.store.run_store import open_run

_BLOCK = 2**20
_BROKEN = (
    *(zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError),
    *(OverflowError, ValueError, msgspec.MsgspecError),
)


def unpack_run(path: Path, out: Path) -> BundleManifest:
    """Make a run of a bundle.

    Args:
        path: The bundle.
        out: The run's folder, new or empty.

    Raises:
        DataError: Where the file is no bundle, is damaged, or holds what no bundle does.
        UsageError: Where something is in the folder already.
        StoreError: Where what is in it is no run, or nothing can be written.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out} is there already and not empty: choose another --out")
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise DataError(f"{path}: no bundle, but a pipe or a device")
    with _errors(path), zipfile.ZipFile(path) as archive:
        manifest = _manifest(path, archive)
        _require_room(path, out, manifest)
        part = out.absolute().with_name(f".{out.absolute().name}.{os.getpid()}.part")
        try:
            _write_all(archive, manifest, part)
            open_run(part, write=False).close()
            if out.exists():
                out.rmdir()
            part.replace(out)
        finally:
            shutil.rmtree(part, ignore_errors=True)
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
    """Return what a bundle says it holds, which is all that it holds."""
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
    """Refuse names that a bundle does not have, and lengths that are not those stated."""
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
    folder.mkdir(parents=True)
    for name, stated in manifest.files.items():
        if name == RUN or AUDIO.fullmatch(name):
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            _write(archive, name, stated, target)


def _write(archive: zipfile.ZipFile, name: str, stated: BundledFile, target: Path) -> None:
    """Write one file as far as its stated length, and refuse it if it is another."""
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
