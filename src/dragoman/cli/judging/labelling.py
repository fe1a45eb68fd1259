"""`dragoman label-check`."""

from collections.abc import Sequence
from pathlib import Path

from dragoman.cli.output import print_json, print_line
from dragoman.report.fitting import TextTable, print_table
from dragoman.report.wording import counted
from dragoman.studies.label_check import Difference, LabelComparison, check_labels

_SHOWN = 20


def print_label_check(paths: Sequence[Path], *, as_json: bool) -> bool:
    """Print how far measures count what was labelled, and return whether they do throughout."""
    found = check_labels(paths)
    if as_json:
        print_json(found)
        return found.is_exact
    without = f", {found.unlabelled:,} more without any" if found.unlabelled else ""
    print_line(f"{counted(found.conversations, 'conversation')} with labels{without}")
    print_table(_table(found))
    for each in found.differences[:_SHOWN]:
        print_line(_told(each))
    if len(found.differences) > _SHOWN:
        print_line(f"and {len(found.differences) - _SHOWN:,} more differences (--json has all)")
    return found.is_exact


def _table(found: LabelComparison) -> TextTable:
    headings = (
        "label",
        "measure",
        "conversations",
        "labelled",
        "measured",
        "undecided",
        "exact",
        "unscored",
    )
    rows = tuple(
        (
            each.label.replace("_", " "),
            each.measure,
            *(f"{number:,}" for number in (each.conversations, each.labelled, each.measured)),
            *(f"{number:,}" for number in (each.undecided, each.exact, each.unscored)),
        )
        for each in found.figures
    )
    note = (
        "Exact: conversations with the labelled number, at the labelled turns where these are told. "
        "What a measure leaves undecided is neither exact nor a difference."
    )
    return TextTable(headings, rows, "against labels", note, frozenset(headings[2:]), keys=1)


def _told(each: Difference) -> str:
    what = f"{each.file}, {each.conversation}: {each.label.replace('_', ' ')}"
    if each.measured is None:
        return f"{what}: {each.labelled} labelled, unscored: {each.why}"
    turns = "".join(
        f", {word} at turn {', '.join(map(str, places))}"
        for word, places in (
            ("labelled alone", each.only_labelled),
            ("measured alone", each.only_measured),
        )
        if places
    )
    return f"{what}: {each.labelled} labelled, {each.measured} measured{turns}"
