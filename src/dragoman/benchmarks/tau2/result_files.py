"""Result files of tau2-bench on disk: one JSON file, or a folder with a file per simulation.

A simulation that cannot be decoded is kept with its place in the file, so that an export writes it
back unchanged.
"""

import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from dragoman.core.errors import DataError, StoreError, UnknownFormatError
from dragoman.core.texts.decoding import TranslatedErrors, decompress
from dragoman.store.atomic_files import atomic_write
from dragoman.store.safe_files import read_plain

UNREADABLE_FIELD = "dragoman:left_out"
"""The field of a run's copy of a file's head that holds them; no file has it."""


class UnreadableSimulation(msgspec.Struct, frozen=True):
    """One simulation with its place among all of its file, counted from 0."""

    at: int
    record: msgspec.Raw


class _Named(msgspec.Struct):
    id: str = ""


def encode_unreadable(left_out: Iterable[UnreadableSimulation]) -> msgspec.Raw:
    """Return simulations as a field of a head."""
    return msgspec.Raw(msgspec.json.encode(list(left_out)))


def merge_unreadable(
    head: Mapping[str, msgspec.Raw], records: Iterable[tuple[str, msgspec.Raw]]
) -> Iterator[tuple[str, msgspec.Raw]]:
    """Yield records with the unreadable ones in their places, each with its id."""
    if UNREADABLE_FIELD not in head:
        yield from records
        return
    left = {
        each.at: each.record
        for each in msgspec.json.decode(head[UNREADABLE_FIELD], type=list[UnreadableSimulation])
    }
    at = 0
    for each in records:
        while at in left:
            yield _decode_record_id(left.pop(at))
            at += 1
        yield each
        at += 1
    for _, record in sorted(left.items()):
        yield _decode_record_id(record)


def _decode_record_id(record: msgspec.Raw) -> tuple[str, msgspec.Raw]:
    return msgspec.json.decode(record, type=_Named).id, record


HEAD = "results.json"
FOLDER = "simulations"
SIMULATIONS = "simulations"
INDEX = "simulation_index"

MAX_BYTES = 2 * 1024**3

_SAFE_NAME = re.compile(r"[A-Za-z0-9][\w.@+=|\[\]:-]{0,199}", re.ASCII)

Head = Mapping[str, msgspec.Raw]


class RawResults(msgspec.Struct, frozen=True):
    """A result file's content, undecoded: everything but the simulations, and these in order."""

    head: Head
    simulations: tuple[msgspec.Raw, ...]


def read_results(path: Path) -> RawResults:
    """Read a result file, or a folder with `results.json` and `simulations/<id>.json`.

    Raises:
        DataError: If it is missing, too large or damaged, or its index names other simulations.
    """
    if path.is_dir():
        path /= HEAD
        if not path.exists():
            raise UnknownFormatError(f"{path.parent}: cannot read results (no {HEAD} in it)")
    _require_bounded([path])
    fields = _object(_read(path), path)
    folder = path.parent / FOLDER
    stands_here = SIMULATIONS in fields and not (
        holds_nothing(fields[SIMULATIONS]) and folder.is_dir()
    )
    if stands_here:
        simulations = _array(fields.pop(SIMULATIONS), path)
        return RawResults(fields, tuple(simulations))
    if not folder.is_dir():
        raise UnknownFormatError(
            f"{path}: no simulations in it, and no folder {FOLDER}/ next to it"
        )
    files = {file.stem: file for file in sorted(folder.glob("*.json"))}
    order = _read_index_names(fields, path) or list(files)
    if set(order) != set(files):
        differing = min(set(order) ^ set(files))
        raise DataError(f"{path}: its index and the folder {FOLDER}/ differ in {differing!r}")
    _require_bounded(files.values())
    return RawResults(fields, tuple(msgspec.Raw(_read(files[name])) for name in order))


def _read(path: Path) -> bytes:
    try:
        return decompress(read_plain(path, MAX_BYTES), MAX_BYTES)
    except OSError as error:
        raise _unreadable(path, error) from error
    except DataError as error:
        raise DataError(f"{path}: {error}") from error


