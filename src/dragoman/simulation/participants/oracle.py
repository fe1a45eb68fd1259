"""Oracle participants that play the reference plan: `gold`, `literal`, and the no-op `silent`.

`gold` is the oracle: the upper bound of a suite. `literal` plays the same plan with the received
values: it shows the loss in recognition. `silent` does nothing: the lower bound. Gold is a pair.
Its agent and its user both derive their moves from the task's reference plan, which is divided into
stretches of one side each. After its stretch a side speaks, which hands over to the other; after
the whole plan the agent says the required phrases and the user stops.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence

from dragoman.core.language.phrasebook import Phrasebook
from dragoman.core.protocols import Participant, SessionInput, SessionReply, SessionStart
from dragoman.core.replies import STATED_LATENCY, Reply, TextReply, ToolCallReply, text_reply
from dragoman.core.stop_tokens import STOP
from dragoman.core.tasks import Action, KnownFact, Scenario, Task, UserAction
from dragoman.core.tools import Role, ToolCall, Toolset
from dragoman.core.value_matching.matcher import states
from dragoman.simulation.participants.canonical_arguments import CanonicalAgent
from dragoman.simulation.participants.scripted_user import OfflineUser
from dragoman.simulation.phrasebooks import session_phrasebook
from dragoman.simulation.prompts import script_until_turn, spoken_script, task_script
from dragoman.simulation.value_extraction import extract_arguments, language_tag, scripted_texts

Arguments = dict[str, object]
Fill = Callable[[Action], Arguments]
Prepare = Callable[[Sequence[Action]], Iterator[Reply]]
"""Yields the agent's words before its calls of one stretch."""


class PlanSession:
    """A session that plays a fixed sequence of moves and stores the received words.

    `heard_last` holds the last received words of `heard`, and `is_answered` says whether these
    answer a question within the turn. `alone` holds the moves that it plays instead if every reply
    must be a call (solo mode).
    """

    def __init__(self, phrases: Phrasebook) -> None:
        self.phrases = phrases
        self.heard = ""
        self.heard_last = ""
        self.is_answered = False
        self.asked: set[KnownFact] = set()
        self.moves: Iterator[Reply] = iter(())
        self.alone: Iterator[Reply] | None = None

    async def reply(self, heard: Sequence[SessionInput], tools: Toolset) -> SessionReply:
        """Return the next move."""
        said = [part for part in heard if isinstance(part, TextReply)]
        if said:
            self.is_answered = any(part.clarifies for part in said)
            self.heard_last = "".join(f"{part.utterance.received or ''}\n" for part in said)
            self.heard += self.heard_last
        if tools.must_call and self.alone is not None:
            self.moves, self.alone = self.alone, None
        return SessionReply(next(self.moves), latency=STATED_LATENCY)

    async def close(self) -> None:
        """Nothing to release."""

    def ask_for(self, needed: Sequence[KnownFact], scenario: Scenario) -> Iterator[Reply]:
        """Ask, once, for those facts that the user has not told in its opening."""
        reported = scenario.opening.casefold()
        new = [fact for fact in needed if fact in scenario.facts and fact not in self.asked]
        new = [fact for fact in new if fact.value.casefold() not in reported]
        self.asked.update(new)
        if new:
            says, label = self.phrases.says, self.phrases.label
            questions = (says.question.format(label=label(fact.name)) for fact in new)
            yield text_reply(
                says.ask.format(questions=self.phrases.joins.questions.join(questions))
            )


class GoldAgent:
    """Plays the agent's side of the reference plan."""

    name = "gold"

    async def open(self, opening: SessionStart) -> PlanSession:
        """Open a session on the task's plan."""
        session = PlanSession(session_phrasebook(opening))
        session.moves = agent_moves(
            opening.task, lambda action: action.arguments, _prepare_nothing, session.phrases
        )
        session.alone = lone_moves(opening.task)
        return session


class GoldUser:
    """Plays the user's side of the reference plan."""

    name = "gold"

    async def open(self, opening: SessionStart) -> PlanSession:
        """Open a session on the task's plan."""
        session = PlanSession(session_phrasebook(opening))
        session.moves = _user_moves(opening.task, session.phrases)
        return session


class LiteralAgent:
    """An agent that follows the reference plan with values from the received words.

    It takes every value that the user has to state from the received words.
    """

    name = "literal"

    async def open(self, opening: SessionStart) -> PlanSession:
        """Open a session on the task's plan."""
        session = PlanSession(session_phrasebook(opening))
        phrases = session.phrases
        task, scenario = opening.task, opening.task.scenario
        session.moves = agent_moves(
            task,
            lambda action: extract_arguments(
                action.arguments, script_until_turn(task, action.turn), session.heard, phrases
            ),
            lambda stretch: session.ask_for(needed_facts(stretch, task, phrases), scenario),
            phrases,
        )
        return session


class SilentAgent:
    """Does nothing: its score is the floor of a suite."""

    name = "silent"

    async def open(self, opening: SessionStart) -> PlanSession:
        """Open a session that says nothing of use."""
        session = PlanSession(session_phrasebook(opening))
        session.moves = itertools.repeat(text_reply("..."))
        return session


