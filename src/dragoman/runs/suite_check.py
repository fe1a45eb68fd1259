"""Suite check: the oracle must pass, the no-op agent must not, and unjudged tasks are listed.

The gold pair and the silent agent play every task, in memory and without a judge.
"""

from collections.abc import Iterable, Sequence

import msgspec

from dragoman.composition.setup import Setup
from dragoman.core.episodes import Episode
from dragoman.core.scores import Score, Scored, Unscored, is_success
from dragoman.core.tasks import Component, Task
from dragoman.core.tools import ToolResult
from dragoman.runs.conversation_player import Player
from dragoman.runs.plan import Cell, plan_cells

# Components that a task's author states for their own sake; a plan of actions also serves to define
# the end state.
STATED: tuple[Component, ...] = ("ENV_ASSERTION", "COMMUNICATE", "NL_ASSERTION")


class TaskFinding(msgspec.Struct, frozen=True):
    """One task that needs attention, and the reason."""

    task: str
    why: str


class SuiteCheck(msgspec.Struct, frozen=True):
    """Findings of a check of a suite.

    Attributes:
        gold_passed: Number of tasks on which the reference plan earns 1.
        gold_undecided: Tasks that cannot be decided without a judge.
        floor: Number of tasks that the silent agent passes: for certain, and at most.
        unpassable: Tasks on which the reference plan does not earn 1.
        free: Tasks that an agent passes without doing anything, for certain or depending on a
            judge.
        words_suffice: Further tasks that need no call, only certain words.
        failing_writes: Tasks whose reference plan contains a write that is refused.
        nothing_to_judge: Tasks whose basis names a component without anything to judge.
        ignored: Tasks with criteria that their basis does not count.
    """

    suite: str
    rules: str
    tasks: int
    gold_passed: int
    gold_undecided: tuple[str, ...]
    floor: tuple[int, int]
    unpassable: tuple[TaskFinding, ...]
    free: tuple[TaskFinding, ...]
    words_suffice: tuple[TaskFinding, ...]
    failing_writes: tuple[TaskFinding, ...]
    nothing_to_judge: tuple[TaskFinding, ...]
    ignored: tuple[TaskFinding, ...]


async def check_suite(setup: Setup) -> SuiteCheck:
    """Check a suite; the setup's agents must be gold and silent, in that order."""
    player = Player(setup)
    played = await _play_and_score(player, plan_cells(setup))
    preparing = {name for task in setup.tasks for name in task.after}
    tasks = [task for task in setup.tasks if task.id not in preparing]
    count = len(tasks)
    gold, silent = played[:count], played[count:]
    free = tuple(_free(cell.task, score) for cell, _, score in silent)
    certain = sum(_is_successful(score) for _, _, score in silent)
    possible = sum(finding is not None for finding in free)
    return SuiteCheck(
        suite=setup.suite.name,
        rules=setup.rules.name,
        tasks=count,
        gold_passed=sum(_is_successful(score) for _, _, score in gold),
        gold_undecided=tuple(cell.task.id for cell, _, score in gold if _is_open(score)),
        floor=(certain, possible),
        unpassable=_collect_findings(_unpassable(cell.task, score) for cell, _, score in gold),
        free=_collect_findings(free),
        words_suffice=_collect_findings(
            _words_suffice(cell.task, score) for cell, _, score in silent
        ),
        failing_writes=_collect_findings(
            _failing_write(cell.task, episode, player) for cell, episode, _ in gold
        ),
        nothing_to_judge=_collect_findings(map(_nothing_to_judge, tasks)),
        ignored=_collect_findings(map(_check_reward_basis, tasks)),
    )


async def _play_and_score(
    player: Player, cells: Sequence[Cell]
) -> list[tuple[Cell, Episode, Score]]:
    """Play all cells, and return those that are not mere prerequisites of others."""
    preparing = {key for cell in cells for key in cell.before}
    prepared: dict[str, Episode] = {}
    judged = []
    for cell in cells:
        earlier = [prepared[key] for key in cell.before]
        episode, score = await player.play(cell, earlier)
        if cell.key in preparing:
            prepared[cell.key] = episode
        else:
            judged.append((cell, episode, score))
    return judged


def _collect_findings(findings: Iterable[TaskFinding | None]) -> tuple[TaskFinding, ...]:
    return tuple(finding for finding in findings if finding is not None)


def _is_successful(score: Score) -> bool:
    return isinstance(score.reward, Scored) and is_success(score.reward.value)


def _is_open(score: Score) -> bool:
    return isinstance(score.reward, Unscored)


def _unpassable(task: Task, score: Score) -> TaskFinding | None:
    if _is_successful(score) or _is_open(score):
        return None
    failed = _failed_components(score)
    found = "; ".join(_calls_evidence(score))
    if found:
        return TaskFinding(task.id, f"no answer passes: {found}")
    return TaskFinding(task.id, f"the reference plan fails {', '.join(failed) or score.note}")


def _calls_evidence(score: Score) -> list[str]:
    """Return the problems that a suite's own check found in the calls of the plan."""
    return [
        f"{entry.subject}: {entry.why}"
        for part in score.components
        for entry in part.evidence
        if part.component == "CALLS" and entry.met is False and not entry.kind
    ]


def _failed_components(score: Score) -> list[Component]:
    return [
        part.component
        for part in score.components
        if part.in_basis and isinstance(part.verdict, Scored) and not is_success(part.verdict.value)
    ]


def _free(task: Task, score: Score) -> TaskFinding | None:
    if _is_successful(score):
        return TaskFinding(task.id, _why_free(task))
    if isinstance(score.reward, Unscored) and score.components:
        return TaskFinding(task.id, f"if a judge says so ({score.reward.reason})")
    return None


def _why_free(task: Task) -> str:
    if task.criteria is not None and "CALLS" in task.criteria.reward_basis:
        return "nothing is to be called"
    return "the reference plan leaves the state as it is" + _handoff(task)


def _words_suffice(task: Task, score: Score) -> TaskFinding | None:
    failed = _failed_components(score)
    if failed != ["COMMUNICATE"] or task.criteria is None:
        return None
    return TaskFinding(
        task.id, f"the words {', '.join(map(repr, task.criteria.communicate_info))} suffice"
    )


def _handoff(task: Task) -> str:
    actions = () if task.criteria is None else task.criteria.actions or ()
    if any(action.name == "transfer_to_human_agents" for action in actions):
        return "; handing over is planned but not required"
    return ""


def _failing_write(task: Task, episode: Episode, player: Player) -> TaskFinding | None:
    environment = player.fresh_environment(task)
    refused = [
        f"{event.name}: {event.content}"
        for event in episode.events
        if isinstance(event, ToolResult) and event.error and environment.kind(event.name) == "write"
    ]
    return TaskFinding(task.id, "; ".join(refused)) if refused else None


def _nothing_to_judge(task: Task) -> TaskFinding | None:
    criteria = task.criteria
    if criteria is None:
        return TaskFinding(task.id, "the task has no criteria")
    empty = [name for name in criteria.reward_basis if not criteria.lists(name)]
    return TaskFinding(task.id, f"{_join(empty)} in the basis, nothing to judge") if empty else None


def _check_reward_basis(task: Task) -> TaskFinding | None:
    criteria = task.criteria
    if criteria is None:
        return None
    names = [name for name in STATED if criteria.lists(name) and name not in criteria.reward_basis]
    return TaskFinding(task.id, f"lists {_join(names)} outside its basis") if names else None


def _join(names: Sequence[str]) -> str:
    return " and ".join(names)
