"""The step `monitor`: a round of health checks, and imported reports of other monitors.

Rounds in which the monitor itself was offline are excluded. Link-check reports of others are JSON
with one result for each address and are imported as rounds.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

import msgspec

from dragoman.core.apis.documents import ApiDocument, operations
from dragoman.core.errors import DataError
from dragoman.core.texts.decoding import TranslatedErrors
from dragoman.curation.api_datasets.pipeline import (
    OPERATION,
    OPERATIONS,
    CurationStep,
    DocumentOperation,
    StepFinding,
    active,
    active_items,
    pending_items,
)
from dragoman.curation.api_datasets.probing.api_keys import ApiKey, host_of, sample_calls, send_call
from dragoman.curation.api_datasets.probing.responses import (
    HISTORY,
    NO_WAY,
    OBSERVATION,
    AnswerKind,
    CheckHistory,
    Observation,
    RoundCheck,
    find_drift,
    judge_response,
)
from dragoman.curation.api_datasets.probing.verify import Clock, Fetch, utc_timestamp
from dragoman.store.dataset import Dataset, NewItem, StepLine, StepOutcome, StoredItem
from dragoman.web.exchange import HttpExchange

FEWEST_HOSTS = 4
"""Fewest hosts from which a share of failures shows an outage of the monitor."""

_State = Literal["good", "no way", "bad"]


class ExcludedRound(msgspec.Struct, frozen=True):
    """A round that is not counted.

    Attributes:
        round: The name of the round.
        lost: Number of hosts without a connection that had one before, and that have one later if
            there is a later round.
        hosts: Number of all hosts that had one before.
    """

    round: str
    lost: int
    hosts: int

    @property
    def reason(self) -> str:
        """The reason in words."""
        return (
            f"the monitor was offline: {self.lost} of {self.hosts} hosts that answer otherwise "
            "had no connection at the same time"
        )


def excluded_rounds(histories: Iterable[CheckHistory], share: float) -> dict[str, ExcludedRound]:
    """Return the excluded rounds, by name.

    Hosts are counted, not APIs. A server that is down takes all of its APIs with it, which does not
    show an outage of the monitor.

    Args:
        histories: The histories of all checked operations.
        share: Largest share of otherwise healthy hosts without a connection; a round with more is
            excluded.
    """
    states = _by_round(histories)
    names = sorted(states)
    last_good = _last_good(states)
    known: dict[str, _State] = {}
    found: dict[str, ExcludedRound] = {}
    for name in names:
        now = states[name]
        healthy = [
            host
            for host, state in now.items()
            if known.get(host, "good") == "good"
            and (state == "good" or name == names[-1] or last_good.get(host, "") > name)
        ]
        lost = sum(1 for host in healthy if now[host] == "no way")
        if _is_line(now, lost, len(healthy), share):
            found[name] = ExcludedRound(name, lost, len(healthy))
        else:
            known.update(now)
    return found


def _is_line(now: Mapping[str, _State], lost: int, healthy: int, share: float) -> bool:
    """Return whether the losses of a round are an outage of the monitor.

    With few hosts it cannot be told whether they or the monitor were down. If none of them
    answered, the round is not counted until a later round has an answer.
    """
    nothing = all(state == "no way" for state in now.values())
    if len(now) < FEWEST_HOSTS:
        return nothing and lost > 0
    return nothing or (healthy >= FEWEST_HOSTS and lost > share * healthy)


def _by_round(histories: Iterable[CheckHistory]) -> dict[str, dict[str, _State]]:
    """Return the state of each host in each round: good if any operation answered well."""
    states: dict[str, dict[str, _State]] = {}
    for history in histories:
        for check in history.checks:
            hosts = states.setdefault(check.round, {})
            state: _State = (
                "good" if check.kind == "good" else "no way" if check.kind in NO_WAY else "bad"
            )
            if _better(state, hosts.get(history.host)):
                hosts[history.host] = state
    return states


def _better(state: _State, than: _State | None) -> bool:
    order: tuple[_State | None, ...] = (None, "no way", "bad", "good")
    return order.index(state) > order.index(than)


def _last_good(states: Mapping[str, Mapping[str, _State]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in sorted(states):
        found.update({host: name for host, state in states[name].items() if state == "good"})
    return found


STEP = "monitor"
VERSION = "1"
ROUND_LASTS = timedelta(hours=12)
"""The time after its beginning during which an interrupted round is continued."""

MOST_ROUNDS = 1_000
"""Most rounds of one operation that are kept, the latest ones."""

Histories = Mapping[str, CheckHistory]


class MonitorRound(msgspec.Struct, frozen=True):
    """One round: the time of its beginning, and the knowledge before it."""

    name: str
    histories: Histories
    observations: Mapping[str, Observation]
    at_once: int = 16


def open_round(dataset: Dataset, now: datetime, at_once: int = 16) -> MonitorRound:
    """Return the round to run: a recently interrupted one, or a new one.

    Raises:
        StoreError: If the dataset cannot be read.
    """
    found = check_histories(dataset)
    observations = {
        item.name: item.record(Observation) for item in active(dataset, OBSERVATION, STEP)
    }
    last = max((each.checks[-1].round for each in found.values() if each.checks), default="")
    name = utc_timestamp(now)
    if last and now - datetime.fromisoformat(last) < ROUND_LASTS:
        old = MonitorRound(last, found, observations, at_once)
        step = _walking(old, _keep_item)
        # Some items of our own interrupted round are done; of an imported round none are.
        if 0 < len(pending_items(dataset, step)) < sum(1 for _ in active_items(dataset, step)):
            return old
    return MonitorRound(name, found, observations, at_once)


def check_histories(dataset: Dataset) -> dict[str, CheckHistory]:
    """Return the checks of all operations, by their ids.

    Raises:
        StoreError: If the dataset cannot be read.
    """
    return {item.name: item.record(CheckHistory) for item in dataset.items(HISTORY)}


def fewest_rounds(dataset: Dataset) -> int:
    """Return the number of rounds in which the least checked operation was checked.

    The result is `MOST_ROUNDS` if the dataset is without operations.

    Raises:
        StoreError: If the dataset cannot be read.
    """
    found = check_histories(dataset)
    dropped = dataset.excluded((STEP,))
    step = _walking(MonitorRound("", found, {}), _keep_item)
    names = (
        each.name for each in active_items(dataset, step) if (each.kind, each.name) not in dropped
    )
    return min((len(found[n].checks) if n in found else 0 for n in names), default=MOST_ROUNDS)


def monitor_step(
    fetch: Fetch, clock: Clock, this: MonitorRound, keys: Sequence[ApiKey] = ()
) -> CurationStep:
    """Return the step that runs one round.

    Args:
        fetch: Sends requests.
        clock: Returns the current time.
        this: The round.
        keys: Configured keys, by host and name.
    """

    async def look(item: StoredItem) -> StepFinding:
        asked = item.record(DocumentOperation)
        try:
            call = sample_calls(asked.operation, 1, keys)[0]
        except ValueError as error:
            return StepFinding("dropped", f"it cannot be called: {error}")
        came = await send_call(fetch, call, utc_timestamp(clock()))
        check = check_of_response(came, this.name, this.observations.get(item.name))
        history = add_check(this.histories.get(item.name), check, item.name, call.stored.url)
        made = NewItem(HISTORY, item.name, history, stands_on=(("document", asked.document),))
        return StepFinding("kept", check.reason, (made,))

    return _walking(this, look)


def _walking(
    this: MonitorRound, look: Callable[[StoredItem], Awaitable[StepFinding]]
) -> CurationStep:
    record = {"round": this.name}
    return CurationStep(STEP, VERSION, OPERATION, look, record, this.at_once, OPERATIONS)


async def _keep_item(item: StoredItem) -> StepFinding:  # noqa: ARG001 - a step's signature
    return StepFinding("kept")


def check_of_response(came: HttpExchange, name: str, observation: Observation | None) -> RoundCheck:
    """Return the check of a round from a response."""
    found = judge_response(came)
    changes = find_drift(observation.schema, found.schema) if observation else ()
    if found.kind != "good":
        changes = ()
    return RoundCheck(
        name,
        found.kind,
        found.reason,
        came.seconds,
        tuple(str(each) for each in changes if each.kind != "new"),
        tuple(each.place for each in changes if each.kind == "new"),
    )


def add_check(
    before_it: CheckHistory | None, check: RoundCheck, name: str, url: str
) -> CheckHistory:
    """Return a check history extended by one check.

    The check replaces an earlier one of the same round.
    """
    earlier = before_it.checks if before_it else ()
    others = tuple(each for each in earlier if each.round != check.round)
    checks = sorted((*others, check), key=lambda each: each.round)
    return CheckHistory(name, host_of(url), tuple(checks[-MOST_ROUNDS:]))


MOST_BYTES = 64 << 20
_LONGEST_REASON = 200
_KINDS: dict[str, AnswerKind] = {
    "CONNECTION_ERROR": "connect",
    "TIMEOUT": "timeout",
    "SSL_ERROR": "connect",
    "DNS_ERROR": "dns",
    "UNKNOWN_ERROR": "broken",
}
_CLIENT, _SERVER = 400, 500


class LinkCheck(msgspec.Struct, frozen=True):
    """The result for one address in a report."""

    url: str
    api_name: str = ""
    status_code: int = 0
    is_working: bool = False
    error_type: str = ""
    error_message: str = ""
    response_time: float = 0.0


class HealthReport(msgspec.Struct, frozen=True):
    """A report: the time of its creation, which names the round, and its results."""

    generated_at: datetime
    results: list[LinkCheck]


def read_health_report(path: Path) -> HealthReport:
    """Read a report.

    Raises:
        DataError: If it cannot be read or is not a report.
    """
    with TranslatedErrors(DataError, f"{path}: no report of link checks"):
        if path.stat().st_size > MOST_BYTES:
            raise DataError(f"{path}: more than {MOST_BYTES:,} bytes")
        return msgspec.json.decode(path.read_bytes(), type=HealthReport)


def report_checks(report: HealthReport) -> list[tuple[str, RoundCheck]]:
    """Return the checks of a report by address.

    If an address occurs twice, its last result counts.
    """
    name = round_name(report)
    found = {each.url: _check(name, each) for each in report.results}
    return list(found.items())


def round_name(report: HealthReport) -> str:
    """Return the name of a report's round; a time without an offset is taken as UTC."""
    made = report.generated_at
    return utc_timestamp(made if made.tzinfo else made.replace(tzinfo=UTC))


