"""Baseline agents `careful` and `attentive`: they ask clarifying questions before acting.

`careful` plays the reference plan as `literal` does. Before calls that may change something it
reads back every value that the user had to say. It asks again for values that the user corrects,
letters in the NATO alphabet and numbers digit by digit, until the user agrees or the questions are
used up. Corrections are heard with the same errors. With fixed turns it reads back the values that
the user states in that turn if questions may be answered, and plays as `literal` if they may not;
if a question ended the turn, the calls of that turn are never made.

`attentive` uses the user profile. It asks a user who is new to the matter, unclear, or hardly
understands for one fact at a time, and again if no answer came, and reads values back as `careful`
does. Without a profile it is `literal`.
"""

import itertools
import math
import re
from collections.abc import Generator, Iterator, Sequence
from decimal import Decimal, InvalidOperation

from dragoman.core.clarifications import MAX_VALUE
from dragoman.core.language.phrasebook import Phrasebook
from dragoman.core.personas import UserProfile
from dragoman.core.protocols import SessionInput, SessionReply, SessionStart
from dragoman.core.replies import Reply, text_reply
from dragoman.core.tasks import Action, KnownFact, Task
from dragoman.core.texts.entities import stated_arguments
from dragoman.core.tools import Toolset
from dragoman.core.value_matching.matcher import states
from dragoman.simulation.fact_mentions import contains_value, resembles, segment_about
from dragoman.simulation.participants.oracle import (
    Arguments,
    PlanSession,
    agent_moves,
    lone_moves,
    needed_facts,
    planned_in,
    turn_moves,
)
from dragoman.simulation.phrasebooks import session_phrasebook
from dragoman.simulation.prompts import script_until_turn
from dragoman.simulation.value_extraction import (
    extract_value,
    language_tag,
    read_closest_spelling,
    replace_arguments,
)

MOST_QUESTIONS = 3
"""Largest number of questions in one turn.

If more must be confirmed, one question covers several parameters.
"""

_SENTENCE_ENDS = re.compile(r"[.?!]+(?=\s|$)")

Wanted = tuple[str, str]
"""A parameter's name and the value that is planned for it."""


class ConfirmingTurns:
    """The moves of one conversation.

    `confirmed` is what was answered, by what is planned: the plan says which part of an answer is
    which value, as it does for `literal`, and never what the value is.
    """

    def __init__(self, task: Task, session: PlanSession) -> None:
        self._task = task
        self._session = session
        self.confirmed: dict[str, str] = {}

    def moves(self) -> Iterator[Reply]:
        """Yield what is asked and called, turn by turn, without end."""
        phrases = self._session.phrases
        for number in range(len(self._task.turns)):
            if (yield from self._confirm(number)):
                yield from turn_moves(self._task, number, self._fill, phrases)
        yield from itertools.repeat(text_reply(phrases.says.anything_else))

    def _confirm(self, number: int) -> Generator[Reply, None, bool]:
        """Ask until all is confirmed; return whether the turn still goes on."""
        said = "\n".join(self._task.turns[number].messages)
        session, phrases = self._session, self._session.phrases
        request, heard = session.heard_last, session.heard
        for group in _shared_out(self._open(planned_in(self._task, number), said)):
            understood = [(name, extract_value(value, request, phrases)) for name, value in group]
            yield text_reply(_read_back(understood, phrases))
            if not session.is_answered:
                return False
            session.heard = heard
            for _, value in group:
                self.confirmed[_normalize_number(value)] = extract_value(
                    value, session.heard_last, phrases
                )
        return True

    def _open(self, planned: Sequence[Action], said: str) -> list[list[Wanted]]:
        """Return the unconfirmed values that a turn's calls need of its words, by parameter."""
        by_parameter: dict[str, list[Wanted]] = {}
        for wanted in _iterate_confirmable_values(
            planned, said, language_tag(self._session.phrases)
        ):
            by_parameter.setdefault(wanted[0], []).append(wanted)
        return [
            group
            for group in by_parameter.values()
            if any(_normalize_number(value) not in self.confirmed for _, value in group)
        ]

    def _fill(self, action: Action) -> Arguments:
        script = script_until_turn(self._task, action.turn)
        return replace_arguments(action.arguments, script, self._value, self._session.phrases)

    def _value(self, value: str) -> str:
        found = self.confirmed.get(_normalize_number(value))
        if found is not None:
            return found
        return extract_value(value, self._session.heard, self._session.phrases)


