"""Writers of tables as files: Markdown and CSV, and the choice of a format by file ending."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path

import polars as pl

from dragoman.core.errors import UsageError
from dragoman.report.table_markup import markdown_tables, markdown_text
from dragoman.report.text_tables import TextTable
from dragoman.store.atomic_files import atomic_write

_FORMULA = r"^[=+\-@\t\r]"
"""Beginning of a text that a spreadsheet program would take for a formula."""

Writers = Mapping[str, Callable[[], bytes]]
"""Functions that make the content of a file, by file ending."""


def require_writable(outs: Iterable[Path], endings: Collection[str] = (".md", ".csv")) -> None:
    """Refuse files with other endings.

    Raises:
        UsageError: If a file has another ending.
    """
    for path in outs:
        if path.suffix not in endings:
            raise UsageError(f"--out {path}: neither {' nor '.join(endings)}: name one of these")


def write_tables(outs: Iterable[Path], writers: Writers, ending: str = "") -> None:
    """Write the files of `require_writable`.

    With `ending`, write all of them in this format, whatever their names.
    """
    for path in outs:
        atomic_write(path, writers[ending or path.suffix]())


def as_markdown(title: str, tables: Iterable[TextTable], facts: Sequence[tuple[str, str]]) -> str:
    """Return tables under a title, and what they were made of."""
    reported = "".join(
        f"- {markdown_text(name)}: {markdown_text(value)}\n" for name, value in facts
    )
    return f"## {title}\n\n{markdown_tables(tables)}\n{reported}"


def as_csv(frame: pl.DataFrame) -> str:
    """Return a frame as CSV; no text is a formula to a spreadsheet program."""
    texts = pl.col(pl.String)
    safe = pl.when(texts.str.contains(_FORMULA)).then("'" + texts).otherwise(texts)
    return frame.with_columns(safe.name.keep()).write_csv()
