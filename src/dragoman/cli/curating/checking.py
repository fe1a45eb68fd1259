"""`dragoman curate verify`, `monitor` and `filter`."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from dragoman.cli.curating.walking import OnDone, shown, walked
from dragoman.cli.output import print_json, print_line
from dragoman.core.errors import UsageError
from dragoman.curation.apis.steps import CurationStep, to_look_at, walk
from dragoman.curation.apis.verifying.filtering import STEP as FILTER
from dragoman.curation.apis.verifying.filtering import FilterRules, filter_plan, filter_steps
from dragoman.curation.apis.verifying.health_reports import read_health_report
from dragoman.curation.apis.verifying.importing import import_rounds
from dragoman.curation.apis.verifying.line import ApiLine, CallTerms
from dragoman.curation.apis.verifying.monitor import STEP as MONITOR
from dragoman.curation.apis.verifying.monitor import monitor_step, open_round
from dragoman.curation.apis.verifying.offline import SetAside
from dragoman.curation.apis.verifying.verify import STEP as VERIFY
from dragoman.curation.apis.verifying.verify import Clock, VerifySettings, verify_step
from dragoman.report.wording import counted
from dragoman.store.datasets.dataset import Dataset


def now_utc() -> datetime:
    """Return the time."""
    return datetime.now(UTC)  # noqa: TID251 - the command's clock


def verify_operations(
    folder: Path, calls: int, terms: CallTerms, *, as_json: bool, clock: Clock = now_utc
) -> int:
    """Call what stands as its documents state, and store what is observed."""
    return verified(folder, calls, terms, clock) or shown(folder, VERIFY, as_json=as_json)


def verified(folder: Path, calls: int, terms: CallTerms, clock: Clock = now_utc) -> int:
    """Walk the step `verify`."""
    if calls < 1:
        raise UsageError(f"--calls {calls}: at least 1")
    line = ApiLine(terms)
    settings = VerifySettings(calls, line.keys, terms.concurrency)
    with Dataset(folder, make=False) as dataset:
        return _called(dataset, verify_step(line.fetch, clock, settings), line)


def monitor_operations(
    folder: Path, terms: CallTerms, *, as_json: bool, clock: Clock = now_utc
) -> int:
    """Check what stands once, as a round of its own."""
    return monitored(folder, terms, clock) or shown(folder, MONITOR, as_json=as_json)


def monitored(folder: Path, terms: CallTerms, clock: Clock = now_utc) -> int:
    """Walk one round of the step `monitor`."""
    line = ApiLine(terms)
    with Dataset(folder, make=False) as dataset:
        this = open_round(dataset, clock(), terms.concurrency)
        return _called(dataset, monitor_step(line.fetch, clock, this, line.keys), line)


def import_reports(folder: Path, reports: Sequence[Path], *, as_json: bool) -> int:
    """Store rounds of checks that others made; 1 where the dataset has none of their addresses."""
    read = [read_health_report(path) for path in reports]
    with Dataset(folder, make=False) as dataset:
        found = import_rounds(dataset, read)
    if as_json:
        print_json(found)
    else:
        print_line(
            f"{counted(found.rounds, 'round')} of {found.addresses:,} addresses, of which {folder} has "
            f"{found.known:,}"
        )
    return 0 if found.known else 1


def filter_operations(folder: Path, rules: FilterRules, *, as_json: bool) -> int:
    """Drop what was not good over time."""
    status, aside = filtered(folder, rules)
    if not as_json:
        for each in aside:
            print_line(f"round {each.round} counts for nothing: {each.reason}")
    return status or shown(folder, FILTER, as_json=as_json)


def filtered(folder: Path, rules: FilterRules) -> tuple[int, Sequence[SetAside]]:
    """Walk the step `filter`, and return the rounds that count for nothing too."""
    with Dataset(folder, make=False) as dataset:
        plan = filter_plan(dataset, rules)
        steps = filter_steps(plan)

        async def work(on_done: OnDone) -> None:
            for step in steps:
                await walk(dataset, step, on_done)

        status = walked(FILTER, sum(len(to_look_at(dataset, step)) for step in steps), work)
    return status, tuple(plan.aside.values())


def _called(dataset: Dataset, step: CurationStep, line: ApiLine) -> int:
    async def work(on_done: OnDone) -> None:
        async with line.opened():
            await walk(dataset, step, on_done)

    return walked(step.name, len(to_look_at(dataset, step)), work)