def needed_facts(
    stretch: Sequence[Action], task: Task, phrases: Phrasebook
) -> tuple[KnownFact, ...]:
    """Return the facts that the calls of a stretch need, or values by argument.

    A value that is part of a fact stands for the whole fact.
    """
    script, scenario, language = task_script(task), task.scenario, language_tag(phrases)
    needed: dict[KnownFact, None] = {}
    for action in stretch:
        for name, value in scripted_texts(action.arguments, script, phrases):
            own = (fact for fact in scenario.facts if states(value, fact.value, language))
            needed[next(own, KnownFact(name, value))] = None
    return tuple(needed)


def partner_of(agent: Participant) -> Participant:
    """Return the user simulator that belongs to an agent where none is named."""
    played = agent.agent if isinstance(agent, CanonicalAgent) else agent
    return GoldUser() if isinstance(played, GoldAgent) else OfflineUser()


def agent_moves(task: Task, fill: Fill, prepare: Prepare, phrases: Phrasebook) -> Iterator[Reply]:
    """Yield the agent's side of the plan, without end.

    Args:
        task: The task whose plan is played.
        fill: Returns the arguments of a call.
        prepare: Yields the words before the calls of a stretch.
        phrases: The phrases of all other words.
    """
    if task.turns:
        yield from _turn_moves(task, fill, phrases)
        return
    for side, stretch in _stretches(task):
        if side == "agent":
            yield from prepare(stretch)
            yield from _calls(stretch, fill)
        else:
            yield text_reply(_asked_of_user(stretch, task.scenario, phrases))
    must_say = () if task.criteria is None else task.criteria.communicate_info
    things = phrases.joins.things.join(must_say)
    yield text_reply(
        phrases.says.asked_for.format(things=things) if must_say else phrases.says.all_done
    )
    yield from itertools.repeat(text_reply(phrases.says.anything_else))


def _turn_moves(task: Task, fill: Fill, phrases: Phrasebook) -> Iterator[Reply]:
    """Yield the plan of a task with fixed turns."""
    for number in range(len(task.turns)):
        yield from turn_moves(task, number, fill, phrases)
    yield from itertools.repeat(text_reply(phrases.says.anything_else))


def turn_moves(task: Task, number: int, fill: Fill, phrases: Phrasebook) -> Iterator[Reply]:
    """Yield the plan of one fixed turn: its calls at once, then words."""
    if planned := planned_in(task, number):
        yield ToolCallReply(tuple(_call(action, fill) for action in planned))
    yield text_reply(task.turns[number].answer or phrases.says.nothing_left)


def planned_in(task: Task, number: int) -> Sequence[Action]:
    """Return the actions of one fixed turn."""
    return [action for action in _plan(task) if action.turn == number]


def lone_moves(task: Task) -> Iterator[Reply]:
    """Yield the moves of both sides as the agent's, where it works alone, then `done`."""
    for action in _plan(task):
        yield ToolCallReply((ToolCall(f"plan_{action.id}", action.name, action.arguments),))
    yield ToolCallReply((ToolCall("plan_done", "done", {}),))


def _prepare_nothing(stretch: Sequence[Action]) -> Iterator[Reply]:  # noqa: ARG001
    yield from ()


def _plan(task: Task) -> Sequence[Action]:
    return () if task.criteria is None else task.criteria.actions or ()


def _stretches(task: Task) -> Iterator[tuple[Role, list[Action]]]:
    for side, group in itertools.groupby(_plan(task), key=lambda action: action.by):
        yield side, list(group)


def _asked_of_user(stretch: Sequence[Action], scenario: Scenario, phrases: Phrasebook) -> str:
    """Return the request for the user's calls, with keywords of user actions if it has any."""
    named = [_keyword(action, scenario.user_actions) for action in stretch]
    user_actions = [
        phrases.says.deed.format(deed=each) for each in dict.fromkeys(filter(None, named))
    ]
    if not user_actions:
        return phrases.says.your_part
    return phrases.says.your_deeds.format(deeds=phrases.joins.sentences.join(user_actions))


def _keyword(action: Action, user_actions: Sequence[UserAction]) -> str:
    """Return the keyword that asks for a call, if possible one of no other user action."""
    own = [
        user_action
        for user_action in user_actions
        if (user_action.name, user_action.arguments) == (action.name, action.arguments)
    ]
    if not own:
        return ""
    others = {
        keyword
        for user_action in user_actions
        if user_action != own[0]
        for keyword in user_action.keywords
    }
    return next((keyword for keyword in own[0].keywords if keyword not in others), "")


def _user_moves(task: Task, phrases: Phrasebook) -> Iterator[Reply]:
    yield text_reply(spoken_script(task.scenario) or phrases.says.greeting)
    for side, stretch in _stretches(task):
        if side == "user":
            yield from _calls(stretch, lambda action: action.arguments)
            yield text_reply(phrases.says.done)
    yield from itertools.repeat(text_reply(STOP))


def _calls(actions: Sequence[Action], fill: Fill) -> Iterator[Reply]:
    for action in actions:
        yield ToolCallReply((_call(action, fill),))


def _call(action: Action, fill: Fill) -> ToolCall:
    arguments = fill(action)
    identity = f"plan_{action.id}"
    return ToolCall(identity, action.name, arguments, action.by, action.positionals)
