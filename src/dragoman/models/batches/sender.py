"""Sends requests of many conversations together, and answers each when the batch is done.

A round of all conversations that wait is one batch: a conversation of ten turns waits for ten of them.
"""

import asyncio
import logging
import uuid
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

import msgspec

from dragoman.core.errors import DragomanError, ParticipantError, RunHalted, tell_delay
from dragoman.core.usage import Usage
from dragoman.models.batches.endpoint import ENDED, BatchEndpoint, BatchState
from dragoman.models.batches.lines import read_answers, request_line
from dragoman.models.wire.sending import (
    Attempts,
    EndpointRefused,
    Gatekeeper,
    Misshapen,
    Unreadable,
    Who,
)
from dragoman.models.wire.transport import Fault, HttpResponse
from dragoman.store.pending_batches import PendingBatches

T = TypeVar("T")

MOST_REQUESTS = 10_000
MOST_BYTES = 96 * 1024**2
"""Providers take 50,000 requests and 200 MB; what is answered has to be held, too."""

MOST_BATCHES = 3
"""So many batches may fail a request before it counts as one that cannot be answered."""

FIRST_LOOK = 1.0
LONGEST_PAUSE = 60.0
_OK = 200
_GONE = 404
_NO_SUCH_PATH = frozenset({404, 405, 501})

log = logging.getLogger(__name__)

Awaited = Mapping[str, asyncio.Future[HttpResponse]]


class _Gathered(msgspec.Struct):
    """Requests that wait to be sent, and who waits for them."""

    bodies: dict[str, bytes] = {}
    awaited: dict[str, asyncio.Future[HttpResponse]] = {}
    size: int = 0


