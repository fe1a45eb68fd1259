"""The tables that ship are those that their generator writes, and small."""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

from dragoman.benchmarks.itc.world.api_data import bundled_data_folder

ROOT = Path(__file__).resolve().parents[4]
TABLES = ROOT / "src/dragoman/benchmarks/itc/world/data/tables"


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Return the tables as the generator writes them now, by name."""
    monkeypatch.syspath_prepend(str(ROOT))
    tables = import_module("bench.world.tables")
    makers: dict[str, Callable[[], object]] = tables.TABLES
    return {name: tables.as_csv(make()) for name, make in makers.items()}


def test_generated_tables_are_as_their_generator_writes_them(written: dict[str, str]) -> None:
    shipped = {name: (TABLES / f"{name}.csv").read_text("utf-8") for name in written}
    assert shipped == written


def test_no_table_is_large_and_all_together_are_small() -> None:
    assert max(path.stat().st_size for path in TABLES.iterdir()) < 40_000
    folder = Path(str(bundled_data_folder()))
    assert sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) < 1_500_000
