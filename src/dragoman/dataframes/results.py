"""Results of stored runs by one scoring, as records and as JSON.

Runs that are read together are scored by the same rules and judge, and share no conversation.
Verdicts that came with an imported run are compared with those of another scoring.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from dragoman.analysis.cell_summary import (
    CellSummary,
    ConversationResult,
    LedgerLine,
    ledger_cost,
    merge_ledgers,
    summarize,
)
from dragoman.analysis.input_modes import TaskId
from dragoman.analysis.measure_metrics import MeasureRow, measure_rows
from dragoman.analysis.pass_hat import PassHat
from dragoman.core.conditions import axis_names, axis_values
from dragoman.core.costs import Cost
from dragoman.core.errors import StoreError, UsageError
from dragoman.core.measures import DeclaredMetrics
from dragoman.core.scores import IMPORTED, METRIC_VERSION, NO_JUDGE, USER_JUDGE, Scored
from dragoman.models.prices import PriceTable
from dragoman.runs.manifest import Manifest, read_manifest, stored_prices
from dragoman.store.run_store import RunStore, open_run


def chosen_scoring(store: RunStore, rules: str | None, judge: str | None) -> tuple[str, str]:
    """Return rules and judge to read a run by: the newest scoring that fits the arguments.

    Raises:
        StoreError: If the run has no such scoring; the message lists the existing ones.
    """
    return fitting_scorings(store, rules, judge)[-1]


def fitting_scorings(
    store: RunStore, rules: str | None, judge: str | None
) -> tuple[tuple[str, str], ...]:
    """Return the scorings of a run that fit the arguments, the newest last.

    Raises:
        StoreError: If the run has no such scoring; the message lists the existing ones.
    """
    scorings = store.scorings()
    if not scorings and rules is None and judge is None:
        return ((read_manifest(store).config.rules, NO_JUDGE),)
    fitting = [pair for pair in scorings if rules in {None, pair[0]} and _is_by(pair[1], judge)]
    if not fitting:
        known = ", ".join(f"rules {pair[0]} with judge {pair[1]}" for pair in scorings) or "nothing"
        raise StoreError(
            f"{store.folder}: not scored like that, but by {known}: use `dragoman score` first"
        )
    return tuple(fitting)


def _is_by(name: str, judge: str | None) -> bool:
    """Return whether a scoring has the named judge, with or without a judge of users."""
    return judge in {None, name, name.split(USER_JUDGE, maxsplit=1)[0]}


def outcomes(
    store: RunStore, rules: str, judge: str, *, heads_only: bool
) -> Iterator[ConversationResult]:
    """Yield one outcome per cell, in the plan's order; `heads_only` leaves the events out."""
    scores = store.scores(rules, judge, METRIC_VERSION)
    episodes = {key: episode for key, _, episode in store.episodes(heads_only=heads_only)}
    earlier = store.earlier_usage(rules, judge, METRIC_VERSION)
    measured = store.measured()
    for cell in store.cells():
        yield ConversationResult(
            suite=cell.suite,
            condition=cell.condition,
            agent=cell.agent,
            task=cell.task,
            trial=cell.trial,
            episode=episodes.get(cell.key),
            score=scores.get(cell.key),
            earlier=earlier.get(cell.key, ()),
            measures=measured.get(cell.key, ()),
            key=cell.key,
        )


class RunFigures(NamedTuple):
    """The figures of a run: of each cell of the grid, and of every measure in it."""

    cells: tuple[CellSummary, ...]
    measures: tuple[MeasureRow, ...]


def run_figures(  # noqa: PLR0913 - a run, its scoring, and how much of it
    store: RunStore,
    rules: str,
    judge: str,
    prices: PriceTable | None = None,
    pooled: str = "",
    *,
    every_version: bool = False,
) -> RunFigures:
    """Return all figures under one rule set and judge; costs are as in `summary`.

    With `pooled` the run's suites are taken together, under this name. With `every_version`
    measures have the figures of their older versions, too.
    """
    price_of = (prices or stored_prices(store)).price_of
    rows = tuple(outcomes(store, rules, judge, heads_only=True))
    if pooled:
        rows = tuple(msgspec.structs.replace(row, suite=pooled) for row in rows)
    cells = summarize(rows, rules, judge, price_of, read_manifest(store).preflight)
    return RunFigures(
        cells, measure_rows(rows, cells, store.declared(), every_version=every_version)
    )


def summary(
    store: RunStore, rules: str, judge: str, prices: PriceTable | None = None
) -> tuple[CellSummary, ...]:
    """Return the figures of every cell of the grid under one rule set and judge.

    Costs are by `prices`, or by those that the run was started with.
    """
    price_of = (prices or stored_prices(store)).price_of
    rows = outcomes(store, rules, judge, heads_only=True)
    return summarize(rows, rules, judge, price_of, read_manifest(store).preflight)


