"""The `dragoman attribute` command: assigns failures to stages by counterfactual replay."""

import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from shlex import quote
from shutil import get_terminal_size

import msgspec

from dragoman.analysis.failure_attribution import FailureAttribution, attribution_counts
from dragoman.cli.failures import print_drops
from dragoman.cli.output import ReportedInterrupt, print_error, print_json
from dragoman.cli.progress import progress
from dragoman.dataframes.results import chosen_scoring
from dragoman.dataframes.run_failures import run_drops
from dragoman.experiments.failure_attribution import attribute_failures
from dragoman.report.degradation import MAX_LINES
from dragoman.report.labels import SOURCE_MEANINGS, STAGE_NAMES
from dragoman.report.text_tables import TextTable, print_table
from dragoman.store.run_store import open_run


def print_attribution(
    folder: Path, waiting: Mapping[str, object], *, trust: bool, as_json: bool
) -> int:
    """Determine the causes of a run's failed conversations, and print them.

    `waiting` holds the options for waiting on endpoints.

    Returns:
        The exit status: 1 if an endpoint refused the replays of a stage.
    """
    refusals: list[str] = []
    try:
        with progress("replayed conversations", None) as advance:
            rows = attribute_failures(
                folder, advance, trust=trust, waiting=waiting, on_refused=refusals.append
            )
    except KeyboardInterrupt as error:
        resume = f"dragoman attribute {quote(str(folder))}"
        print_error(f"stopped; finished replays are stored; resume the others with: {resume}")
        raise ReportedInterrupt from error
    for refusal in dict.fromkeys(refusals):
        print_error(f"{refusal}: the failure sources that its replays would show are not known")
    if as_json:
        print_json({"lost": msgspec.to_builtins(rows)})
    else:
        print_attributions(rows)
        _print_stage_drops(folder)
    return 1 if refusals else 0


def _print_stage_drops(folder: Path) -> None:
    """Print the drops between the run's conditions, with the stages that are now known."""
    with open_run(folder, write=False) as store:
        lost = run_drops(store, *chosen_scoring(store, None, None))
    if lost:
        print()
        print_drops(lost, folder, is_imported=False, most=MAX_LINES)


def print_attributions(rows: Sequence[FailureAttribution]) -> None:
    """Print the number of failed conversations by stage, condition and agent.

    Stages without a failure have no column; one line names them.
    """
    counts = attribution_counts(rows)
    found = [each for each in SOURCE_MEANINGS if any(lost[each] for lost in counts.values())]
    names = tuple(STAGE_NAMES[source] for source in found)
    print_table(
        TextTable(
            headings=("condition", "agent", *names),
            rows=tuple(
                (*place, *(f"{lost[source]:,}" for source in found))
                for place, lost in counts.items()
            ),
            title="Failed conversations by failure source",
            numbers=frozenset(names),
            keys=2,
        )
    )
    print()
    lines = [f"{STAGE_NAMES[source]}: {SOURCE_MEANINGS[source]}" for source in found]
    others = [STAGE_NAMES[source] for source in SOURCE_MEANINGS if source not in found]
    if counts and others:
        lines.append(f"No failure: {', '.join(others)}")
    width = get_terminal_size().columns
    for line in lines:
        print(textwrap.fill(line, width, subsequent_indent="  ", break_on_hyphens=False))
