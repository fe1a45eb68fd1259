"""Pinned Whisper models of the Hugging Face hub: table, download and verification.

A file is checked before it gets its final name.
"""

import difflib
import fcntl
import hashlib
import http.client
import queue
import shutil
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, BinaryIO
from urllib.parse import urlsplit

import msgspec

from dragoman.benchmarks.downloads.http_download import opener_for
from dragoman.core.errors import UsageError
from dragoman.core.progress import PROGRESS_DISPLAY, ProgressCallback

_Sha256 = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}$")]
_Commit = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{40}$")]
_FileName = Annotated[str, msgspec.Meta(pattern=r"^[a-z_]+\.(json|bin|txt)$")]


class HubFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One file of a model: its name, its size in bytes and its SHA-256."""

    name: _FileName
    size: Annotated[int, msgspec.Meta(gt=0)]
    sha256: _Sha256


class HubModel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One model at a pinned commit of a repository on the Hugging Face hub."""

    name: str
    repository: str
    revision: _Commit
    files: tuple[HubFile, ...]
    aliases: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """The bytes of all its files."""
        return sum(file.size for file in self.files)

    def address(self, endpoint: str, file: HubFile) -> str:
        """Return the web address of a file at a hub."""
        return f"{endpoint.rstrip('/')}/{self.repository}/resolve/{self.revision}/{file.name}"


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    models: tuple[HubModel, ...]


@cache
def load_hub_models() -> tuple[HubModel, ...]:
    """Return the models that ship by name."""
    content = (files("dragoman.speech.local") / "hub_models.toml").read_bytes()
    return msgspec.toml.decode(content, type=_Table).models


def find_hub_model(name: str, written: str) -> HubModel:
    """Return the model of a name, or of an alias.

    Raises:
        UsageError: If the model does not exist; the message suggests the nearest name.
    """
    models = {each: model for model in load_hub_models() for each in (model.name, *model.aliases)}
    if name in models:
        return models[name]
    near = difflib.get_close_matches(name.lower(), models, 1)
    hint = f"did you mean whisper/{near[0]}? " if near else ""
    raise UsageError(
        f"{written}: neither a folder nor a model is called {name!r}: {hint}"
        f"Models are {', '.join(models)}; whisper/FOLDER names a folder"
    )


ENGINE = "whisper"
"""The engine whose models these are."""

_CHUNK = 1 << 18
_RESUMED = 206
_BROKEN = (OSError, http.client.HTTPException, ValueError, OverflowError)
_MOST_SHOWN = 150


class HubPlace(msgspec.Struct, frozen=True):
    """Source and local folder of models.

    Attributes:
        endpoint: The address of the hub.
        folder: The folder of all models.
        is_offline: Whether the network must not be used.
        answer_seconds: Longest wait for a server's answer, including name resolution and
            connection, in seconds.
        stall_seconds: Longest wait for the next bytes, in seconds.
        most_cuts: Largest number of broken connections, each after some bytes.
    """

    endpoint: str
    folder: Path
    is_offline: bool = False
    answer_seconds: float = 20.0
    stall_seconds: float = 30.0
    most_cuts: int = 5


def fetch_model(model: HubModel, place: HubPlace, written: str) -> Path:
    """Return the folder of a model with all its files; missing files are downloaded.

    Args:
        model: The model.
        place: Source and local folder of models.
        written: Name of the model as the user wrote it.

    Raises:
        UsageError: If it cannot be downloaded or stored; the message says what to do.
    """
    target = place.folder / model.name
    try:
        if _is_right(target, model):
            return target
        with _lock_download(place.folder / f".{model.name}.lock", written):
            if not _is_right(target, model):  # another process may have been faster
                _Download(model, place, written).fill(target)
    except OSError as error:
        raise UsageError(
            f"{written}: {place.folder} cannot be written ({error.strerror}): make room for "
            f"{_megabytes(model.size)}, or set XDG_CACHE_HOME to another folder"
        ) from error
    return target


@contextmanager
def show_line(line: str) -> Iterator[ProgressCallback]:
    """Print the line on standard error after the first bytes, and no progress after it."""
    is_shown = False

    def progress(_file: str, _done: int, _total: int) -> None:
        nonlocal is_shown
        if not is_shown:
            is_shown = True
            sys.stderr.write(f"{line}\n")

    yield progress


