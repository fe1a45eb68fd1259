"""Loading of datasets by name, from downloaded data or from a file of any known layout."""

import functools
import gzip
import importlib.resources
import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from dragoman.benchmarks.downloads.pinned_data import PinnedData, open_file
from dragoman.benchmarks.downloads.pinned_sources import Derived, PinnedSource, load_source
from dragoman.benchmarks.itc.datasets.acebench import read_chinese, read_english, read_part
from dragoman.benchmarks.itc.datasets.api_bank import ARCHIVE, DIALOGUES, read_api_bank, read_hammer
from dragoman.benchmarks.itc.datasets.conversion import Contents, Read, set_facts
from dragoman.benchmarks.itc.datasets.nestful import SPEC, read_nested, read_nestful
from dragoman.benchmarks.itc.datasets.nexusraven import read_cve, read_emailrep, read_queries
from dragoman.benchmarks.itc.datasets.seal_tools import (
    TOOLS,
    read_old_seal_tools,
    read_pairs,
    read_samples,
    read_seal_tools,
)
from dragoman.benchmarks.itc.datasets.toolalpaca import APIS, read_toolalpaca
from dragoman.benchmarks.itc.datasets.toolbench import read_queries as read_toolbench_queries
from dragoman.benchmarks.itc.datasets.toolbench import read_stable_toolbench, read_toolbench
from dragoman.benchmarks.itc.task_sets import CallSet
from dragoman.core.capabilities import PulledState
from dragoman.core.errors import DataError, UsageError
from dragoman.core.protocols import Provenance
from dragoman.core.texts.decoding import DECODING_ERRORS, TranslatedErrors

HINT = "run `dragoman data pull itc-calls --from DIR`"

READERS: Mapping[str, Callable[[Read], Contents]] = {
    "seal-tools": read_seal_tools,
    "seal-tools-old": read_old_seal_tools,
    "toolalpaca": read_toolalpaca,
    "nexusraven-cve": read_cve,
    "nexusraven-emailrep": read_emailrep,
    "api-bank": read_api_bank,
    "hammer-api-bank": read_hammer,
    "acebench-en": read_english,
    "acebench-zh": read_chinese,
    "nestful": read_nestful,
    "toolbench": read_toolbench,
    "stabletoolbench": read_stable_toolbench,
}


@functools.cache
def calls_source() -> PinnedSource:
    """Return the pinned files of all sets."""
    folder = importlib.resources.files("dragoman.benchmarks.itc.datasets")
    return load_source((folder / "sources.toml").read_bytes())


def source_folder(data: Path) -> Path:
    """Return where they lie under the folder of pulled data."""
    return data / "itc-calls" / calls_source().commit


def read_downloaded_set(name: str, data: Path) -> CallSet:
    """Return a set.

    Args:
        name: The set's name after `itc:`.
        data: The folder of pulled data.

    Raises:
        DataError: If a file is missing or damaged; the message names the command that helps.
    """
    facts = set_facts()[name]
    source, folder = calls_source(), source_folder(data)
    documents, tasks = READERS[name](lambda file: open_file(folder, source, file, HINT))
    provenance = Provenance(facts.source, facts.licence, facts.notice, "")
    return CallSet(
        f"itc:{name}", tuple(documents), tuple(tasks), provenance, facts.instructions.strip()
    )


class CallsData:
    """The files of all sets as a source to pull, from a local copy."""

    def pull(
        self,
        data: Path,
        *,
        from_dir: Path | None,
        url: str | None,
        progress: Callable[[str, int, int], None],
    ) -> str:
        """Fill the folder with the pinned files; return a report with the licences' limits.

        Raises:
            UsageError: If neither a local copy nor an address is given.
            DataError: If a file is missing or not the pinned one.
        """
        if from_dir is None and url is None:
            raise UsageError(
                "itc-calls: two of its files are in no repository: name a copy with --from DIR"
            )
        done = _PINNED.pull(data, from_dir=from_dir, url=url, progress=progress)
        limits = [
            f"itc:{name} is {each.licence}: {each.notice}"
            for name, each in set_facts().items()
            if each.notice
        ]
        return f"{done}; nothing of it may be passed on as ours. {' '.join(limits)}"

    def state(self, data: Path) -> PulledState:
        """Return what is there in the folder of pulled data; every file is read and hashed."""
        return _PINNED.state(data)


