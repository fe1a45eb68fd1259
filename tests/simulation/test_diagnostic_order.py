"""The diagnostic agents rank as in a sound suite, with and without noise."""

from collections.abc import Callable
from statistics import mean

import pytest

from dragoman.analysis.intervals import difference_interval
from dragoman.conditions.resolved_condition import IdentityChannel
from dragoman.core.episodes import Episode
from dragoman.core.protocols import Channel, Participant
from dragoman.core.scores import Score, Scored
from dragoman.core.tasks import Task
from dragoman.simulation.participants.confirming import CarefulAgent
from dragoman.simulation.participants.lexical import LexicalAgent
from dragoman.simulation.participants.oracle import GoldAgent, LiteralAgent, SilentAgent

Play = Callable[[Task, Participant, Channel], tuple[Episode, Score]]
Garbled = Callable[[int, float], Channel]

SEEDS = range(15)
PROBABILITY = 0.3


def reward(play: Play, task: Task, agent: Participant, channel: Channel) -> float:
    _, score = play(task, agent, channel)
    assert isinstance(score.reward, Scored), score
    return score.reward.value


@pytest.mark.parametrize("agent", [CarefulAgent(), LiteralAgent()], ids=lambda agent: agent.name)
def test_without_noise_whoever_plays_the_plan_passes_as_gold_does(
    play_shop: Play, tasks_with_facts: list[Task], agent: Participant
) -> None:
    for task in tasks_with_facts:
        assert reward(play_shop, task, agent, IdentityChannel()) == 1.0
        assert reward(play_shop, task, GoldAgent(), IdentityChannel()) == 1.0


@pytest.mark.slow
def test_under_noise_gold_careful_literal_lexical_and_silent_stand_in_this_order(
    play_shop: Play, tasks_with_facts: list[Task], garbled: Garbled
) -> None:
    agents = (GoldAgent(), CarefulAgent(), LiteralAgent(), LexicalAgent(), SilentAgent())
    by_seed = {
        agent.name: [
            mean(
                reward(play_shop, task, agent, garbled(seed, PROBABILITY))
                for task in tasks_with_facts
            )
            for seed in SEEDS
        ]
        for agent in agents
    }
    assert mean(by_seed["gold"]) >= mean(by_seed["careful"])
    for better, worse in (("careful", "literal"), ("literal", "lexical"), ("lexical", "silent")):
        pairs = zip(by_seed[better], by_seed[worse], strict=True)
        interval = difference_interval([one - other for one, other in pairs])
        assert interval.low > 0, (better, worse, interval)


def test_lexical_passes_the_task_that_only_asks_where_silence_does_not(
    play_shop: Play, tasks_with_facts: list[Task]
) -> None:
    (task,) = (task for task in tasks_with_facts if task.id == "too-late")
    assert reward(play_shop, task, LexicalAgent(), IdentityChannel()) == 1.0
    assert reward(play_shop, task, SilentAgent(), IdentityChannel()) == 0.0
