from pathlib import Path

import msgspec
import pytest

from dragoman.benchmarks.tau2.suite import DomainSuite
from dragoman.composition.setup import build_setup
from dragoman.config.run_config import RunConfig
from dragoman.core.conditions import PLAIN
from dragoman.core.errors import UsageError
from dragoman.core.layers import Layer
from dragoman.core.protocols import Session, SessionStart
from dragoman.registry.participants import ResolvedParticipant
from dragoman.runs.plan import Cell, GridPlace, cells_at, lazy_plan, not_applicable, plan_cells

BASE = RunConfig("sample:shop", ("gold",), tasks=("two-swaps",))


def cells(config: RunConfig) -> tuple[Cell, ...]:
    return plan_cells(build_setup(config))


def keys(config: RunConfig) -> set[str]:
    return {cell.key for cell in cells(config)}


def changed(**fields: object) -> RunConfig:
    return msgspec.structs.replace(BASE, **fields)


def test_a_plan_is_every_task_with_every_agent_trial_by_trial() -> None:
    config = changed(agents=("gold", "silent"), tasks=("two-swaps", "too-late"), trials=2)
    assert [(cell.trial, cell.agent.name, cell.task.id) for cell in cells(config)] == [
        (trial, agent, task)
        for trial in (0, 1)
        for agent in ("gold", "silent")
        for task in ("two-swaps", "too-late")
    ]


def test_the_same_configuration_is_the_same_plan() -> None:
    assert [(c.key, c.seed) for c in cells(BASE)] == [(c.key, c.seed) for c in cells(BASE)]


def test_every_cell_has_its_own_key_and_seed() -> None:
    planned = cells(RunConfig("sample:shop", ("gold", "silent", "literal"), trials=4))
    assert len({cell.key for cell in planned}) == len(planned) == 60
    assert len({cell.seed for cell in planned}) == 60


class Hears:
    """An agent that can be given audio."""

    name = "hears"
    hears_audio = True

    async def open(self, opening: SessionStart) -> Session:
        raise NotImplementedError(opening.conversation)


def test_only_who_can_hear_is_planned_where_the_agent_hears_the_audio() -> None:
    config = changed(agents=("gold", "hears"), voices=("studio",), asr=("understood", "itself"))
    setup = build_setup(config, {"hears": ResolvedParticipant("hears", Hears(), "hears-1")})
    assert [(cell.condition.label, cell.agent.name) for cell in plan_cells(setup)] == [
        ("en/studio+understood/none", "gold"),
        ("en/studio+understood/none", "hears"),
        ("en/studio+itself/none", "hears"),
    ]
    assert not_applicable(setup) == {
        "en/studio+itself/none, agent gold": "gold cannot hear: it takes words, not audio"
    }


def test_an_agent_that_cannot_hear_is_refused_where_nothing_else_is_played() -> None:
    with pytest.raises(UsageError, match=r"^--asr itself: gold cannot hear: it takes words"):
        build_setup(changed(voices=("studio",), asr=("itself",)))


@pytest.mark.parametrize(
    "more",
    [
        {"agents": ("gold", "silent")},
        {"agents": ("silent", "gold")},
        {"trials": 5},
        {"tasks": ("too-late", "two-swaps")},
        {"tasks": ()},
        {"tasks": (), "limit": 3},
        {"concurrency": 1},
        {"read_timeout": 5.0, "patience": 5.0, "hedge": 5.0, "rates": ("openai=5rpm",)},
        {"judge": "rule"},
    ],
)
def test_more_cells_change_no_other(more: dict[str, object]) -> None:
    assert keys(BASE) <= keys(changed(**more))


def test_a_list_of_places_is_these_cells_in_its_order_as_the_grid_would_have_them() -> None:
    grid = RunConfig("sample:shop", ("gold", "silent"), trials=2)
    places = (
        GridPlace(PLAIN, "silent", "two-swaps", 1),
        GridPlace(PLAIN, "gold", "too-late", 0),
    )
    chosen = cells_at(build_setup(grid), places)
    assert [(cell.agent.name, cell.task.id, cell.trial) for cell in chosen] == [
        ("silent", "two-swaps", 1),
        ("gold", "too-late", 0),
    ]
    assert {cell.key for cell in chosen} <= keys(grid)


@pytest.mark.parametrize(
    "other",
    [
        {"seed": 1},
        {"max_steps": 100},
        {"max_errors": 9},
        {"timeout": 60.0},
        {"rules": "tau2-1.0.1"},
        {"user": "offline"},
        {"agents": ("literal",)},
        {"tasks": ("too-late",)},
        {"agents": ("gold with canonical arguments",)},
    ],
)
def test_whatever_can_change_a_result_changes_the_key(other: dict[str, object]) -> None:
    assert keys(BASE).isdisjoint(keys(changed(**other)))


def test_another_script_is_another_agent(tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    config = changed(agents=(f"scripted/{path}",))
    path.write_text('{"*": [{"content": "a"}]}')
    before = keys(config)
    path.write_text('{"*": [{"content": "b"}]}')
    assert keys(config).isdisjoint(before)


def test_a_condition_that_does_not_apply_is_named_and_never_played_as_another(
    shop: DomainSuite,
) -> None:
    class Solo(DomainSuite):
        def __init__(self) -> None:
            self.__dict__ |= shop.__dict__
            self._domain = msgspec.structs.replace(self._domain, is_solo=True)

    spoken, novice = PLAIN.with_axes(voice="telephone"), PLAIN.with_axes(persona="hard")
    conditions = (PLAIN, spoken, novice, PLAIN.with_axes(language="th"))
    setup = msgspec.structs.replace(build_setup(BASE), suite=Solo(), conditions=conditions)
    layers = {novice.label: Layer("persona", "hard")}
    setup = msgspec.structs.replace(setup, personas=layers)
    assert [cell.condition.label for cell in plan_cells(setup)] == ["en/text/none", "th/text/none"]
    why = "nobody speaks in solo mode: it has neither voice, persona nor language"
    assert not_applicable(setup) == {"en/telephone/none": why, "en/text/hard": why}
    with_user = msgspec.structs.replace(setup, suite=shop)
    assert len(plan_cells(with_user)) == 4
    assert not_applicable(with_user) == {}


def test_cells_of_a_grid_are_the_same_one_by_one() -> None:
    config = RunConfig(
        "courier:easy", ("attentive", "gold"), personas=("none", "hurried"), trials=2
    )
    lazy = lazy_plan(build_setup(config))
    cells = plan_cells(build_setup(config))
    assert len(lazy) == len(cells) > 40
    assert [lazy[place] for place in range(len(lazy))] == list(lazy)
    assert [cell.key for cell in lazy[5:9]] == [cell.key for cell in cells[5:9]]
    with pytest.raises(IndexError):
        lazy[len(lazy)]


def test_plans_are_made_of_the_same_only_if_their_cells_are_equal() -> None:
    base = RunConfig("courier:easy", ("attentive", "gold"), trials=2)
    plan_fingerprint = lazy_plan(build_setup(base)).plan_fingerprint
    assert lazy_plan(build_setup(base)).plan_fingerprint == plan_fingerprint
    for change in (
        {"trials": 3},
        {"agents": ("gold", "attentive")},
        {"limit": 3},
        {"seed": 1},
        {"max_steps": 7},
        {"personas": ("hurried",)},
    ):
        other = msgspec.structs.replace(base, **change)
        assert lazy_plan(build_setup(other)).plan_fingerprint != plan_fingerprint, change