def _nothing(entry: Derived, modules: Mapping[str, str]) -> None:
    del entry, modules


_PINNED = PinnedData(calls_source, source_folder, _nothing)
CALLS_DATA = CallsData()


MOST_BYTES = 200_000_000
_FIRST = 2_000_000
"""Bytes in which the first entry must end."""

_HAN = re.compile("[\u4e00-\u9fff]")
_SETS = (
    "Seal-Tools (present and old format), ToolAlpaca, NexusRaven, API-Bank (its archive), "
    "Hammer, ACEBench, "
    "NESTFUL, ToolBench, StableToolBench"
)


class _File:
    """A named file, the files that belong to it, and the folder of pulled data."""

    def __init__(self, path: Path, data: Path) -> None:
        self.path = path
        self.content = unpack(path)
        self._data = data

    def beside(self, *names: str, pulled: str = "") -> bytes | None:
        """Return the first of these files that exists, raw or packed, or None if none exists."""
        places = [self.path.parent / name for name in names]
        if pulled:
            places.append(source_folder(self._data) / pulled)
        for place in places:
            for found in (place, place.with_name(f"{place.name}.gz")):
                if found.is_file():
                    return unpack(found)
        return None

    def needed(self, what: str, *names: str, pulled: str = "") -> bytes:
        """Return such a file.

        Raises:
            DataError: If none of the files exists; the message names the needed one.
        """
        found = self.beside(*names, pulled=pulled)
        if found is None:
            raise DataError(f"{self.path}: {what} are missing: put {names[0]} next to it")
        return found

    @property
    def name(self) -> str:
        return self.path.name.removesuffix(".gz")


def read_file_set(path: Path, name: str, data: Path) -> CallSet:
    """Read a file of a set.

    Args:
        path: The file: JSON, JSON Lines or an archive, also packed with gzip.
        name: The name of the suite.
        data: The folder of pulled data, where functions may lie.

    Raises:
        DataError: If the file is of an unknown set, is damaged, or lacks a file that belongs to it.
    """
    file = _File(path, data)
    kind, read = _kind_of(file)
    facts = set_facts()[kind]
    documents, tasks = read(file)
    twice = _twice([each.task.id for each in tasks])
    if not tasks or twice:
        raise DataError(
            f"{path}: {f'two samples are called {twice!r:.120}' if twice else 'no tasks'}"
        )
    about = f"{facts.source.partition(' ')[0]}, {path.name}"
    provenance = Provenance(about, facts.licence, facts.notice, "")
    return CallSet(name, tuple(documents), tuple(tasks), provenance, facts.instructions.strip())


def unpack(path: Path) -> bytes:
    """Return a file's bytes, unpacked where they are packed.

    Raises:
        DataError: If the file cannot be read, is damaged or is larger than MOST_BYTES.
    """
    with TranslatedErrors(DataError, f"{path}: cannot be read"), path.open("rb") as file:
        is_packed = file.read(2) == b"\x1f\x8b"
        file.seek(0)
        try:
            opened = gzip.GzipFile(fileobj=file) if is_packed else file
            content = opened.read(MOST_BYTES + 1)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise DataError(f"{path}: a damaged archive ({error})") from error
    if len(content) > MOST_BYTES:
        raise DataError(f"{path}: more than {MOST_BYTES} bytes")
    return content


def _seal_tools(file: _File) -> Contents:
    tools = file.beside("tool.jsonl", "../tool.jsonl", pulled=TOOLS)
    return read_samples(file.content, tools, file.name)


def _old_seal_tools(file: _File) -> Contents:
    tools = file.beside("tool.jsonl", "../tool.jsonl", pulled=TOOLS)
    return read_pairs(file.content, tools, file.name)


