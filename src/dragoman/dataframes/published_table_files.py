"""Reader of published result tables: CSV files as papers print them, or exported cells.

Columns are found by their names, in any order; unknown ones are ignored. A table has a row per
cell with a column per figure (pass_hat_1, pass_hat_2, ...), or a row per cell and k (k,
pass_hat).
"""

import csv
import io
import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
import polars as pl

from dragoman.analysis.published_tables import PrintedCell
from dragoman.core.errors import DataError, UsageError
from dragoman.core.texts.characters import escape_controls
from dragoman.core.texts.decoding import decompress

MAX_BYTES = 32 * 1024 * 1024
MAX_ROWS = 20_000
MAX_COLUMNS = 1_000
_MARK = 2
"""Characters by which what is packed is known."""
MAX_TRIALS = 64
MAX_COUNT = 1_000_000

NAMES: dict[str, tuple[str, ...]] = {
    "suite": ("suite", "domain"),
    "condition": ("condition", "scenario"),
    "language": ("language", "language_scenario", "language_senario"),
    "agent": ("agent", "normalized_agent_llm", "agent_llm", "model"),
    "route": ("route", "agent_llm"),
    "user": ("user", "user_llm"),
    "source": ("source", "simulation_source"),
    "tasks": ("tasks", "total_tasks"),
    "left_out": ("left_out",),
    "trials": ("trials",),
    "simulations": ("simulations", "total_simulations"),
    "k": ("k",),
    "pass_hat": ("pass_hat",),
    "rho": ("rho",),
    "rules": ("rules",),
    "judge": ("judge",),
}
"""Column names of each field of a cell.

The first name that exists in the table is used.
"""

_PASS = re.compile(r"pass(?:_hat_|\^|@)(\d{1,2})")
_RHO = re.compile(r"rho(?:_hat_|_|\^)(\d{1,2})")

Row = Mapping[str, str | None]


class _Columns(msgspec.Struct, frozen=True):
    """Columns of a table, by their content."""

    path: Path
    named: dict[str, str]
    figures: dict[int, str]
    rho: dict[int, str]

    def text(self, row: Row, field: str) -> str:
        """Return a text; empty if the table has no such column or the cell is blank."""
        name = self.named.get(field)
        return "" if name is None else " ".join((row[name] or "").split())


def read_table(path: Path, trials: int | None, tasks: int | None = None) -> tuple[PrintedCell, ...]:
    """Read a table of results.

    Args:
        path: A `.csv` file, or a `.parquet` file.
        trials: Trials per task if the table has no column for them; None for the highest k.
        tasks: Tasks of every cell if the table has no column for them; None if not known.

    Raises:
        UsageError: If the file is of another kind, or trials are not a sensible number.
        DataError: If the file cannot be read, or lacks or garbles what is needed.
    """
    if trials is not None and not 1 <= trials <= MAX_TRIALS:
        raise UsageError(f"--trials must lie between 1 and {MAX_TRIALS}, not {trials}")
    if tasks is not None and not 1 <= tasks <= MAX_COUNT:
        raise UsageError(f"--tasks must lie between 1 and {MAX_COUNT}, not {tasks}")
    table = _load(path)
    columns = _columns(path, table.columns)
    cells: dict[tuple[str, ...], PrintedCell] = {}
    for number, row in enumerate(table.iter_rows(named=True), start=1):
        cell = _cell(columns, row, f"row {number}")
        key = _grouped_by(columns, row, cell)
        cells[key] = _merge_cells(columns, cells[key], cell) if key in cells else cell
    if "tasks" not in columns.named:
        cells = {key: msgspec.structs.replace(cell, tasks=tasks) for key, cell in cells.items()}
    return tuple(_with_trials(path, cell, trials) for cell in cells.values())


def _load(path: Path) -> pl.DataFrame:
    if path.suffix not in {".csv", ".parquet"}:
        raise UsageError(f"{path}: neither .csv nor .parquet: name a table of results")
    try:
        if path.stat().st_size > MAX_BYTES:
            raise DataError(f"{path}: more than {MAX_BYTES} bytes: no table of results")
        if path.suffix == ".csv":
            content = _plain_text(path)
            table = pl.read_csv(content, infer_schema=False, n_rows=MAX_ROWS + 1)
        else:
            _require_columns(path, len(pl.read_parquet_schema(path)))
            table = pl.read_parquet(path, n_rows=MAX_ROWS + 1).cast(pl.String)
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror or error})") from error
    except pl.exceptions.PolarsError as error:
        raise DataError(f"{path}: no table ({str(error).splitlines()[0][:200]})") from error
    if table.height > MAX_ROWS:
        raise DataError(f"{path}: more than {MAX_ROWS} rows: no table of results")
    if table.is_empty():
        raise DataError(f"{path}: no rows: name a table of results")
    return table


def _plain_text(path: Path) -> bytes:
    """Return the bytes of a table's text after checks of its size and header.

    The library would unpack any file and allocate memory for any number of columns.
    """
    try:
        content = decompress(path.read_bytes(), MAX_BYTES)
        text = content.decode("utf-8")
        header = next(csv.reader(io.StringIO(text, newline="")), [])
    except (UnicodeDecodeError, csv.Error, DataError) as error:
        raise DataError(f"{path}: no table ({error})") from error
    _require_columns(path, len(header))
    if escape_controls(text[:_MARK]) != text[:_MARK]:
        raise DataError(f"{path}: no table (it begins with control characters)")
    return content


