from pathlib import Path

import msgspec
import pytest

from dragoman.composition.grid_files import load_config
from dragoman.composition.setup import build_setup, scoring_setup
from dragoman.config.environment import cache_folder, data_folder
from dragoman.config.run_config import RunConfig
from dragoman.core.errors import UsageError
from dragoman.models.prices import load_prices

BASE = RunConfig("sample:shop", ("gold",))
OWN = '[[lists]]\nas_of = 2026-05-01\n[lists.prices]\n"vllm/mine" = { input = 1, output = 2 }\n'


def test_a_run_has_the_prices_that_ship_no_budget_and_a_memory() -> None:
    setup = build_setup(BASE)
    assert setup.prices == load_prices(None)
    assert setup.budget is None
    assert setup.cache_enabled


def test_a_grid_file_names_prices_budget_and_memory(tmp_path: Path) -> None:
    (tmp_path / "prices.toml").write_text(OWN)
    grid = tmp_path / "grid.toml"
    grid.write_text(
        'suite = "sample:shop"\nagents = ["gold"]\nmax_cost = "5 USD"\ncache = false\n'
        f'prices = "{tmp_path / "prices.toml"}"\n'
    )
    setup = build_setup(load_config(grid))
    assert set(setup.prices.own) == {"vllm/mine"}
    assert setup.budget is not None
    setup.budget.require_prices(["vllm/mine"])
    with pytest.raises(UsageError, match="needs the price"):
        setup.budget.require_prices(["vllm/other"])
    assert not setup.cache_enabled


def test_scoring_has_prices_and_a_budget_too() -> None:
    setup = scoring_setup(msgspec.structs.replace(BASE, max_cost="2M tokens"))
    assert setup.budget is not None
    assert setup.budget.limit.amount == 2_000_000
    assert setup.prices == load_prices(None)


def test_money_does_not_make_another_plan() -> None:
    from dragoman.runs.plan import plan_cells

    spending = msgspec.structs.replace(BASE, max_cost="$5", cache=False)
    assert plan_cells(build_setup(spending)) != ()
    assert [cell.key for cell in plan_cells(build_setup(spending))] == [
        cell.key for cell in plan_cells(build_setup(BASE))
    ]


def test_the_cache_lies_where_the_environment_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "dragoman"
    assert data_folder() == tmp_path / "dragoman" / "data"
