"""Export of an API dataset into a folder, with its card, sources and licences.

A new export replaces an older one in its folder, and no other files.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from dragoman.benchmarks.kit.api_tools import DOCUMENTS, REPLIES, TASKS
from dragoman.core.errors import DataError, UsageError
from dragoman.core.texts.decoding import DECODING_ERRORS, TranslatedErrors
from dragoman.curation.api_datasets.dataset import (
    DatasetRow,
    card_as_markdown,
    dataset_card,
    dataset_rows,
)
from dragoman.formats.api_dataset_records import (
    WithheldTask,
    chat_of,
    conversation_of,
    document_sources,
    gold_with_results,
    hub_licence,
    itc_document,
    split_withheld,
    suite_files,
    training_row_of,
    written_row_of,
)
from dragoman.store.atomic_files import atomic_folder, atomic_write
from dragoman.store.dataset import Dataset
from dragoman.store.folder_contents import EXPORT_FILE

CARD = "README.md"
SOURCES = "sources.jsonl"
"""Origins and licences of the documents, one line for each place."""
WITHHELD = "withheld.jsonl"
SUITE = "suite"
MARK = EXPORT_FILE
"""File that lists which files of a folder an export wrote."""
ALL = "all"
"""Name of the file for tasks that were not split."""

_encode = msgspec.json.Encoder().encode


class ExportMark(msgspec.Struct, frozen=True):
    """Record of an export: its form, and the SHA-256 of each file."""

    form: str
    files: dict[str, str]


class ExportedFiles(msgspec.Struct, frozen=True):
    """The files of an export, and the excluded tasks."""

    files: tuple[Path, ...]
    withheld: tuple[WithheldTask, ...] = ()


def export_dataset(folder: Path, form: str, out: Path) -> ExportedFiles:
    """Write a dataset into a new folder, with its card and the sources of its documents.

    A task with unknown results of calls is not a full conversation: files for training exclude it,
    and `withheld.jsonl` gives the reason. A suite includes it, because a suite is played and not
    used for training.

    Args:
        folder: The dataset.
        form: One of `FORMS`.
        out: The new folder; an existing one must be empty.

    Raises:
        UsageError: For a form that does not exist, if `out` is not empty, or if no task has an
            answer that can be written.
        StoreError: If the dataset cannot be read, or the files cannot be written.
    """
    require_form(form)
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out} is there already and not empty: name another folder")
    with Dataset(folder, write=False) as dataset:
        rows = list(dataset_rows(dataset))
        card = dataset_card(rows, dataset.funnel())
    if not rows:
        raise UsageError(f"{folder}: no task has an answer yet: `dragoman curate answer`")
    withheld: list[WithheldTask] = []
    if form != SUITE:
        rows, withheld = split_withheld(rows)
    if not rows:
        raise UsageError(
            f"{folder}: no task can be written as a conversation: {withheld[0].reason}"
        )
    files = FORMS[form](rows)
    files[SOURCES] = [_encode(each) + b"\n" for each in document_sources(rows)]
    if withheld:
        files[WITHHELD] = [_encode(each) + b"\n" for each in withheld]
    head = front_matter(rows) if form == "hf" else ""
    files[CARD] = [
        (head + card_as_markdown(card, folder.name) + _about_withheld(withheld)).encode()
    ]
    for name in sorted(files):
        atomic_write(out / name, files[name])
    hashes = {name: file_sha256(out / name) for name in sorted(files)}
    atomic_write(out / MARK, _encode(ExportMark(form, hashes)))
    return ExportedFiles((*(out / name for name in sorted(files)), out / MARK), tuple(withheld))


def _about_withheld(withheld: Sequence[WithheldTask]) -> str:
    """Return the card's text about tasks that are not in its files."""
    counts = Counter(each.reason for each in withheld)
    lines = (f"- {number:,}: {reason}\n" for reason, number in sorted(counts.items()))
    return f"\nExcluded from these files (`{WITHHELD}`):\n\n{''.join(lines)}" if withheld else ""


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file.

    Raises:
        DataError: If the file cannot be read.
    """
    with TranslatedErrors(DataError, f"{path}: cannot be read"), path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def require_form(form: str) -> None:
    """Check that a form exists.

    Raises:
        UsageError: If it does not exist.
    """
    if form not in FORMS:
        raise UsageError(f"--to {form}: choose {', '.join(FORMS)}")


Files = dict[str, Iterable[bytes]]


def _itc(rows: Sequence[DatasetRow]) -> Files:
    documents = {each.document.id: each.document for row in rows for each in row.tools.values()}
    tools = (_encode(itc_document(documents[name])) + b"\n" for name in sorted(documents))
    return {"apis.jsonl": tools, **_by_split(rows, ".jsonl", _lines(conversation_of))}


def _openai(rows: Sequence[DatasetRow]) -> Files:
    return _by_split(rows, ".jsonl", _lines(chat_of))


def _training(rows: Sequence[DatasetRow]) -> Files:
    return _by_split(rows, ".jsonl", _lines(training_row_of))


def _render_written_rows(rows: Sequence[DatasetRow]) -> Files:
    return _by_split(rows, ".jsonl", _lines(written_row_of))


def _suite(rows: Sequence[DatasetRow]) -> Files:
    files = suite_files(rows)
    found: Files = {
        DOCUMENTS: [_encode(each) + b"\n" for each in files.documents],
        TASKS: [_encode(each) + b"\n" for each in files.tasks],
    }
    if files.replies:
        found[REPLIES] = [_encode(each) + b"\n" for each in files.replies]
    return found


def _parquet(rows: Sequence[DatasetRow]) -> Files:
    return _by_split(rows, ".parquet", _table)


def _hf(rows: Sequence[DatasetRow]) -> Files:
    return {f"data/{name}": parts for name, parts in _parquet(rows).items()}


FORMS: Mapping[str, Callable[[Sequence[DatasetRow]], Files]] = {
    SUITE: _suite,
    "itc": _itc,
    "openai": _openai,
    "rows": _training,
    "text-rows": _render_written_rows,
    "parquet": _parquet,
    "hf": _hf,
}
"""Forms by name."""


def front_matter(rows: Sequence[DatasetRow]) -> str:
    """Return the metadata at the beginning of a card, for the Hugging Face hub and `datasets`."""
    lines = ["---", "language:"]
    lines += [f"- {name}" for name in sorted({row.task.language for row in rows})]
    lines += hub_licence(rows)
    lines += ["task_categories:", "- text-generation", "configs:", "- config_name: default"]
    lines += ["  data_files:"]
    for split in _splits(rows):
        lines += [f"  - split: {split}", f"    path: data/{split}.parquet"]
    return "\n".join([*lines, "---", "", ""])


def _splits(rows: Sequence[DatasetRow]) -> list[str]:
    return sorted({row.task.split or ALL for row in rows})


def _by_split(
    rows: Sequence[DatasetRow],
    ending: str,
    write: Callable[[Sequence[DatasetRow]], Iterable[bytes]],
) -> Files:
    return {
        f"{split}{ending}": write([row for row in rows if (row.task.split or ALL) == split])
        for split in _splits(rows)
    }


def _lines(
    form: Callable[[DatasetRow], msgspec.Struct],
) -> Callable[[Sequence[DatasetRow]], Iterator[bytes]]:
    return lambda rows: (_encode(form(row)) + b"\n" for row in rows)


def _table(rows: Sequence[DatasetRow]) -> list[bytes]:
    """Return rows as a Parquet file; values without a fixed shape are JSON texts."""
    import io

    import polars as pl

    found = [conversation_of(row) for row in rows]
    columns = {
        name: [getattr(each, name) for each in found]
        for name in ("id", "language", "country", "kind", "split", "made_by", "system")
    }
    columns["licences"] = [", ".join(each.licences) for each in found]
    columns["sources"] = [", ".join(each.sources) for each in found]
    columns["query"] = [row.task.query for row in rows]
    columns["gold"] = [_encode(gold_with_results(row)).decode() for row in rows]
    columns["conversations"] = [_encode(each.conversations).decode() for each in found]
    columns["tools"] = [_encode(chat_of(row).tools).decode() for row in rows]
    file = io.BytesIO()
    pl.DataFrame(columns).write_parquet(file)
    return [file.getvalue()]


_OTHER = "has other files than an export wrote: name another folder"


def renew_export(folder: Path, form: str, out: Path) -> None:
    """Write a dataset as `export_dataset` does; an older export is replaced.

    Args:
        folder: The dataset.
        form: One of `FORMS`.
        out: The new folder, or a folder that holds an unchanged earlier export.

    Raises:
        UsageError: If `out` holds other files, or no task has an answer.
        StoreError: If the dataset cannot be read, or the files cannot be written.
    """
    require_own_export(out)
    with atomic_folder(out) as draft:
        export_dataset(folder, form, draft)


def require_own_export(out: Path) -> None:
    """Check that a folder holds only the unchanged files of an export.

    Raises:
        UsageError: If it holds other files.
        DataError: If it cannot be read.
    """
    with TranslatedErrors(DataError, f"{out}: cannot be read"):
        if out.exists() and not out.is_dir():
            raise UsageError(f"{out} is a file: name another folder")
        found = {
            path.relative_to(out).as_posix(): path for path in out.rglob("*") if not path.is_dir()
        }
    mark = found.pop(MARK, None)
    if mark is None:
        if found:
            raise UsageError(f"{out} {_OTHER}")
        return
    written = _mark_in(mark)
    changed = [name for name, path in found.items() if written.get(name) != file_sha256(path)]
    if changed:
        raise UsageError(f"{out} {_OTHER} ({min(changed)!r:.80})")


def _mark_in(path: Path) -> dict[str, str]:
    try:
        return msgspec.json.decode(path.read_bytes(), type=ExportMark).files
    except DECODING_ERRORS:
        return {}
