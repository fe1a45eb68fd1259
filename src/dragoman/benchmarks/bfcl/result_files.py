"""Result files of BFCL's own program: names, layouts of 2024 and of v4, and what a line holds.

v4: `result/<model>/<group>/BFCL_v4_<category>_result.json`; 2024:
`result/<model>/gorilla_openfunctions_v1_test_<category>_result.json` with categories of other names.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from dragoman.benchmarks.bfcl.single.calls_check import STORED_FORMS
from dragoman.benchmarks.bfcl.text.bounds import UnreadableError
from dragoman.benchmarks.bfcl.text.items import read_items, read_object_items
from dragoman.core.carried import UNWRITABLE
from dragoman.core.decoding import UNREADABLE
from dragoman.core.errors import DataError
from dragoman.core.speech import Called, Reply, Unparsed, say
from dragoman.core.usage import Usage

CATEGORIES_OF_2024 = {
    "simple": "simple_python",
    "java": "simple_java",
    "javascript": "simple_javascript",
    "multiple_function": "multiple",
    "parallel_function": "parallel",
    "parallel_multiple_function": "parallel_multiple",
    "relevance": "irrelevance",
}
"""What categories were called in 2024, and are called now."""

MAX_BYTES = 1024**3
"""More than all result files of a model."""

_NAME = re.compile(
    r"(?:BFCL_v\d+_(?P<now>\w+)|gorilla_openfunctions_v1_test_(?P<then>\w+))_result\.jsonl?"
)
_GROUPS = frozenset({"non_live", "live", "multi_turn", "agentic", "format_sensitivity", "memory"})


class ResultFile(msgspec.Struct, frozen=True):
    """One file: which model's, of which category, and by which name ids begin in it."""

    path: Path
    model: str
    category: str
    written_as: str


class Line(msgspec.Struct, frozen=True):
    """One line: the entry's id of today, what the model gave, and the line as it is."""

    id: str
    result: object
    usage: Usage
    source: msgspec.Raw


Kind = Literal["text", "items", "objects"]
"""How a model's calls are stored: in its text, with JSON texts as arguments, or with objects."""


def find_result_files(path: Path) -> tuple[ResultFile, ...]:
    """Return the result files at a path: one file, or all below a folder; none where it has none."""
    files = sorted(path.rglob("*_result.json*")) if path.is_dir() else [path]
    return tuple(found for file in files if (found := _recognized(file)) is not None)


def _recognized(file: Path) -> ResultFile | None:
    match = _NAME.fullmatch(file.name)
    if match is None:
        return None
    written = match["now"] or match["then"]
    category = written if match["now"] else CATEGORIES_OF_2024.get(written, written)
    folder = file.absolute().parent
    while folder.name in _GROUPS or folder.parent.name == "memory":
        folder = folder.parent
    return ResultFile(file, folder.name, category, written)


def read_lines(file: ResultFile) -> tuple[Line, ...]:
    """Return the lines of a file.

    Raises:
        DataError: Where it cannot be read, is too large, or a line is no result; its number is named.
    """
    try:
        if file.path.stat().st_size > MAX_BYTES:
            raise DataError(f"{file.path}: more than {MAX_BYTES // 2**30} GiB of results")
        content = file.path.read_bytes()
    except OSError as error:
        raise DataError(f"{file.path}: cannot read results ({error.strerror})") from error
    lines = enumerate(content.split(b"\n"), 1)
    return tuple(_line(text, number, file) for number, text in lines if text.strip())


class _Record(msgspec.Struct):
    id: str
    result: object
    input_token_count: int | None = None
    output_token_count: int | None = None
    latency: float = 0.0


def _line(text: bytes, number: int, file: ResultFile) -> Line:
    try:
        record = msgspec.json.decode(text, type=_Record)
    except UNREADABLE as error:
        raise DataError(f"{file.path}, line {number}: no result of BFCL ({error})") from error
    usage = Usage(
        "agent",
        file.model,
        input_tokens=record.input_token_count,
        output_tokens=record.output_token_count,
        seconds=record.latency,
    )
    return Line(_id_of_today(record.id, file), record.result, usage, msgspec.Raw(text))


def _id_of_today(identity: str, file: ResultFile) -> str:
    name, _, rest = identity.rpartition("_")
    return f"{file.category}_{rest}" if name == file.written_as else identity


def kind_of(results: Sequence[object], model: str) -> Kind:
    """Return how a model's calls are stored, told by what it gave in all of its files.

    Lists are native calls. Where a model gave nothing but text, it was asked for calls in its text,
    unless its name ends as those of models with native calls do.
    """
    lists = [result for result in results if isinstance(result, list)]
    given = [value for listed in lists for item in listed for value in _arguments(item)]
    if any(isinstance(value, dict) for value in given):
        return "objects"
    return "items" if lists or model.endswith("-FC") else "text"


def _arguments(item: object) -> Sequence[object]:
    return list(item.values()) if isinstance(item, Mapping) else []


def has_dotted_names(answered: Iterable[tuple[object, Sequence[str]]]) -> bool:
    """Whether a model was shown functions by their own names, dots and all.

    Told by the calls of offered functions that have a dot: most are spelled the one way or the other.

    Args:
        answered: A stored result and the names of the functions on offer, for every entry.
    """
    balance = 0
    for result, offered in answered:
        dotted = {name for name in offered if "." in name}
        underscored = {name.replace(".", "_") for name in dotted}
        for name in _called(result):
            balance += (name in dotted) - (name in underscored)
    return balance > 0


def _called(result: object) -> Iterator[str]:
    for item in result if isinstance(result, list) else ():
        yield from (item if isinstance(item, dict) else ())


def call_form(kind: Kind, *, dotted: bool) -> str:
    """Return the form that a model's moves carry."""
    if kind == "text":
        return "python"
    return f"{kind}-dotted" if dotted else kind


def reply_of_result(result: object, form: str) -> Reply:
    """Return what a stored result is: calls, words, or calls that cannot be read."""
    if isinstance(result, str):
        return say(result) if result.strip() else Unparsed(result, "neither words nor calls")
    kind, _ = STORED_FORMS.get(form, ("items", True))
    try:
        calls = (read_items if kind == "items" else read_object_items)(result)
    except UnreadableError as error:
        return Unparsed(msgspec.json.encode(result).decode(), str(error))
    if not calls:
        return Unparsed("[]", "an empty list of calls")
    if any(not _is_carried(call.arguments) for call in calls):
        # Judged as it was stored: what was read could not be kept as it is.
        return Unparsed(msgspec.json.encode(result).decode(), "values that JSON cannot carry")
    return Called(calls)


def _is_carried(arguments: Mapping[str, object]) -> bool:
    """Whether arguments are the same after they were written and read: NaN, for one, is not."""
    try:
        read: object = msgspec.json.decode(msgspec.json.encode(arguments))
    except UNWRITABLE:
        return False
    return read == arguments
