"""Conversations of one task under different rules, played at the same time in one process."""

import asyncio
import gzip
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest

from dragoman.benchmarks.tau2.suite import DOMAINS, DomainSuite
from dragoman.composition.setup import Setup
from dragoman.config.run_config import RunConfig
from dragoman.core.content_keys import content_key
from dragoman.core.episodes import Episode
from dragoman.core.protocols import (
    Participant,
    Provenance,
    Session,
    SessionInput,
    SessionReply,
    SessionStart,
)
from dragoman.core.rules import DEFAULT_RULES, TAU2_RULES, Rules
from dragoman.core.scores import Score, Scored, Verdict
from dragoman.core.tools import ToolResult, Toolset
from dragoman.registry.participants import ResolvedParticipant
from dragoman.runs.conversation_player import Player
from dragoman.runs.plan import plan_cells
from dragoman.scoring.judges import AssumeMet
from dragoman.simulation.participants.oracle import GoldAgent, GoldUser

Played = tuple[Episode, Score]


class Noted:
    """Gold, but it waits for the others before every reply and notes whose turn it was."""

    name = "noted"

    def __init__(self, gold: Participant, who: str, turns: list[str]) -> None:
        self._gold = gold
        self._who = who
        self._turns = turns

    async def open(self, opening: SessionStart) -> Session:
        return NotedSession(await self._gold.open(opening), self._who, self._turns)


class NotedSession:
    def __init__(self, gold: Session, who: str, turns: list[str]) -> None:
        self._gold = gold
        self._who = who
        self._turns = turns

    async def reply(self, heard: Sequence[SessionInput], tools: Toolset) -> SessionReply:
        await asyncio.sleep(0)
        self._turns.append(self._who)
        return await self._gold.reply(heard, tools)

    async def close(self) -> None:
        await self._gold.close()


def setup_of(suite: DomainSuite, task: str, rules: Rules, turns: list[str]) -> Setup:
    (chosen,) = (entry for entry in suite.tasks if entry.id == task)
    agent = Noted(GoldAgent(), rules.name, turns)
    user = Noted(GoldUser(), rules.name, turns)
    pair = (
        ResolvedParticipant("noted", agent, content_key("agent")),
        ResolvedParticipant("noted", user, content_key("user")),
    )
    config = RunConfig(suite.name, ("noted",), judge="assume-met", rules=rules.name)
    return Setup(config, suite, (chosen,), (pair,), AssumeMet(), rules)


async def conversation(setup: Setup) -> Played:
    (cell,) = plan_cells(setup)
    episode, score = await Player(setup).play(cell)
    return msgspec.structs.replace(episode, started=0.0, seconds=0.0), score


def play(suite: DomainSuite, task: str) -> tuple[list[Played], list[Played], list[str]]:
    """Return the results of a task under both rule sets, alone and concurrently.

    Also return the turns of the concurrent conversations.
    """
    turns: list[str] = []
    setups = [setup_of(suite, task, rules, turns) for rules in (DEFAULT_RULES, TAU2_RULES)]
    alone = [asyncio.run(conversation(setup)) for setup in setups]
    turns.clear()

    async def together() -> list[Played]:
        return await asyncio.gather(*map(conversation, setups))

    return alone, asyncio.run(together()), turns


def last_write(episode: Episode, name: str) -> str:
    results = [event for event in episode.events if isinstance(event, ToolResult)]
    return next(result.content for result in reversed(results) if result.name == name)


def database(score: Score) -> Verdict | None:
    return next(part.verdict for part in score.components if part.component == "DB")


def took_turns(turns: list[str]) -> bool:
    return sum(one != other for one, other in pairwise(turns)) > 2


def test_an_item_keeps_its_variant_beside_a_conversation_in_which_it_does_not(
    shop: DomainSuite,
) -> None:
    alone, together, turns = play(shop, "two-swaps")
    assert took_turns(turns)
    assert together == alone
    ours, theirs = (last_write(episode, "modify_pending_order_items") for episode, _ in together)
    assert ours != theirs


@pytest.mark.parametrize("task", ["20", "21"])
def test_prices_and_rounding_of_retail_stay_with_their_rules(
    retail: DomainSuite, task: str
) -> None:
    alone, together, turns = play(retail, task)
    assert took_turns(turns)
    assert together == alone
    ours, theirs = (last_write(episode, "modify_pending_order_items") for episode, _ in together)
    assert ours != theirs
    assert [score.reward for _, score in together] == [Scored(1.0), Scored(1.0)]


@pytest.fixture(scope="module")
def telecom(data_folder: Path) -> DomainSuite:
    folder = data_folder / "tau2" / "telecom"

    def read(name: str) -> bytes:
        raw, zipped = folder / name, folder / f"{name}.gz"
        return raw.read_bytes() if raw.exists() else gzip.decompress(zipped.read_bytes())

    source = Provenance("tau2-bench", "MIT", "", "")
    return DomainSuite("tau2:telecom", read, source, DOMAINS["telecom"])


@pytest.mark.slow
def test_a_plan_out_of_step_leaves_the_one_in_step_alone(telecom: DomainSuite) -> None:
    task = next(entry.id for entry in telecom.tasks if "overdue_bill" in entry.id)
    alone, together, turns = play(telecom, task)
    assert took_turns(turns)
    assert together == alone
    # A payment is booked when the databases are brought in step, which the reference's plan is not.
    assert [database(score) for _, score in together] == [Scored(1.0), Scored(0.0)]
    assert [score.reward for _, score in together] == [Scored(1.0), Scored(1.0)]
