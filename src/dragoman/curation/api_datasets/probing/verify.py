"""The step `verify`: call operations with documented values and record the responses."""

from collections.abc import Awaitable, Callable, Collection
from datetime import UTC, datetime

import msgspec

from dragoman.core.apis.documents import Operation
from dragoman.curation.api_datasets.pipeline import (
    OPERATION,
    OPERATIONS,
    CurationStep,
    DocumentOperation,
    StepFinding,
)
from dragoman.curation.api_datasets.probing.api_keys import ApiKey, host_of, sample_calls, send_call
from dragoman.curation.api_datasets.probing.responses import (
    EXCHANGE,
    OBSERVATION,
    JudgedResponse,
    Observation,
    bound_schema,
    judge_response,
    merge_schemas,
)
from dragoman.store.dataset import NewItem, StoredItem
from dragoman.web.exchange import HttpExchange, redact_exchange
from dragoman.web.fetcher import FetchRequest

STEP = "verify"
VERSION = "2"

Fetch = Callable[[FetchRequest, str], Awaitable[HttpExchange]]
"""Sends a request at a given time, as `PoliteFetcher.fetch` or a cassette does."""

_REFUSED = frozenset(("status 400", "status 401", "status 403"))
"""Reasons of responses of services if a key is missing."""

Clock = Callable[[], datetime]


class VerifySettings(msgspec.Struct, frozen=True):
    """Settings of the step `verify`.

    Attributes:
        calls: Most calls of one operation.
        keys: Configured keys, by host and name. They are sent, and removed from everything that is
            stored.
        at_once: Operations under way at the same time.
    """

    calls: int = 2
    keys: tuple[ApiKey, ...] = ()
    at_once: int = 16


def verify_step(fetch: Fetch, clock: Clock, settings: VerifySettings) -> CurationStep:
    """Return the step.

    Args:
        fetch: Sends requests.
        clock: Returns the current time, with an offset.
        settings: The settings of the step.
    """

    async def look(item: StoredItem) -> StepFinding:
        return await _verify_operation(item, fetch, clock, settings)

    recorded: dict[str, object] = {"calls": settings.calls}
    if settings.keys:
        # An operation that was dropped because a key was missing is called again if there is a key.
        recorded["keys"] = sorted(f"{key.host}/{key.name}" for key in settings.keys)
    return CurationStep(
        STEP, VERSION, OPERATION, look, recorded, settings.at_once, explode=OPERATIONS
    )


async def _verify_operation(
    item: StoredItem, fetch: Fetch, clock: Clock, settings: VerifySettings
) -> StepFinding:
    asked = item.record(DocumentOperation)
    try:
        calls = sample_calls(asked.operation, settings.calls, settings.keys)
    except ValueError as error:
        return StepFinding("dropped", f"it cannot be called: {error}")
    at = utc_timestamp(clock())
    exchanges = [await send_call(fetch, each, at) for each in calls]
    found = [(each, judge_response(each)) for each in exchanges]
    known = tuple(key.value for key in settings.keys)
    on = (("document", asked.document), (item.kind, item.name))
    good = [each for each in found if each[1].kind == "good"]
    if not good:
        return _not_good(found, asked, _cassettes(item.name, exchanges, known, on))
    observation = NewItem(
        OBSERVATION, item.name, _summarize_observations(asked.operation, good, at), stands_on=on
    )
    bad = [each for _, each in found if each.kind != "good"]
    reason = f"{len(bad)} of {len(found)} calls: {bad[0].reason}" if bad else ""
    made = (observation, *_cassettes(item.name, exchanges, known, on))
    return StepFinding("kept", reason, made)


def _not_good(
    found: list[tuple[HttpExchange, JudgedResponse]],
    asked: DocumentOperation,
    made: tuple[NewItem, ...],
) -> StepFinding:
    """Return the finding for an operation without a good response.

    If another attempt may succeed, the operation is not decided on.
    """
    passing = [each for _, each in found if each.passes]
    if passing:
        return StepFinding("failed", passing[0].reason, made)
    first = found[0][1]
    needs = first.reason in _REFUSED and _needs(asked)
    return StepFinding("dropped", f"{first.reason} ({needs})" if needs else first.reason, made)


def _needs(asked: DocumentOperation) -> str:
    """Return the credential that a document requires and the option for it; "" for none."""
    names = [each for each in asked.operation.configuration if each.kind == "credential"]
    needed = next((each for each in names if each.required), names[0] if names else None)
    if needed is None:
        return f"it needs {asked.authentication}" if asked.authentication else ""
    host = host_of(asked.operation.url)
    kind = f"{asked.authentication}: " if asked.authentication else ""
    return f"it needs {kind}--key {host}/{needed.name}=VARIABLE"


def _summarize_observations(
    operation: Operation, good: list[tuple[HttpExchange, JudgedResponse]], at: str
) -> Observation:
    schema = good[0][1].schema
    for _, each in good[1:]:
        schema = bound_schema(merge_schemas(schema, each.schema))
    missing = {"statuscode": not operation.statuscode, "schema": not operation.schema}
    return Observation(
        at,
        str(good[0][0].status),
        schema,
        good[0][1].content_type,
        (*(name for name, lacks in missing.items() if lacks), "content_type"),
        len(good),
    )


def _cassettes(
    name: str,
    exchanges: list[HttpExchange],
    keys: Collection[str],
    stands_on: tuple[tuple[str, str], ...],
) -> tuple[NewItem, ...]:
    """Return exchanges as items, without secrets."""
    return tuple(
        NewItem(EXCHANGE, f"{name}#{number}", redact_exchange(each, keys), stands_on=stands_on)
        for number, each in enumerate(exchanges, 1)
    )


def utc_timestamp(now: datetime) -> str:
    """Return a time in the stored format: ISO 8601 in UTC, to the second."""
    return now.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