class _Download:
    """One download of one model."""

    def __init__(self, model: HubModel, place: HubPlace, written: str) -> None:
        self._model = model
        self._place = place
        self._written = written
        self._done = 0

    def fill(self, target: Path) -> None:
        """Put all files into the folder.

        Raises:
            UsageError: If a file cannot be fetched.
            OSError: If a file cannot be written.
        """
        draft = target.with_name(f".{target.name}.part")
        if target.exists():  # damaged: its correct files are kept
            shutil.rmtree(draft, ignore_errors=True)
            target.rename(draft)
        draft.mkdir(parents=True, exist_ok=True)
        missing = [file for file in self._model.files if not _is_file_right(draft, file)]
        self._done = self._model.size - sum(file.size for file in missing)
        if missing and self._place.is_offline:
            raise self._failure("HF_HUB_OFFLINE is set")
        with (PROGRESS_DISPLAY.get() or show_line)(self._line()) as progress:
            for file in missing:
                self._fetch(file, draft / file.name, progress)
                self._done += file.size
        draft.rename(target)

    def _line(self) -> str:
        size, host = _megabytes(self._model.size), _host(self._place.endpoint)
        return f"{ENGINE}/{self._model.name}: downloading {size} from {host}"

    def _fetch(self, file: HubFile, path: Path, progress: ProgressCallback) -> None:
        """Write one file, and check it before it takes its name."""
        part = path.with_name(f".{file.name}.part")

        def tell(count: int) -> None:
            name = f"{ENGINE}/{self._model.name} {file.name}"
            progress(name, self._done + count, self._model.size)

        self._fill_part(file, part, tell)
        if part.stat().st_size != file.size or _sha256(part) != file.sha256:
            part.unlink()
            raise self._failure(f"{file.name} is not the file that is pinned")
        part.replace(path)

    def _fill_part(self, file: HubFile, part: Path, tell: Callable[[int], None]) -> None:
        """Write a part until it is as long as the file, going on where a connection was cut."""
        url = self._model.address(self._place.endpoint, file)
        cuts = 0
        while (had := _size_of(part)) < file.size:
            try:
                with self._answer(url, had) as answer:
                    _drain(answer, part, had, file.size, tell)
                reason: object = "the connection was cut"
            except urllib.error.HTTPError as error:
                error.close()
                raise self._failure(error) from error
            except urllib.error.URLError as error:
                reason = error.reason
            except _BROKEN as error:
                if isinstance(error, OSError) and error.filename:
                    raise  # the disk, not the network
                reason = error
            cuts += 1
            if _size_of(part) <= had or cuts > self._place.most_cuts:
                raise self._failure(reason)

    @contextmanager
    def _answer(self, url: str, start: int) -> Iterator[http.client.HTTPResponse]:
        """Open an address from a byte on, waiting for no longer than is said.

        A thread does it: neither a search for a name nor an attempt at many addresses ends in time.
        """
        headers = {"User-Agent": "dragoman", "Accept-Encoding": "identity"}
        if start:
            headers["Range"] = f"bytes={start}-"
        # The opener knows HTTP only.
        request = urllib.request.Request(url, headers=headers)  # noqa: S310
        opened: queue.Queue[http.client.HTTPResponse | Exception] = queue.Queue()

        def work() -> None:
            try:
                opened.put(opener_for(url).open(request, timeout=self._place.stall_seconds))
            except Exception as error:  # noqa: BLE001 - it is raised where it is waited for
                opened.put(error)

        threading.Thread(target=work, daemon=True).start()
        try:
            answer = opened.get(timeout=self._place.answer_seconds)
        except queue.Empty:
            raise TimeoutError(f"no answer in {self._place.answer_seconds:.0f} s") from None
        if isinstance(answer, Exception):
            raise answer
        with answer:
            yield answer

    def _failure(self, reason: object) -> UsageError:
        # A server's own words may hold line breaks and terminal codes.
        text = "".join(letter if letter.isprintable() else " " for letter in str(reason))
        shown = " ".join(text.split())[:_MOST_SHOWN] or type(reason).__name__
        return UsageError(
            f"{self._written}: model {self._model.name} ({_megabytes(self._model.size)}) cannot be "
            f"downloaded from {_host(self._place.endpoint)} ({shown}): connect to the network once "
            "and try again, or give the folder of a model, whisper/FOLDER"
        )


def _drain(
    answer: http.client.HTTPResponse,
    part: Path,
    start: int,
    size: int,
    tell: Callable[[int], None],
) -> None:
    """Append an answer's bytes to the file, or overwrite it if the server sends all bytes."""
    goes_on = answer.status == _RESUMED
    count = start if goes_on else 0
    with part.open("ab" if goes_on else "wb") as file:
        while count < size and (chunk := answer.read1(min(_CHUNK, size - count))):
            _write(file, chunk, part)
            count += len(chunk)
            tell(count)


def _write(file: BinaryIO, chunk: bytes, path: Path) -> None:
    """Write all bytes; an error gets the file's name, which tells it from what a network raises."""
    try:
        file.write(chunk)
        file.flush()
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


def _is_right(folder: Path, model: HubModel) -> bool:
    return folder.is_dir() and all(_is_file_right(folder, file) for file in model.files)


def _is_file_right(folder: Path, file: HubFile) -> bool:
    path = folder / file.name
    return _size_of(path) == file.size and _sha256(path) == file.sha256


def _size_of(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0


def _sha256(path: Path) -> str:
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


@contextmanager
def _lock_download(path: Path, written: str) -> Iterator[None]:
    """Let one process at a time download a model; say so where another one does."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            with (PROGRESS_DISPLAY.get() or show_line)(
                f"{written}: waiting for another process that downloads it"
            ):
                fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _host(endpoint: str) -> str:
    return urlsplit(endpoint).hostname or endpoint


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.0f} MB"
