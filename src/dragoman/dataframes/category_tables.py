"""Tables of benchmarks with a leaderboard for papers: pass^1 by category, with its aggregates."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from dragoman.analysis.aggregate_scores import AggregateScore
from dragoman.analysis.cell_summary import CellSummary
from dragoman.core.conditions import TEXT
from dragoman.core.leaderboard import Leaderboard
from dragoman.dataframes.leaderboard import leaderboard_of, leaderboard_scores, shared_leaderboard
from dragoman.report.pass_tables import (
    BEST_NOTE,
    BOUNDS_NOTE,
    NOT_PLAYED_NOTE,
    RUN,
    SUITE,
    TRIALS,
    Place,
    TableCell,
    distinguishing_axes,
    order_of,
    shared_conditions,
    stored_values,
    value_names,
)
from dragoman.report.text_tables import Estimate, PaperTable

CATEGORY = "category"

StoredValues = dict[str, str | int]


def cells_leaderboard(cells: Sequence[CellSummary]) -> Leaderboard | None:
    """Return the leaderboard of the benchmark that all cells are of; None if it has none."""
    names = {cell.suite.partition(":")[0] for cell in cells}
    leaderboard = leaderboard_of(names.pop()) if len(names) == 1 else None
    if leaderboard is None or not all(
        cell.suite.partition(":")[2] in leaderboard.sizes for cell in cells
    ):
        return None
    if any(cell.condition.voice != TEXT for cell in cells):
        return shared_leaderboard(cell.suite for cell in cells)
    return leaderboard


class ScoredPlayer(msgspec.Struct, frozen=True):
    """An agent under a condition: the headings that name it, and its scores by category.

    Players with the same `rivalry` are compared with each other. `stored` has the stored values of
    each category and aggregate by column of `cells.csv`.
    """

    names: Place
    scores: dict[str, AggregateScore]
    rivalry: object = None
    stored: Mapping[str, StoredValues] = {}


def category_table(
    cells: Sequence[TableCell],
    leaderboard: Leaderboard,
    *,
    rows_are_agents: bool = False,
    is_bold: bool = False,
) -> PaperTable:
    """Return the table of pass^1 by category and aggregate.

    Args:
        cells: The cells of the runs; a category stands behind the colon of their suites' names.
        leaderboard: That of their benchmark.
        rows_are_agents: Whether agents and conditions are rows and categories columns, instead of
            the reverse.
        is_bold: Whether the highest figure of the agents under a condition is set off.
    """
    axes = distinguishing_axes(tuple(dict.fromkeys(cell.summary.condition for cell in cells)))
    runs = (RUN,) if len({cell.run for cell in cells}) > 1 else ()
    keys = ("agent", *axes, *runs)
    players = _players(cells, leaderboard, keys)
    benchmark = ", ".join(dict.fromkeys(cell.summary.suite.partition(":")[0] for cell in cells))
    where = shared_conditions(cell.summary.condition for cell in cells)
    return scores_table(
        f"pass^1 on {benchmark}{where} by category, with 95 % confidence intervals over tasks.",
        keys,
        players,
        (*leaderboard.sizes, *(entry.name for entry in leaderboard.aggregates)),
        rows_are_agents=rows_are_agents,
        is_bold=is_bold,
    )


def scores_table(  # noqa: PLR0913 - what is shown, and how
    caption: str,
    keys: Place,
    players: Sequence[ScoredPlayer],
    order: Sequence[str],
    *,
    rows_are_agents: bool = False,
    is_bold: bool = False,
) -> PaperTable:
    """Return a table of categories and players.

    Args:
        caption: Its caption.
        keys: The headings of the names of the players.
        players: The players; at least one.
        order: The categories and aggregates; those that no player has are omitted.
        rows_are_agents: Whether players are rows and categories columns, instead of the reverse.
        is_bold: Whether the highest figure of rivals is set off.
    """
    categories = [name for name in order if any(name in player.scores for player in players)]
    figures = [[_estimate(player, name) for name in categories] for player in players]
    highest = _highest(players, figures) if is_bold else set()
    has_gaps = any(name not in player.scores for player in players for name in categories)
    has_bounds = any(cell.shown_bounds is not None for row in figures for cell in row)
    notes = (
        "; ".join(_missing(categories, players)),
        NOT_PLAYED_NOTE if has_gaps else "",
        BOUNDS_NOTE if has_bounds else "",
        BEST_NOTE if highest else "",
    )
    note = ". ".join(filter(None, notes))
    sizes = [_size(name, players) for name in categories]
    if rows_are_agents:
        counts: tuple[str | Estimate, ...] = (TRIALS, *[""] * (len(keys) - 1), *sizes)
        rows: tuple[tuple[str | Estimate, ...], ...] = tuple(
            (*player.names, *row) for player, row in zip(players, figures, strict=True)
        )
        return PaperTable(
            caption,
            keys,
            tuple((name,) for name in categories),
            (*rows, counts),
            note,
            frozenset((at, len(keys) + number) for at, number in highest),
            (CATEGORY,),
        )
    return PaperTable(
        caption,
        (CATEGORY,),
        (*(player.names for player in players), (*[""] * (len(keys) - 1), TRIALS)),
        tuple(
            (name, *(row[number] for row in figures), sizes[number])
            for number, name in enumerate(categories)
        ),
        note,
        frozenset((number, 1 + at) for at, number in highest),
        keys,
    )


def _players(
    cells: Sequence[TableCell], leaderboard: Leaderboard, keys: Place
) -> tuple[ScoredPlayer, ...]:
    """Return the agents under their conditions, each key in the order of its first appearance."""
    found: dict[Place, dict[str, TableCell]] = {}
    for cell in cells:
        category = cell.summary.suite.partition(":")[2]
        found.setdefault(cell.values(keys), {})[category] = cell
    return tuple(
        _player(value_names(keys, place), rows, leaderboard)
        for place, rows in sorted(found.items(), key=order_of(found))
    )


def _player(names: Place, rows: Mapping[str, TableCell], leaderboard: Leaderboard) -> ScoredPlayer:
    summaries = {name: cell.summary for name, cell in rows.items()}
    scores = _scores(summaries, leaderboard)
    condition = next(iter(summaries.values())).condition
    return ScoredPlayer(names, scores, condition, _stored(rows, scores))


def _scores(rows: dict[str, CellSummary], leaderboard: Leaderboard) -> dict[str, AggregateScore]:
    """Return the categories that were played and the aggregates that have a task, by name."""
    categories, aggregates = leaderboard_scores(rows, leaderboard)
    return {each.name: each for each in (*categories, *aggregates) if each.tasks}


def _estimate(player: ScoredPlayer, name: str) -> Estimate:
    score = player.scores.get(name)
    if score is None:
        return Estimate()
    is_partial = score.tasks < score.size
    stored = {**player.stored.get(name, {}), "planned": score.size}
    return Estimate(score.value, score.interval, score.tasks, score.bounds, is_partial, stored)


def _stored(rows: Mapping[str, TableCell], names: Iterable[str]) -> dict[str, StoredValues]:
    """Return the stored values of each category; an aggregate has those that all of them share."""
    found = {name: stored_values(cell) for name, cell in rows.items()}
    first, *others = found.values()
    shared = {
        key: value
        for key, value in first.items()
        if all(other.get(key) == value for other in others) and key != SUITE
    }
    return {name: found.get(name, shared) for name in names}


def _highest(
    players: Sequence[ScoredPlayer], figures: Sequence[Sequence[Estimate]]
) -> set[tuple[int, int]]:
    """Return the highest figures among rivals, by player and category."""
    found = set()
    for rivalry in {player.rivalry for player in players}:
        rivals = [at for at, player in enumerate(players) if player.rivalry == rivalry]
        for number in range(len(figures[0])):
            values = {
                at: value for at in rivals if (value := figures[at][number].value) is not None
            }
            highest = max(values.values(), default=0.0)
            if highest > min(values.values(), default=0.0):
                found |= {(at, number) for at, value in values.items() if value == highest}
    return found


def _size(name: str, players: Sequence[ScoredPlayer]) -> str:
    """Return how many tasks a category is over, and of how many if not all were played."""
    found = [player.scores[name] for player in players if name in player.scores]
    counts = sorted({score.tasks for score in found})
    said = f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}"
    whole = max(score.size for score in found)
    return said if counts == [whole] else f"{said} of {whole:,}"


def _missing(names: Sequence[str], players: Sequence[ScoredPlayer]) -> Iterator[str]:
    """Yield the aggregates without a figure, and the missing categories of each."""
    for name in names:
        missing = dict.fromkeys(
            part
            for player in players
            if name in player.scores
            for part in player.scores[name].missing
        )
        if missing:
            yield f"{name} has no figure without {', '.join(missing)}"