def _toolalpaca(file: _File) -> Contents:
    return read_toolalpaca({APIS: file.content}.__getitem__)


def _hammer(file: _File) -> Contents:
    return read_hammer({DIALOGUES: file.content}.__getitem__)


def _api_bank(file: _File) -> Contents:
    return read_api_bank({ARCHIVE: file.content}.__getitem__)


def _nexusraven(file: _File) -> Contents:
    functions = file.beside(file.name.replace("queries", "functions"))
    return read_queries(file.content, None if functions == file.content else functions, file.name)


def _nestful(file: _File) -> Contents:
    spec = file.needed("its functions", file.name.replace("data", "spec"), pulled=SPEC)
    return read_nested(file.content, spec, file.name)


def _acebench(file: _File) -> Contents:
    stem = file.name.removesuffix(".json").removesuffix(".jsonl")
    answers = file.needed(
        "its answers",
        f"{stem}.answers.json",
        f"possible_answer/{file.name}",
        f"../possible_answer/{file.name}",
    )
    begins = file.content[:4_000].decode("utf-8", "replace")
    return read_part(file.content, answers, file.name, "zh" if _HAN.search(begins) else "en")


def _toolbench(file: _File) -> Contents:
    return read_toolbench_queries({file.name: file.content})


_Kind = tuple[str, Callable[[_File], Contents]]

_BY_KEYS: Sequence[tuple[frozenset[str], _Kind]] = (
    (frozenset(("query", "calling")), ("seal-tools", _seal_tools)),
    (frozenset(("Functions", "Instructions")), ("toolalpaca", _toolalpaca)),
    (frozenset(("query", "reference")), ("nexusraven-cve", _nexusraven)),
    (frozenset(("query", "tools", "answers")), ("hammer-api-bank", _hammer)),
    (frozenset(("id", "question", "function")), ("acebench-en", _acebench)),
    (frozenset(("input", "output")), ("nestful", _nestful)),
    (frozenset(("query", "api_list")), ("toolbench", _toolbench)),
)

_PARTS: Mapping[str, str] = {
    "api_name": "the tools of Seal-Tools: name the file of queries in the same folder",
    "signature": "the functions of NexusRaven: name the file of queries in the same folder",
    "output_parameters": "the functions of NESTFUL: name the file of data in the same folder",
    "ground_truth": "the answers of ACEBench: name the file of questions",
}
"""Incomplete sets and the file to name instead, by a key of the file's entries."""


def _kind_of(file: _File) -> _Kind:
    """Return the set that a file belongs to, with its reader.

    Raises:
        DataError: If the file is of no known set.
    """
    if file.content[257:262] == b"ustar":
        return "api-bank", _api_bank
    first = _first_entry(file.content)
    match first:
        case [dict() | list(), str()]:
            return "seal-tools-old", _old_seal_tools
        case dict():
            kind = next((kind for keys, kind in _BY_KEYS if keys <= first.keys()), None)
            if kind is not None:
                return kind
            part = next((said for key, said in _PARTS.items() if key in first), "")
            if part:
                raise DataError(f"{file.path}: {part}")
        case _:
            pass
    raise DataError(f"{file.path}: no file of a set that is known: {_SETS}")


def _first_entry(content: bytes) -> object:
    """Return the first entry of a list or of lines; None where there is none that can be read."""
    text = content[:_FIRST].decode("utf-8-sig", "ignore").lstrip()
    try:
        line: Any = msgspec.json.decode(text.partition("\n")[0])
    except DECODING_ERRORS:
        line = None
    is_pair = isinstance(line, list) and len(line) == len(("calls", "query"))
    if isinstance(line, dict) or (is_pair and isinstance(line[1], str)):
        return line
    try:
        whole = msgspec.json.decode(content.removeprefix(b"\xef\xbb\xbf"))
    except DECODING_ERRORS:
        return None
    return whole[0] if isinstance(whole, list) and whole else None


def _twice(names: Sequence[str]) -> str:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return ""
