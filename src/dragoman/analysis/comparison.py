"""Paired comparison of two cells: pass^k and consumption over the same tasks, with p-values.

A task is compared if it is the same in both cells (by its digest) and all trials that were played
in each cell are decided; pass^k is compared over the tasks with k trials in both. A difference is
always B minus A.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, combinations
from math import lcm
from typing import Literal, NamedTuple

import msgspec

from dragoman.analysis.cell_summary import ConversationResult
from dragoman.analysis.intervals import Interval, difference_interval
from dragoman.analysis.pass_hat import played_rewards, task_pass_hat
from dragoman.analysis.significance import holm, sign_flip_p
from dragoman.core.conditions import Condition, axis_of, differ_in_one_thing, differing_axes
from dragoman.core.costs import PriceOf, cost_of, no_price, total_cost
from dragoman.core.scores import Verdict, is_success
from dragoman.core.usage import Usage, total_usage

AGENT = "agent"
"""The purpose of the agent's own calls."""


def consumption(outcome: ConversationResult, price_of: PriceOf) -> dict[str, float | None]:
    """Return what a conversation took by measure; None if it is not known.

    Calls and tokens are the agent's; seconds are those of the whole conversation, and its cost (US
    dollars, all calls) takes in the user's and the judges' models. Earlier attempts do not count.
    """
    episode = outcome.episode
    used = () if episode is None else episode.usage
    judged = () if outcome.score is None else outcome.score.judges_usage
    agents = [entry for entry in used if entry.purpose == AGENT]
    return {
        "steps": None if episode is None else episode.steps,
        "tool errors": None if episode is None else episode.errors,
        "agent's calls": sum(entry.calls for entry in agents) if agents else None,
        "agent's tokens in": _total([entry.input_tokens for entry in agents]),
        "agent's tokens out": _total([entry.output_tokens for entry in agents]),
        "seconds": None if episode is None else episode.seconds,
        "cost, USD": _cost((*used, *judged), price_of),
    }


