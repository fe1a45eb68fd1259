"""Matching of simulations to tasks by the checks that were recorded in a result file."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TypeVar

import msgspec

from dragoman.benchmarks.tau2.reward_info import action_subject
from dragoman.core.scores import Score
from dragoman.core.tasks import Component, Task

Checks = tuple[str, ...]
"""The planned actions that a verdict covers, in their order.

The tuple is empty if the verdict covers no action.
"""


_ACTIONS: tuple[Component, ...] = ("ACTION",)
_DETAILS: tuple[Component, ...] = ("COMMUNICATE", "NL_ASSERTION")

_Place = TypeVar("_Place", int, str)


class RecordedChecks(msgspec.Struct, frozen=True):
    """The task that a simulation names, and the checks that were recorded of it.

    Attributes:
        task: The id of the task that it names.
        place: Value that it shares with the other simulations of its trial: each has another task.
        checks: The planned actions of its verdict.
        details: The other parts of its verdict: the required phrases, and the judged assertions.
        said: Function that returns the words of the conversation.
    """

    task: str
    place: Hashable
    checks: Checks
    details: frozenset[str] = frozenset()
    said: Callable[[], str] = str


class TaskMatching(msgspec.Struct, frozen=True):
    """The id of each simulation's task, in their order, and how it was found.

    Attributes:
        tasks: The ids.
        moved: Number of simulations that stand under another task than the one they name.
        dealt: Number of these that have no recorded checks, and stand under the tasks that
            remained.
        unlike: Number of simulations that kept their task's name although their recorded checks are
            not those of the task.
    """

    tasks: tuple[str, ...]
    moved: int = 0
    dealt: int = 0
    unlike: int = 0


def recorded_checks(score: Score) -> Checks:
    """Return the planned actions that a file's verdict speaks of."""
    return tuple(_subjects(score, _ACTIONS))


def recorded_details(score: Score) -> frozenset[str]:
    """Return the required phrases and the judged assertions of a file's verdict."""
    return frozenset(_subjects(score, _DETAILS))


def match_tasks(recorded: Sequence[RecordedChecks], tasks: Mapping[str, Task]) -> TaskMatching:
    """Return which task each simulation played.

    Args:
        recorded: The simulations of a file.
        tasks: The file's tasks by id.
    """
    planned = {name: _planned_checks(task) for name, task in tasks.items()}
    named = tuple(each.task for each in recorded)
    if all(_fits(each, planned[each.task]) for each in recorded):
        return TaskMatching(named)
    trials: dict[Hashable, list[int]] = {}
    for at, each in enumerate(recorded):
        trials.setdefault(each.place, []).append(at)
    found, dealt = list(named), 0
    for places in trials.values():
        reported = _assign_tasks([recorded[at] for at in places], tasks, planned)
        if reported is None:
            unlike = sum(not _fits(each, planned[each.task]) for each in recorded)
            return TaskMatching(named, unlike=unlike)
        dealt += reported.dealt
        for at, name in zip(places, reported.tasks, strict=True):
            found[at] = name
    moved = sum(now != then for now, then in zip(found, named, strict=True))
    return TaskMatching(tuple(found), moved, dealt)


def _subjects(score: Score, components: Collection[Component]) -> Iterator[str]:
    for part in score.components:
        if part.component in components:
            yield from (entry.subject for entry in part.evidence)


def _planned_checks(task: Task) -> Checks:
    actions = () if task.criteria is None else task.criteria.actions or ()
    return tuple(action_subject(action.id, action.name) for action in actions)


def _fits(one: RecordedChecks, planned: Checks) -> bool:
    """Return whether what was recorded can be of a task: nothing may be of any."""
    return not one.checks or one.checks == planned


def _assign_tasks(
    trial: Sequence[RecordedChecks], tasks: Mapping[str, Task], planned: Mapping[str, Checks]
) -> TaskMatching | None:
    """Return a distinct task for each simulation of a trial.

    None if the assignment cannot be determined.
    """
    left = [_possible(each, tasks, planned) for each in trial]
    dealt = 0
    if not _eliminate(left):
        return None
    for narrow in (_by_words, _by_name, _in_order):
        dealt = sum(len(possible) > 1 for possible in left)
        narrow(trial, left, tasks)
        if not _eliminate(left):
            return None
    if any(len(possible) > 1 for possible in left):
        return None
    return TaskMatching(tuple(min(possible) for possible in left), dealt=dealt)


