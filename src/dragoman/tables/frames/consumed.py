"""What was used of a model, as columns."""

import msgspec
import polars as pl

from dragoman.analysis.ledger import LedgerLine
from dragoman.tables.frames.columns import Columns

CONSUMED_COLUMNS: Columns = {
    "purpose": pl.String(),
    "model": pl.String(),
    "calls": pl.Int64(),
    "replayed": pl.Int64(),
    "input_tokens": pl.Int64(),
    "output_tokens": pl.Int64(),
    "cached_tokens": pl.Int64(),
    "reasoning_tokens": pl.Int64(),
    "audio_seconds": pl.Float64(),
    "characters": pl.Int64(),
    "faults": pl.Int64(),
    "seconds": pl.Float64(),
    "cost_usd": pl.Float64(),
    "paid_usd": pl.Float64(),
}
"""Unknown is null."""


def consumed(line: LedgerLine) -> dict[str, object]:
    """Return a line of a ledger by column."""
    values = {
        **msgspec.structs.asdict(line.usage),
        "faults": sum(line.usage.faults.values()),
        "cost_usd": None if line.cost is None else float(line.cost.nominal),
        "paid_usd": None if line.cost is None else float(line.cost.paid),
    }
    return {name: values[name] for name in CONSUMED_COLUMNS}
