"""Implementation of `dragoman compare`: two runs or cells, with a regression gate for CI."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from dragoman.analysis.comparison import Comparison
from dragoman.analysis.persona_fidelity import KEPT
from dragoman.cli.compare_answer import AnswerFooter, comparison_lines, full_comparison_command
from dragoman.cli.output import console, print_error, print_line, print_metrics_json
from dragoman.core.errors import UsageError
from dragoman.core.scores import NO_JUDGE
from dragoman.core.texts.characters import escape_controls
from dragoman.dataframes.comparison_frames import comparison_object
from dragoman.dataframes.comparisons import ComparisonOptions, RunComparison, compare_runs
from dragoman.models.prices import load_prices
from dragoman.registry.participant_names import judge_name
from dragoman.report.comparison import differences_table, print_details
from dragoman.report.comparison_answer import build_comparison_answer
from dragoman.report.text_tables import print_table

FAILED = 1
"""The exit status if B is worse than allowed."""


class ComparisonRequest(msgspec.Struct, frozen=True):
    """The options of one comparison."""

    folders: tuple[Path, ...]
    agents: tuple[str, ...]
    versus: str | None
    rules: str | None
    judge: str | None
    prices: Path | None
    by: str | None = None
    kept: float | None = None


class RegressionGate(msgspec.Struct, frozen=True):
    """The largest drops of pass^1 from A to B that pass; None for no limit.

    `margin` bounds the difference, `interval_margin` the low end of its interval.
    """

    margin: float | None
    interval_margin: float | None

    def objections(self, entry: Comparison) -> Iterator[str]:
        """Yield the violations of a comparison; one without a common task never passes."""
        if self.margin is None and self.interval_margin is None:
            return
        if not entry.gaps:
            yield "no common task"
            return
        first = entry.gaps[0]
        if self.margin is not None and first.difference < -self.margin:
            yield f"pass^1 differs by {first.difference:+.3f}, allowed is -{self.margin:g}"
        if self.interval_margin is not None and first.interval.low < -self.interval_margin:
            yield (
                f"pass^1 may differ by {first.interval.low:+.3f} (95 % interval), "
                f"allowed is -{self.interval_margin:g}"
            )


def print_comparison(
    asked: ComparisonRequest, gate: RegressionGate, *, full: bool, as_json: bool
) -> int:
    """Print a comparison and return the exit status: 1 if a gate is not passed."""
    for name, value in msgspec.structs.asdict(gate).items():
        if value is not None and not 0 <= value <= 1:
            option = {"margin": "--fail-under", "interval_margin": "--fail-under-interval"}[name]
            raise UsageError(f"{option} must lie between 0 and 1, not {value:g}")
    kept = KEPT if asked.kept is None else asked.kept
    judge = judge_name(asked.judge)
    wanted = ComparisonOptions(asked.agents, asked.versus, asked.rules, judge, asked.by, kept)
    prices = None if asked.prices is None else load_prices(asked.prices)
    found = compare_runs(asked.folders, wanted, prices)
    if as_json:
        print_metrics_json(_object(found))
    else:
        _print(found, asked, full=full)
    return _report_objections(found, gate)


def _object(found: RunComparison) -> dict[str, object]:
    return {
        "runs": found.runs,
        "rules": found.rules,
        "judge": found.judge,
        "notes": found.notes,
        "comparisons": [comparison_object(entry) for entry in found.comparisons],
    }


def _print(found: RunComparison, asked: ComparisonRequest, *, full: bool) -> None:
    """Print the answer; with `full` also every figure, otherwise the command that prints it."""
    terminal = console()
    judge = "" if found.judge == NO_JUDGE else f", judge {found.judge}"
    footer = AnswerFooter(f"{found.rules}{judge}", found.notes)
    answer = build_comparison_answer(found.comparisons)
    for line in comparison_lines(answer, footer, terminal.width, full=full):
        print(line)
    if not full:
        print_line(f"\nNext: {_full_command(asked)}   every k, tasks won and lost")
        return
    print_table(differences_table(found.comparisons, (found.rules, found.judge)), terminal)
    print_details(terminal, found.comparisons)
    for note in found.notes:
        terminal.print(
            f"note: {escape_controls(note)}", markup=False, highlight=False, soft_wrap=True
        )


def _full_command(asked: ComparisonRequest) -> str:
    options = [
        *(("--agent", agent) for agent in asked.agents),
        ("--versus", asked.versus),
        ("--by", asked.by),
        ("--kept", asked.kept),
        ("--rules", asked.rules),
        ("--judge", asked.judge),
        ("--prices", asked.prices),
    ]
    return full_comparison_command(asked.folders, options)


def _report_objections(found: RunComparison, gate: RegressionGate) -> int:
    status = 0
    for entry in found.comparisons:
        for objection in gate.objections(entry):
            where = f"{entry.a.agent} -> {entry.b.agent}, {entry.b.condition.label}"
            print_error(escape_controls(f"{where}: {objection}"))
            status = FAILED
    return status
