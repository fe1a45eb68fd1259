"""Result files of BFCL's own program: names, layouts of 2024 to v4, and their lines."""

import re
from pathlib import Path
from typing import TypeVar

import msgspec

from dragoman.core.errors import DataError
from dragoman.core.texts.decoding import TranslatedErrors, decompress
from dragoman.core.usage import Usage
from dragoman.store.safe_files import read_plain

CATEGORIES_OF_2024 = {
    "simple": "simple_python",
    "java": "simple_java",
    "javascript": "simple_javascript",
    "multiple_function": "multiple",
    "parallel_function": "parallel",
    "parallel_multiple_function": "parallel_multiple",
    "relevance": "irrelevance",
}
"""Category names of 2024, with today's names."""

MAX_BYTES = 1024**3
"""More than all result files of a model."""

_NAME = re.compile(
    r"(?:BFCL_v\d+_|gorilla_openfunctions_v1_test_)(\w+)_(result|score)\.jsonl?(?:\.gz)?"
)
_GROUPS = frozenset({"non_live", "live", "multi_turn", "agentic", "format_sensitivity", "memory"})


class ResultFile(msgspec.Struct, frozen=True):
    """One file: which model's, of which category, and by which name ids begin in it."""

    path: Path
    model: str
    category: str
    written_as: str


class ResultLine(msgspec.Struct, frozen=True):
    """One line: the entry's id of today, what the model gave, and the line as it is.

    `is_placed` says that the line has no id and that its place in the file stands for one, which is
    true of whole files only.
    """

    id: str
    result: object
    usage: Usage
    source: msgspec.Raw
    is_placed: bool = False


def find_result_files(path: Path) -> tuple[ResultFile, ...]:
    """Return the result files at a path: one file, or all files below a folder.

    The result is empty if there are none.
    """
    return _find_result_files(path, "result")


def find_score_files(path: Path) -> tuple[ResultFile, ...]:
    """Return the files with upstream's verdicts at a path, in the same way."""
    return _find_result_files(path, "score")


def _find_result_files(path: Path, kind: str) -> tuple[ResultFile, ...]:
    files = sorted(path.rglob(f"*_{kind}.json*")) if path.is_dir() else [path]
    return tuple(found for file in files if (found := _recognize_file(file, kind)) is not None)


def _recognize_file(file: Path, kind: str) -> ResultFile | None:
    match = _NAME.fullmatch(file.name)
    if match is None or match[2] != kind:
        return None
    written = match[1]
    category = CATEGORIES_OF_2024.get(written, written)
    folder = file.absolute().parent
    while folder.name in _GROUPS or folder.parent.name == "memory":
        folder = folder.parent
    return ResultFile(file, folder.name, category, written)


def read_lines(file: ResultFile) -> tuple[ResultLine, ...]:
    """Return the lines of a file.

    Raises:
        DataError: If the file cannot be read or is too large, or if a line is not a result; the
            message names the line.
    """
    numbered = enumerate(_texts(file))
    return tuple(_line(text, number, place, file) for place, (number, text) in numbered)


class _Counts(msgspec.Struct):
    correct_count: int
    total_count: int


class _Failed(msgspec.Struct):
    id: str | int


_Part = TypeVar("_Part", _Counts, _Failed)


def read_failures(file: ResultFile) -> tuple[int, frozenset[str]]:
    """Return the number of verdicts in a score file, and the ids of failed entries.

    Raises:
        DataError: If the file cannot be read, is damaged, or names other failures than it counts.
    """
    first, *rest = _texts(file) or [(1, b"")]
    counts = _verdict(first, _Counts, file)
    ids = frozenset(_id_of_today(_verdict(line, _Failed, file).id, file) for line in rest)
    if len(ids) != counts.total_count - counts.correct_count:
        raise DataError(f"{file.path}: it counts other failures than it names")
    return counts.total_count, ids


def _verdict(line: tuple[int, bytes], kind: type[_Part], file: ResultFile) -> _Part:
    number, text = line
    with TranslatedErrors(DataError, f"{file.path}, line {number}: no verdicts of BFCL"):
        return msgspec.json.decode(text, type=kind)


def _texts(file: ResultFile) -> list[tuple[int, bytes]]:
    """Return a file's lines with their numbers, without empty ones."""
    lines = enumerate(_content(file.path).split(b"\n"), 1)
    return [(number, text) for number, text in lines if text.strip()]


def _content(path: Path) -> bytes:
    with TranslatedErrors(DataError, f"{path}: cannot read results"):
        is_too_large = path.stat().st_size > MAX_BYTES
        content = b"" if is_too_large else read_plain(path, MAX_BYTES)
    if is_too_large:
        raise DataError(f"{path}: more than {MAX_BYTES // 2**30} GiB of results")
    try:
        return decompress(content, MAX_BYTES)
    except DataError as error:
        raise DataError(f"{path}: {error}") from error


class _Record(msgspec.Struct):
    result: object
    id: str | int | None = None
    idx: int | None = None
    input_token_count: object = None
    output_token_count: object = None
    latency: object = 0.0


def _line(text: bytes, number: int, place: int, file: ResultFile) -> ResultLine:
    with TranslatedErrors(DataError, f"{file.path}, line {number}: no result of BFCL"):
        record = msgspec.json.decode(text, type=_Record)
    usage = Usage(
        "agent",
        file.model,
        input_tokens=_whole(_total(record.input_token_count)),
        output_tokens=_whole(_total(record.output_token_count)),
        seconds=_total(record.latency) or 0.0,
    )
    identity = record.idx if record.id is None else record.id
    is_placed = identity is None
    known = _id_of_today(place if identity is None else identity, file)
    return ResultLine(known, record.result, usage, msgspec.Raw(text), is_placed)


def _total(counted: object) -> float | None:
    """Return a count, or the sum of the counts of turns and their replies.

    None if one of them is not a number.
    """
    left, total = [counted], 0.0
    while left:
        value = left.pop()
        if isinstance(value, list):
            left += value
        elif isinstance(value, int | float) and not isinstance(value, bool) and value >= 0:
            total += value
        else:
            return None
    return total


def _whole(total: float | None) -> int | None:
    return None if total is None else round(total)


def _id_of_today(identity: str | int, file: ResultFile) -> str:
    if isinstance(identity, int) or identity.isdecimal():
        return f"{file.category}_{identity}"
    name, _, rest = identity.rpartition("_")
    return f"{file.category}_{rest}" if name == file.written_as else identity
