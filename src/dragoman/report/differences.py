"""Comparisons of cells in a terminal."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from dragoman.analysis.comparison import CellName, Comparison, TaskPair
from dragoman.report import wording
from dragoman.report.visible import visible

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

MAX_NAMED = 20
"""How many flipped tasks are named unless all are asked for."""


def differences_table(comparisons: Sequence[Comparison], scoring: tuple[str, str]) -> "Table":
    """Return one row per comparison and k: both figures, the difference, how sure it is."""
    from rich import box
    from rich.table import Table

    assumed = any(entry.assumed for entry in comparisons)
    table = Table(
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        title=_plain(f"rules {scoring[0]}, judge {scoring[1]}; differences are those of B to A"),
        title_style="none",
        title_justify="left",
        caption=_plain(f"{wording.ASSUMED}: {wording.ASSUMED_NOTE}") if assumed else None,
    )
    # Names may fold where a terminal is narrow; figures are never cut.
    table.add_column("A -> B", overflow="fold", min_width=16)
    for name in ("tasks", "k", "A", "B", "B - A"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("95 % interval", no_wrap=True, min_width=16)
    table.add_column("p", no_wrap=True)
    table.add_column("Holm", no_wrap=True)
    for entry in comparisons:
        for row in _rows(entry):
            table.add_row(*map(_plain, row))
        table.add_section()
    return table


def print_details(
    console: "Console", comparisons: Sequence[Comparison], *, full: bool = False
) -> None:
    """Print for each comparison what was left out, which tasks flipped, and what it took."""
    for entry in comparisons:
        console.print()
        console.print(_plain(_title(entry), "bold"))
        for label, line in _details(entry, None if full else MAX_NAMED):
            console.print(_plain(f"  {label:<12}{line}"), soft_wrap=True)


def _rows(entry: Comparison) -> Iterator[tuple[str, ...]]:
    mark = f" {wording.ASSUMED}" if entry.assumed else ""
    name, tasks = f"{_names(entry)}{mark}", f"{len(entry.pairs):,}"
    if not entry.gaps:
        yield name, tasks, "1", *("none",) * 6
    for gap in entry.gaps:
        is_first = gap.k == 1
        yield (
            name if is_first else "",
            tasks if is_first else "",
            str(gap.k),
            wording.number(gap.a),
            wording.number(gap.b),
            wording.difference(gap.difference),
            wording.signed_interval(gap.interval),
            wording.p_value(entry.p) if is_first else "",
            wording.p_value(entry.adjusted_p) if is_first else "",
        )


def _names(entry: Comparison) -> str:
    """Return what differs between the cells, in as few words as tell them apart."""
    a, b = entry.a, entry.b
    if (a.agent, a.condition) == (b.agent, b.condition):
        return f"{a.agent}, {a.condition}"
    if a.condition == b.condition:
        return f"{a.agent} -> {b.agent}"
    if a.agent == b.agent:
        return f"{a.agent}: {a.condition} -> {b.condition}"
    return f"{_place(a)} -> {_place(b)}"


def _place(name: CellName) -> str:
    return f"{name.agent}, {name.condition}"


def _title(entry: Comparison) -> str:
    a, b = entry.a, entry.b
    runs = f"run {a.run}" if a.run == b.run else f"A {a.run}, B {b.run}"
    where = "" if a.condition != b.condition else f", {a.condition}"
    return f"{_names(entry)}: {a.suite}{where}, {runs}"


def _details(entry: Comparison, most: int | None) -> Iterator[tuple[str, str]]:
    if entry.left_out:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in entry.left_out.items())
        yield "left out", f"{wording.counted(sum(entry.left_out.values()), 'task')}: {reasons}"
    if entry.pairs:
        yield "won by B", _flipped(entry.won, most)
        yield "lost by B", _flipped(entry.lost, most)
    for name, means in entry.means.items():
        if means.a is not None or means.b is not None:
            yield name, f"{wording.mean(means.a)} -> {wording.mean(means.b)} a conversation"


def _flipped(pairs: Sequence[TaskPair], most: int | None) -> str:
    if not pairs:
        return "none"
    named = "; ".join(
        f"{pair.task} {_rewards(pair.a)} -> {_rewards(pair.b)}" for pair in pairs[:most]
    )
    rest = len(pairs) - len(pairs[:most])
    more = f"; and {rest:,} more (--full)" if rest else ""
    return f"{wording.counted(len(pairs), 'task')}: {named}{more}"


def _rewards(values: Sequence[float]) -> str:
    return f"[{' '.join(f'{value:g}' for value in values)}]"


def _plain(text: str, style: str = "") -> "Text":
    from rich.text import Text

    return Text(visible(text), style=style)
