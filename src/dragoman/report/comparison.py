"""Comparisons of cells in a terminal, and the smallest difference that a run can detect."""

from collections.abc import Iterator, Sequence
from shlex import quote
from typing import TYPE_CHECKING

from dragoman.analysis.cell_summary import PlaceInRun
from dragoman.analysis.comparison import CellName, Comparison, TaskPair
from dragoman.analysis.power import (
    FEWEST_TASKS,
    SMALL,
    Detectable,
    detectable,
    variance_of_compared,
)
from dragoman.core.texts.characters import escape_controls
from dragoman.report import formatting
from dragoman.report.text_tables import TextTable
from dragoman.report.view_model import RunView

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text


def show_run_command(run: str, place: PlaceInRun) -> str:
    """Return the command that shows one conversation.

    Args:
        run: The run's folder.
        place: Its place in the run.
    """
    words = ["dragoman", "show", run, place.task, "--agent", place.agent]
    words += ["--condition", place.condition]
    if place.trial:
        words += ["--trial", str(place.trial)]
    return " ".join(map(quote, words))


def differences_table(comparisons: Sequence[Comparison], scoring: tuple[str, str]) -> TextTable:
    """Return a table with one row per comparison, with a line for each k.

    The lines have the figures, the difference, and its certainty.
    """
    assumed = any(entry.assumed for entry in comparisons)
    shared = len({entry.b.condition for entry in comparisons}) == 1
    return TextTable(
        headings=("A -> B", "tasks", "k", "A", "B", "B - A", "95 % interval", "p", "Holm"),
        rows=tuple(_row(entry, is_condition_shared=shared) for entry in comparisons),
        title=f"rules {scoring[0]}, judge {scoring[1]}; differences are B minus A",
        note=f"{formatting.ASSUMED}: {formatting.ASSUMED_NOTE}" if assumed else "",
        numbers=frozenset({"tasks", "k", "A", "B", "B - A"}),
        is_spaced=True,
    )


def print_details(console: "Console", comparisons: Sequence[Comparison]) -> None:
    """Print for each comparison the excluded tasks, the flipped tasks, and the means."""
    for entry in comparisons:
        console.print()
        console.print(_plain(_title(entry), "bold"))
        details = list(_details(entry))
        width = max((len(label) for label, _ in details), default=0)
        for label, line in details:
            console.print(_plain(f"  {label:<{width}}  {line}"), soft_wrap=True)


def _row(entry: Comparison, *, is_condition_shared: bool) -> tuple[str, ...]:
    names = _name_lines(entry, is_condition_shared=is_condition_shared)
    mark = [formatting.ASSUMED] if entry.assumed else []
    columns = [
        [*names, *mark],
        [f"{tasks:,}" for tasks in _tasks(entry)],
        *([["1"], *[["none"]] * 6] if not entry.gaps else _figures(entry)),
    ]
    return tuple("\n".join(lines) for lines in columns)


def _tasks(entry: Comparison) -> Iterator[int]:
    """Yield the number of compared tasks, and the numbers for those k that have fewer."""
    yield len(entry.pairs)
    if any(gap.tasks != len(entry.pairs) for gap in entry.gaps):
        yield from (gap.tasks for gap in entry.gaps[1:])


def _figures(entry: Comparison) -> Iterator[list[str]]:
    """Yield the columns of figures, each with a line for every k; p is that of the first."""
    yield [str(gap.k) for gap in entry.gaps]
    yield [formatting.number(gap.a) for gap in entry.gaps]
    yield [formatting.number(gap.b) for gap in entry.gaps]
    yield [formatting.difference(gap.difference) for gap in entry.gaps]
    yield [formatting.signed_interval(gap.interval) for gap in entry.gaps]
    yield [formatting.p_value(entry.p)]
    yield [formatting.p_value(entry.adjusted_p)]


def _name_lines(entry: Comparison, *, is_condition_shared: bool) -> list[str]:
    """Return the names that identify a comparison in its table, one per line."""
    a, b = entry.a, entry.b
    agents = [a.agent] if a.agent == b.agent else [a.agent, f"-> {b.agent}"]
    if a.condition != b.condition:
        return [*agents, a.condition.label, f"-> {b.condition.label}"]
    return agents if is_condition_shared and len(agents) > 1 else [*agents, a.condition.label]


def _names(entry: Comparison) -> str:
    """Return the differences between the cells, in as few words as possible."""
    a, b = entry.a, entry.b
    if (a.agent, a.condition) == (b.agent, b.condition):
        return f"{a.agent}, {a.condition.label}"
    if a.condition == b.condition:
        return f"{a.agent} -> {b.agent}"
    if a.agent == b.agent:
        return f"{a.agent}: {a.condition.label} -> {b.condition.label}"
    return f"{_place(a)} -> {_place(b)}"


