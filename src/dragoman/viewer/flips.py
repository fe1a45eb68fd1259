"""The tasks that one cell of a grid wins and another loses, of one run or two, made of indices alone."""

from collections.abc import Mapping, Sequence

import msgspec

from dragoman.analysis.comparison import TaskPair
from dragoman.analysis.pass_hat import played_rewards
from dragoman.core.scores import Scored, Standing, Unscored, Verdict, is_success
from dragoman.store.run_index.lists import RewardRow, rewards, rows_of_task
from dragoman.viewer.index.facets import Facets
from dragoman.viewer.index.listing import Listing

MOST_TRIALS = 100
"""Trials of a task that are looked through for one to show."""


class CellChoice(msgspec.Struct, frozen=True):
    """One cell of a run's grid by its number in the plan; `facets` are its facets' numbers and outcomes."""

    number: int
    suite: str
    agent: str
    condition: str
    facets: dict[int, Standing]

    @property
    def place(self) -> tuple[str, str, str]:
        """What tells it from the other cells of its run."""
        return self.suite, self.agent, self.condition


class Flips(msgspec.Struct, frozen=True):
    """The tasks of two cells.

    Attributes:
        won: Those that succeed more often in B.
        lost: Those that succeed less often in B.
        even: How many succeed as often in both.
        left_out: How many cannot be compared, by reason.
    """

    won: tuple[TaskPair, ...]
    lost: tuple[TaskPair, ...]
    even: int
    left_out: dict[str, int]


def cell_choices(facets: Mapping[int, Facets]) -> tuple[CellChoice, ...]:
    """Return the cells of a run by its facets, in the order of its plan."""
    found: dict[tuple[str, str, str], dict[int, Standing]] = {}
    for number, entry in sorted(facets.items()):
        place = (entry.suite, entry.agent, entry.condition)
        found.setdefault(place, {})[number] = entry.outcome
    return tuple(
        CellChoice(number, *place, outcomes)
        for number, (place, outcomes) in enumerate(found.items())
    )


def flips(
    a: Mapping[str, Sequence[Verdict | None]],
    b: Mapping[str, Sequence[Verdict | None]],
    changed: frozenset[str] = frozenset(),
) -> Flips:
    """Set the tasks of two cells against each other.

    Args:
        a: The rewards in A, by task.
        b: The rewards in B.
        changed: Tasks of which the two runs have different versions.
    """
    pairs: list[TaskPair] = []
    left_out: dict[str, int] = {}
    for task in dict.fromkeys((*a, *b)):
        played = played_rewards(a.get(task, ())), played_rewards(b.get(task, ()))
        reason = _obstacle(task in a, task in b, played, is_changed=task in changed)
        if reason:
            left_out[reason] = left_out.get(reason, 0) + 1
        else:
            pairs.append(TaskPair(task, *played))
    won = tuple(pair for pair in pairs if pair.gain > 0)
    lost = tuple(pair for pair in pairs if pair.gain < 0)
    return Flips(won, lost, len(pairs) - len(won) - len(lost), left_out)


def _obstacle(
    in_a: bool,
    in_b: bool,
    played: tuple[Sequence[float], Sequence[float]],
    *,
    is_changed: bool,
) -> str:
    if not (in_a and in_b):
        return "only in A" if in_a else "only in B"
    if is_changed:
        return "another version of the task"
    return "" if all(played) else "not played, or not decided, in one of them"


def rewards_of(listing: Listing, cell: CellChoice) -> dict[str, list[Verdict | None]]:
    """Return the rewards of a cell by task."""
    found: dict[str, list[Verdict | None]] = {}
    for row in rewards(listing.index, cell.facets):
        found.setdefault(row.task, []).append(_verdict(row))
    return found


def _verdict(row: RewardRow) -> Verdict | None:
    if row.attempt is None:
        return None
    if row.reward is None:
        return Unscored("no reward")
    return Scored(row.reward, ("a part",) if row.undecided else ())


def shown_trial(listing: Listing, cell: CellChoice, task: str, *, is_won: bool) -> str:
    """Return the key of a trial of a task that succeeded, or that did not; else of the first."""
    rows = rows_of_task(listing.index, task, cell.facets, MOST_TRIALS)
    fitting = (row.key for row in rows if (cell.facets[row.facets] == "pass") == is_won)
    return next(fitting, rows[0].key if rows else "")


def successes(values: Sequence[float]) -> str:
    """Return how many trials of a task succeeded, of how many."""
    return f"{sum(map(is_success, values))} of {len(values)}"


def default_couple(
    a: Sequence[CellChoice], b: Sequence[CellChoice], *, is_one_run: bool
) -> tuple[CellChoice, CellChoice]:
    """Return which two cells to begin with: the same one of two runs, else the first two of a suite."""
    first = a[0]
    fitting = (each for each in b if _fits(first, each, is_one_run=is_one_run))
    return first, next(fitting, b[0])


def _fits(one: CellChoice, other: CellChoice, *, is_one_run: bool) -> bool:
    if is_one_run:
        return one.suite == other.suite and one.place != other.place
    return one.place == other.place


def chosen_cell(cells: Sequence[CellChoice], number: str) -> CellChoice | None:
    """Return the cell of a number as it stands in an address; None where there is none."""
    return next((cell for cell in cells if str(cell.number) == number), None)