def _require_bounded(files: Iterable[Path]) -> None:
    total = 0
    for file in files:
        try:
            total += file.stat().st_size
        except OSError as error:
            raise _unreadable(file, error) from error
        if total > MAX_BYTES:
            raise DataError(f"{file}: more than {MAX_BYTES // 2**30} GiB of results: split them")


def _unreadable(path: Path, error: OSError) -> DataError:
    return DataError(f"{path}: cannot read results ({error.strerror})")


def _object(content: bytes, path: Path) -> dict[str, msgspec.Raw]:
    with TranslatedErrors(UnknownFormatError, f"{path}: not a tau2 result file"):
        return msgspec.json.decode(content, type=dict[str, msgspec.Raw])


def _array(content: msgspec.Raw, path: Path) -> list[msgspec.Raw]:
    with TranslatedErrors(DataError, f"{path}: its simulations are damaged"):
        return msgspec.json.decode(content, type=list[msgspec.Raw] | None) or []


class _Entry(msgspec.Struct):
    id: str


_NULL = msgspec.Raw(b"null")


def holds_nothing(content: msgspec.Raw) -> bool:
    """Return whether a field is null or an empty list, however it is written."""
    return b"".join(bytes(content)[:64].split()) in {b"null", b"[]"}


def _read_index_names(fields: Head, path: Path) -> list[str]:
    """Return the names of an index in its order; none if the index is missing."""
    with TranslatedErrors(DataError, f"{path}: its {INDEX} is damaged"):
        entries = msgspec.json.decode(fields.get(INDEX, _NULL), type=list[_Entry] | None)
    return list(dict.fromkeys(entry.id for entry in entries or ()))


def write_results(
    path: Path, head: Head, simulations: Iterable[tuple[str, msgspec.Raw]], *, as_folder: bool
) -> int:
    """Write results and return how many simulations that was; the head of a folder comes last.

    Raises:
        DataError: If a simulation's name cannot be the name of a file.
        StoreError: If the file cannot be written.
    """
    with TranslatedErrors(StoreError, f"{path}: cannot write the results"):
        if as_folder:
            return _write_folder(path, head, simulations)
        records = [record for _, record in simulations]
        atomic_write(path, _chunks(head, records))
        return len(records)


def _write_folder(path: Path, head: Head, simulations: Iterable[tuple[str, msgspec.Raw]]) -> int:
    """Write drafts of simulations and head, then move them to their places, the head last.

    A draft of the head next to simulations shows that the process that moved them was killed: they
    are replaced.
    """
    folder, waiting, draft = path / FOLDER, path / f".{HEAD}.new", path / f".{FOLDER}.new"
    if (path / HEAD).exists() or (folder.exists() and not waiting.exists()):
        raise StoreError(f"{path} holds results already: choose another --out")
    records = dict(_distinct(simulations))
    for left in (draft, folder):
        shutil.rmtree(left, ignore_errors=True)
    draft.mkdir(parents=True)
    try:
        for name, record in records.items():
            (draft / f"{name}.json").write_bytes(bytes(record))
        (draft / HEAD).write_bytes(msgspec.json.encode(head))
        (draft / HEAD).rename(waiting)
        draft.rename(folder)
        waiting.rename(path / HEAD)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        if not folder.exists():
            waiting.unlink(missing_ok=True)
        raise
    return len(records)


def _distinct(
    simulations: Iterable[tuple[str, msgspec.Raw]],
) -> Iterator[tuple[str, msgspec.Raw]]:
    """Yield simulations whose names can be files' names, each once."""
    seen = set()
    for name, record in simulations:
        if not _SAFE_NAME.fullmatch(name):
            raise DataError(f"simulation {name!r} cannot be the name of a file: export to one file")
        if name.lower() in seen:
            raise DataError(f"two simulations have the id {name!r}: export to one file")
        seen.add(name.lower())
        yield name, record


def _chunks(head: Head, simulations: Sequence[msgspec.Raw]) -> Iterator[bytes]:
    """Yield the parts of the one-file form, so that it is never a second time in memory."""
    yield b"{"
    for name, value in head.items():
        if name != SIMULATIONS:
            yield msgspec.json.encode(name) + b":" + bytes(value) + b","
    yield msgspec.json.encode(SIMULATIONS) + b":["
    for index, record in enumerate(simulations):
        yield b"," + bytes(record) if index else bytes(record)
    yield b"]}\n"