def _possible(
    one: RecordedChecks, tasks: Mapping[str, Task], planned: Mapping[str, Checks]
) -> set[str]:
    """Return the tasks of which a simulation's checks can be."""
    fitting = {name for name, checks in planned.items() if _fits(one, checks)}
    detailed = {name for name in fitting if one.details and one.details == _details(tasks[name])}
    return detailed or fitting


def _details(task: Task) -> frozenset[str]:
    if task.criteria is None:
        return frozenset()
    return frozenset((*task.criteria.communicate_info, *task.criteria.assertions))


def _eliminate(left: Sequence[set[str]]) -> bool:
    """Remove from each simulation the tasks that only another simulation can have.

    The step repeats until it has no more effect. Return whether every simulation keeps a task.
    """
    settled: set[str] = set()
    while True:
        alone = [min(possible) for possible in left if len(possible) == 1]
        if len(set(alone)) < len(alone) or not all(left):
            return False
        news = set(alone) - settled
        if not news and not _settle_last_owners(left):
            return True
        settled |= news
        for possible in left:
            if len(possible) > 1:
                possible.difference_update(news)


def _settle_last_owners(left: Sequence[set[str]]) -> bool:
    """Give a task to the only simulation that can have it.

    This applies if all remaining tasks were played.
    """
    undecided = [possible for possible in left if len(possible) > 1]
    owners: dict[str, list[set[str]]] = {}
    for possible in undecided:
        for name in possible:
            owners.setdefault(name, []).append(possible)
    if not undecided or len(owners) > len(undecided):
        return False
    single = [(name, holders[0]) for name, holders in owners.items() if len(holders) == 1]
    for name, holder in single:
        holder.intersection_update({name})
    return bool(single)


def _by_name(
    trial: Sequence[RecordedChecks], left: Sequence[set[str]], _: Mapping[str, Task]
) -> None:
    """Keep a name that nothing contradicts, where most names are right."""
    reported = [
        (each, min(possible))
        for each, possible in zip(trial, left, strict=True)
        if len(possible) == 1
    ]
    if 2 * sum(each.task == name for each, name in reported) < len(reported):
        return
    taken = {name for _, name in reported}
    for each, possible in zip(trial, left, strict=True):
        is_own = sum(each.task == other.task for other in trial) == 1
        if len(possible) > 1 and each.task in possible - taken and is_own:
            possible.intersection_update({each.task})


def _by_words(
    trial: Sequence[RecordedChecks], left: Sequence[set[str]], tasks: Mapping[str, Task]
) -> None:
    """Keep the task of whose words far more were said than of any other's.

    Words of several tasks, and those that were said in several simulations, tell nothing.
    """
    undecided = [at for at, possible in enumerate(left) if len(possible) > 1]
    names = sorted(set().union(*(left[at] for at in undecided)))
    reported = _alone({name: _words(_encode_scenario(tasks[name])) for name in names})
    said = _alone({at: _words(trial[at].said()) for at in undecided})
    best: dict[str, list[int]] = {}
    for at in undecided:
        counts = Counter({name: len(reported[name] & said[at]) for name in sorted(left[at])})
        (name, most), (_, next_most) = counts.most_common(2)
        if most >= _FEW and most > 2 * next_most:
            best.setdefault(name, []).append(at)
    for name, places in best.items():
        if len(places) == 1:
            left[places[0]].intersection_update({name})


def _alone(words: Mapping[_Place, set[str]]) -> dict[_Place, set[str]]:
    """Return the words of each that none of the others has."""
    counts = Counter(chain.from_iterable(words.values()))
    return {place: {word for word in own if counts[word] == 1} for place, own in words.items()}


def _in_order(
    trial: Sequence[RecordedChecks], left: Sequence[set[str]], _: Mapping[str, Task]
) -> None:
    """Deal the remaining tasks to as many simulations, if these have no recorded checks.

    The exact assignment is unknown, and no recorded check contradicts any assignment.
    """
    undecided = [at for at, possible in enumerate(left) if len(possible) > 1]
    names = sorted(set().union(*(left[at] for at in undecided)))
    if len(names) != len(undecided) or any(trial[at].checks for at in undecided):
        return
    if any(left[at] != set(names) for at in undecided):
        return
    for at, name in zip(undecided, names, strict=True):
        left[at].intersection_update({name})


def _encode_scenario(task: Task) -> str:
    """Return what the user of a task was told, as text."""
    return msgspec.json.encode(task.scenario).decode()


def _words(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text)}


_WORD = re.compile(r"\w{3,}")
_FEW = 3
"""Words of a task alone that have to be said before they tell anything."""
