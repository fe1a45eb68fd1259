"""Plays courier and a shop with planted mistakes, so that the right counts are known.

The user is the scripted one, with or without a persona card, and the tools are real environments.
The agent follows the plan and makes the planted mistakes; each label is written down when the
mistake is made. No measure is used.
"""

import asyncio
from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from dragoman.benchmarks.courier.domain import courier_suite
from dragoman.benchmarks.kit.conversation_suite import ConversationSuite
from dragoman.benchmarks.tau2.sample_suite import sample_suite
from dragoman.conditions.persona.persona_profiles import find_profile
from dragoman.core.episodes import Episode, Event, Message, Termination
from dragoman.core.language.phrasebook import Phrasebook
from dragoman.core.personas import PLAIN_BEHAVIOR
from dragoman.core.protocols import Environment, SessionInput
from dragoman.core.replies import TextReply, ToolCallReply, text_reply
from dragoman.core.rules import DEFAULT_RULES
from dragoman.core.stop_tokens import STOP
from dragoman.core.tasks import Action, KnownFact, Task
from dragoman.core.tools import NO_TOOLS, ToolCall
from dragoman.simulation.participants.scripted_user import FactDisclosure, FactSession
from dragoman.simulation.phrasebooks import shipped_phrasebook

Mistake = Literal[
    "asks again",
    "reads back wrongly",
    "has it spelled",
    "looks up wrongly",
    "looks up wrongly twice",
    "gives up a lookup",
    "asks no leave",
    "is refused",
    "hands over needlessly",
    "hands over at once",
]

TRANSFERS = {"courier": "escalate_to_human", "retail": "transfer_to_human_agents"}
IRREVERSIBLE = {
    "cancel_shipment",
    "file_claim",
    "waive_fee",
    "modify_pending_order_items",
    "return_delivered_order_items",
}
WRONG_LOOKUPS: dict[str, tuple[str, dict[str, object]]] = {
    "courier": ("track_parcel", {"tracking_number": "ZZ999999999"}),
    "retail": ("get_order_details", {"order_id": "#S9999999"}),
}


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One conversation to play: its task, its user, and its mistakes."""

    task: str
    mistakes: tuple[Mistake, ...] = ()
    language: str = "en"
    persona: str = "none"
    times: int = 1


class Played(msgspec.Struct, frozen=True):
    """A conversation with its planted labels, by the place of the message."""

    id: str
    task: Task
    episode: Episode
    labels: dict[int, list[str]]
    language: str


class Player:
    """Plays one conversation; each method is one thing that the agent does."""

    def __init__(self, domain: str, task: Task, part: Part, environment: Environment) -> None:
        phrases = shipped_phrasebook(part.language)
        assert phrases is not None
        user_behavior = PLAIN_BEHAVIOR
        if part.persona != "none":
            user_behavior = find_profile(part.persona).persona(part.language).user_behavior
        self.domain, self.task, self.part, self.environment = domain, task, part, environment
        self.phrases: Phrasebook = phrases
        self.telling = FactDisclosure(user_behavior, f"{task.id}/{part.persona}")
        self.user = FactSession(task.scenario, phrases, self.telling)
        self.events: list[Event] = [
            Message("agent", text_reply(phrases.says.greeting), scripted=True)
        ]
        self.labels: dict[int, list[str]] = {}
        self.said = ""

    async def play(self) -> None:
        """Play from the first word to the last."""
        await self._hear(text_reply(self.phrases.says.greeting))
        actions = [each for each in self._criteria_actions() if each.by == "agent"]
        does = self.part.mistakes
        if "hands over at once" in does:
            await self._hand_over("unjustified_escalations")
            return
        await self._ask_for_missing()
        await self._misrecognize()
        for action in actions:
            await self._act(action)
        if "hands over needlessly" in does:
            await self._hand_over("unjustified_escalations")
            return
        await self._say(self.phrases.says.anything_else)

    def _criteria_actions(self) -> Sequence[Action]:
        criteria = self.task.criteria
        return () if criteria is None else criteria.actions or ()

    async def _ask_for_missing(self) -> None:
        """Ask once for every fact that is still missing, and check that the user told it."""
        for fact in self.task.scenario.facts:
            if fact.value not in self.said:
                await self._ask(fact)
            assert fact.value in self.said, (self.part, fact, self.said)

    async def _misrecognize(self) -> None:
        """Ask for a value, read it back wrongly, or have it spelled."""
        facts = [each for each in self.task.scenario.facts if sum(map(str.isdigit, each.value)) > 3]
        for number in range(self.part.times):
            fact = facts[number % len(facts)]
            if "asks again" in self.part.mistakes:
                self._plant("needless_clarifications")
                await self._ask(fact)
                self._plant_on_answer("repetitions", fact)
            if "has it spelled" in self.part.mistakes:
                self._plant("needless_clarifications")
                await self._say(self.phrases.says.spell.format(labels=self._label(fact)))
                self._plant_on_answer("repetitions", fact)
            if "reads back wrongly" in self.part.mistakes:
                await self._read_back(fact)
                self._plant_on_answer("corrections", fact)

    async def _act(self, action: Action) -> None:
        does, is_last = self.part.mistakes, action.name in IRREVERSIBLE
        tool, arguments = WRONG_LOOKUPS[self.domain]
        if action.name == tool and "looks up wrongly" in does:
            self._fail(tool, arguments, "recoveries", 1)
        if action.name == tool and "looks up wrongly twice" in does:
            self._fail(tool, arguments, "recoveries", 2)
        if is_last and "asks no leave" not in does:
            await self._propose(action)
        if is_last:
            self._plant("irreversible_actions")
        if is_last and "asks no leave" in does:
            self._plant("unconfirmed_irreversible_actions")
        if action.name == TRANSFERS[self.domain]:
            self._plant("justified_escalations")
        self._call(action.name, action.arguments, is_right=True)
        if is_last and "gives up a lookup" in does:
            self._plant("errors")
            self._call("get_user_details", {"user_id": "nobody_1"}, is_right=False)

    def _fail(self, tool: str, arguments: dict[str, object], planted: str, times: int) -> None:
        """Make calls that fail before the successful call."""
        for _ in range(times):
            self._plant("errors")
            self._call(tool, arguments, is_right=False)
        for _ in range(times):
            self._plant(planted)

    async def _propose(self, action: Action) -> None:
        values = self.phrases.joins.arguments.join(
            self.phrases.says.argument.format(name=self.phrases.label(name), value=value)
            for name, value in action.arguments.items()
            if isinstance(value, str)
        )
        tool = action.name.replace("_", " ")
        await self._say(self.phrases.says.proposal.format(tool=tool, arguments=values))

    async def _hand_over(self, planted: str) -> None:
        self._plant(planted)
        arguments: dict[str, object] = {"summary": "Asks for a person."}
        if self.domain == "courier":
            arguments["reason"] = "threat"
        self._call(TRANSFERS[self.domain], arguments, is_right=True)

    async def _ask(self, fact: KnownFact) -> None:
        question = self.phrases.says.question.format(label=self._label(fact))
        await self._say(self.phrases.says.ask.format(questions=question))

    async def _read_back(self, fact: KnownFact) -> None:
        wrong = fact.value[:-1] + str((int(fact.value[-1]) + 1) % 10)
        reported = self.phrases.says.read_back_fact.format(label=self._label(fact), value=wrong)
        await self._say(self.phrases.says.read_back.format(facts=reported))

    def _label(self, fact: KnownFact) -> str:
        return self.phrases.label(fact.name)

    async def _say(self, words: str) -> None:
        self.events.append(Message("agent", text_reply(words)))
        await self._hear(text_reply(words))

    async def _hear(self, heard: SessionInput) -> None:
        answer = (await self.user.reply([heard], NO_TOOLS)).reply
        assert isinstance(answer, TextReply), answer
        self.events.append(Message("user", answer))
        self.said += f" {answer.text}"

    def _call(self, tool: str, arguments: dict[str, object], *, is_right: bool) -> None:
        call = ToolCall(f"call_{len(self.events)}", tool, arguments)
        result = self.environment.call(call)
        assert result.error is not is_right, (self.part, call, result.content)
        self.events += [Message("agent", ToolCallReply((call,))), result]

    def _plant(self, label: str) -> None:
        """Record the labels of the next message."""
        self.labels.setdefault(len(self.events), []).append(label)

    def _plant_on_answer(self, label: str, fact: KnownFact) -> None:
        """Record the label of the user's last message, which has the value."""
        answer = self.events[-1]
        assert isinstance(answer, Message)
        assert isinstance(answer.reply, TextReply)
        assert fact.value in answer.reply.text, (self.part, fact, answer.reply.text)
        self.labels.setdefault(len(self.events) - 1, []).append(label)


