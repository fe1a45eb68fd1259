"""The agent `careful`: as `literal`, but it confirms what it heard before it changes anything.

Before a stretch of calls in which one may change something it reads back every value that the user
had to say. What the user corrects is asked for again, letters in the NATO alphabet and numbers digit by
digit, until the user agrees or the questions are used up. Corrections too are taken as they are heard. Where turns
are fixed it asks as `confirming` says, if it may, and plays as `literal` if it may not.
"""

from collections.abc import Iterator, Sequence

from dragoman.core.language.phrasebook import Phrasebook
from dragoman.core.protocols import Answer, Heard, Opening
from dragoman.core.speech import Reply, say
from dragoman.core.tasks import Action, Fact, Task
from dragoman.core.tools import Toolset
from dragoman.core.values.matching import states
from dragoman.simulation.diagnostic import (
    Arguments,
    PlanSession,
    agent_moves,
    lone_moves,
    needed_facts,
)
from dragoman.simulation.facts import resembles, segment_of
from dragoman.simulation.fixed_turns.confirming import ConfirmingTurns
from dragoman.simulation.hearing import heard_value, language_of, replaced_arguments
from dragoman.simulation.phrases import phrases_of
from dragoman.simulation.scripts import told_by
from dragoman.simulation.spelling import read_spelled

MAX_QUESTIONS = 6
"""Read-backs and requests to spell before one stretch."""


class CarefulAgent:
    """Plays the reference plan with values that it has confirmed."""

    name = "careful"

    async def open(self, opening: Opening) -> "CarefulSession":
        """Open a session on the task's plan."""
        session = CarefulSession(opening.task, phrases_of(opening))
        if opening.may_ask and opening.task.turns:
            session.moves = ConfirmingTurns(opening.task, session).moves()
        return session


class CarefulSession(PlanSession):
    """One conversation; `understood` is what it takes each of the user's facts for."""

    def __init__(self, task: Task, phrases: Phrasebook) -> None:
        super().__init__(phrases)
        self.scenario = task.scenario
        self.task = task
        self._tools: Toolset | None = None
        self.understood: dict[Fact, str] = {}
        self.moves = agent_moves(task, self._fill, self.prepare, phrases)
        self.alone = lone_moves(task)

    async def reply(self, heard: Sequence[Heard], tools: Toolset) -> Answer:
        """Return the next move."""
        self._tools = tools
        return await super().reply(heard, tools)

    def _fill(self, action: Action) -> Arguments:
        script = told_by(self.task, action.turn)
        return replaced_arguments(action.arguments, script, self._value, self.phrases)

    def _value(self, value: str) -> str:
        """Return what was understood of a value: of the fact it is part of, or of all that was said."""
        for fact, understood in self.understood.items():
            if fact.value == value:
                return understood
        for fact, understood in self.understood.items():
            if states(value, fact.value, language_of(self.phrases)):
                return heard_value(value, understood, self.phrases)
        return heard_value(value, self.heard, self.phrases)

    def prepare(self, stretch: Sequence[Action]) -> Iterator[Reply]:
        """Ask for what a stretch needs, and confirm it."""
        needed = self.needed(stretch)
        yield from self.ask_for(needed, self.scenario)
        yield from self.made_sure(stretch, needed)

    def needed(self, stretch: Sequence[Action]) -> list[Fact]:
        """Return what a stretch needs from the user and is not confirmed yet."""
        return [
            fact
            for fact in needed_facts(stretch, self.task, self.phrases)
            if fact not in self.understood
        ]

    def made_sure(self, stretch: Sequence[Action], needed: Sequence[Fact]) -> Iterator[Reply]:
        """Confirm what was heard before a stretch in which something may change."""
        if any(map(self._may_change, stretch)):
            for fact in needed:
                self.understood[fact] = heard_value(fact.value, self.heard, self.phrases)
            yield from self._confirmation(needed)

    def _may_change(self, action: Action) -> bool:
        tool = None if self._tools is None else self._tools.by_name.get(action.name)
        return tool is None or tool.kind != "read"

    def _confirmation(self, needed: Sequence[Fact]) -> Iterator[Reply]:
        """Read facts back until the user agrees; have those spelled that it corrects."""
        doubtful, spelling = list(needed), False
        for _ in range(MAX_QUESTIONS if doubtful else 0):
            start = len(self.heard)
            yield say(self._spell(doubtful) if spelling else self._read_back(doubtful))
            answer = self.heard[start:]
            named = self._correct(doubtful, answer, spelled=spelling)
            if not spelling:
                if self.phrases.agrees(answer):
                    return
                doubtful = named or doubtful
            spelling = not spelling

    def _correct(self, facts: Sequence[Fact], answer: str, *, spelled: bool) -> list[Fact]:
        """Take what an answer says about facts for them; return those that it names."""
        named = []
        for fact in facts:
            said = segment_of(answer, fact, facts, self.phrases)
            if said is None:
                continue
            named.append(fact)
            heard = heard_value(fact.value, said, self.phrases)
            if spelled:
                heard = read_spelled(said, fact.value, self.phrases) or heard
            if resembles(heard, fact.value):
                self.understood[fact] = heard
        return named

    def _read_back(self, facts: Sequence[Fact]) -> str:
        says, label = self.phrases.says, self.phrases.label
        read = (
            says.read_back_fact.format(label=label(fact.name), value=self.understood[fact])
            for fact in facts
        )
        return says.read_back.format(facts=self.phrases.joins.facts.join(read))

    def _spell(self, facts: Sequence[Fact]) -> str:
        """Ask for letters to be spelled in the way that is heard best, and for digits once more."""
        says = self.phrases.says
        lettered = [fact for fact in facts if any(map(str.isalpha, fact.value))]
        others = [fact for fact in facts if fact not in lettered]
        asked = [
            sentence.format(labels=self._labels(named))
            for sentence, named in ((says.spell, lettered), (says.digits, others))
            if named
        ]
        return self.phrases.joins.sentences.join(asked)

    def _labels(self, facts: Sequence[Fact]) -> str:
        return self.phrases.joins.labels.join(self.phrases.label(fact.name) for fact in facts)
