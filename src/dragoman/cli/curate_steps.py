"""Implementation of the steps of `dragoman curate`, from `verify` and `generate` to `export`."""

import shlex
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import msgspec

from dragoman.cli.curate_documents import print_status
from dragoman.cli.output import INTERRUPTED, print_error, print_json, print_line
from dragoman.cli.progress import show_progress
from dragoman.core.errors import UsageError
from dragoman.curation import steps
from dragoman.curation.api_datasets.credential_audit import FoundSecret, summarize_secrets
from dragoman.curation.api_datasets.probing.api_client import CallOptions
from dragoman.curation.api_datasets.probing.filter import FilterRules
from dragoman.curation.api_datasets.probing.verify import Clock
from dragoman.curation.api_datasets.split import SplitPlan
from dragoman.curation.datasets import StepResult
from dragoman.curation.progress import StepStopped
from dragoman.formats.api_dataset_steps import run_export
from dragoman.report.formatting import format_count


def numbers_by_name(option: str, written: str) -> dict[str, int]:
    """Return the numbers of an option.

    Raises:
        UsageError: If an entry is not NAME=NUMBER, or a name occurs twice.
    """
    found: dict[str, int] = {}
    for entry in filter(None, (part.strip() for part in written.split(","))):
        name, is_there, number = entry.partition("=")
        if not (is_there and number.isascii() and number.isdigit()) or name in found:
            raise UsageError(f"{option} {entry!r:.60}: NAME=NUMBER by commas, each name once")
        found[name] = int(number[:9])
    return found


def variables_by_target(listed: Sequence[str]) -> dict[str, str]:
    """Return the names of variables by "HOST/NAME".

    Raises:
        UsageError: If an entry is not HOST/NAME=VARIABLE.
    """
    found: dict[str, str] = {}
    for said in listed:
        target, equals, variable = said.rpartition("=")
        if not (equals and "/" in target and variable):
            # The value may be a key, so that the message does not repeat it.
            raise UsageError("--key: HOST/NAME=VARIABLE, as in api.example.org/X-API-Key=MY_KEY")
        found[target] = variable
    return found


def print_outcome(folder: Path, run: Callable[[], StepResult], *, as_json: bool) -> int:
    """Run a step and print its outcome.

    The return value is 1 if something failed or a credential was found.
    """
    try:
        result = run()
    except StepStopped:
        return print_stopped()
    if result.secrets:
        print_secrets(folder, result.secrets, as_json=as_json)
        return 1
    for each in () if as_json else result.rounds_aside:
        print_line(f"round {each.round} is ignored: {each.reason}")
    print_status(folder, result, as_json=as_json)
    return 1 if result.failed else 0


def print_stopped() -> int:
    """Print that the same command resumes the interrupted step; return the exit status."""
    print_error("stopped; results so far are stored: the same command continues")
    return INTERRUPTED


def print_secrets(folder: Path, found: Sequence[FoundSecret], *, as_json: bool = False) -> None:
    """Print the places of credentials: some in one line, or all as JSON."""
    if as_json:
        print_json({"secrets": found})
    print_error(f"{folder}: {summarize_secrets(found)}")


def export_files(folder: Path, form: str, out: Path, *, as_json: bool) -> int:
    """Export a dataset and print the next step; return 1 if it holds a credential."""
    done = run_export(folder, form, out)
    if done.secrets:
        print_secrets(folder, done.secrets)
        return 1
    if as_json:
        print_json(
            {
                "form": form,
                "files": [str(path) for path in done.files],
                "withheld": [msgspec.to_builtins(each) for each in done.withheld],
            }
        )
        return 0
    for path in done.files:
        print_line(f"{path} ({path.stat().st_size:,} bytes)")
    for reason, number in Counter(each.reason for each in done.withheld).items():
        print_line(f"excluded {number:,}: {reason}")
    if form == "suite":
        print_line(f"next: dragoman run {shlex.quote(f'itc:{out}')} --agent gold,lexical,silent")
    return 0


def verify_operations(
    folder: Path, calls: int, terms: CallOptions, *, as_json: bool, clock: Clock = steps.now_utc
) -> int:
    """Call the operations as their documents state, and store the observations."""
    run = partial(steps.run_verify, folder, calls, terms, progress=show_progress, clock=clock)
    return print_outcome(folder, run, as_json=as_json)


def monitor_operations(
    folder: Path, terms: CallOptions, *, as_json: bool, clock: Clock = steps.now_utc
) -> int:
    """Check all operations once, as a round of its own."""
    run = partial(steps.run_monitor, folder, terms, progress=show_progress, clock=clock)
    return print_outcome(folder, run, as_json=as_json)


def import_reports(folder: Path, reports: Sequence[Path], *, as_json: bool) -> int:
    """Import rounds of link checks; return 1 if the dataset has none of their addresses."""
    found = steps.import_reports(folder, reports)
    if as_json:
        print_json(found)
    else:
        print_line(
            f"{format_count(found.rounds, 'round')} of {found.addresses:,} addresses; "
            f"{found.known:,} of them are in {folder}"
        )
    return 0 if found.known else 1


def filter_operations(folder: Path, rules: FilterRules, *, as_json: bool) -> int:
    """Drop operations that were unreliable over time."""
    run = partial(steps.run_filter, folder, rules, progress=show_progress)
    return print_outcome(folder, run, as_json=as_json)


def make_queries(folder: Path, options: steps.GenerateOptions, *, as_json: bool) -> int:
    """Draw briefs and generate queries for them."""
    run = partial(steps.run_generate, folder, options, progress=show_progress)
    return print_outcome(folder, run, as_json=as_json)


def rate_queries(folder: Path, options: steps.RateOptions, *, as_json: bool) -> int:
    """Rate queries."""
    run = partial(steps.run_rate, folder, options, progress=show_progress)
    return print_outcome(folder, run, as_json=as_json)


def answer_queries(folder: Path, options: steps.AnswerOptions, *, as_json: bool) -> int:
    """Answer queries."""
    run = partial(steps.run_answer, folder, options, progress=show_progress)
    return print_outcome(folder, run, as_json=as_json)


def check_answers(folder: Path, options: steps.CheckOptions, *, as_json: bool) -> int:
    """Run the checks of answers.

    Before the first request to a model, verify that the dataset holds no credential.
    """
    run = partial(steps.run_check, folder, options, progress=show_progress)
    return print_outcome(folder, run, as_json=as_json)


def split_tasks(folder: Path, plan: SplitPlan, *, as_json: bool) -> int:
    """Split the tasks into train and test."""
    return print_outcome(folder, partial(steps.run_split, folder, plan), as_json=as_json)
