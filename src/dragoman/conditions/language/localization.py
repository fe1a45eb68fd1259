"""Localization of one condition: views, policy, instructions, greeting, and their record.

It is built once for each condition and shared by its conversations; nothing in it changes.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import msgspec

from dragoman.conditions.language.domain_surface import DomainSurface
from dragoman.conditions.language.field_trees import map_strings
from dragoman.conditions.language.localization_record import LocalizationRecord
from dragoman.conditions.language.question_tasks import LocalizedQuestions
from dragoman.conditions.resolved_condition import IdentityView
from dragoman.core.conditions import Condition
from dragoman.core.episodes import Event, Message
from dragoman.core.language.localized_values import (
    ENGLISH_NUMBERS,
    ENGLISH_VALUES,
    DateFormat,
    LocalizedValues,
    NumberFormat,
)
from dragoman.core.language.phrasebook import Phrasebook
from dragoman.core.layers import Layer, StaticInstructions
from dragoman.core.protocols import ConversationProgress, ToolView, TurnAction, TurnProtocol
from dragoman.core.replies import text_reply
from dragoman.core.tasks import Action, Scenario, Task
from dragoman.core.tools import Role

Assignment = Mapping[str, DomainSurface | None]
"""The surface of each tool by name; None if it is English."""


class LocalizedInstructions(msgspec.Struct, frozen=True):
    """Instructions of users in the language, by task; a ticket only if the task has one."""

    scenario: Scenario
    ticket: str | None = None


class Localization(NamedTuple):
    """Surfaces of one condition; the defaults are those of English.

    Attributes:
        condition: The condition.
        record: Record of the files and texts that were really used.
        views: View of the tools for each side.
        assignments: The surface of each tool, by side.
        policy: The text that the agent must follow; None for the benchmark's own.
        user_instructions: Instructions of users, by task; empty for the benchmark's own.
        numbers: Format of numbers in the spoken language.
        dates: Format of dates in the spoken language.
        phrases: Phrases that participants without a model say and understand; None for English.
        questions: The tasks, if they are questions with functions of their own; assignments, policy
            and user instructions are then empty.
    """

    condition: Condition
    record: LocalizationRecord = LocalizationRecord()
    views: Mapping[Role, ToolView] = {"agent": IdentityView(), "user": IdentityView()}
    assignments: Mapping[Role, Assignment] = {}
    policy: str | None = None
    user_instructions: Mapping[str, LocalizedInstructions] = {}
    numbers: NumberFormat = ENGLISH_NUMBERS
    dates: DateFormat | None = None
    phrases: Phrasebook | None = None
    questions: LocalizedQuestions | None = None

    @property
    def is_english(self) -> bool:
        """Whether nothing is in another language."""
        return self.condition.localized is None

    def judged(self, task: Task) -> Task:
        """Return a task as scoring sees it: told in the language, planned in the world's values."""
        user_instructions = self.user_instructions.get(task.id)
        if user_instructions is None:
            return task
        return msgspec.structs.replace(
            task, scenario=user_instructions.scenario, ticket=user_instructions.ticket
        )

    def planned(self, task: Task) -> Task:
        """Return a task's plan as participants see it: those that play it write labels."""
        if task.criteria is None or not task.criteria.actions or not self.assignments:
            return task
        actions = tuple(map(self._worded, task.criteria.actions))
        criteria = msgspec.structs.replace(task.criteria, actions=actions)
        return msgspec.structs.replace(task, criteria=criteria)

    def wording(self, task: Task) -> LocalizedValues:
        """Return how what a conversation on a task is judged by is written."""
        if self.is_english:
            return ENGLISH_VALUES
        planned = () if task.criteria is None else task.criteria.actions or ()
        return LocalizedValues(
            language=self.condition.language,
            numbers=self.numbers,
            dates=self.dates,
            labels=_labels(self.assignments),
            plan={each.id: self._worded(each) for each in planned} if self.assignments else None,
        )

    def texts_spoken(self) -> tuple[str, ...]:
        """Return what the agent reads in the language that is spoken: its policy and its tools.

        Nothing that users are told is among them.
        """
        localized = self.condition.localized
        if localized is None:
            return ()
        spoken = self.condition.language
        is_spoken = localized.languages[0] == spoken
        policy = () if self.policy is None or not is_spoken else (self.policy,)
        shown = self.assignments if "tools" in localized.surfaces else {}
        tools = (
            surface.tool_texts[side][tool].everything
            for side, assignment in shown.items()
            for tool, surface in assignment.items()
            if surface is not None and surface.language == spoken
            if tool in surface.tool_texts.get(side, {})
        )
        return (*policy, *tools)

    @property
    def layer(self) -> Layer:
        """Layer with the changes that the language makes to the surfaces of a conversation."""
        own, greeting = self.policy, self.record.greeting
        user_instructions = (
            StaticInstructions(self.record.instructions) if self.record.instructions else None
        )
        whole = Layer(
            name="language",
            identity=self.record.identity,
            record=msgspec.to_builtins(self.record),
            task=self.judged if self.user_instructions else None,
            plan=self.planned if self.assignments else None,
            wording=lambda task, _: self.wording(task),
            phrases=self.phrases,
            policy=None if own is None else lambda _: own,
            instruction_source=None if user_instructions is None else lambda _: user_instructions,
            view=(lambda side, _: self.views[side]) if self.assignments else None,
            turn_protocol=(lambda inner: GreetingProtocol(inner, greeting)) if greeting else None,
        )
        questions = self.questions
        if questions is None:
            return whole
        return msgspec.structs.replace(whole, of_task=lambda task: questions.layer(task, whole))

    def _worded(self, action: Action) -> Action:
        surface = self.assignments.get(action.by, {}).get(action.name)
        if surface is None:
            return action
        tree = surface.arguments[action.by][action.name]
        arguments = {
            name: map_strings(value, tree.fields[name], lambda values, text: values.label(text))
            if name in tree.fields
            else value
            for name, value in action.arguments.items()
        }
        return msgspec.structs.replace(action, arguments=arguments)