class ScoredRun(msgspec.Struct, frozen=True):
    """One run, read by one scoring (rules and judge)."""

    folder: Path
    scoring: tuple[str, str]
    manifest: Manifest
    outcomes: tuple[ConversationResult, ...]
    digests: dict[TaskId, str]
    declared: dict[str, DeclaredMetrics]


def scored_runs(
    folders: Sequence[Path],
    rules: str | None,
    judge: str | None,
    *,
    is_apart: bool = False,
    repair: str = "name one of them",
) -> tuple[ScoredRun, ...]:
    """Return runs to be read together.

    Args:
        folders: The runs.
        rules: The rule set that they were scored by; None for the newest scoring.
        judge: The judge; None for the judge of the newest scoring.
        is_apart: Whether the runs are told apart, so that two may have the same conversation.
        repair: The advice if two runs have the same conversation.

    Raises:
        UsageError: If a run is named twice, a conversation is in two runs that are not told apart,
            or they were not scored by the same rules and judge.
        StoreError: If one cannot be read.
    """
    if len({folder.resolve() for folder in folders}) < len(folders):
        raise UsageError("a run is named twice: name each run once")
    runs = tuple(_read(folder, rules, judge) for folder in folders)
    _require_one_scoring(runs)
    if not is_apart:
        _require_distinct(runs, repair)
    return runs


def task_digests(runs: Sequence[ScoredRun]) -> dict[TaskId, str]:
    """Return the digests of all tasks."""
    return {place: digest for run in runs for place, digest in run.digests.items()}


def stored_digests(store: RunStore) -> dict[TaskId, str]:
    """Return the digests of a run's tasks."""
    return {(task.suite, task.id): task.digest for task in store.tasks().values()}


def run_facts(runs: Sequence[ScoredRun]) -> tuple[tuple[str, str], ...]:
    """Return what figures of runs are made of: labels and values."""
    return tuple(_facts(runs, runs[0].scoring))


def _read(folder: Path, rules: str | None, judge: str | None) -> ScoredRun:
    with open_run(folder, write=False) as store:
        scoring = chosen_scoring(store, rules, judge)
        return ScoredRun(
            folder,
            scoring,
            read_manifest(store),
            tuple(outcomes(store, *scoring, heads_only=True)),
            stored_digests(store),
            store.declared(),
        )


def _require_one_scoring(runs: Sequence[ScoredRun]) -> None:
    found = dict.fromkeys(run.scoring for run in runs)
    if len(found) > 1:
        named = " and ".join(f"rules {rules} with judge {judge}" for rules, judge in found)
        raise UsageError(f"the runs were scored by {named}: choose --rules and --judge")


def _require_distinct(runs: Sequence[ScoredRun], repair: str) -> None:
    seen: dict[tuple[object, ...], Path] = {}
    for run in runs:
        places = {
            (row.suite, row.condition, row.agent, row.task, row.trial) for row in run.outcomes
        }
        for place in places:
            if place in seen:
                raise UsageError(
                    f"{run.folder}: {place[2]} played {place[3]} under the same condition as in "
                    f"{seen[place]}: {repair}"
                )
            seen[place] = run.folder


def _facts(runs: Sequence[ScoredRun], scoring: tuple[str, str]) -> Iterator[tuple[str, str]]:
    manifests = [run.manifest for run in runs]
    yield "runs", _format_distinct(str(run.folder) for run in runs)
    yield "suites", _format_distinct(entry.config.suite for entry in manifests)
    yield "rules", scoring[0]
    yield "judge", scoring[1]
    measures = (each for run in runs for row in run.outcomes for each in row.measures)
    yield "measures", _format_distinct(f"{each.measure} {each.version}" for each in measures)
    clarified = _format_distinct(judge for entry in manifests for judge in entry.clarified.values())
    if clarified:
        yield "clarifications", clarified
    heard = (
        str(voice.get("recognizer", "")) for entry in manifests for voice in entry.voices.values()
    )
    yield "recognizers", _format_distinct(heard)
    yield (
        "data",
        _format_distinct(
            f"{entry.provenance.source} ({entry.provenance.digest})" for entry in manifests
        ),
    )
    yield "dragoman", _format_distinct(entry.dragoman for entry in manifests)


def _format_distinct(values: Iterator[str]) -> str:
    return ", ".join(dict.fromkeys(value for value in values if value))


class Retried(msgspec.Struct, frozen=True):
    """Numbers of conversations repeated after an invalid user, and of valid ones."""

    conversations: int
    valid: int


