"""Export of a run's tables and conversations as Parquet, CSV and JSON lines."""

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import polars as pl

from dragoman.analysis.cell_summary import ConversationResult
from dragoman.core.errors import StoreError, UsageError
from dragoman.core.progress import long_step
from dragoman.core.texts.csv_text import ESCAPED, QUOTE
from dragoman.dataframes.results import outcome_object, outcomes
from dragoman.dataframes.run_frames import run_tables
from dragoman.store.atomic_files import atomic_path, atomic_write
from dragoman.store.run_store import RunStore

CONVERSATIONS = "conversations.jsonl"


def write_parquet(
    store: RunStore, scoring: tuple[str, str], folder: Path, agent: str | None = None
) -> tuple[Path, ...]:
    """Write every table of a run as a Parquet file in a folder and return the files.

    Existing files of the same names are replaced, each atomically.

    Args:
        store: The run.
        scoring: The rules and the judge.
        folder: The folder; it is made if it is missing.
        agent: Name of the only agent; None for all.

    Raises:
        UsageError: If no agent has this name.
        StoreError: If a file cannot be written.
    """
    return _write_tables(store, scoring, folder, agent, ("parquet", pl.DataFrame.write_parquet))


def write_csv(
    store: RunStore, scoring: tuple[str, str], folder: Path, agent: str | None = None
) -> tuple[Path, ...]:
    """Write every table of a run as a CSV file.

    Columns of lists hold JSON, and a spreadsheet does not read any text as a formula.

    Arguments and errors are those of `write_parquet`.
    """
    return _write_tables(store, scoring, folder, agent, ("csv", _write_csv))


def _write_csv(table: pl.DataFrame, path: Path) -> None:
    lists = [name for name, kind in table.schema.items() if kind.is_nested()]
    texts = [name for name, kind in table.schema.items() if kind == pl.String]
    table.with_columns(
        *(pl.col(name).map_elements(_json, return_dtype=pl.String) for name in lists),
        *map(_escaped, texts),
    ).write_csv(path)


def _escaped(name: str) -> pl.Expr:
    """Return a column of texts as `escape_cell` writes them."""
    text = pl.col(name)
    escaped = pl.concat_str(pl.lit(QUOTE), text)
    return pl.when(text.str.slice(0, 1).is_in(ESCAPED)).then(escaped).otherwise(text).alias(name)


def _json(value: pl.Series) -> str:
    return msgspec.json.encode(value.to_list()).decode()


def _write_tables(
    store: RunStore,
    scoring: tuple[str, str],
    folder: Path,
    agent: str | None,
    form: tuple[str, Callable[[pl.DataFrame, Path], None]],
) -> tuple[Path, ...]:
    """Write every table as a file of one form, which is a suffix and a writer function."""
    suffix, write = form
    require_agent(store, agent)
    files = []
    with long_step("making tables"):
        tables = _tables(store, scoring)
    for name, table in tables.items():
        chosen = table if agent is None else table.filter(_is_of(table, agent))
        path = folder / f"{name}.{suffix}"
        with atomic_path(path, pl.exceptions.PolarsError) as draft:
            write(chosen, draft)
        files.append(path)
    return tuple(files)


def _is_of(table: pl.DataFrame, agent: str) -> pl.Expr:
    """Return a filter for an agent's rows.

    A row that compares two agents is included only if both are this agent.
    """
    names = [name for name in ("agent", "agent_a", "agent_b") if name in table.columns]
    return pl.all_horizontal(pl.col(name) == agent for name in names)


def _tables(store: RunStore, scoring: tuple[str, str]) -> dict[str, pl.DataFrame]:
    """Return the tables of a run; JSON numbers beyond 64 bits do not fit into a table."""
    try:
        return run_tables(store, *scoring)
    except (pl.exceptions.PolarsError, OverflowError, TypeError) as error:
        what = " ".join(str(error).split())
        raise StoreError(
            f"{store.folder}: a number is too large for a table: export --to jsonl ({what:.100})"
        ) from error


def write_json_lines(
    store: RunStore, scoring: tuple[str, str], folder: Path, agent: str | None = None
) -> tuple[Path, int]:
    """Write every planned conversation as a line of JSON; return the file and the number of lines.

    A line holds the output of `dragoman show --json`. Arguments and errors are those of
    `write_parquet`.
    """
    require_agent(store, agent)
    path = folder / CONVERSATIONS
    with long_step("reading conversations"):
        rows = [
            row for row in outcomes(store, *scoring, heads_only=False) if agent in {None, row.agent}
        ]
    with long_step("writing conversations"):
        atomic_write(path, _lines(rows))
    return path, len(rows)


def _lines(rows: list[ConversationResult]) -> Iterator[bytes]:
    for row in rows:
        yield msgspec.json.encode(outcome_object(row)) + b"\n"


def require_agent(store: RunStore, agent: str | None) -> None:
    """Refuse an agent that a run does not have.

    Raises:
        UsageError: With the agents of the run.
    """
    known = dict.fromkeys(cell.agent for cell in store.cells())
    if agent is not None and agent not in known:
        raise UsageError(f"{store.folder}: no agent {agent!r}: choose of {', '.join(known)}")