def _check(name: str, link: LinkCheck) -> RoundCheck:
    if link.is_working:
        return RoundCheck(name, "good", seconds=link.response_time)
    said = " ".join(link.error_message.split())[:_LONGEST_REASON]
    return RoundCheck(name, _kind(link), said or f"status {link.status_code}", link.response_time)


def _kind(link: LinkCheck) -> AnswerKind:
    if link.status_code >= _CLIENT:
        return "5xx" if link.status_code >= _SERVER else "4xx"
    return _KINDS.get(link.error_type, "broken")


DOCUMENT = "document"


class ImportedRounds(msgspec.Struct, frozen=True):
    """Numbers of rounds and addresses in reports, and of addresses that the dataset has."""

    rounds: int
    addresses: int
    known: int


def import_rounds(dataset: Dataset, reports: Iterable[HealthReport]) -> ImportedRounds:
    """Store the checks of reports for operations, and for documents without operations.

    They are matched by address.

    Raises:
        StoreError: If the dataset cannot be read or written.
    """
    at = _by_address(dataset)
    found = check_histories(dataset)
    changed: set[tuple[str, str, str]] = set()
    rounds: set[str] = set()
    addresses: set[str] = set()
    for report in reports:
        rounds.add(round_name(report))
        for url, check in report_checks(report):
            addresses.add(url)
            for kind, name, source in at.get(_plain(url), ()):
                found[name] = add_check(found.get(name), check, name, url)
                changed.add((kind, name, source))
    dataset.put(
        [
            StepOutcome(
                StepLine(STEP, kind, name, "kept", found[name].checks[-1].reason, source),
                (NewItem(HISTORY, name, found[name], stands_on=((kind, name),)),),
            )
            for kind, name, source in sorted(changed)
        ]
    )
    return ImportedRounds(
        len(rounds), len(addresses), len({a for a in addresses if _plain(a) in at})
    )


def _by_address(dataset: Dataset) -> dict[str, list[tuple[str, str, str]]]:
    """Return kind, name and source of active items, by their address."""
    found: dict[str, list[tuple[str, str, str]]] = {}
    for item in active(dataset, DOCUMENT, STEP):
        document = item.record(ApiDocument)
        for name, operation in operations(document):
            found.setdefault(_plain(operation.url), []).append((OPERATION, name, item.source))
        if not document.api_list:
            found.setdefault(_plain(document.home_url), []).append(
                (DOCUMENT, item.name, item.source)
            )
    return found


def _plain(url: str) -> str:
    return url.partition("#")[0].rstrip("/").lower()