def results_object(
    run: str,
    cells: Sequence[CellSummary],
    not_applicable: Mapping[str, str],
    retried: Retried | None = None,
    prices: str | None = None,
) -> dict[str, object]:
    """Return what `run --json` ends with; figures are keyed by k, unknown is null.

    `not_applicable` gives the conditions of the grid that are not played, with the reason; it
    stands under `not_played` too.
    `retried` is None if no conversation was to be played again. `prices` says of when they are.
    """
    lines = merge_ledgers(line for cell in cells for line in cell.ledger)
    names = axis_names(cell.condition for cell in cells)
    return {
        "run": run,
        "not_applicable": dict(not_applicable),
        "not_played": dict(not_applicable),
        "cells": [_cell_object(cell, names) for cell in cells],
        "retried": msgspec.to_builtins(retried),
        "infrastructure_errors": sum(cell.infrastructure_errors for cell in cells),
        "code_errors": sum(cell.code_errors for cell in cells),
        "usage": [_line_object(line) for line in lines],
        "cost": _cost_object(ledger_cost(lines)),
        "prices": prices,
    }


def measures_object(rows: Sequence[MeasureRow], unmeasured: Mapping[str, str]) -> dict[str, object]:
    """Return the figures of all measures, and why others could not be taken."""
    return {"measures": [_measure_object(row) for row in rows], "unmeasured": dict(unmeasured)}


def _measure_object(row: MeasureRow) -> dict[str, object]:
    return {
        **msgspec.structs.asdict(row),
        "condition": row.condition.label,
        "axes": axis_values(row.condition),
    }


def _line_object(line: LedgerLine) -> dict[str, object]:
    return {**msgspec.structs.asdict(line.usage), "cost": _cost_object(line.cost)}


def _cost_object(cost: Cost | None) -> dict[str, float] | None:
    return None if cost is None else {"usd": float(cost.nominal), "paid_usd": float(cost.paid)}


def _cell_object(cell: CellSummary, names: Sequence[str]) -> dict[str, object]:
    return {
        "suite": cell.suite,
        "condition": cell.condition.label,
        "axes": axis_values(cell.condition, names),
        "agent": cell.agent,
        "rules": cell.rules,
        "judge": cell.judge,
        "metric": METRIC_VERSION,
        **_figures_object(cell.result),
        "reference": None if cell.reference is None else msgspec.to_builtins(cell.reference),
        "assumed": cell.assumed,
        "missing": cell.missing,
        "infrastructure_errors": cell.infrastructure_errors,
        "code_errors": cell.code_errors,
        "tool_errors": cell.tool_errors,
        "malformed_calls": cell.malformed_calls,
        "unreadable": cell.unreadable,
        "calls_in_text": cell.calls_in_text,
        "near_tokens": cell.near_tokens,
        "unscored": cell.unscored,
        "endings": cell.endings,
        "ending_details": cell.ending_details,
        "cost": _cost_object(cell.cost),
        "invalid": cell.invalid,
        "invalid_kinds": cell.invalid_kinds,
        "without_invalid": None
        if cell.without_invalid is None
        else _figures_object(cell.without_invalid),
        "personas": msgspec.to_builtins(cell.stated),
    }


def _figures_object(result: PassHat) -> dict[str, object]:
    figures = result.figures
    return {
        "tasks": result.tasks,
        "left_out": result.left_out,
        "trials": result.trials,
        "tasks_by_k": {str(figure.k): figure.tasks for figure in figures},
        "pass_hat": {str(figure.k): figure.value for figure in figures},
        "interval": {str(figure.k): msgspec.to_builtins(figure.interval) for figure in figures},
        "bounds": {str(figure.k): msgspec.to_builtins(figure.bounds) for figure in figures},
    }


def outcome_object(row: ConversationResult) -> dict[str, object]:
    """Return one conversation as JSON shows it: its condition as text, and by axis."""
    fields = msgspec.structs.asdict(row)
    return {**fields, "condition": row.condition.label, "axes": axis_values(row.condition)}


class RewardDifference(msgspec.Struct, frozen=True):
    """One conversation whose recorded reward is another than the scoring's; None for no value."""

    suite: str
    agent: str
    task: str
    trial: int
    recorded: float
    scored: float | None
    why: str


class Agreement(msgspec.Struct, frozen=True):
    """Number of recorded rewards that a scoring reproduces, and the differences.

    `compared` counts conversations with a recorded reward that were scored.
    """

    compared: int
    agreeing: int
    differences: tuple[RewardDifference, ...]


def agreement(store: RunStore, rules: str, judge: str) -> Agreement | None:
    """Return how a scoring agrees with recorded verdicts; None if a run came with none."""
    if rules == IMPORTED:
        return None
    recorded = store.scores(IMPORTED, IMPORTED, METRIC_VERSION)
    if not recorded:
        return None
    scores = store.scores(rules, judge, METRIC_VERSION)
    compared, differences = 0, []
    for cell in store.cells():
        then, score = recorded.get(cell.key), scores.get(cell.key)
        if then is None or score is None or not isinstance(then.reward, Scored):
            continue
        compared += 1
        now = score.reward
        value = now.value if isinstance(now, Scored) else None
        if value != then.reward.value:
            why = score.note if isinstance(now, Scored) else now.reason
            place = (cell.suite, cell.agent, cell.task, cell.trial)
            differences.append(RewardDifference(*place, then.reward.value, value, why))
    return Agreement(compared, compared - len(differences), tuple(differences))
