"""A conversation that takes too long: whose time it was."""

import asyncio
from collections.abc import Sequence

import pytest

from dragoman.benchmarks.kit.turn_protocols import HalfDuplex
from dragoman.benchmarks.tau2.suite import DomainSuite
from dragoman.conditions.resolved_condition import IdentityChannel, IdentityView
from dragoman.core.episodes import Episode, Termination
from dragoman.core.errors import ParticipantError, attach_delay
from dragoman.core.layers import InstructionSource, StaticInstructions
from dragoman.core.protocols import (
    Channel,
    ConversationProgress,
    Limits,
    Session,
    SessionInput,
    SessionReply,
)
from dragoman.core.replies import Utterance, text_reply
from dragoman.core.rules import DEFAULT_RULES
from dragoman.core.tools import Role, Toolset
from dragoman.core.usage import Usage
from dragoman.simulation.orchestrator import Conversation, ConversationIO

LIMIT = 0.1


class Slow:
    """A participant with a delayed answer; a hanging one states the cause, if there is any."""

    def __init__(self, seconds: float = 0.0, held_up: ParticipantError | None = None) -> None:
        self._seconds = seconds
        self._held_up = held_up

    async def reply(self, heard: Sequence[SessionInput], tools: Toolset) -> SessionReply:  # noqa: ARG002 - says the same to anything
        try:
            await asyncio.sleep(self._seconds)
        except asyncio.CancelledError as cut:
            if self._held_up is not None:
                attach_delay(cut, self._held_up)
            raise
        return SessionReply(text_reply("Go on."))

    async def close(self) -> None:
        """Nothing to release."""


class SlowChannel(IdentityChannel):
    """Takes a while to carry anything."""

    async def carry(self, utterance: Utterance) -> Utterance:
        await asyncio.sleep(60)
        return utterance


class SlowInstructionSource(StaticInstructions):
    """A source of the agent's instructions that takes a while."""

    async def instructions(self, side: Role, progress: ConversationProgress) -> str:
        await asyncio.sleep(60)
        return await super().instructions(side, progress)


def play(
    shop: DomainSuite,
    agent: Slow,
    user: Slow,
    line: Channel | None = None,
    instruction_source: InstructionSource | None = None,
) -> Episode:
    environment = shop.factory(DEFAULT_RULES)(shop.tasks[0])
    channels: dict[Role, Channel] = {
        "agent": line or IdentityChannel(),
        "user": line or IdentityChannel(),
    }
    surfaces = ConversationIO(
        channels, {"agent": IdentityView(), "user": IdentityView()}, instruction_source
    )
    sessions: dict[Role, Session] = {"agent": agent, "user": user}
    conversation = Conversation(environment, sessions, surfaces, lambda: 0.0, LIMIT)
    return asyncio.run(
        conversation.run(HalfDuplex(environment, DEFAULT_RULES, Limits(steps=10_000)))
    )


@pytest.mark.parametrize(
    ("agent", "user", "ending"),
    [
        (Slow(60), Slow(), Termination("timeout", "the agent did not answer in time")),
        (Slow(), Slow(60), Termination("user_error", "the user did not answer in time")),
        (Slow(0.06), Slow(), Termination("timeout", "the agent did not answer in time")),
    ],
)
def test_it_is_that_of_whoever_took_most_of_it(
    shop: DomainSuite, agent: Slow, user: Slow, ending: Termination
) -> None:
    assert play(shop, agent, user).ending == ending


def test_a_line_that_is_slow_is_the_infrastructures(shop: DomainSuite) -> None:
    ending = play(shop, Slow(), Slow(), SlowChannel()).ending
    assert ending == Termination("infrastructure_error", "the line did not answer in time")


def test_finding_out_what_the_agent_is_told_is_the_infrastructures_time(shop: DomainSuite) -> None:
    episode = play(shop, Slow(), Slow(), instruction_source=SlowInstructionSource({}))
    assert episode.ending == Termination(
        "infrastructure_error", "the source of instructions did not answer in time"
    )


def test_an_endpoint_that_held_a_call_up_is_the_infrastructures_and_its_faults_count(
    shop: DomainSuite,
) -> None:
    held_up = ParticipantError("http://here: no answer yet (rate_limited 2)")
    held_up.usage = Usage("agent", "openai/any", 0, faults={"rate_limited": 2})
    episode = play(shop, Slow(60, held_up), Slow())
    assert episode.ending == Termination(
        "infrastructure_error",
        "the time limit was reached: http://here: no answer yet (rate_limited 2)",
    )
    assert episode.usage == (held_up.usage,)