def _require_columns(path: Path, count: int) -> None:
    if count > MAX_COLUMNS:
        raise DataError(f"{path}: more than {MAX_COLUMNS} columns: no table of results")


def _columns(path: Path, names: list[str]) -> _Columns:
    named = {
        field: present[0]
        for field, accepted in NAMES.items()
        if (present := [name for name in accepted if name in names])
    }
    figures, rho = _columns_by_k(path, names, _PASS), _columns_by_k(path, names, _RHO)
    for field in ("suite", "agent"):
        if field not in named:
            raise DataError(
                f"{path}: no column for the {field}: name one {' or '.join(NAMES[field])}"
            )
    if not figures and not {"k", "pass_hat"} <= set(named):
        raise DataError(f"{path}: no figures: name columns pass_hat_1, pass_hat_2, ...")
    return _Columns(path, named, figures, rho)


def _columns_by_k(path: Path, names: list[str], pattern: re.Pattern[str]) -> dict[int, str]:
    columns: dict[int, str] = {}
    for name in names:
        if match := pattern.fullmatch(name):
            k = int(match[1])
            if not 1 <= k <= MAX_TRIALS or k in columns:
                raise DataError(
                    f"{path}: column {name!r} names no k of 1 to {MAX_TRIALS}, or twice"
                )
            columns[k] = name
    return columns


def _cell(columns: _Columns, row: Row, place: str) -> PrintedCell:
    where = f"{columns.path}: {place}"
    return PrintedCell(
        place=place,
        suite=columns.text(row, "suite"),
        condition=columns.text(row, "condition"),
        language=columns.text(row, "language"),
        agent=columns.text(row, "agent"),
        trials=_count(columns, row, "trials", where) or 0,
        figures=_figures(columns, row, where, columns.figures, "pass_hat"),
        rho=_figures(columns, row, where, columns.rho, "rho"),
        tasks=_count(columns, row, "tasks", where),
        left_out=_count(columns, row, "left_out", where),
        simulations=_count(columns, row, "simulations", where),
        route=columns.text(row, "route"),
        user=columns.text(row, "user"),
        source=columns.text(row, "source"),
    )


def _figures(
    columns: _Columns, row: Row, where: str, wide: Mapping[int, str], long: str
) -> dict[int, float]:
    """Return a row's figures by k: those with a column of their own, and that of the row's k."""
    found = dict(_ratios(wide, row, where))
    if "k" in columns.named and long in columns.named:
        k = _count(columns, row, "k", where)
        if k is None or not 1 <= k <= MAX_TRIALS:
            raise DataError(f"{where}: k must lie between 1 and {MAX_TRIALS}")
        found |= dict(_ratios({k: columns.named[long]}, row, where))
    return found


def _ratios(names: Mapping[int, str], row: Row, where: str) -> Iterator[tuple[int, float]]:
    for k, name in names.items():
        value = _ratio((row[name] or "").strip(), name, where)
        if value is not None:
            yield k, value


def _ratio(text: str, name: str, where: str) -> float | None:
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= 1:
        raise DataError(f"{where}: {name} must be a number from 0 to 1, not {text[:40]!r}")
    return value


def _count(columns: _Columns, row: Row, field: str, where: str) -> int | None:
    text = columns.text(row, field)
    if not text:
        return None
    if not re.fullmatch(r"[0-9]{1,9}", text) or int(text) > MAX_COUNT:
        name, most = columns.named[field], f"{MAX_COUNT:,}"
        raise DataError(f"{where}: {name} must be a whole number up to {most}, not {text[:40]!r}")
    return int(text)


def _grouped_by(columns: _Columns, row: Row, cell: PrintedCell) -> tuple[str, ...]:
    """Return what rows of one cell have in common: with a row per k its name, else the row."""
    if "k" not in columns.named:
        return (cell.place,)
    return (*cell.key, columns.text(row, "rules"), columns.text(row, "judge"))


def _merge_cells(columns: _Columns, cell: PrintedCell, more: PrintedCell) -> PrintedCell:
    """Add the figure of another k to a cell.

    If the figures cover different numbers of tasks, the cell has no number of tasks.
    """
    twice = cell.figures.keys() & more.figures.keys()
    if twice:
        raise DataError(f"{columns.path}: {more.place}: pass^{min(twice)} of {cell.name} again")
    return msgspec.structs.replace(
        cell,
        figures=cell.figures | more.figures,
        rho=cell.rho | more.rho,
        tasks=cell.tasks if cell.tasks == more.tasks else None,
    )


def _with_trials(path: Path, cell: PrintedCell, trials: int | None) -> PrintedCell:
    highest = max((*cell.figures, *cell.rho), default=1)
    known = cell.trials or trials or highest
    if known < highest:
        raise UsageError(
            f"{path}: {cell.place}: pass^{highest} of {known} trials cannot be: correct --trials"
        )
    return msgspec.structs.replace(cell, trials=known)
