"""`dragoman curate verify`, `monitor` and `filter`."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from dragoman.cli.curating.walking import OnDone, shown, walked
from dragoman.cli.output import print_json, print_line
from dragoman.core.apis.exchanges import HttpExchange
from dragoman.core.errors import UsageError
from dragoman.curation.apis.steps import CurationStep, to_look_at, walk
from dragoman.curation.apis.verifying.cassettes import open_cassettes
from dragoman.curation.apis.verifying.filtering import STEP as FILTER
from dragoman.curation.apis.verifying.filtering import FilterRules, filter_plan, filter_steps
from dragoman.curation.apis.verifying.health_reports import read_health_report
from dragoman.curation.apis.verifying.importing import import_rounds
from dragoman.curation.apis.verifying.monitor import STEP as MONITOR
from dragoman.curation.apis.verifying.monitor import monitor_step, open_round
from dragoman.curation.apis.verifying.verify import STEP as VERIFY
from dragoman.curation.apis.verifying.verify import Clock, Fetch, VerifySettings, verify_step
from dragoman.report.wording import counted
from dragoman.store.datasets.dataset import Dataset
from dragoman.web.addresses import why_inside, why_not_even_local
from dragoman.web.fetching import Fetcher, FetchLimits, FetchRequest
from dragoman.web.manners import MannerlyFetcher, Manners


class CallTerms(msgspec.Struct, frozen=True):
    """How APIs are called.

    Attributes:
        allow_local: Whether loopback and private addresses may be.
        concurrency: Operations under way at a time.
        seconds: For one whole answer.
        most_bytes: Of one body.
        pause: Seconds between two requests to one host.
        cassettes: Recorded exchanges that are asked in the place of the network.
    """

    allow_local: bool = False
    concurrency: int = 16
    seconds: float = 20.0
    most_bytes: int = 2_000_000
    pause: float = 0.5
    cassettes: Path | None = None

    def __post_init__(self) -> None:
        """See that they make sense.

        Raises:
            UsageError: Where one does not.
        """
        least = {"concurrency": self.concurrency, "max-bytes": self.most_bytes}
        for option, number in least.items():
            if number < 1:
                raise UsageError(f"--{option} {number}: at least 1")
        if not self.seconds > 0:
            raise UsageError(f"--seconds {self.seconds:g}: more than 0")
        if not self.pause >= 0:
            raise UsageError(f"--pause {self.pause:g}: at least 0")


def now_utc() -> datetime:
    """Return the time."""
    return datetime.now(UTC)  # noqa: TID251 - the command's clock


def verify_operations(
    folder: Path, calls: int, terms: CallTerms, *, as_json: bool, clock: Clock = now_utc
) -> int:
    """Call what stands as its documents state, and store what is observed."""
    if calls < 1:
        raise UsageError(f"--calls {calls}: at least 1")
    line = _Line(terms)
    settings = VerifySettings(calls, at_once=terms.concurrency)
    with Dataset(folder, make=False) as dataset:
        status = _called(dataset, verify_step(line.fetch, clock, settings), line)
    return status or shown(folder, VERIFY, as_json=as_json)


def monitor_operations(
    folder: Path, terms: CallTerms, *, as_json: bool, clock: Clock = now_utc
) -> int:
    """Check what stands once, as a round of its own."""
    line = _Line(terms)
    with Dataset(folder, make=False) as dataset:
        this = open_round(dataset, clock(), terms.concurrency)
        status = _called(dataset, monitor_step(line.fetch, clock, this), line)
    return status or shown(folder, MONITOR, as_json=as_json)


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
    with Dataset(folder, make=False) as dataset:
        plan = filter_plan(dataset, rules)
        steps = filter_steps(plan)

        async def work(on_done: OnDone) -> None:
            for step in steps:
                await walk(dataset, step, on_done)

        status = walked(FILTER, sum(len(to_look_at(dataset, step)) for step in steps), work)
    if not as_json:
        for each in plan.aside.values():
            print_line(f"round {each.round} counts for nothing: {each.reason}")
    return status or shown(folder, FILTER, as_json=as_json)


class _Line:
    """What asks, once it is open: cassettes, or the network through the guard."""

    def __init__(self, terms: CallTerms) -> None:
        self._terms = terms
        self._fetch: Fetch | None = None

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        terms = self._terms
        if terms.cassettes is not None:
            self._fetch = open_cassettes(terms.cassettes).fetch
            yield
            return
        limits = FetchLimits(terms.seconds, terms.most_bytes)
        refuses = why_not_even_local if terms.allow_local else why_inside
        async with Fetcher(limits, refuses) as fetcher:
            self._fetch = MannerlyFetcher(fetcher, Manners(terms.pause)).fetch
            yield

    async def fetch(self, request: FetchRequest, at: str = "") -> HttpExchange:
        if self._fetch is None:
            raise RuntimeError("a line is opened before it is asked")
        return await self._fetch(request, at)


def _called(dataset: Dataset, step: CurationStep, line: _Line) -> int:
    async def work(on_done: OnDone) -> None:
        async with line.opened():
            await walk(dataset, step, on_done)

    return walked(step.name, len(to_look_at(dataset, step)), work)
