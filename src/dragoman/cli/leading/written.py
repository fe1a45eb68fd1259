"""Leaderboards as files: Markdown and CSV."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import polars as pl

from dragoman.core.errors import UsageError
from dragoman.report.fitting import TextTable
from dragoman.report.markdown import markdown_tables, markdown_text
from dragoman.store.whole_files import write_whole

_FORMULA = r"^[=+\-@\t\r]"
"""How a text begins that a spreadsheet program would take for a formula."""


def require_writable(outs: Iterable[Path]) -> None:
    """Refuse files that are neither Markdown nor CSV.

    Raises:
        UsageError: Where one is.
    """
    for path in outs:
        if path.suffix not in {".md", ".csv"}:
            raise UsageError(f"--out {path}: neither .md nor .csv: name one of these")


def write_all(outs: Iterable[Path], markdown: Callable[[], str], csv: Callable[[], str]) -> None:
    """Write files of `require_writable`."""
    for path in outs:
        text = markdown() if path.suffix == ".md" else csv()
        write_whole(path, (text.encode(),))


def as_markdown(title: str, tables: Iterable[TextTable], facts: Sequence[tuple[str, str]]) -> str:
    """Return tables under a title, and what they were made of."""
    told = "".join(f"- {markdown_text(name)}: {markdown_text(value)}\n" for name, value in facts)
    return f"## {title}\n\n{markdown_tables(tables)}\n{told}"


def as_csv(frame: pl.DataFrame) -> str:
    """Return a frame as CSV; no text is a formula to a spreadsheet program."""
    texts = pl.col(pl.String)
    safe = pl.when(texts.str.contains(_FORMULA)).then("'" + texts).otherwise(texts)
    return frame.with_columns(safe.name.keep()).write_csv()