def _iterate_confirmable_values(
    planned: Sequence[Action], said: str, language: str
) -> Iterator[Wanted]:
    """Yield the confirmable values of planned calls that a turn states, each once."""
    values = (
        found for action in planned for found in stated_arguments(action.arguments, said, language)
    )
    named = dict.fromkeys((found.argument, found.value) for found in values)
    return ((name, value) for name, value in named if len(value) <= MAX_VALUE)


def _shared_out(groups: Sequence[Sequence[Wanted]]) -> Iterator[list[Wanted]]:
    """Yield groups of parameters for one question each, within the limit of a turn."""
    size = math.ceil(len(groups) / MOST_QUESTIONS)
    for start in range(0, len(groups), size or 1):
        yield [wanted for group in groups[start : start + size] for wanted in group]


def _read_back(understood: Sequence[tuple[str, str]], phrases: Phrasebook) -> str:
    """Return a question that reads parameters back, or asks to spell missing ones."""
    says, joins = phrases.says, phrases.joins
    named = [(f'"{name}"', _in_one_sentence(value)) for name, value in understood]
    if not all(value for _, value in named):
        return says.spell.format(labels=joins.labels.join(label for label, _ in named))
    read = (says.read_back_fact.format(label=label, value=value) for label, value in named)
    return says.read_back.format(facts=joins.facts.join(read))


def _in_one_sentence(value: str) -> str:
    return " ".join(_SENTENCE_ENDS.sub("", value).split())


def _normalize_number(value: str) -> str:
    """Return the one writing by which a value is kept: 5 for 5.0."""
    try:
        number = Decimal(value)
    except InvalidOperation:
        return value
    return f"{number.normalize():f}" if number.is_finite() else value


MAX_QUESTIONS = 6
"""Read-backs and requests to spell before one stretch."""


class CarefulAgent:
    """Plays the reference plan with values that it has confirmed."""

    name = "careful"

    async def open(self, opening: SessionStart) -> "CarefulSession":
        """Open a session on the task's plan."""
        session = CarefulSession(opening.task, session_phrasebook(opening))
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
        self.understood: dict[KnownFact, str] = {}
        self.moves = agent_moves(task, self._fill, self.prepare, phrases)
        self.alone = lone_moves(task)

    async def reply(self, heard: Sequence[SessionInput], tools: Toolset) -> SessionReply:
        """Return the next move."""
        self._tools = tools
        return await super().reply(heard, tools)

    def _fill(self, action: Action) -> Arguments:
        script = script_until_turn(self.task, action.turn)
        return replace_arguments(action.arguments, script, self._value, self.phrases)

    def _value(self, value: str) -> str:
        """Return the understood value of a parameter.

        It comes from the fact that the value is part of, or from all received words.
        """
        for fact, understood in self.understood.items():
            if fact.value == value:
                return understood
        for fact, understood in self.understood.items():
            if states(value, fact.value, language_tag(self.phrases)):
                return extract_value(value, understood, self.phrases)
        return extract_value(value, self.heard, self.phrases)

    def prepare(self, stretch: Sequence[Action]) -> Iterator[Reply]:
        """Ask for what a stretch needs, and confirm it."""
        needed = self.needed(stretch)
        yield from self.ask_for(needed, self.scenario)
        yield from self.made_sure(stretch, needed)

    def needed(self, stretch: Sequence[Action]) -> list[KnownFact]:
        """Return the unconfirmed facts that a stretch needs from the user."""
        return [
            fact
            for fact in needed_facts(stretch, self.task, self.phrases)
            if fact not in self.understood
        ]

    def made_sure(self, stretch: Sequence[Action], needed: Sequence[KnownFact]) -> Iterator[Reply]:
        """Confirm the received values before a stretch that may change something."""
        if any(map(self._may_change, stretch)):
            for fact in needed:
                self.understood[fact] = extract_value(fact.value, self.heard, self.phrases)
            yield from self._confirmation(needed)

    def _may_change(self, action: Action) -> bool:
        tool = None if self._tools is None else self._tools.by_name.get(action.name)
        return tool is None or tool.kind != "read"

    def _confirmation(self, needed: Sequence[KnownFact]) -> Iterator[Reply]:
        """Read facts back until the user agrees; have those spelled that it corrects."""
        doubtful, spelling = list(needed), False
        for _ in range(MAX_QUESTIONS if doubtful else 0):
            start = len(self.heard)
            yield text_reply(self._spell(doubtful) if spelling else self._read_back(doubtful))
            answer = self.heard[start:]
            named = self._correct(doubtful, answer, spelled=spelling)
            if not spelling:
                if self.phrases.agrees(answer):
                    return
                doubtful = named or doubtful
            spelling = not spelling

    def _correct(
        self, facts: Sequence[KnownFact], answer: str, *, spelled: bool
    ) -> list[KnownFact]:
        """Take what an answer says about facts for them; return those that it names."""
        named = []
        for fact in facts:
            said = segment_about(answer, fact, facts, self.phrases)
            if said is None:
                continue
            named.append(fact)
            heard = extract_value(fact.value, said, self.phrases)
            if spelled:
                heard = read_closest_spelling(said, fact.value, self.phrases) or heard
            if resembles(heard, fact.value):
                self.understood[fact] = heard
        return named

    def _read_back(self, facts: Sequence[KnownFact]) -> str:
        says, label = self.phrases.says, self.phrases.label
        read = (
            says.read_back_fact.format(label=label(fact.name), value=self.understood[fact])
            for fact in facts
        )
        return says.read_back.format(facts=self.phrases.joins.facts.join(read))

    def _spell(self, facts: Sequence[KnownFact]) -> str:
        """Ask for letters in the spelling that is recognized best, and for digits once more."""
        says = self.phrases.says
        lettered = [fact for fact in facts if any(map(str.isalpha, fact.value))]
        others = [fact for fact in facts if fact not in lettered]
        asked = [
            sentence.format(labels=self._labels(named))
            for sentence, named in ((says.spell, lettered), (says.digits, others))
            if named
        ]
        return self.phrases.joins.sentences.join(asked)

    def _labels(self, facts: Sequence[KnownFact]) -> str:
        return self.phrases.joins.labels.join(self.phrases.label(fact.name) for fact in facts)


