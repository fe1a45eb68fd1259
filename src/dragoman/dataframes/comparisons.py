"""Comparison of stored runs, or of the cells of one, and drops between its conditions."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import msgspec

from dragoman.analysis.cell_summary import ConversationResult
from dragoman.analysis.comparison import (
    CellOutcomes,
    CellPair,
    Comparison,
    comparable,
    group_cells,
)
from dragoman.analysis.drops import CountedShare, Drop, DropPart, PairedShares, find_drops
from dragoman.analysis.faithful_pairs import faithful_pairs, with_faithful_personas
from dragoman.analysis.families import (
    compare_in_families,
    matched_pairs,
    pairs_of_one_condition,
)
from dragoman.analysis.grouping import PERSONA
from dragoman.analysis.persona_fidelity import KEPT
from dragoman.core.conditions import axis_values
from dragoman.core.errors import StoreError, UsageError
from dragoman.core.personas import stated_persona
from dragoman.core.texts.counts import format_count
from dragoman.dataframes.results import fitting_scorings, outcomes
from dragoman.models.prices import PriceTable, strip_price
from dragoman.runs.manifest import Manifest, read_manifest, stored_prices
from dragoman.store.run_store import RunStore, open_run

if TYPE_CHECKING:
    import polars as pl


class ComparisonOptions(msgspec.Struct, frozen=True):
    """Options of a comparison.

    Attributes:
        agents: Agents to compare; empty for all.
        versus: The agent whose cells are B; A has the cells of the one agent in `agents`.
        rules: Rule set of the scores; None for the newest scoring that all runs have.
        judge: Judge of the scores.
        by: The only difference of two cells: an axis, or `agent`; None for any single difference.
        kept: Share of a card's statements that the users of a cell must show to be compared by
            persona.
    """

    agents: tuple[str, ...] = ()
    versus: str | None = None
    rules: str | None = None
    judge: str | None = None
    by: str | None = None
    kept: float = KEPT


class RunComparison(msgspec.Struct, frozen=True):
    """Result of comparing runs: B against A, by one scoring.

    Attributes:
        runs: The folders: one, or A and B.
        rules: The rule set of the scores.
        judge: Their judge.
        comparisons: One comparison per pair of cells.
        notes: Other differences of the runs, and cells that could not be compared.
    """

    runs: tuple[str, ...]
    rules: str
    judge: str
    comparisons: tuple[Comparison, ...]
    notes: tuple[str, ...] = ()

    @property
    def frame(self) -> "pl.DataFrame":
        """One row per pair of cells and k, as a polars data frame."""
        from dragoman.dataframes.comparison_frames import comparisons_frame

        return comparisons_frame(self.comparisons)

    @property
    def tasks(self) -> "pl.DataFrame":
        """One row per couple of cells and compared task, as a polars data frame."""
        from dragoman.dataframes.comparison_frames import pairs_frame

        return pairs_frame(self.comparisons)


class _Run(msgspec.Struct, frozen=True):
    """One run, read: its manifest and cells."""

    folder: str
    manifest: Manifest
    cells: tuple[CellOutcomes, ...]


def compare_runs(
    folders: Sequence[Path], wanted: ComparisonOptions, prices: PriceTable | None = None
) -> RunComparison:
    """Compare two runs cell by cell, or every two cells of one run.

    Args:
        folders: One run, or A and B.
        wanted: Options: the cells, and the scoring.
        prices: Prices of models; None for the prices that each run was started with.

    Raises:
        UsageError: If the runs have nothing to compare.
        StoreError: If the runs were not scored by the same rules and judge.
    """
    _require_sensible(folders, wanted)
    rules, judge = _common_scoring(folders, wanted)
    runs = [_read(folder, (rules, judge), prices) for folder in folders]
    _require_known(runs, wanted)
    cell_pairs = _choose_baseline_pairs(runs, wanted)
    if not cell_pairs:
        raise _nothing(runs, wanted.by)
    cell_pairs, of_cards = with_faithful_personas(cell_pairs, wanted.kept)
    if not cell_pairs:
        raise UsageError(f"{runs[0].folder}: nothing to compare: {of_cards[0]}")
    return RunComparison(
        runs=tuple(run.folder for run in runs),
        rules=rules,
        judge=judge,
        comparisons=compare_in_families(
            cell_pairs,
            [cell for run in runs for cell in run.cells],
            lambda pairs: with_faithful_personas(pairs, wanted.kept)[0],
        ),
        notes=(*of_cards, *_notes(runs, cell_pairs)),
    )


def _require_sensible(folders: Sequence[Path], wanted: ComparisonOptions) -> None:
    if not 1 <= len(folders) <= 2:  # noqa: PLR2004 - A and B
        raise UsageError(f"{len(folders)} runs: name one, or two")
    if len({folder.resolve() for folder in folders}) < len(folders):
        raise UsageError(f"{folders[0]} is named twice: name it once to compare its cells")
    if wanted.by is not None and len(folders) != 1:
        raise UsageError("--by chooses among the cells of one run: name one run")
    if wanted.versus is not None and len(wanted.agents) != 1:
        raise UsageError("--versus needs one --agent to be set against")


def _common_scoring(folders: Sequence[Path], wanted: ComparisonOptions) -> tuple[str, str]:
    """Return the newest scoring, among those named, that all runs have."""
    fitting = []
    for folder in folders:
        with open_run(folder, write=False) as store:
            fitting.append(fitting_scorings(store, wanted.rules, wanted.judge))
    common = [pair for pair in fitting[0] if all(pair in known for known in fitting)]
    if not common:
        newest = " and by ".join(
            f"rules {known[-1][0]} with judge {known[-1][1]}" for known in fitting
        )
        raise StoreError(
            f"{folders[0]} and {folders[1]} were never scored alike, but by {newest}: "
            "use `dragoman score` first"
        )
    return common[-1]


def _read(folder: Path, scoring: tuple[str, str], prices: PriceTable | None) -> _Run:
    with open_run(folder, write=False) as store:
        return _Run(
            str(folder),
            read_manifest(store),
            group_cells(
                str(folder),
                outcomes(store, *scoring, heads_only=True),
                {task.id: task.digest for task in store.tasks().values()},
                (prices or stored_prices(store)).price_of,
            ),
        )


def _require_known(runs: Sequence[_Run], wanted: ComparisonOptions) -> None:
    """Refuse agents that a run does not have; with `versus`, A has the one and B the other."""
    in_last = wanted.agents if wanted.versus is None else (wanted.versus,)
    for run, agents in ((runs[0], wanted.agents), (runs[-1], in_last)):
        known = dict.fromkeys(cell.name.agent for cell in run.cells)
        for agent in agents:
            if agent not in known:
                raise UsageError(f"{run.folder}: no agent {agent!r}: choose of {', '.join(known)}")


def _choose_baseline_pairs(runs: Sequence[_Run], wanted: ComparisonOptions) -> tuple[CellPair, ...]:
    """Return the pairs (A, B) that the options ask for."""
    first, last = ([*_choose_cells(run, wanted)] for run in (runs[0], runs[-1]))
    if wanted.versus is not None:
        rivals = [cell for cell in runs[-1].cells if cell.name.agent == wanted.versus]
        return pairs_of_one_condition(first, rivals, by_agent=False)
    if len(runs) == 1:
        return tuple(comparable(first, wanted.by))
    return matched_pairs(first, last)


def _choose_cells(run: _Run, wanted: ComparisonOptions) -> Iterator[CellOutcomes]:
    return (cell for cell in run.cells if not wanted.agents or cell.name.agent in wanted.agents)


def _nothing(runs: Sequence[_Run], by: str | None) -> UsageError:
    if len(runs) == 1:
        apart = f" that differ in {by} alone" if by else ""
        folder = runs[0].folder
        tasks = (row.task for cell in runs[0].cells for row in cell.outcomes)
        if by == PERSONA and any(map(stated_persona, tasks)):
            return UsageError(
                f"{folder}: its tasks state their personas, each its own: they are not paired; "
                f"pass^1 by persona: dragoman show {quote(folder)} --by persona"
            )
        return UsageError(f"{folder}: no two cells{apart} to compare: name a second run")
    suites = [", ".join(dict.fromkeys(cell.name.suite for cell in run.cells)) for run in runs]
    where = f"{runs[0].folder} and {runs[1].folder}"
    if suites[0] != suites[1]:
        return UsageError(f"{where} have nothing in common: {suites[0]} is not {suites[1]}")
    return UsageError(
        f"{where} have no agent or condition in common: name two agents with --agent and --versus"
    )


def _notes(runs: Sequence[_Run], cell_pairs: Sequence[CellPair]) -> Iterator[str]:
    """Yield further differences of two runs, and the cells without a counterpart."""
    if len(runs) == 1:
        return
    a, b = runs
    for name, fact in FACTS.items():
        of_a, of_b = fact(a.manifest), fact(b.manifest)
        if of_a != of_b:
            yield f"{name} differ: {of_a} in A, {of_b} in B"
    compared = {cell.name for pair in cell_pairs for cell in pair}
    for side, run in (("A", a), ("B", b)):
        alone = [cell.name for cell in run.cells if cell.name not in compared]
        if alone:
            # The cells of a benchmark with many suites would repeat one text.
            suites = Counter((name.agent, name.condition.label) for name in alone)
            names = ", ".join(
                f"{agent} ({label})" + (f" in {format_count(count, 'suite')}" if count > 1 else "")
                for (agent, label), count in suites.items()
            )
            yield f"not compared in {side}: {names}"


FACTS: dict[str, Callable[[Manifest], object]] = {
    "simulated users": lambda manifest: strip_price(manifest.config.user) or "the agents' partners",
    "rules of play": lambda manifest: manifest.config.rules,
    "limits of steps": lambda manifest: manifest.config.max_steps,
    "limits of tool errors": lambda manifest: manifest.config.max_errors,
    "limits of seconds": lambda manifest: manifest.config.timeout or "none",
    "prompts": lambda manifest: manifest.prompts or "unknown",
    "benchmark data": lambda manifest: manifest.provenance.digest,
}
"""Facts that two runs should share, so that a difference comes from their agents."""


def drops_among(store: RunStore, rows: Sequence[ConversationResult]) -> tuple[Drop, ...]:
    """Return the drops between the conditions of these conversations of one run.

    Pairs that differ in a persona which users did not keep to are excluded, because they say
    nothing about it.
    """
    if len({row.condition for row in rows}) == 1:
        return ()
    digests = {task.id: task.digest for task in store.tasks().values()}
    cells = group_cells(str(store.folder), rows, digests)
    return find_drops(cells, faithful_pairs)


def drop_object(loss: Drop) -> dict[str, object]:
    """Return a loss as JSON has it: shares of trials, and the conversations behind each."""
    found = loss.comparison
    return {
        "suite": found.a.suite,
        "agent": found.a.agent,
        "base": {"condition": found.a.condition.label, "axes": axis_values(found.a.condition)},
        "other": {"condition": found.b.condition.label, "axes": axis_values(found.b.condition)},
        "differs": found.differs,
        "tasks": len(found.pairs),
        "left_out": found.left_out,
        "pass_hat_base": found.gaps[0].a if found.gaps else None,
        "pass_hat_other": found.gaps[0].b if found.gaps else None,
        "lost": loss.value,
        "interval": msgspec.to_builtins(loss.interval),
        "p": found.p,
        "adjusted_p": found.adjusted_p,
        "family": found.family,
        "corrected_for": found.corrected_for,
        "assumed": found.assumed,
        "stages": list(map(_part_object, loss.parts)),
        "failed_with_a_value_misheard": msgspec.to_builtins(loss.misrecognized),
        "values": list(map(_share_object, loss.values)),
        "word_errors": _sides_object(loss.word_errors),
        "other_language": _sides_object(loss.other_language),
    }


def _part_object(part: DropPart) -> dict[str, object]:
    found: dict[str, object] = msgspec.to_builtins(part)
    return {**found, "interval": msgspec.to_builtins(part.interval)}


def _share_object(share: CountedShare | None) -> dict[str, object] | None:
    if share is None:
        return None
    found: dict[str, object] = msgspec.to_builtins(share)
    return {**found, "value": share.value}


def _sides_object(sides: PairedShares) -> dict[str, object]:
    return {"base": _share_object(sides.base), "other": _share_object(sides.other)}
