from pathlib import Path

import pytest

from dragoman.benchmarks.tau2.suite import DomainSuite
from dragoman.composition.setup import build_setup, chosen_tasks, scoring_setup
from dragoman.config.environment import data_folder
from dragoman.config.run_config import RunConfig
from dragoman.core.errors import DataError, DragomanError, UsageError
from dragoman.registry.suites import load_suite, suite_names


def ids(shop: DomainSuite, *chosen: str, limit: int | None = None) -> list[str]:
    return [task.id for task in chosen_tasks(shop, chosen, limit)]


def test_all_tasks_are_chosen_unless_some_are_named(shop: DomainSuite) -> None:
    assert ids(shop) == [task.id for task in shop.tasks]
    assert ids(shop, "two-swaps", "larger-jacket") == ["two-swaps", "larger-jacket"]


def test_a_limit_takes_the_first_ones(shop: DomainSuite) -> None:
    assert ids(shop, limit=2) == ["larger-jacket", "return-poles"]
    assert ids(shop, "two-swaps", "too-late", limit=1) == ["two-swaps"]
    assert len(ids(shop, limit=99)) == 5


def test_a_task_named_twice_is_played_once(shop: DomainSuite) -> None:
    assert ids(shop, "too-late", "too-late") == ["too-late"]


def test_an_unknown_task_is_refused_with_those_that_exist(shop: DomainSuite) -> None:
    with pytest.raises(UsageError, match=r"sample:shop has no task 'too-soon'.*too-late"):
        ids(shop, "too-late", "too-soon")


def test_a_setup_pairs_every_agent_with_its_user() -> None:
    setup = build_setup(RunConfig("sample:shop", ("gold", "silent")))
    assert [(agent.name, user.name) for agent, user in setup.pairs] == [
        ("gold", "gold"),
        ("silent", "offline"),
    ]
    assert (setup.judge_name, setup.rules.name) == ("none", "dragoman-2")


def test_scoring_needs_no_agents() -> None:
    setup = scoring_setup(RunConfig("sample:shop", ("gone.module:agent",), judge="rule"))
    assert setup.pairs == ()
    assert setup.judge_name == "rule-1"


@pytest.mark.parametrize(
    ("config", "named"),
    [
        (RunConfig("sample:shoe", ("gold",)), "unknown suite 'sample:shoe'"),
        (RunConfig("sample:shop", ("golden",)), "unknown agent 'golden'"),
        (RunConfig("sample:shop", ("gold",), user="me"), "unknown user 'me'"),
        (RunConfig("sample:shop", ("gold",), judge="me"), "unknown judge 'me'"),
        (RunConfig("sample:shop", ("gold",), rules="mine"), "unknown rules 'mine'"),
        (RunConfig("sample:shop", ("gold",), tasks=("x",)), "has no task 'x'"),
    ],
)
def test_every_unknown_name_is_a_usage_error(config: RunConfig, named: str) -> None:
    with pytest.raises(UsageError, match=named):
        build_setup(config)


def test_data_that_were_never_pulled_name_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(DataError, match="dragoman data pull tau2"):
        load_suite("tau2:retail")


@pytest.mark.parametrize("name", sorted(suite_names()))
def test_every_suite_that_is_listed_is_known(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    try:
        assert load_suite(name).name == name
    except DragomanError as error:
        assert "unknown" not in str(error)  # noqa: PT017 - some lie in the cache and some do not


def test_data_lie_in_the_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert data_folder() == tmp_path / "dragoman" / "data"
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for useless in ("", "relative/path"):
        monkeypatch.setenv("XDG_CACHE_HOME", useless)
        assert data_folder() == tmp_path / "home" / ".cache" / "dragoman" / "data"
