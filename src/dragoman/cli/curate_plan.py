"""Implementation of `dragoman curate run`: runs the unfinished steps of a plan in order."""

import sys
from functools import partial
from pathlib import Path

from dragoman.cli.curate_documents import print_status
from dragoman.cli.curate_steps import print_secrets, print_stopped
from dragoman.cli.output import print_line
from dragoman.cli.progress import show_progress
from dragoman.core.errors import UsageError
from dragoman.curation.api_datasets.plan import example_plan
from dragoman.curation.progress import StepStopped
from dragoman.formats.api_dataset_steps import run_plan as run_steps


def run_plan(path: Path, *, as_json: bool) -> int:
    """Run the unfinished steps of a plan; return 1 after a failure or for missing rounds."""
    try:
        result = run_steps(
            path, progress=show_progress, on_line=partial(print_line, to_stderr=True)
        )
    except StepStopped:
        return print_stopped()
    if result.secrets:
        print_secrets(result.dataset, result.secrets)
    else:
        print_status(result.dataset, result.status, as_json=as_json)
    return 0 if result.is_done else 1


def print_example(*, asked: bool) -> None:
    """Print a commented plan.

    Raises:
        UsageError: If no example was requested: the plan is missing.
    """
    if not asked:
        raise UsageError("no plan: name a file (`dragoman curate run --example` prints one)")
    sys.stdout.write(example_plan())