class GreetingProtocol:
    """A turn protocol that opens with a greeting in another language.

    A benchmark without a greeting stays without one.
    """

    def __init__(self, turn_protocol: TurnProtocol, greeting: str) -> None:
        self._turn_protocol = turn_protocol
        self._greeting = greeting

    @property
    def sides(self) -> tuple[Role, ...]:
        """The sides that reply themselves."""
        return self._turn_protocol.sides

    def opening(self) -> tuple[Event, ...]:
        """Return the events before the first directive; a history is unchanged."""
        opening = self._turn_protocol.opening()
        match opening:
            case (Message(by="agent", scripted=True) as move,):
                return (msgspec.structs.replace(move, reply=text_reply(self._greeting)),)
            case _:
                return opening

    def next(self, progress: ConversationProgress) -> TurnAction:
        """Return what happens next."""
        return self._turn_protocol.next(progress)


def english_localization(condition: Condition) -> Localization:
    """Return what everything in English looks like."""
    return Localization(condition)


def _labels(assignments: Mapping[Role, Assignment]) -> dict[str, tuple[str, ...]]:
    """Return every label of the surfaces in use by the value it stands for."""
    found: dict[str, dict[str, None]] = {}
    for value, label in _pairs(assignments):
        found.setdefault(value, {})[label] = None
    return {value: tuple(labels) for value, labels in found.items()}


def _pairs(assignments: Mapping[Role, Assignment]) -> Iterator[tuple[str, str]]:
    surfaces = {
        surface.language: surface
        for assignment in assignments.values()
        for surface in assignment.values()
        if surface is not None
    }
    for surface in surfaces.values():
        for value_set in surface.value_sets.values():
            yield from value_set.labels.items()
