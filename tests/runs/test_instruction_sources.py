"""Instructions of a session may change during a conversation; all of them are stored."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import msgspec

from dragoman.composition.setup import build_setup
from dragoman.config.run_config import RunConfig
from dragoman.core.conditions import PLAIN
from dragoman.core.episodes import Episode, InstructionUpdate, Message
from dragoman.core.layers import ConversationContext, Layer
from dragoman.core.prompts import PromptSet
from dragoman.core.protocols import ChatRequest, Completion, ConversationProgress
from dragoman.core.replies import text_reply
from dragoman.core.tools import Role
from dragoman.core.usage import Usage
from dragoman.registry.participants import ResolvedParticipant
from dragoman.runs.conversation_player import Player
from dragoman.runs.plan import plan_cells
from dragoman.simulation.participants.llm import LlmParticipant

RESTLESS = PLAIN.with_axes(mood="restless")


class CountsReplies:
    """Tells the agent how often the user has spoken."""

    def __init__(self, context: ConversationContext) -> None:
        assert context.agent.name == "parrot"

    async def instructions(self, side: Role, progress: ConversationProgress) -> str:
        said = sum(isinstance(event, Message) and event.by == "user" for event in progress.events)
        return f"The user has spoken {said} times." if side == "agent" else ""

    def take_usage(self) -> tuple[Usage, ...]:
        return (Usage("context", "m", 1, input_tokens=5, output_tokens=1),)


class Parrot:
    """A chat model that keeps the system prompts it was sent."""

    name = "parrot"

    def __init__(self) -> None:
        self.systems: list[Sequence[str]] = []

    async def complete(self, request: ChatRequest, purpose: str) -> Completion:
        systems = [str(m["content"]) for m in request.messages if m["role"] == "system"]
        self.systems.append(systems)
        return Completion(text_reply("Hm."), msgspec.Raw(b"{}"), Usage(purpose, self.name))


def conversation(model: Parrot) -> Episode:
    config = RunConfig("sample:shop", ("parrot",), limit=1, max_steps=6)
    agent = ResolvedParticipant(
        "parrot", LlmParticipant(model, PromptSet("bare", "", "")), "parrot"
    )
    user = ResolvedParticipant(
        "talker", LlmParticipant(Parrot(), PromptSet("bare", "", "")), "talker"
    )
    setup = msgspec.structs.replace(
        build_setup(config, {"parrot": agent}),
        pairs=((agent, user),),
        conditions=(RESTLESS,),
        further={
            ("mood", "restless"): Layer("mood", "restless-1", instruction_source=CountsReplies)
        },
    )
    (cell,) = plan_cells(setup)
    return asyncio.run(Player(setup).converse(cell))


def test_a_model_has_one_system_prompt_that_says_what_holds_now(tmp_path: Path) -> None:
    assert tmp_path.exists()
    model = Parrot()
    conversation(model)
    reported = [system[0].rpartition("<language>")[2] for system in model.systems]
    assert [len(systems) for systems in model.systems] == [1] * len(model.systems)
    assert ["spoken 1 times" in text for text in reported][:2] == [True, False]
    assert "spoken 2 times" in reported[1]


def test_the_episode_keeps_what_was_told_anew_and_its_cost() -> None:
    episode = conversation(Parrot())
    assert episode.instruction_updates[0] == InstructionUpdate(
        2, "agent", "The user has spoken 1 times."
    )
    assert {instruction_updates.side for instruction_updates in episode.instruction_updates} == {
        "agent"
    }
    assert "context" in {usage.purpose for usage in episode.usage}