MAX_TIMES = 3
"""Largest number of questions for one fact."""
LOW, HIGH = 5, 6
"""Thresholds of care, 0 to 10: skills up to LOW, and frustration from HIGH on."""

_SKILLS = ("articulation_skill", "language_understanding_skill", "technical_skill")


class AttentiveAgent:
    """Plays the reference plan, with as much care as its user needs."""

    name = "attentive"

    async def open(self, opening: SessionStart) -> "AttentiveSession":
        """Open a session on the task's plan."""
        session = AttentiveSession(opening.task, session_phrasebook(opening))
        session.set_user_profile(opening.user)
        return session


class AttentiveSession(CarefulSession):
    """One conversation."""

    needs_care = False

    def set_user_profile(self, user: UserProfile) -> None:
        """Take what is known of the user from the next reply on."""
        self.needs_care = needs_care(user)

    def prepare(self, stretch: Sequence[Action]) -> Iterator[Reply]:
        """Ask for what a stretch needs: at once, or one after the other and with confirmation."""
        needed = self.needed(stretch)
        if not self.needs_care:
            yield from self.ask_for(needed, self.scenario)
        # The user profile may have changed by now.
        if self.needs_care:
            for fact in needed:
                yield from self._asked_alone(fact)
            yield from self.made_sure(stretch, needed)

    def _asked_alone(self, fact: KnownFact) -> Iterator[Reply]:
        for _ in range(MAX_TIMES):
            if contains_value(self.heard, fact.value, self.phrases):
                return
            start = len(self.heard)
            self.asked.discard(fact)
            yield from self.ask_for([fact], self.scenario)
            if self._tells(self.heard[start:], fact):
                return

    def _tells(self, answer: str, fact: KnownFact) -> bool:
        """Return whether an answer names a fact, or holds what may be its value."""
        named = segment_about(answer, fact, (fact,), self.phrases)
        heard = extract_value(fact.value, answer, self.phrases)
        return named is not None or resembles(heard, fact.value)


def needs_care(user: UserProfile) -> bool:
    """Return whether a user needs to be asked slowly and to be read back to."""
    if user.get("expertise") == "novice" or user.get("ambiguity") == "high":
        return True
    skills = [user.get(name) for name in _SKILLS]
    frustration = user.get("frustration_level")
    is_frustrated = isinstance(frustration, int) and frustration >= HIGH
    return is_frustrated or any(isinstance(skill, int) and skill <= LOW for skill in skills)