def _place(name: CellName) -> str:
    return f"{name.agent}, {name.condition.label}"


def _title(entry: Comparison) -> str:
    a, b = entry.a, entry.b
    runs = f"run {a.run}" if a.run == b.run else f"A {a.run}, B {b.run}"
    where = "" if a.condition != b.condition else f", {a.condition.label}"
    return f"{_names(entry)}: {a.suite}{where}, {runs}"


def _details(entry: Comparison) -> Iterator[tuple[str, str]]:
    if entry.left_out:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in entry.left_out.items())
        yield (
            "excluded",
            f"{formatting.format_count(sum(entry.left_out.values()), 'task')}: {reasons}",
        )
    if entry.pairs:
        yield "better in B", _format_flipped_tasks(entry.won)
        yield from _flipped_task_commands(entry, entry.won)
        yield "worse in B", _format_flipped_tasks(entry.lost)
        yield from _flipped_task_commands(entry, entry.lost)
    for name, means in entry.means.items():
        if means.a is not None or means.b is not None:
            yield name, f"{formatting.mean(means.a)} -> {formatting.mean(means.b)} a conversation"


def _format_flipped_tasks(pairs: Sequence[TaskPair]) -> str:
    if not pairs:
        return "none"
    named = "; ".join(f"{pair.task} {_rewards(pair.a)} -> {_rewards(pair.b)}" for pair in pairs)
    return f"{formatting.format_count(len(pairs), 'task')}: {named}"


def _flipped_task_commands(
    entry: Comparison, flipped: Sequence[TaskPair]
) -> Iterator[tuple[str, str]]:
    """Yield the commands that show the first of some flipped tasks in A and in B."""
    for pair in flipped[:1]:
        for side, name, trial in zip("AB", (entry.a, entry.b), pair.apart, strict=True):
            place = PlaceInRun(name.agent, name.condition.label, pair.task, trial)
            yield f"one in {side}", show_run_command(name.run, place)


def _rewards(values: Sequence[float]) -> str:
    return f"[{' '.join(f'{value:g}' for value in values)}]"


def _plain(text: str, style: str = "") -> "Text":
    from rich.text import Text

    return Text(escape_controls(text), style=style)


def power_line(found: Detectable) -> str:
    """Return the smallest detectable drop, and the tasks that a small one would need."""
    tasks = formatting.format_count(found.tasks, "task")
    plan = f"{found.suite}, {tasks} of {formatting.format_count(found.trials, 'trial')}"
    if found.drop is None:
        why = (
            f"fewer than {FEWEST_TASKS} tasks cannot reach 5 %"
            if found.tasks < FEWEST_TASKS
            else "not even one of 100 points"
        )
        shown = f"no drop of pass^1 is detectable with 80 % power: {why}"
    else:
        shown = (
            f"the smallest drop of pass^1 that is detectable with 80 % power is "
            f"{100 * found.drop:.1f} points (paired by task, two-sided 5 %)"
        )
    needed = f"{100 * SMALL:.0f} points need {found.tasks_for_small:,} tasks with as many trials"
    return f"{plan}: {shown}; {needed}; {_basis(found)}"


def power_summary(found: Detectable) -> str:
    """Return the smallest detectable drop, in one short sentence."""
    plan = formatting.format_count(found.tasks, "task")
    if found.drop is None:
        return f"power: no drop of pass^1 is detectable with {plan} of {found.suite}."
    return (
        f"power: {found.suite} detects a drop of pass^1 of {100 * found.drop:.1f} points "
        f"(80 % power, {plan})."
    )


def _basis(found: Detectable) -> str:
    variance = found.variance
    match variance.basis:
        case "stored":
            one = ", of one trial: more are counted as no gain" if variance.trials == 1 else ""
            pairs = formatting.format_count(variance.of, "pair")
            return f"variances as stored of {pairs} of a task{one}"
        case "stored within tasks":
            return "variances as stored within tasks, and assumed between them"
        case _:
            return "variances are assumed (docs/reference/metrics.md)"


def run_power(
    runs: Sequence[RunView], comparisons: Sequence[Comparison]
) -> Iterator[tuple[str, Detectable]]:
    """Yield the smallest detectable drop of each run and suite, by its own variances."""
    for run in runs:
        for suite in dict.fromkeys(cell.suite for cell in run.cells):
            cells = [cell for cell in run.cells if cell.suite == suite]
            cell_pairs = (
                each
                for each in comparisons
                if each.a.suite == suite and each.a.run == each.b.run == run.name
            )
            rows = (row for row in run.outcomes if row.suite == suite)
            tasks = max(cell.planned_tasks for cell in cells)
            trials = max(cell.result.trials for cell in cells)
            yield run.name, detectable(suite, tasks, trials, variance_of_compared(cell_pairs, rows))
