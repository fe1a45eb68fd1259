"""`dragoman show RUN --by AXIS`."""

from collections.abc import Sequence
from pathlib import Path

from dragoman.analysis.by_axis import AGENT, Group, by_axes
from dragoman.cli.output import print_figures_json
from dragoman.core.conditions import axis_names
from dragoman.core.errors import UsageError
from dragoman.report import wording
from dragoman.report.fitting import TextTable, print_table
from dragoman.store.run import RunStore, open_run
from dragoman.tables.outcomes import chosen_scoring, outcomes
from dragoman.wiring.participants import judge_name


def print_groups(
    folder: Path, axes: Sequence[str], rules: str | None, judge: str | None, *, as_json: bool
) -> None:
    """Print pass^1 of a run by axis.

    Raises:
        UsageError: For an axis that the run does not have.
    """
    with open_run(folder, write=False) as store:
        _require_known(store, axes)
        scoring = chosen_scoring(store, rules, judge_name(judge))
        groups = by_axes(outcomes(store, *scoring, heads_only=True), axes)
    if as_json:
        print_figures_json({"run": str(folder), "by": axes, "groups": groups})
        return
    print_table(_table(groups, axes))


def _require_known(store: RunStore, axes: Sequence[str]) -> None:
    known = (AGENT, *axis_names(cell.condition for cell in store.cells()))
    for axis in axes:
        if axis not in known:
            raise UsageError(f"--by {axis}: no such axis: choose of {', '.join(known)}")


def _table(groups: Sequence[Group], axes: Sequence[str]) -> TextTable:
    """Return the groups of one suite, which a run has, as a table."""
    assumed = any(group.assumed for group in groups)
    return TextTable(
        headings=(*axes, "pass^1", "95 % interval", "tasks", "cells"),
        rows=tuple(
            (
                *group.values.values(),
                _figure(group),
                ""
                if group.interval is None
                else f"{group.interval.low:.3f} to {group.interval.high:.3f}",
                f"{group.tasks} of {group.tasks + group.left_out}",
                str(group.cells),
            )
            for group in groups
        ),
        title=", ".join(dict.fromkeys(group.suite for group in groups)),
        note="each task counts once, by its mean over the cells of the group; left out are tasks "
        "that were not played in one of them, or not decided"
        + (f"; {wording.ASSUMED}: {wording.ASSUMED_NOTE}" if assumed else ""),
        numbers=frozenset({"pass^1", "tasks", "cells"}),
    )


def _figure(group: Group) -> str:
    mark = f"{wording.ASSUMED} " if group.assumed else ""
    return f"{mark}{wording.number(group.value)}"
