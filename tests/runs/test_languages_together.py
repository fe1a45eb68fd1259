"""All languages in one process, at once: none touches another."""

import asyncio
import random
from collections.abc import Sequence

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dragoman.composition.setup import Setup, build_setup
from dragoman.config.run_config import RunConfig
from dragoman.core.episodes import Episode
from dragoman.core.protocols import Participant, Session, SessionInput, SessionReply, SessionStart
from dragoman.core.tools import Toolset
from dragoman.registry.participants import ResolvedParticipant
from dragoman.runs.conversation_player import Player
from dragoman.runs.plan import Cell, plan_cells
from dragoman.simulation.participants.oracle import GoldAgent, GoldUser

pytestmark = pytest.mark.nightly


class Yielding:
    """A participant that lets others go on before each reply, and keeps the tools it was shown."""

    name = "yielding"

    def __init__(self, inner: Participant) -> None:
        self._inner = inner

    async def open(self, opening: SessionStart) -> "YieldingSession":
        return YieldingSession(await self._inner.open(opening))


class YieldingSession:
    def __init__(self, inner: Session) -> None:
        self._inner = inner

    async def reply(self, heard: Sequence[SessionInput], tools: Toolset) -> SessionReply:
        await asyncio.sleep(0)
        answer = await self._inner.reply(heard, tools)
        return msgspec.structs.replace(answer, call_form=tools.digest)

    async def close(self) -> None:
        await self._inner.close()


def yielding(config: RunConfig) -> Setup:
    setup = build_setup(config)
    pair = (
        ResolvedParticipant("yielding", Yielding(GoldAgent()), "yielding-agent"),
        ResolvedParticipant("yielding", Yielding(GoldUser()), "yielding-user"),
    )
    return msgspec.structs.replace(setup, pairs=(pair,))


def grid(suite: str) -> Setup:
    return yielding(
        RunConfig(
            suite,
            ("gold",),
            languages=("en", "vi", "th", "id", "tl", "zh", "en+th+vi+id+zh"),
            scenarios=("tools",),
            limit=20,
        )
    )


def domains(suite: str) -> Setup:
    return yielding(
        RunConfig(
            suite,
            ("gold",),
            languages=("en", "vi", "th", "id", "tl", "zh"),
            scenarios=("domain", "interaction"),
            limit=20,
        )
    )


def content(episode: Episode) -> Episode:
    return msgspec.structs.replace(episode, started=0.0, seconds=0.0)


async def one_by_one(player: Player, cells: Sequence[Cell]) -> dict[str, Episode]:
    return {cell.key: content(await player.converse(cell)) for cell in cells}


async def at_once(player: Player, cells: Sequence[Cell]) -> dict[str, Episode]:
    episodes = await asyncio.gather(*(player.converse(cell) for cell in cells))
    return {cell.key: content(episode) for cell, episode in zip(cells, episodes, strict=True)}


@pytest.mark.slow
@pytest.mark.usefixtures("in_languages")
@pytest.mark.parametrize("suite", ["tau2:retail", "tau2:telecom"])
def test_hundreds_of_conversations_in_all_languages_at_once_go_as_they_do_alone(suite: str) -> None:
    setups = [grid(suite), domains(suite)]
    cells = [(Player(setup), plan_cells(setup)) for setup in setups]
    assert sum(len(planned) for _, planned in cells) >= 200
    alone = [asyncio.run(one_by_one(player, planned)) for player, planned in cells]

    async def everything() -> list[dict[str, Episode]]:
        return await asyncio.gather(*(at_once(player, planned) for player, planned in cells))

    assert asyncio.run(everything()) == alone


@pytest.mark.slow
@pytest.mark.usefixtures("in_languages")
def test_an_english_run_after_the_others_equals_one_before() -> None:
    english = yielding(RunConfig("tau2:retail", ("gold",), limit=20))
    before = asyncio.run(one_by_one(Player(english), plan_cells(english)))
    others = domains("tau2:retail")
    asyncio.run(at_once(Player(others), plan_cells(others)))
    again = yielding(RunConfig("tau2:retail", ("gold",), limit=20))
    assert asyncio.run(one_by_one(Player(again), plan_cells(again))) == before
    inside = [cell for cell in plan_cells(others) if not cell.condition.is_localized]
    assert [cell.key for cell in inside] == list(before)
    assert asyncio.run(one_by_one(Player(others), inside)) == before


@pytest.mark.slow
@pytest.mark.usefixtures("in_languages")
@settings(
    max_examples=settings().max_examples // 20,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(order=st.randoms(use_true_random=False), count=st.integers(2, 40))
def test_in_whatever_order_they_begin(order: random.Random, count: int) -> None:
    setup = domains("tau2:airline")
    cells = list(plan_cells(setup))
    order.shuffle(cells)
    chosen = cells[:count]
    together = asyncio.run(at_once(Player(setup), chosen))
    assert together == asyncio.run(one_by_one(Player(setup), chosen))
