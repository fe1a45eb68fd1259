"""Benchmark data that are not shipped: pinned upstream files, pulled once and checked at every use.

A benchmark describes its upstream in a `sources.toml`: every file with its size and hash, and the
tool schemas that are composed from the upstream's modules. `pull` fills a folder with the files
under their short names and writes `index.json` last, so that a folder with an index is complete.
"""

import gzip
import hashlib
import os
import stat
import zlib
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Literal, Protocol
from urllib.parse import urlsplit

import msgspec

from dragoman.core.errors import DataError, UsageError
from dragoman.core.keys import content_key

INDEX = "index.json"

_MAX_DERIVED = 4_000_000
_ELSEWHERE = "give another copy with --from DIR or --url URL"

_RelativePath = Annotated[str, msgspec.Meta(pattern=r"^(?!.*\.\.)[A-Za-z0-9_][A-Za-z0-9_./-]*$")]
_Sha256 = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}$")]
_Size = Annotated[int, msgspec.Meta(ge=0, le=1 << 30)]


class SourceFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One upstream file; size and hash are of the raw bytes.

    `name` is the short name under which it is kept. Files of the kinds `tools` and `models` are
    modules whose text schemas are derived from; they are fetched only for that and not kept.
    """

    path: _RelativePath
    name: _RelativePath
    size: _Size
    sha256: _Sha256
    kind: Literal["data", "licence", "tools", "models"] = "data"

    @property
    def kept(self) -> bool:
        """Whether the file itself is wanted, not only what is derived from it."""
        return self.kind in {"data", "licence"}


class Derived(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A JSON file composed from modules, which are given by their short names.

    `content_key` is that of the parsed JSON; an empty one pins nothing.
    """

    name: _RelativePath
    tools: str
    models: tuple[str, ...]
    content_key: str = ""

    @property
    def modules(self) -> tuple[str, ...]:
        """All modules that the file is composed from."""
        return (self.tools, *self.models)


