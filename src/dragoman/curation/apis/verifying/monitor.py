"""The step `monitor`: one round of checks now, beside those of before."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime, timedelta

import msgspec

from dragoman.curation.apis.operation_items import OPERATION, OPERATIONS, DocumentOperation
from dragoman.curation.apis.steps import (
    CurationStep,
    StepFinding,
    standing,
    standing_items,
    to_look_at,
)
from dragoman.curation.apis.verifying.drift import drifts
from dragoman.curation.apis.verifying.judging import judged
from dragoman.curation.apis.verifying.keys import ApiKey, exchanged, host_of, sample_calls
from dragoman.curation.apis.verifying.records import (
    HISTORY,
    OBSERVATION,
    CheckHistory,
    Observation,
    RoundCheck,
)
from dragoman.curation.apis.verifying.verify import Clock, Fetch, stamp
from dragoman.store.dataset import Dataset, NewItem, StoredItem
from dragoman.web.exchange import HttpExchange

STEP = "monitor"
VERSION = "1"
ROUND_LASTS = timedelta(hours=12)
"""How long after its beginning a round that was interrupted is gone on with."""

MOST_ROUNDS = 1_000
"""Rounds of one operation that are kept, the latest."""

Histories = Mapping[str, CheckHistory]


class MonitorRound(msgspec.Struct, frozen=True):
    """One round: when it began, and what was known before it."""

    name: str
    histories: Histories
    observations: Mapping[str, Observation]
    at_once: int = 16


def open_round(dataset: Dataset, now: datetime, at_once: int = 16) -> MonitorRound:
    """Return the round to be walked: one that was interrupted not long ago, or a new one.

    Raises:
        StoreError: Where the dataset cannot be read.
    """
    found = histories(dataset)
    observations = {
        item.name: item.record(Observation) for item in standing(dataset, OBSERVATION, STEP)
    }
    last = max((each.checks[-1].round for each in found.values() if each.checks), default="")
    name = stamp(now)
    if last and now - datetime.fromisoformat(last) < ROUND_LASTS:
        old = MonitorRound(last, found, observations, at_once)
        step = _walking(old, _kept)
        # What is not ahead was looked at in that round by us: an imported one has nothing of that.
        if 0 < len(to_look_at(dataset, step)) < sum(1 for _ in standing_items(dataset, step)):
            return old
    return MonitorRound(name, found, observations, at_once)


def histories(dataset: Dataset) -> dict[str, CheckHistory]:
    """Return the checks of all operations, by their ids.

    Raises:
        StoreError: Where the dataset cannot be read.
    """
    return {item.name: item.record(CheckHistory) for item in dataset.items(HISTORY)}


def fewest_rounds(dataset: Dataset) -> int:
    """Return in how many rounds the operation that was checked least was checked; `MOST_ROUNDS` for none.

    Raises:
        StoreError: Where the dataset cannot be read.
    """
    found = histories(dataset)
    dropped = dataset.fallen((STEP,))
    step = _walking(MonitorRound("", found, {}), _kept)
    names = (
        each.name for each in standing_items(dataset, step) if (each.kind, each.name) not in dropped
    )
    return min((len(found[n].checks) if n in found else 0 for n in names), default=MOST_ROUNDS)


def monitor_step(
    fetch: Fetch, clock: Clock, this: MonitorRound, keys: Sequence[ApiKey] = ()
) -> CurationStep:
    """Return the step that walks one round.

    Args:
        fetch: Asks.
        clock: Says when it is.
        this: The round.
        keys: What callers configure, by host and name.
    """

    async def look(item: StoredItem) -> StepFinding:
        asked = item.record(DocumentOperation)
        try:
            call = sample_calls(asked.operation, 1, keys)[0]
        except ValueError as error:
            return StepFinding("dropped", f"it cannot be called: {error}")
        came = await exchanged(fetch, call, stamp(clock()))
        check = checked(came, this.name, this.observations.get(item.name))
        history = with_check(this.histories.get(item.name), check, item.name, call.stored.url)
        made = NewItem(HISTORY, item.name, history, stands_on=(("document", asked.document),))
        return StepFinding("kept", check.reason, (made,))

    return _walking(this, look)


def _walking(
    this: MonitorRound, look: Callable[[StoredItem], Awaitable[StepFinding]]
) -> CurationStep:
    told = {"round": this.name}
    return CurationStep(STEP, VERSION, OPERATION, look, told, this.at_once, OPERATIONS)


async def _kept(item: StoredItem) -> StepFinding:  # noqa: ARG001 - a step's signature
    return StepFinding("kept")


def checked(came: HttpExchange, name: str, observation: Observation | None) -> RoundCheck:
    """Return what a round has to say of an answer."""
    found = judged(came)
    changes = drifts(observation.schema, found.schema) if observation else ()
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


def with_check(
    before_it: CheckHistory | None, check: RoundCheck, name: str, url: str
) -> CheckHistory:
    """Return what was checked with one more check, in the place of an earlier one of the same round."""
    earlier = before_it.checks if before_it else ()
    others = tuple(each for each in earlier if each.round != check.round)
    checks = sorted((*others, check), key=lambda each: each.round)
    return CheckHistory(name, host_of(url), tuple(checks[-MOST_ROUNDS:]))