def _total(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known and len(known) == len(counts) else None


def _cost(used: Sequence[Usage], price_of: PriceOf) -> float | None:
    if not used or (price_of is no_price and any(entry.calls for entry in used)):
        return None
    total = total_cost(cost_of(entry, price_of) for entry in total_usage(used))
    return None if total is None else float(total.nominal)


FINEST_UNIT = 5_000
"""Into so many parts a success is divided at most where tasks have different numbers of trials."""


class CellName(msgspec.Struct, frozen=True):
    """Name of a cell: its run and its place in the grid."""

    run: str
    suite: str
    condition: Condition
    agent: str


class CellOutcomes(msgspec.Struct, frozen=True):
    """One cell's outcomes, the digests of its tasks by id, and the prices of its models."""

    name: CellName
    outcomes: tuple[ConversationResult, ...]
    digests: dict[str, str]
    price_of: PriceOf = no_price


CellPair = tuple[CellOutcomes, CellOutcomes]
"""A and B."""


class TaskPair(msgspec.Struct, frozen=True):
    """One task's rewards in both cells, by trial.

    `trials_a` and `trials_b` say which trials those are; empty for the first ones.
    """

    task: str
    a: tuple[float, ...]
    b: tuple[float, ...]
    trials_a: tuple[int, ...] = ()
    trials_b: tuple[int, ...] = ()

    @property
    def successes(self) -> tuple[int, int]:
        """Numbers of trials that succeeded in A and in B."""
        return sum(map(is_success, self.a)), sum(map(is_success, self.b))

    @property
    def gain(self) -> int:
        """Difference of the success rates, B minus A.

        Its unit is 1 / (trials of A x trials of B).
        """
        in_a, in_b = self.successes
        return in_b * len(self.a) - in_a * len(self.b)

    @property
    def apart(self) -> tuple[int, int]:
        """The first trials of A and B whose outcomes show the difference, for a flipped task.

        Each of the two trials came out as most trials of its side did.
        """
        places = [
            [is_success(value) for value in side].index(is_passed)
            for side, is_passed in ((self.a, self.gain < 0), (self.b, self.gain > 0))
        ]
        in_a, in_b = (
            trials[place] if trials else place
            for trials, place in zip((self.trials_a, self.trials_b), places, strict=True)
        )
        return in_a, in_b


class Gap(msgspec.Struct, frozen=True):
    """pass^k of both cells over the tasks with k trials in both, and the difference.

    The difference has an interval.
    """

    k: int
    a: float
    b: float
    difference: float
    interval: Interval
    tasks: int = 0


SIGNIFICANCE = 0.05
"""The corrected p-value below which a difference is significant."""

Family = Literal["baseline", "layer", "condition", "agent", "run", "other"]
"""Families of comparisons, whose p-values are corrected together.

They are: a condition of an agent against the baseline of the agent, further drops along one layer,
other pairs of conditions of one agent, pairs of agents, pairs of runs, and pairs that were only
chosen together.
"""


class Means(msgspec.Struct, frozen=True):
    """Mean of one quantity per conversation in both cells; None if it is not known."""

    a: float | None
    b: float | None


class Comparison(msgspec.Struct, frozen=True):
    """Result of the comparison of cell B with cell A.

    Attributes:
        a: The one cell.
        b: The other.
        pairs: The compared tasks with their rewards.
        left_out: Number of excluded tasks by reason.
        gaps: Differences of pass^k for each k that both cells have; empty if no task was compared.
        p: p-value of the sign-flip test on pass^1; None if no task was compared.
        adjusted_p: `p` after Holm's correction over the comparisons of its family.
        means: Means per conversation over the paired tasks, by measure.
        assumed: Whether assumed verdicts are included.
        family: The family of the comparison.
        corrected_for: The number of comparisons in that family; 0 before the correction.
    """

    a: CellName
    b: CellName
    pairs: tuple[TaskPair, ...]
    left_out: dict[str, int]
    gaps: tuple[Gap, ...]
    p: float | None
    adjusted_p: float | None
    means: dict[str, Means]
    assumed: bool
    family: Family = "other"
    corrected_for: int = 0

    @property
    def is_significant(self) -> bool:
        """Whether the corrected p is below 5 %."""
        return self.adjusted_p is not None and self.adjusted_p < SIGNIFICANCE

    @property
    def differs(self) -> tuple[str, ...]:
        """Differences of the cells (`agent`, axes, or both); empty for one cell in two runs."""
        return _differing(self.a, self.b)

    @property
    def won(self) -> tuple[TaskPair, ...]:
        """The tasks on which B succeeded more often."""
        return tuple(pair for pair in self.pairs if pair.gain > 0)

    @property
    def lost(self) -> tuple[TaskPair, ...]:
        """The tasks on which B succeeded less often."""
        return tuple(pair for pair in self.pairs if pair.gain < 0)


def group_cells(
    run: str,
    outcomes: Iterable[ConversationResult],
    digests: dict[str, str],
    price_of: PriceOf = no_price,
) -> tuple[CellOutcomes, ...]:
    """Return the cells of a run, in order of first appearance.

    Args:
        run: The run's name.
        outcomes: Its outcomes.
        digests: The digests of its tasks by id.
        price_of: Prices of models.
    """
    rows: dict[CellName, list[ConversationResult]] = {}
    for row in outcomes:
        rows.setdefault(CellName(run, row.suite, row.condition, row.agent), []).append(row)
    return tuple(
        CellOutcomes(name, tuple(found), digests, price_of) for name, found in rows.items()
    )


def comparable(cells: Iterable[CellOutcomes], by: str | None = None) -> Iterator[CellPair]:
    """Yield every pair of cells of a suite that differ in exactly one thing.

    This is the agent, an axis, or a layer that one of the two cells lacks.

    Args:
        cells: The cells.
        by: Only those that differ in this axis, or in `agent`; None for any one thing.
    """
    every = tuple(cells)
    for place, other in _neighbours(every):
        a, b = every[place], every[other]
        if by is None or by in _differing(a.name, b.name):
            yield a, b


def _neighbours(cells: Sequence[CellOutcomes]) -> list[tuple[int, int]]:
    """Return the places of all two cells that differ in one thing, in the order of the cells.

    Looked for among those of one condition, and among those of one agent that are alike but for one
    layer: of thousands of cells every two would be millions.
    """
    layers = {axis_of(axis).layer for cell in cells for axis, _ in cell.name.condition.axes}
    groups: dict[tuple[object, ...], list[int]] = {}
    for place, cell in enumerate(cells):
        name = cell.name
        groups.setdefault((name.suite, name.condition), []).append(place)
        for layer in layers:
            alike = (name.suite, name.agent, layer, _without(name.condition, layer))
            groups.setdefault(alike, []).append(place)
    return sorted(
        {
            pair
            for group in groups.values()
            for pair in combinations(group, 2)
            if _differ_in_one_thing(*(cells[place].name for place in pair))
        }
    )


def _without(condition: Condition, layer: str) -> tuple[tuple[str, str], ...]:
    return tuple(pair for pair in condition.axes if axis_of(pair[0]).layer != layer)


def _differing(one: CellName, other: CellName) -> tuple[str, ...]:
    agent = ("agent",) if one.agent != other.agent else ()
    return (*agent, *differing_axes(one.condition, other.condition))


def _differ_in_one_thing(one: CellName, other: CellName) -> bool:
    if one.condition == other.condition:
        return True
    return one.agent == other.agent and differ_in_one_thing(one.condition, other.condition)


def compare(cell_pairs: Iterable[CellPair], *, has_means: bool = True) -> tuple[Comparison, ...]:
    """Compare pairs of cells (A, B), and correct the p-values for the number of these pairs.

    Args:
        cell_pairs: The pairs.
        has_means: Whether the comparisons have the means per conversation.
    """
    cell_pairs = tuple(cell_pairs)
    sides = {id(cell): cell for pair in cell_pairs for cell in pair}
    read = {place: _Side(cell) for place, cell in sides.items()}
    found = [_comparison(read[id(a)], read[id(b)], has_means=has_means) for a, b in cell_pairs]
    tested = [entry for entry in found if entry.p is not None]
    adjusted = iter(holm([entry.p for entry in tested if entry.p is not None]))
    return tuple(
        msgspec.structs.replace(
            entry,
            adjusted_p=None if entry.p is None else next(adjusted),
            corrected_for=len(tested),
        )
        for entry in found
    )


def p_values(cell_pairs: Iterable[CellPair]) -> Iterator[float | None]:
    """Yield the p-value of each pair before any correction; None without a common task."""
    cell_pairs = tuple(cell_pairs)
    read = {id(cell): _Side(cell) for pair in cell_pairs for cell in pair}
    for a, b in cell_pairs:
        pairs, _ = _pair_tasks(read[id(a)], read[id(b)])
        yield sign_flip_p(_whole_gains(pairs)) if pairs else None


class _Side:
    """The data of a cell for comparisons; it is read once and used in many of them."""

    def __init__(self, cell: CellOutcomes) -> None:
        rows: dict[str, list[Verdict | None]] = {}
        played: dict[str, list[int]] = {}
        for row in cell.outcomes:
            rows.setdefault(row.task, []).append(row.reward)
            if row.reward is not None:
                played.setdefault(row.task, []).append(row.trial)
        self.name, self.digests = cell.name, cell.digests
        self.tasks = frozenset(rows)
        # Of the tasks whose played trials are all decided.
        self.complete = {task: won for task, row in rows.items() if (won := played_rewards(row))}
        # The numbers of the trials that were played.
        self.played = {task: tuple(trials) for task, trials in played.items()}
        self._assumed = {
            row.task for row in cell.outcomes if row.score is not None and row.score.assumed
        }
        self._outcomes, self._price_of = cell.outcomes, cell.price_of

    def is_assumed(self, tasks: Collection[str]) -> bool:
        """Return whether a verdict on one of these tasks was assumed."""
        return not self._assumed.isdisjoint(tasks)

    def means(self, tasks: Collection[str]) -> dict[str, float | None]:
        """Return what a conversation took on average, over those of these tasks."""
        taken = [entry for task, entry in self._taken if task in tasks]
        names = dict.fromkeys(chain(*taken))
        return {name: _mean([entry[name] for entry in taken]) for name in names}

    @cached_property
    def _taken(self) -> list[tuple[str, dict[str, float | None]]]:
        return [(row.task, consumption(row, self._price_of)) for row in self._outcomes]


def _comparison(a: _Side, b: _Side, *, has_means: bool) -> Comparison:
    pairs, left_out = _pair_tasks(a, b)
    tasks = {pair.task for pair in pairs}
    return Comparison(
        a=a.name,
        b=b.name,
        pairs=pairs,
        left_out=left_out,
        gaps=_gaps(pairs) if pairs else (),
        p=sign_flip_p(_whole_gains(pairs)) if pairs else None,
        adjusted_p=None,
        means=_means(a.means(tasks), b.means(tasks)) if has_means else {},
        assumed=a.is_assumed(tasks) or b.is_assumed(tasks),
    )


def _pair_tasks(a: _Side, b: _Side) -> tuple[tuple[TaskPair, ...], dict[str, int]]:
    """Return the task pairs, and the number of excluded tasks by reason.

    Numbered tasks are in the order of their numbers.
    """
    pairs = []
    left_out: dict[str, int] = {}
    for task in sorted(a.tasks | b.tasks, key=lambda name: (len(name), name)):
        reason = _obstacle(
            (task in a.tasks, task in b.tasks),
            (task in a.complete, task in b.complete),
            is_same=a.digests.get(task) == b.digests.get(task),
        )
        if reason:
            left_out[reason] = left_out.get(reason, 0) + 1
        else:
            sides = (a.complete[task], b.complete[task], a.played[task], b.played[task])
            pairs.append(TaskPair(task, *sides))
    return tuple(pairs), left_out


def _obstacle(known: tuple[bool, bool], complete: tuple[bool, bool], *, is_same: bool) -> str:
    """Return why a task cannot be compared; empty if it can."""
    if not all(known):
        return "only in A" if known[0] else "only in B"
    if not is_same:
        return "another version of the task"
    match complete:
        case (True, True):
            return ""
        case (False, False):
            return "incomplete in both"
        case (False, _):
            return "incomplete in A"
        case _:
            return "incomplete in B"


def _whole_gains(pairs: Sequence[TaskPair]) -> list[int]:
    """Return how much more often B succeeded on each task, in one unit for all.

    Numbers of trials that have no small common multiple are rounded to a fine unit.
    """
    products = [len(pair.a) * len(pair.b) for pair in pairs]
    unit = min(lcm(*products), FINEST_UNIT)
    return [
        round(pair.gain * unit / product) for pair, product in zip(pairs, products, strict=True)
    ]


def first_gap(pairs: Sequence[TaskPair]) -> Gap | None:
    """Return the difference of pass^1 over task pairs, with its interval; None without pairs."""
    counted = [_Counted(len(pair.a), len(pair.b), *pair.successes) for pair in pairs]
    return _gap(counted, 1) if counted else None


def _gaps(pairs: Sequence[TaskPair]) -> tuple[Gap, ...]:
    counted = [_Counted(len(pair.a), len(pair.b), *pair.successes) for pair in pairs]
    most = max(entry.shared for entry in counted)
    return tuple(_gap(counted, k) for k in range(1, most + 1))


class _Counted(NamedTuple):
    """Numbers of trials of a task in A and B, and the numbers of their successes."""

    of_a: int
    of_b: int
    won_a: int
    won_b: int

    @property
    def shared(self) -> int:
        return min(self.of_a, self.of_b)


def _gap(pairs: Sequence[_Counted], k: int) -> Gap:
    entering = [pair for pair in pairs if pair.shared >= k]
    of_a = [task_pass_hat(pair.of_a, pair.won_a, k) for pair in entering]
    of_b = [task_pass_hat(pair.of_b, pair.won_b, k) for pair in entering]
    differences = [in_b - in_a for in_a, in_b in zip(of_a, of_b, strict=True)]
    count = len(entering)
    return Gap(
        k=k,
        a=sum(of_a) / count,
        b=sum(of_b) / count,
        difference=sum(differences) / count,
        interval=difference_interval(differences),
        tasks=count,
    )


def _means(a: dict[str, float | None], b: dict[str, float | None]) -> dict[str, Means]:
    return {name: Means(value, b[name]) for name, value in a.items()}


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if len(known) == len(values) and known else None