class Source(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A pinned upstream: where it lies, under which licence, and what is taken from it."""

    name: str
    commit: str
    url: str
    licence: str
    notice: str
    files: tuple[SourceFile, ...]
    derived: tuple[Derived, ...] = ()

    def __post_init__(self) -> None:
        names = [INDEX, *(file.name for file in self.files), *(item.name for item in self.derived)]
        modules = {file.name for file in self.files if not file.kept}
        if len(set(names)) < len(names):
            raise ValueError(f"two files have the same name, or one is named {INDEX}")
        if not any(file.kind == "licence" for file in self.files):
            raise ValueError("no file holds the licence")
        for entry in self.derived:
            if not modules.issuperset(entry.modules):
                raise ValueError(f"{entry.name} is derived from a module that is not listed")


class Index(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a pulled folder holds: `files` are hashes by short name.

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
    """What a pull did: the files that it wrote and those that were there already."""

    source: str
    origin: str
    target: str
    written: tuple[str, ...]
    kept: tuple[str, ...]

    @property
    def message(self) -> str:
        """The report in one line."""
        if not self.written:
            return f"{self.source}: all {len(self.kept)} files are already in {self.target}"
        kept = f", {len(self.kept)} were already there" if self.kept else ""
        return (
            f"{self.source}: {len(self.written)} files written to {self.target} "
            f"from {self.origin}{kept}"
        )


Derive = Callable[[Derived, Mapping[str, str]], object]
"""Composes a derived file's JSON from the texts of modules by short name."""

Progress = Callable[[str, int, int], None]
"""Told the file at hand, the bytes so far and the bytes in total of a pull."""


def load_source(text: bytes) -> Source:
    """Read a `sources.toml`.

    Raises:
        DataError: Where it does not describe a source.
    """
    import msgspec.toml

    try:
        return msgspec.toml.decode(text, type=Source)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise DataError(f"the list of upstream files is damaged: {error}") from error


def pull(  # noqa: PLR0913 - what may be chosen, all by keyword
    source: Source,
    target: Path,
    *,
    derive: Derive,
    from_dir: Path | None = None,
    url: str | None = None,
    progress: Progress | None = None,
    timeout: float = 30.0,
) -> PullReport:
    """Fill a folder with the source's files, keeping those that are there and right.

    Args:
        source: What to pull.
        target: The folder to fill.
        derive: Composes those derived files that a local copy does not hold.
        from_dir: A local copy to read instead of the network. Each file may lie there at its
            upstream path or under its short name, raw or with `.gz` appended.
        url: A web address that takes the place of the source's own, with the same layout.
        progress: Told how far the pull is.
        timeout: Seconds to wait for each part of a server's answer.

    Raises:
        UsageError: Where the choices contradict each other or the address is none.
        DataError: Where a file is missing, not the pinned one, or cannot be fetched or written.
    """
    origin = _origin(source, from_dir, url, timeout)
    missing = [file for file in source.files if file.kept and not _is_right(target, file)]
    stale = [entry for entry in source.derived if not _is_pinned(target, entry)]
    ready = {entry.name: taken for entry in stale if (taken := origin.derived(entry))}
    needed = {name for entry in stale if entry.name not in ready for name in entry.modules}
    by_name = {file.name: file for file in source.files}
    modules = [by_name[name] for name in needed]
    if missing or stale:
        _remove(target / INDEX)
    meter = _Meter(progress, sum(file.size for file in (*missing, *modules)))
    for file in missing:
        _write(target / file.name, meter.measure(origin, file))
    texts = cache(lambda name: meter.measure(origin, by_name[name]).decode())
    refused: dict[str, DataError] = {}
    for entry in stale:
        try:
            content = ready.get(entry.name) or _compose(entry, derive, texts)
        except DataError as error:
            # The other domains are not to suffer from one whose tools cannot be read.
            refused[entry.name] = error
            continue
        _write(target / entry.name, content)
    index = _write_index(source, target, origin.label, frozenset(refused))
    if refused:
        reasons = "; ".join(map(str, refused.values()))
        raise DataError(f"everything but {', '.join(refused)} was pulled: {reasons}")
    written = (*(file.name for file in missing), *(entry.name for entry in stale))
    kept = tuple(name for name in index.files if name not in written)
    return PullReport(source.name, origin.label, str(target), written, kept)


def open_file(target: Path, source: Source, name: str, hint: str) -> bytes:
    """Return a pulled file's content after checking it.

    Args:
        target: The folder that was filled.
        source: What it was filled from.
        name: The file's short name.
        hint: What to do where the data are missing, such as "run `dragoman data pull tau2`".

    Raises:
        DataError: Where the file is missing or damaged.
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


# Where files come from


class _Origin(Protocol):
    @property
    def label(self) -> str: ...

    def read(self, file: SourceFile, arrived: Callable[[int], None]) -> bytes: ...

    def derived(self, entry: Derived) -> bytes | None: ...


class _Web:
    """An upstream, or a mirror of it, behind a web address."""

    def __init__(self, url: str, timeout: float) -> None:
        self.label = url.rstrip("/") + "/"
        self._timeout = timeout

    def read(self, file: SourceFile, arrived: Callable[[int], None]) -> bytes:
        from dragoman.benchmarks.download import download

        url = self.label + file.path
        content = download(url, file.size, timeout=self._timeout, arrived=arrived)
        return _checked(file, content, url)

    def derived(self, entry: Derived) -> bytes | None:  # noqa: ARG002 - upstream has modules only
        return None


class _Folder:
    """A local copy, in the upstream's layout or in ours."""

    label = "local copy"

    def __init__(self, folder: Path) -> None:
        if not _is_there(folder, stat.S_ISDIR):
            raise DataError(f"{folder} is not a folder: give one that holds the files")
        self._folder = folder

    def read(self, file: SourceFile, arrived: Callable[[int], None]) -> bytes:
        found = self._find(file.path, file.name)
        if found is None:
            places = " and ".join(dict.fromkeys([file.path, file.name]))
            raise DataError(
                f"{file.name} is not in {self._folder}: looked for {places}, also with .gz appended"
            )
        content = _read_local(found, file.size)
        arrived(len(content))
        return _checked(file, content, str(found))

    def derived(self, entry: Derived) -> bytes | None:
        found = self._find(entry.name)
        if found is None:
            return None
        content = _read_local(found, _MAX_DERIVED)
        _require_pinned(entry, content, str(found))
        return content

    def _find(self, *places: str) -> Path | None:
        paths = (self._folder / f"{place}{end}" for place in places for end in ("", ".gz"))
        return next((path for path in paths if _is_there(path, stat.S_ISREG)), None)


def _origin(source: Source, from_dir: Path | None, url: str | None, timeout: float) -> _Origin:
    if from_dir is not None and url is not None:
        raise UsageError("--from and --url exclude each other: give one of them")
    if from_dir is not None:
        return _Folder(from_dir)
    address = source.url if url is None else url
    if not _is_web_address(address):
        raise UsageError(f"{address!r} is no web address: give one that starts with https://")
    return _Web(address, timeout)


def _is_web_address(address: str) -> bool:
    try:
        parts = urlsplit(address)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _is_there(path: Path, is_kind: Callable[[int], bool]) -> bool:
    try:
        return is_kind(path.stat().st_mode)
    except OSError:
        return False


def _read_local(path: Path, size: int) -> bytes:
    """Return at most one byte more than the size, whatever a packed file would unfold to."""
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            return file.read(size + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{path} cannot be read ({error}): {_ELSEWHERE}") from error


class _Meter:
    """Adds up the bytes of a pull; a file that was packed counts whole once it is there."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self._progress = progress
        self._total = total
        self._done = 0

    def measure(self, origin: _Origin, file: SourceFile) -> bytes:
        content = origin.read(file, lambda count: self._tell(file, min(count, file.size)))
        self._tell(file, file.size)
        self._done += file.size
        return content

    def _tell(self, file: SourceFile, count: int) -> None:
        if self._progress is not None:
            self._progress(file.name, self._done + count, self._total)


# What is right


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _checked(file: SourceFile, content: bytes, where: str) -> bytes:
    found = _sha256(content)
    if found == file.sha256:
        return content
    told = f"more than {file.size} bytes" if len(content) > file.size else found[:12]
    raise DataError(
        f"{file.name} is not the pinned file (sha256 {file.sha256[:12]} expected, {told} found "
        f"at {where}): {_ELSEWHERE}"
    )


def _compose(entry: Derived, derive: Derive, text: Callable[[str], str]) -> bytes:
    composed = derive(entry, {name: text(name) for name in entry.modules})
    content = msgspec.json.format(msgspec.json.encode(composed), indent=1) + b"\n"
    _require_pinned(entry, content, entry.tools)
    return content


def _require_pinned(entry: Derived, content: bytes, where: str) -> None:
    found = _key(content)
    if found is None:
        raise DataError(f"{entry.name} is not JSON (at {where}): {_ELSEWHERE}")
    if entry.content_key not in {"", found}:
        raise DataError(
            f"{entry.name} does not hold the pinned schemas (content key {entry.content_key[:12]} "
            f"expected, {found[:12]} found at {where}): {_ELSEWHERE}"
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


def _unwritable(path: Path, error: OSError) -> DataError:
    return DataError(
        f"{path} cannot be written ({error.strerror}): choose another folder or make room"
    )


def _write(path: Path, content: bytes) -> None:
    """Write a file whole or not at all, however the process ends."""
    # With the process id two pulls at once do not mix their bytes.
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with part.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise _unwritable(path, error) from error


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise _unwritable(path, error) from error


def _write_index(source: Source, target: Path, origin: str, refused: frozenset[str]) -> Index:
    derived = [entry for entry in source.derived if entry.name not in refused]
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
    _write(target / INDEX, msgspec.json.format(msgspec.json.encode(index), indent=1) + b"\n")
    return index


# The folder that is read


def _pins(source: Source) -> dict[str, str]:
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


def _indexed_hash(target: Path, source: Source, name: str, hint: str) -> str:
    index = _read_index(target)
    if index is None or index.commit != source.commit or name not in index.files:
        raise DataError(f"{target / INDEX} does not list {name} as it is pinned: {hint} again")
    return index.files[name]