def played(domain: str, parts: Sequence[Part]) -> Iterator[Played]:
    """Play every part of a list."""
    suite = courier_suite() if domain == "courier" else sample_suite()
    tasks = {task.id: task for task in suite.tasks}
    for number, part in enumerate(parts, 1):
        task = tasks[part.task]
        if domain == "retail":
            task = _with_facts(task)
        player = Player(domain, task, part, _environment(suite, task))
        asyncio.run(player.play())
        ending = Termination("user_stop" if STOP in player.said else "agent_stop")
        episode = Episode(tuple(player.events), ending, len(player.events), 0)
        name = f"{domain}-played-{number:02}"
        yield Played(name, task, episode, player.labels, part.language)


def _environment(suite: ConversationSuite, task: Task) -> Environment:
    return suite.factory(DEFAULT_RULES)(task)


RETAIL_FACTS = {
    "larger-jacket": {"name": "Maren Holt", "zip_code": "83702", "order_id": "#S1000001"},
    "return-poles": {"email": "tobias.lindqvist@example.com", "order_id": "#S1000003"},
    "two-swaps": {"email": "ines.carvalho@example.com", "order_id": "#S1000004"},
}


def _with_facts(task: Task) -> Task:
    """Return a task of the shop whose user answers questions instead of reciting its script."""
    facts = tuple(KnownFact(name, value) for name, value in RETAIL_FACTS[task.id].items())
    opening = "Hello, I need help with an order."
    scenario = msgspec.structs.replace(task.scenario, facts=facts, opening=opening)
    return msgspec.structs.replace(task, scenario=scenario, suite="tau2:retail")