class BatchSender:
    """Sends the requests for one model at one endpoint in batches.

    What has a key (`Idempotency-Key`) is found again by a later process that was killed meanwhile.

    Args:
        model: The model, as messages name it.
        endpoint: Where batches are handed in.
        gate: Tells good answers from bad ones.
        pending: What was handed in and not answered.
        quiet: After how many seconds without another request a batch is sent.
    """

    def __init__(
        self,
        model: str,
        endpoint: BatchEndpoint,
        gate: Gatekeeper,
        pending: PendingBatches,
        quiet: float,
    ) -> None:
        self._model = model
        self._endpoint = endpoint
        self._gate = gate
        self._pending = pending
        self._quiet = quiet
        self._who = Who("batch", model)
        self._place = f"{endpoint.url} {model}"
        self._gathered = _Gathered()
        self._timer: asyncio.TimerHandle | None = None
        self._batches: set[asyncio.Task[None]] = set()
        self._under_way: set[str] = set()
        self._answered: set[str] = set()

    async def send(
        self,
        url: str,  # noqa: ARG002 - a batch names its path
        headers: Mapping[str, str],
        body: bytes,
        read: Callable[[bytes], T],
        who: Who,
    ) -> tuple[T, Attempts]:
        """Have a body answered in a batch, and return what `read_reply` makes of the answer.

        Raises:
            ParticipantError: Where batches brought no readable answer.
            Misshapen: Where the answer is of another shape.
            EndpointRefused: Where the endpoint refuses the request, or any batch.
            RunHalted: Where the endpoint has no batches, or is down for good.
        """
        key, faults = self._key(headers.get("Idempotency-Key", "")), dict[str, int]()
        self._under_way.add(key)
        try:
            while True:
                try:
                    answer = await self._next(key, body)
                    value = self._understood(answer, read, who)
                except Fault as fault:
                    faults[fault.kind] = faults.get(fault.kind, 0) + 1
                    self._pending.forget({key} if fault.may_pass else ())
                    if not fault.may_pass or sum(faults.values()) >= MOST_BATCHES:
                        raise self._failed(fault, faults, who) from fault
                else:
                    self._answered.add(key)
                    return value, Attempts(faults, 0.0, is_timed=False)
        except asyncio.CancelledError as cut:
            delay = ParticipantError(f"{self._model}: a batch was waited for")
            delay.usage = Usage(who.purpose, who.model, 0, faults=faults)
            tell_delay(cut, delay)
            raise
        except (EndpointRefused, Misshapen):
            self._answered.add(key)
            raise
        finally:
            self._under_way.discard(key)

    def settle(self, sent: int, tokens: int) -> None:
        """Learn nothing: a batch has its own allowance."""

    def close(self) -> None:
        """Stop waiting, and forget what was answered; to be called once answers are kept elsewhere."""
        if self._timer is not None:
            self._timer.cancel()
        for task in self._batches:
            task.cancel()
        self._pending.forget(self._answered)
        self._answered = set()

    def _key(self, given: str) -> str:
        """Return the id of a request in its batch; two of one key at a time are two requests."""
        return given if given and given not in self._under_way else uuid.uuid4().hex

    def _understood(self, answer: HttpResponse, read: Callable[[bytes], T], who: Who) -> T:
        body = self._gate.require_good(answer, is_chat=who.is_chat)
        try:
            return read(body)
        except Unreadable as error:
            raise Fault("malformed", str(error)) from error

    def _failed(self, fault: Fault, faults: dict[str, int], who: Who) -> ParticipantError:
        count = sum(faults.values())
        tried = f" (gave up after {count} batches)" if count > 1 else ""
        error = ParticipantError(f"{self._model}: {fault.detail}{tried}")
        error.usage = Usage(who.purpose, who.model, 0, faults=faults)
        return error

    async def _next(self, key: str, body: bytes) -> HttpResponse:
        """Return the answer to a body from the next batch."""
        if len(body) > MOST_BYTES:
            raise Fault("oversized", "the request is larger than a batch may be", may_pass=False)
        loop = asyncio.get_running_loop()
        if self._gathered.size + len(body) > MOST_BYTES:
            self._dispatch()
        answer: asyncio.Future[HttpResponse] = loop.create_future()
        gathered = self._gathered
        gathered.bodies[key], gathered.awaited[key] = body, answer
        gathered.size += len(body)
        if self._timer is not None:
            self._timer.cancel()
        if len(gathered.bodies) >= MOST_REQUESTS:
            self._dispatch()
        else:
            self._timer = loop.call_later(self._quiet, self._dispatch)
        return await answer

    def _dispatch(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        gathered, self._gathered = self._gathered, _Gathered()
        for key, answer in gathered.awaited.items():
            if answer.cancelled():
                del gathered.bodies[key]
        if gathered.bodies:
            task = asyncio.create_task(self._settled(gathered))
            self._batches.add(task)
            task.add_done_callback(self._batches.discard)

    async def _settled(self, gathered: _Gathered) -> None:
        """Have requests answered: from batches of an earlier process, and the rest from a new one."""
        awaited = {key: gathered.awaited[key] for key in gathered.bodies}
        try:
            held = await self._earlier(awaited)
            keys = frozenset[str]().union(*held.values())
            fresh = {key: body for key, body in gathered.bodies.items() if key not in keys}
            await asyncio.gather(
                *(self._awaited(batch, _part(awaited, held[batch])) for batch in held),
                *([self._submitted(fresh, _part(awaited, fresh))] if fresh else []),
            )
        except (RunHalted, EndpointRefused) as error:
            _fail(awaited.values(), error)
        except ParticipantError as error:
            _fail(awaited.values(), _broken(error))
        except DragomanError as error:
            _fail(awaited.values(), error)
        finally:
            gone = Fault("server_error", "its batch is not waited for any more", may_pass=False)
            _fail(awaited.values(), gone)

    async def _earlier(self, awaited: Awaited) -> dict[str, frozenset[str]]:
        """Return which of the requests are in which batches of an earlier process.

        A batch of which only our name is known may have been handed in all the same.
        """
        found = {}
        for batch in self._pending.holding(self._place, awaited):
            batch_id = batch.id or await self._endpoint.find(batch.name, self._who)
            if not batch_id:
                self._pending.forget(batch.keys)
                continue
            if not batch.id:
                self._pending.accepted(batch.name, batch_id)
            log.warning("%s: going on with batch %s", self._model, batch_id)
            found[batch_id] = batch.keys
        return found

    async def _submitted(self, bodies: Mapping[str, bytes], awaited: Awaited) -> None:
        """Hand a batch in and wait for it."""
        name = uuid.uuid4().hex
        content = b"".join(request_line(key, body) for key, body in bodies.items())
        try:
            file_id = await self._endpoint.upload(content, self._who)
            self._pending.begin(name, self._place, bodies)
            batch_id = await self._endpoint.create(name, file_id, self._who)
        except EndpointRefused as refusal:
            self._pending.forget(bodies)
            if refusal.status not in _NO_SUCH_PATH:
                raise
            why = f"{self._endpoint.url} takes no batches (status {refusal.status})"
            raise RunHalted(f"{why}: leave --batch out") from refusal
        self._pending.accepted(name, batch_id)
        count = "1 request" if len(bodies) == 1 else f"{len(bodies):,} requests"
        log.warning(
            "%s: %s in batch %s, which may take 24 hours. Waiting for it.",
            self._model,
            count,
            batch_id,
        )
        await self._awaited(batch_id, awaited)

    async def _awaited(self, batch_id: str, awaited: Awaited) -> None:
        """Wait for a batch and hand its answers out."""
        try:
            batch, contents = await self._ended(batch_id)
        except EndpointRefused as refusal:
            fault = _broken(refusal, may_pass=refusal.status == _GONE)
            _fail(awaited.values(), fault)
            return
        except ParticipantError as error:
            _fail(awaited.values(), _broken(error))
            return
        answers = read_answers(contents)
        if answers.unreadable:
            count = answers.unreadable
            log.warning("%s: batch %s: %d unreadable lines", self._model, batch_id, count)
        missing = _missing(batch)
        outcomes = {key: answers.found.get(key, missing) for key in awaited}
        # Good answers first: what is refused of one conversation is not refused of all.
        for key in sorted(outcomes, key=lambda key: not _is_good(outcomes[key])):
            outcome = outcomes[key]
            if isinstance(outcome, Fault):
                _fail((awaited[key],), outcome)
            elif not awaited[key].done():
                awaited[key].set_result(outcome)

    async def _ended(self, batch_id: str) -> tuple[BatchState, list[bytes]]:
        """Return a batch when it has ended, with the files that it brought."""
        pause = FIRST_LOOK
        while (batch := await self._endpoint.look(batch_id, self._who)).status not in ENDED:
            await asyncio.sleep(pause)
            pause = min(pause * 1.5, LONGEST_PAUSE)
        files = [each for each in (batch.output_file_id, batch.error_file_id) if each]
        return batch, [await self._endpoint.content(each, self._who) for each in files]


def _broken(error: ParticipantError, *, may_pass: bool = False) -> Fault:
    """Return what the way to its batch did to a request; one that is gone can be handed in anew."""
    return Fault("server_error", f"its batch: {error}", may_pass=may_pass)


def _is_good(outcome: HttpResponse | Fault) -> bool:
    return isinstance(outcome, HttpResponse) and outcome.status == _OK


def _missing(batch: BatchState) -> Fault:
    """Return what became of a request that a batch says nothing about."""
    match batch.status:
        case "completed":
            return Fault("malformed", f"batch {batch.id} brought no answer to it")
        case "expired":
            return Fault("timeout", f"batch {batch.id} expired")
        case "failed":
            detail = f"batch {batch.id} failed: {batch.why_failed}"
            return Fault("overloaded" if batch.had_no_room else "server_error", detail)
        case _:
            return Fault("server_error", f"batch {batch.id} was {batch.status}")


def _part(awaited: Awaited, keys: Iterable[str]) -> Awaited:
    return {key: awaited[key] for key in keys}


def _fail(futures: Iterable[asyncio.Future[HttpResponse]], error: Exception) -> None:
    for future in futures:
        if not future.done():
            future.set_exception(error)
