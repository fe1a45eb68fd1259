"""Language check of a suite: plays the reference plan through the localized tools and texts.

The gold pair makes its calls with the labels that it is shown. Every task must earn 1 and end in
the same state as in English, and every tool must accept every label that it advertises. The check
also counts the English that remains in the texts for participants.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from dragoman.composition.setup import Setup
from dragoman.conditions.language.localization import Localization
from dragoman.conditions.language.view_checks import (
    Coverage,
    LabelCall,
    ShownText,
    is_key,
    is_personal,
    label_calls,
    measure_coverage,
    texts_of_result,
    texts_of_tools,
)
from dragoman.conditions.resolved_condition import ResolvedCondition
from dragoman.core.conditions import PLAIN, Condition
from dragoman.core.episodes import Episode, executed_calls
from dragoman.core.protocols import StateDelta, ToolView
from dragoman.core.scores import Score, Scored, Unscored, is_success
from dragoman.core.tasks import Task
from dragoman.core.tools import Role, ToolCall, ToolResult
from dragoman.runs.conversation_player import Player
from dragoman.runs.plan import Cell, plan_cells
from dragoman.runs.suite_check import TaskFinding
from dragoman.scoring.replay import replay
from dragoman.simulation.prompts import scenario_text

_REFUSED = "Error: "


class LanguageCheck(msgspec.Struct, frozen=True):
    """Findings of a language check of a suite in one condition.

    Attributes:
        passed: Number of tasks on which the reference plan earns 1.
        undecided: Tasks that cannot be decided without a judge.
        failing: Tasks on which the reference plan earns less.
        other_states: Tasks that end in another state than in English.
        labels: Number of labels that were given to tools.
        refused: Labels that a tool does not accept in place of their value.
        coverage: Share of English in the texts that participants see, by kind.
        notes: Remarks on incomplete artifacts.
    """

    suite: str
    condition: str
    tasks: int
    passed: int
    undecided: tuple[str, ...]
    failing: tuple[TaskFinding, ...]
    other_states: tuple[TaskFinding, ...]
    labels: int
    refused: tuple[TaskFinding, ...]
    coverage: tuple[Coverage, ...]
    notes: tuple[str, ...]

    @property
    def is_sound(self) -> bool:
        """Whether the check found nothing that makes the suite unfair in this condition."""
        return not (self.failing or self.other_states or self.refused)


Played = Sequence[tuple[Cell, Episode, Score]]


async def check_languages(setup: Setup) -> tuple[LanguageCheck, ...]:
    """Check a suite in each condition of a setup whose only agent is gold."""
    player = Player(setup)
    by_condition: dict[Condition, list[tuple[Cell, Episode, Score]]] = {}
    for cell in plan_cells(setup):
        played = (cell, *await player.play(cell))
        by_condition.setdefault(cell.condition, []).append(played)
    english = msgspec.structs.replace(setup, conditions=(PLAIN,))
    states = {
        cell.task.id: _state(player, cell, await player.converse(cell))
        for cell in plan_cells(english)
    }
    return tuple(
        _check(setup, player, condition, played, states)
        for condition, played in by_condition.items()
    )


def _check(
    setup: Setup,
    player: Player,
    condition: Condition,
    played: Played,
    english: Mapping[str, StateDelta],
) -> LanguageCheck:
    localization = setup.localization(condition)
    resolved_condition = setup.resolve_condition(condition)
    labels = tuple(_label_calls(setup.tasks, localization))
    return LanguageCheck(
        suite=setup.suite.name,
        condition=condition.label,
        tasks=len(played),
        passed=sum(_is_successful(score) for _, _, score in played),
        undecided=tuple(
            cell.task.id for cell, _, score in played if isinstance(score.reward, Unscored)
        ),
        failing=tuple(
            TaskFinding(cell.task.id, _why(score))
            for cell, _, score in played
            if isinstance(score.reward, Scored) and not _is_successful(score)
        ),
        other_states=tuple(
            TaskFinding(cell.task.id, "ends in another state than in English")
            for cell, episode, _ in played
            if _state(player, cell, episode) != english[cell.task.id]
        ),
        labels=len(labels),
        refused=tuple(
            finding
            for side, task, call in labels
            if (
                finding := _check_label_call(
                    player, resolved_condition.of(task).views[side], task, call
                )
            )
            is not None
        ),
        coverage=tuple(_coverage(setup, localization, played))
        if localization.questions is None
        else tuple(_question_coverage(setup, player, resolved_condition)),
        notes=localization.record.notes,
    )


def _is_successful(score: Score) -> bool:
    return isinstance(score.reward, Scored) and is_success(score.reward.value)


def _why(score: Score) -> str:
    wrong = [
        f"{part.component}: {entry.subject}"
        for part in score.components
        for entry in part.evidence
        if part.in_basis and entry.met is False
    ]
    return "; ".join(wrong) or score.note or "the reward is not 1"


def _state(player: Player, cell: Cell, episode: Episode) -> StateDelta:
    environment = player.begun_environment(cell.task)
    replay(list(executed_calls(episode.events)), environment)
    return environment.delta()


def _label_calls(
    tasks: Sequence[Task], localization: Localization
) -> Iterator[tuple[Role, Task, LabelCall]]:
    """Yield the calls that test the labels of each tool, with a task whose plan calls it."""
    if localization.questions is not None:
        for task in tasks:
            for each in localization.questions.label_calls(task):
                yield "agent", task, each
    planned: dict[tuple[Role, str], tuple[Task, dict[str, object]]] = {}
    for task in tasks:
        for action in () if task.criteria is None else task.criteria.actions or ():
            planned.setdefault((action.by, action.name), (task, action.arguments))
    for side, assignment in localization.assignments.items():
        for name, surface in assignment.items():
            if surface is None:
                continue
            toolset = surface.tools[side]
            shown = localization.views[side].show(toolset).by_name[name]
            task, arguments = planned.get((side, name), (tasks[0], {}))
            for call in label_calls(toolset.by_name[name], shown, surface, side, arguments):
                yield side, task, call


def _check_label_call(
    player: Player, view: ToolView, task: Task, call: LabelCall
) -> TaskFinding | None:
    """Return why a label does not stand for its value, or None if it does."""
    understood = view.canonical(call.labelled)
    if understood.arguments != call.canonical.arguments:
        return TaskFinding(call.place, f"{call.label!r} is not understood")
    if _answer(player, task, understood) != _answer(player, task, call.canonical):
        return TaskFinding(call.place, f"{call.label!r} is answered otherwise than its value")
    return None


def _answer(player: Player, task: Task, call: ToolCall) -> ToolResult:
    return player.fresh_environment(task).call(call)


def _coverage(setup: Setup, localization: Localization, played: Played) -> Iterator[Coverage]:
    for side, assignment in localization.assignments.items():
        toolset = next(each.tools[side] for each in assignment.values() if each is not None)
        shown = localization.views[side].show(toolset)
        yield measure_coverage(f"tools of the {side}", texts_of_tools(toolset, shown))
    results = [
        event
        for _, episode, _ in played
        for event in episode.events
        if isinstance(event, ToolResult)
    ]
    seen = tuple(_results(result for result in results if not result.error))
    keys = dict.fromkeys(text for text in seen if is_key(text))
    personal = dict.fromkeys(text for text in seen if is_personal(text))
    yield measure_coverage(
        "results", (text for text in seen if text not in keys and text not in personal)
    )
    yield measure_coverage("keys of results", keys)
    yield measure_coverage("names and addresses", personal)
    yield measure_coverage("refusals", _refusals(result for result in results if result.error))
    yield measure_coverage("policy", _policy(setup, localization, played))
    yield measure_coverage("what users are told", _scenario_texts(setup.tasks, localization))


def _question_coverage(
    setup: Setup, player: Player, resolved_condition: ResolvedCondition
) -> Iterator[Coverage]:
    """Yield the share of English in a run's texts.

    The texts are functions, instructions to agents, and spoken words.
    """
    shown = [(task, resolved_condition.of(task)) for task in setup.tasks]
    tools = [
        (player.fresh_environment(task).tools("agent"), each.views["agent"]) for task, each in shown
    ]
    yield measure_coverage(
        "functions",
        (text for own, view in tools for text in texts_of_tools(own, view.show(own))),
    )
    translated = [
        (setup.suite.policy(task, player.fresh_environment(task)), each) for task, each in shown
    ]
    yield measure_coverage(
        "instructions", (ShownText("told", text, each.policy(text)) for text, each in translated)
    )
    yield measure_coverage(
        "questions",
        (text for task, each in shown for text in _words(task, each.judged(task))),
    )


def _words(english: Task, translated: Task) -> Iterator[ShownText]:
    for turn, other in zip(english.turns, translated.turns, strict=True):
        for message, shown in zip(turn.messages, other.messages, strict=True):
            yield ShownText("said", message, shown)


def _results(results: Iterable[ToolResult]) -> Iterator[ShownText]:
    for result in results:
        shown = result.content if result.shown is None else result.shown
        yield from texts_of_result(result.name, result.content, shown)


def _refusals(results: Iterable[ToolResult]) -> Iterator[ShownText]:
    """Yield refusals; a refusal in English after a code counts as English."""
    for result in results:
        reason = result.content.removeprefix(_REFUSED)
        shown = result.content if result.shown is None else result.shown
        yield ShownText(result.name, reason, reason if reason in shown else shown)


def _policy(setup: Setup, localization: Localization, played: Played) -> Iterator[ShownText]:
    """Yield the policy as one text: it is translated as a whole or not at all."""
    for cell, _, _ in played[:1]:
        own = setup.suite.policy(cell.task, Player(setup).fresh_environment(cell.task))
        shown = own if localization.policy is None else localization.policy
        yield ShownText("policy", own, shown)


def _scenario_texts(tasks: Sequence[Task], localization: Localization) -> Iterator[ShownText]:
    for task in tasks:
        yield ShownText(
            "scenario",
            scenario_text(task.scenario),
            scenario_text(localization.judged(task).scenario),
        )
