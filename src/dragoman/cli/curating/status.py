"""`dragoman curate status`."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from dragoman.cli.output import print_json, print_line
from dragoman.core.costs import cost_of
from dragoman.core.usage import Usage
from dragoman.curation.apis.steps import place_of
from dragoman.models.prices import load_prices
from dragoman.report import wording
from dragoman.report.fitting import TextTable, print_table
from dragoman.report.wording import counted
from dragoman.store.datasets.dataset import Dataset
from dragoman.store.datasets.records import FunnelCount, StepLine

HEADINGS = ("step", "of", "source", "seen", "kept", "dropped", "merged", "failed")


def show_status(folder: Path, *, step: str, as_json: bool) -> None:
    """Print a dataset's funnel, and with a step also the line of everything that it did not keep."""
    with Dataset(folder, write=False) as dataset:
        counts = [each for each in dataset.funnel() if step in {"", each.step}]
        lines = [line for line in dataset.ledger(step) if line.verdict != "kept"] if step else []
        usage = {name: used for name, used in dataset.usage().items() if step in {"", name}}
    counts.sort(key=_place)
    if as_json:
        print_json({"funnel": counts, "lines": lines, "usage": usage})
        return
    print_table(
        TextTable(
            HEADINGS,
            tuple(
                (
                    each.step, each.kind, each.source, f"{each.seen:,}", f"{each.kept:,}",
                    f"{each.dropped:,}", f"{each.merged:,}", f"{each.failed:,}",
                )
                for each in counts
            ),
            title=str(folder),
            note=_note(counts),
            numbers=frozenset(HEADINGS[3:]),
        )
    )  # fmt: skip
    _print_usage(usage)
    _print_lines(lines)


def _print_usage(usage: Mapping[str, Sequence[Usage]]) -> None:
    """Print what each step consumed by model, and its cost where prices are known."""
    if not usage:
        return
    table = load_prices(None)
    for step in sorted(usage, key=place_of):
        for each in usage[step]:
            cost = cost_of(each, table.price_of)
            print_line(
                f"{step} by {each.model}: {wording.calls(each)} calls, {wording.sent(each)} tokens in, "
                f"{wording.received(each)} out, {wording.money(cost)}"
            )


def _place(count: FunnelCount) -> tuple[int, str, str]:
    return place_of(count.step), count.kind, count.source


def _note(counts: Iterable[FunnelCount]) -> str:
    failed = sum(each.failed for each in counts)
    if failed:
        return f"{counted(failed, 'item')} failed: the same step tries again what failed"
    return "" if counts else "nothing was looked at: `dragoman curate status` says what there is"


def _print_lines(lines: Iterable[StepLine]) -> None:
    for line in lines:
        print_line(f"{line.verdict} {line.kind} {line.name}: {line.reason or 'no reason given'}")
