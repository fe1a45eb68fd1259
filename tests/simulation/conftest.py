"""The sample shop: a user that knows facts, a misrecognizing channel, a conversation."""

import asyncio
import random
import re
from collections.abc import Callable

import msgspec
import pytest

from dragoman.benchmarks.kit.turn_protocols import HalfDuplex
from dragoman.benchmarks.tau2.suite import DomainSuite
from dragoman.conditions.resolved_condition import IdentityChannel, IdentityView
from dragoman.core.episodes import Episode
from dragoman.core.protocols import Channel, Limits, Participant, SessionStart
from dragoman.core.replies import Utterance
from dragoman.core.rules import DEFAULT_RULES
from dragoman.core.scores import Score
from dragoman.core.tasks import KnownFact, Task
from dragoman.core.usage import Usage
from dragoman.scoring.judges import RuleJudge
from dragoman.scoring.reward import Scorer
from dragoman.simulation.orchestrator import Conversation, ConversationIO
from dragoman.simulation.participants.oracle import partner_of

Play = Callable[[Task, Participant, Channel], tuple[Episode, Score]]

NAMED = re.compile(r"(?<![\w-])(?!The\b|Yes\b|No\b)(?=\S*[A-Z0-9@])[#\w][\w@.'-]*\w")
OPENINGS = {
    "larger-jacket": "I want the rain jacket of my pending order in a larger size.",
    "return-poles": "I want to return my trekking poles. How much do I get back?",
    "two-swaps": "I want to swap two items of my order.",
    "too-late": "I want to cancel an order, or else know its tracking number.",
}
FACTS = {
    "larger-jacket": {
        "first_name": "Maren",
        "last_name": "Holt",
        "zip_code": "83702",
        "order_number": "#S1000001",
    },
    "return-poles": {"email": "tobias.lindqvist@example.com", "order_number": "#S1000003"},
    "two-swaps": {"email": "ines.carvalho@example.com", "order_number": "#S1000004"},
    "too-late": {
        "first_name": "Ines",
        "last_name": "Carvalho",
        "zip_code": "04101",
        "order_number": "#S1000005",
    },
}
KEYWORDS = {"first_name": ("name",), "last_name": ("name",), "zip_code": ("zip",)}


class GarblingChannel:
    """A channel that changes one character of a name, number or id with a probability.

    For spelled ones the probability is a tenth.
    """

    def __init__(self, seed: int, probability: float) -> None:
        self._random = random.Random(seed)  # noqa: S311 - noise, not secrets
        self._probability = probability

    async def carry(self, utterance: Utterance) -> Utterance:
        heard = NAMED.sub(lambda match: self._garbled(match.group()), utterance.intended)
        return msgspec.structs.replace(utterance, heard=heard)

    def take_usage(self) -> tuple[Usage, ...]:
        return ()

    def _garbled(self, word: str) -> str:
        is_spelled = word.count("-") > 1
        if self._random.random() >= self._probability / (10 if is_spelled else 1):
            return word
        at = self._random.randrange(len(word) // 2, len(word))
        others = "0123456789" if word[at].isdigit() else "abcdefghijklmnopqrstuvwxyz"
        sign = self._random.choice(others.replace(word[at], ""))
        return word[:at] + sign + word[at + 1 :]


@pytest.fixture
def garbled() -> Callable[[int, float], Channel]:
    """Return a function that makes a misrecognizing channel from seed and probability."""
    return GarblingChannel


@pytest.fixture
def tasks_with_facts(shop: DomainSuite) -> list[Task]:
    """The tasks of the sample shop that rules decide, their users' knowledge as data."""
    tasks = []
    for task in shop.tasks:
        if task.id in FACTS:
            facts = tuple(
                KnownFact(name, value, KEYWORDS.get(name, (name.partition("_")[0],)))
                for name, value in FACTS[task.id].items()
            )
            reported = msgspec.structs.replace(
                task.scenario, opening=OPENINGS[task.id], facts=facts
            )
            tasks.append(msgspec.structs.replace(task, scenario=reported))
    return tasks


@pytest.fixture
def play_shop(shop: DomainSuite) -> Play:
    """Play and score one conversation of the sample shop; the user speaks through a channel."""

    async def conversation(
        task: Task, agent: Participant, channel: Channel
    ) -> tuple[Episode, Score]:
        factory = shop.factory(DEFAULT_RULES)
        environment = factory(task)
        surfaces = ConversationIO(
            {"agent": IdentityChannel(), "user": channel},
            {"agent": IdentityView(), "user": IdentityView()},
        )
        sessions = {
            "agent": await agent.open(
                SessionStart(task, "agent", 0, shop.policy(task, environment))
            ),
            "user": await partner_of(agent).open(SessionStart(task, "user", 0)),
        }
        talk = Conversation(environment, sessions, surfaces, lambda: 0.0)  # type: ignore[arg-type]  # literal keys
        episode = await talk.run(HalfDuplex(environment, DEFAULT_RULES, Limits()))
        return episode, await Scorer(factory, DEFAULT_RULES, RuleJudge()).score(task, episode)

    return lambda task, agent, channel: asyncio.run(conversation(task, agent, channel))
