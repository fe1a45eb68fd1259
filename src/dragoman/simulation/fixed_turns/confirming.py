"""How `careful` plays fixed turns where questions may be answered: it confirms, then it calls.

Before the calls of a turn it reads back what it heard for each of their parameters whose value the
user states in that turn. Only the answers bring back what was lost; where a question ended the turn
its calls are never made.
"""

import itertools
import math
import re
from collections.abc import Generator, Iterator, Sequence
from decimal import Decimal, InvalidOperation

from dragoman.core.language.phrasebook import Phrasebook
from dragoman.core.speech import Reply, say
from dragoman.core.tasks import Action, Task
from dragoman.core.texts.said_values import said_values
from dragoman.core.voice.clarifications import MAX_VALUE
from dragoman.simulation.diagnostic import Arguments, PlanSession, planned_in, turn_moves
from dragoman.simulation.hearing import heard_value, language_of, replaced_arguments
from dragoman.simulation.scripts import told_by

MOST_QUESTIONS = 3
"""In one turn; where more is to be confirmed, several parameters are asked for at once."""

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
        yield from itertools.repeat(say(phrases.says.anything_else))

    def _confirm(self, number: int) -> Generator[Reply, None, bool]:
        """Ask until all is confirmed; return whether the turn still goes on."""
        said = "\n".join(self._task.turns[number].messages)
        session, phrases = self._session, self._session.phrases
        request, heard = session.heard_last, session.heard
        for group in _shared_out(self._open(planned_in(self._task, number), said)):
            understood = [(name, heard_value(value, request, phrases)) for name, value in group]
            yield say(_read_back(understood, phrases))
            if not session.is_answered:
                return False
            session.heard = heard
            for _, value in group:
                self.confirmed[_known(value)] = heard_value(value, session.heard_last, phrases)
        return True

    def _open(self, planned: Sequence[Action], said: str) -> list[list[Wanted]]:
        """Return what a turn's calls need of its words and is not confirmed, parameter by parameter."""
        by_parameter: dict[str, list[Wanted]] = {}
        for wanted in _wanted(planned, said, language_of(self._session.phrases)):
            by_parameter.setdefault(wanted[0], []).append(wanted)
        return [
            group
            for group in by_parameter.values()
            if any(_known(value) not in self.confirmed for _, value in group)
        ]

    def _fill(self, action: Action) -> Arguments:
        script = told_by(self._task, action.turn)
        return replaced_arguments(action.arguments, script, self._value, self._session.phrases)

    def _value(self, value: str) -> str:
        found = self.confirmed.get(_known(value))
        if found is not None:
            return found
        return heard_value(value, self._session.heard, self._session.phrases)


def _wanted(planned: Sequence[Action], said: str, language: str) -> Iterator[Wanted]:
    """Yield, each once, the values of planned calls that a turn states and that can be confirmed."""
    values = (
        found for action in planned for found in said_values(action.arguments, said, language)
    )
    named = dict.fromkeys((found.argument, found.value) for found in values)
    return ((name, value) for name, value in named if len(value) <= MAX_VALUE)


def _shared_out(groups: Sequence[Sequence[Wanted]]) -> Iterator[list[Wanted]]:
    """Yield what is asked for at once, so that no turn has more than its number of questions."""
    size = math.ceil(len(groups) / MOST_QUESTIONS)
    for start in range(0, len(groups), size or 1):
        yield [wanted for group in groups[start : start + size] for wanted in group]


def _read_back(understood: Sequence[tuple[str, str]], phrases: Phrasebook) -> str:
    """Return what reads parameters back; has them spelled where one was not heard at all."""
    says, joins = phrases.says, phrases.joins
    named = [(f'"{name}"', _in_one_sentence(value)) for name, value in understood]
    if not all(value for _, value in named):
        return says.spell.format(labels=joins.labels.join(label for label, _ in named))
    read = (says.read_back_fact.format(label=label, value=value) for label, value in named)
    return says.read_back.format(facts=joins.facts.join(read))


def _in_one_sentence(value: str) -> str:
    return " ".join(_SENTENCE_ENDS.sub("", value).split())


def _known(value: str) -> str:
    """Return the one writing by which a value is kept: 5 for 5.0."""
    try:
        number = Decimal(value)
    except InvalidOperation:
        return value
    return f"{number.normalize():f}" if number.is_finite() else value
