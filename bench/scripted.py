"""Conversations with scripted models on both sides that answer at once.

The scripts are the replies of the gold agent and user.
"""

import asyncio

from dragoman.composition.setup import Setup, build_setup
from dragoman.config.run_config import RunConfig
from dragoman.core.content_keys import content_key
from dragoman.core.episodes import Episode, Message
from dragoman.core.protocols import ChatModel, Suite
from dragoman.core.replies import TextReply, ToolCallReply
from dragoman.core.rules import DEFAULT_RULES
from dragoman.core.tools import Role
from dragoman.models.chat.scripted import Script, ScriptedCall, ScriptedModel, ScriptedReply
from dragoman.registry.participants import ResolvedParticipant
from dragoman.runs.conversation_player import Player
from dragoman.runs.plan import plan_cells
from dragoman.scoring.judges import AssumeMet
from dragoman.simulation.participants.llm import LlmParticipant
from dragoman.simulation.prompts import default_prompts

Gold = dict[str, Episode]
"""The gold agent's conversation of each task."""

GREETED: dict[Role, int] = {"agent": 1, "user": 0}


def gold_episodes(suite: Suite) -> Gold:
    setup = build_setup(RunConfig(suite.name, ("gold",), judge="assume-met"))
    player = Player(setup)

    async def play() -> Gold:
        return {cell.task.id: (await player.play(cell))[0] for cell in plan_cells(setup)}

    return asyncio.run(play())


def script_of(gold: Gold, side: Role) -> Script:
    return {
        task: tuple(
            _reply(event)
            for event in episode.events
            if isinstance(event, Message) and event.by == side and not event.scripted
        )
        for task, episode in gold.items()
    }


def model_of(gold: Gold, side: Role) -> ScriptedModel:
    return ScriptedModel(f"scripted-{side}", script_of(gold, side), GREETED[side])


def setup_of(suite: Suite, models: tuple[ChatModel, ChatModel], config: RunConfig) -> Setup:
    """Return the setup of a run with the given models as agent and user."""
    agent, user = (
        ResolvedParticipant(
            model.name, LlmParticipant(model, default_prompts()), content_key(model.name)
        )
        for model in models
    )
    return Setup(config, suite, tuple(suite.tasks), ((agent, user),), AssumeMet(), DEFAULT_RULES)


def scripted_setup(suite: Suite, gold: Gold, concurrency: int, trials: int) -> Setup:
    config = RunConfig(
        suite.name, ("scripted",), judge="assume-met", trials=trials, concurrency=concurrency
    )
    return setup_of(suite, (model_of(gold, "agent"), model_of(gold, "user")), config)


def _reply(move: Message) -> ScriptedReply:
    match move.reply:
        case TextReply() as said:
            return ScriptedReply(said.text)
        case ToolCallReply(calls=calls):
            return ScriptedReply(
                None, tuple(ScriptedCall(call.name, call.arguments) for call in calls)
            )
        case other:
            raise TypeError(f"gold does not reply {other}")
