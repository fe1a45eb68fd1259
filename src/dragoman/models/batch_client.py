"""Batch API client: collects requests of many conversations and sends them as batches.

The client uploads JSONL files, creates batches, polls them and fetches their results. It matches
the lines of the results to requests by id. One batch holds the requests of all conversations that
wait. A conversation of ten turns therefore waits for ten batches. Providers answer batches later
than single requests, at a lower price.
"""

import asyncio
import logging
import uuid
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Protocol, TypeVar
from urllib.parse import quote

import msgspec

from dragoman.core.errors import DragomanError, ParticipantError, RunHalted, attach_delay
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.core.usage import Usage
from dragoman.models.http.http_request import FormFile, encode_form
from dragoman.models.http.transport import (
    CHAT_BYTES,
    Attempts,
    CallContext,
    CallScheduler,
    HttpResponse,
    MalformedResponse,
    RequestRejected,
    Transport,
    TransportError,
    UnexpectedResponse,
)
from dragoman.store.pending_batches import PendingBatches

PATH = "/v1/chat/completions"
EXPIRED = "batch_expired"


class _Answer(msgspec.Struct):
    status_code: int
    body: msgspec.Raw = msgspec.Raw(b"null")


class _Error(msgspec.Struct):
    code: str | None = None
    message: str | None = None


class _Line(msgspec.Struct):
    custom_id: str
    response: _Answer | None = None
    error: _Error | None = None


_LINE = msgspec.json.Decoder(_Line)


class BatchAnswers(msgspec.Struct, frozen=True):
    """The answers in the result files of a batch.

    Attributes:
        found: By request id: the answer, or the error of this request.
        unreadable: Number of lines that cannot be parsed.
    """

    found: Mapping[str, HttpResponse | TransportError]
    unreadable: int


def request_line(key: str, body: bytes) -> bytes:
    """Return the line that asks for a completion."""
    asked = {"custom_id": key, "method": "POST", "url": PATH, "body": msgspec.Raw(body)}
    return msgspec.json.encode(asked) + b"\n"


def read_answers(contents: Iterable[bytes]) -> BatchAnswers:
    """Read the result files of a batch; the first of two lines about one request counts."""
    found: dict[str, HttpResponse | TransportError] = {}
    unreadable = 0
    for content in contents:
        for line in content.splitlines():
            if not line.strip():
                continue
            try:
                read = _LINE.decode(line)
            except DECODING_ERRORS:
                unreadable += 1
                continue
            found.setdefault(read.custom_id, _outcome(read))
    return BatchAnswers(found, unreadable)


def _outcome(line: _Line) -> HttpResponse | TransportError:
    if line.response is not None:
        return HttpResponse(line.response.status_code, {}, bytes(line.response.body))
    error = line.error or _Error()
    said = " ".join((error.message or error.code or "no answer").split())[:300]
    return TransportError(
        "timeout" if error.code == EXPIRED else "server_error", f"in the batch: {said}"
    )


T = TypeVar("T")

NAMED = "dragoman"
"""The entry of a batch's metadata that holds our name for it."""

MOST_RESULT_BYTES = 1024**3
"""Largest result file that is read, in bytes."""

ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
_PAGE = 100
_MOST_PAGES = 10


class _Problem(msgspec.Struct):
    code: str | None = None
    message: str | None = None


class _Problems(msgspec.Struct):
    data: list[_Problem] = []


class BatchState(msgspec.Struct):
    """State of a batch, as the provider reports it."""

    id: str
    status: str
    output_file_id: str | None = None
    error_file_id: str | None = None
    errors: _Problems | None = None
    metadata: dict[str, str] | None = None

    @property
    def why_failed(self) -> str:
        """The first reason why the provider rejected the batch."""
        problems = self.errors.data if self.errors else []
        first = problems[0] if problems else _Problem()
        return " ".join((first.message or first.code or "no reason given").split())[:300]

    @property
    def had_no_room(self) -> bool:
        """Whether the batch exceeded the provider's limit of queued requests."""
        problems = self.errors.data if self.errors else []
        return any(problem.code == "token_limit_exceeded" for problem in problems)


class _Stored(msgspec.Struct):
    id: str


class _Page(msgspec.Struct):
    data: list[BatchState]
    has_more: bool = False


class BatchTransport(Transport, Protocol):
    """A transport that can also send GET requests."""

    async def get(
        self,
        url: str,
        headers: Mapping[str, str],
        proxy: str | None = None,
        most_bytes: int = CHAT_BYTES,
    ) -> HttpResponse:
        """Return the content of an address; raise TransportError if no answer came."""
        ...


class BatchApi:
    """The file and batch endpoints of a provider.

    Every method raises `ParticipantError` if the provider fails, `RequestRejected` if it refuses
    the request, and `RunHalted` if it is down permanently.

    Args:
        url: The address that `/files` and `/batches` are added to.
        headers: Headers sent with every call, authorization included.
        web: Transport of the requests.
        client: Scheduler of the endpoint, which retries calls.
        proxy: The address of a proxy, or None.
    """

    def __init__(
        self,
        url: str,
        headers: Mapping[str, str],
        web: BatchTransport,
        client: CallScheduler,
        proxy: str | None = None,
    ) -> None:
        self.url = url
        self._headers = {name: said for name, said in headers.items() if name != "Content-Type"}
        self._web = web
        self._client = client
        self._proxy = proxy

    async def upload(self, content: bytes, call_context: CallContext) -> str:
        """Upload a file of requests and return its id."""
        file = FormFile("file", "requests.jsonl", "application/jsonl", content)
        kind, body = encode_form({"purpose": "batch"}, file)

        async def attempt() -> str:
            return (await self._posted("/files", kind, body, _Stored)).id

        return await self._tried(attempt, call_context)

    async def create(self, name: str, file_id: str, call_context: CallContext) -> str:
        """Create a batch for a file of requests and return the batch's id.

        If the answer to an attempt was lost, the next attempt first looks for a batch with our
        name.
        """
        is_uncertain = False
        asked = {
            "input_file_id": file_id,
            "endpoint": PATH,
            "completion_window": "24h",
            "metadata": {NAMED: name},
        }

        async def attempt() -> str:
            nonlocal is_uncertain
            if is_uncertain and (found := await self._found(name)):
                return found
            is_uncertain = True
            body = msgspec.json.encode(asked)
            return (await self._posted("/batches", "application/json", body, BatchState)).id

        return await self._tried(attempt, call_context)

    async def find(self, name: str, call_context: CallContext) -> str:
        """Return the id of the batch that has our name, or "" if there is none."""
        return await self._tried(lambda: self._found(name), call_context)

    async def look(self, batch_id: str, call_context: CallContext) -> BatchState:
        """Return the state of a batch."""
        path = f"/batches/{quote(batch_id, safe='')}"
        return await self._tried(lambda: self._got(path, BatchState), call_context)

    async def content(self, file_id: str, call_context: CallContext) -> bytes:
        """Return the content of a file."""
        path = f"/files/{quote(file_id, safe='')}/content"

        async def attempt() -> bytes:
            got = self._web.get(f"{self.url}{path}", self._headers, self._proxy, MOST_RESULT_BYTES)
            return self._client.require_good(await got)

        return await self._tried(attempt, call_context)

    async def _found(self, name: str) -> str:
        after = ""
        for _ in range(_MOST_PAGES):
            page = await self._got(f"/batches?limit={_PAGE}{after}", _Page)
            for batch in page.data:
                if (batch.metadata or {}).get(NAMED) == name:
                    return batch.id
            if not page.has_more or not page.data:
                break
            after = f"&after={quote(page.data[-1].id, safe='')}"
        return ""

    async def _got(self, path: str, kind: type[T]) -> T:
        answer = await self._web.get(f"{self.url}{path}", self._headers, self._proxy)
        return _read(self._client.require_good(answer), kind)

    async def _posted(self, path: str, content_type: str, body: bytes, kind: type[T]) -> T:
        headers = {**self._headers, "Content-Type": content_type}
        answer = await self._web.post(f"{self.url}{path}", headers, body, self._proxy)
        return _read(self._client.require_good(answer), kind)

    async def _tried(self, attempt: Callable[[], Awaitable[T]], call_context: CallContext) -> T:
        value, _ = await self._client.tried(attempt, call_context)
        return value


def _read(body: bytes, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(body, type=kind)
    except DECODING_ERRORS as error:
        raise TransportError("malformed", f"no answer about files and batches ({error})") from error


MOST_REQUESTS = 10_000
MOST_INPUT_BYTES = 96 * 1024**2
"""Providers take 50,000 requests and 200 MB, but the answers have to be held in memory, too."""

MOST_BATCHES = 3
"""Number of batches that may fail a request before the request counts as unanswerable."""

FIRST_LOOK = 1.0
LONGEST_PAUSE = 60.0
_OK = 200
_GONE = 404
_NO_SUCH_PATH = frozenset({404, 405, 501})

log = logging.getLogger(__name__)

Awaited = Mapping[str, asyncio.Future[HttpResponse]]


class _Gathered(msgspec.Struct):
    """Requests that wait to be sent, and the futures of their answers."""

    bodies: dict[str, bytes] = {}
    awaited: dict[str, asyncio.Future[HttpResponse]] = {}
    size: int = 0


class BatchClient:
    """Sends the requests for one model at one endpoint in batches.

    A request with an `Idempotency-Key` is found again in its batch if the process was killed
    meanwhile and another process continues the run.

    Args:
        model: The model's name in messages.
        endpoint: The batch API of the endpoint.
        client: Scheduler that decides which answers are good.
        pending: Store of the requests that were submitted and not answered yet.
        quiet: Seconds without another request after which a batch is sent.
    """

    def __init__(
        self,
        model: str,
        endpoint: BatchApi,
        client: CallScheduler,
        pending: PendingBatches,
        quiet: float,
    ) -> None:
        self._model = model
        self._endpoint = endpoint
        self._client = client
        self._pending = pending
        self._quiet = quiet
        self._who = CallContext("batch", model)
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
        call_context: CallContext,
    ) -> tuple[T, Attempts]:
        """Send a body in a batch, and return the result of `read` for the answer.

        Raises:
            ParticipantError: If batches brought no readable answer.
            MalformedResponse: If the answer has another shape.
            RequestRejected: If the endpoint refuses the request, or every batch.
            RunHalted: If the endpoint does not offer batches, or is down permanently.
        """
        key, faults = self._key(headers.get("Idempotency-Key", "")), dict[str, int]()
        self._under_way.add(key)
        try:
            while True:
                try:
                    answer = await self._next(key, body)
                    value = self._understood(answer, read, call_context)
                except TransportError as fault:
                    faults[fault.kind] = faults.get(fault.kind, 0) + 1
                    self._pending.forget({key} if fault.may_pass else ())
                    if not fault.may_pass or sum(faults.values()) >= MOST_BATCHES:
                        raise self._failed(fault, faults, call_context) from fault
                else:
                    self._answered.add(key)
                    return value, Attempts(faults, 0.0, is_timed=False)
        except asyncio.CancelledError as cut:
            delay = ParticipantError(f"{self._model}: a batch was waited for")
            delay.usage = Usage(call_context.purpose, call_context.model, 0, faults=faults)
            attach_delay(cut, delay)
            raise
        except (RequestRejected, UnexpectedResponse):
            self._answered.add(key)
            raise
        finally:
            self._under_way.discard(key)

    def settle(self, sent: int, tokens: int) -> None:
        """Do nothing: a batch has its own rate limit."""

    def close(self) -> None:
        """Stop waiting and forget the answered requests.

        The method is called once the answers are stored elsewhere.
        """
        if self._timer is not None:
            self._timer.cancel()
        for task in self._batches:
            task.cancel()
        self._pending.forget(self._answered)
        self._answered = set()

    def _key(self, given: str) -> str:
        """Return the id of a request in its batch.

        Concurrent requests with one key get different ids.
        """
        return given if given and given not in self._under_way else uuid.uuid4().hex

    def _understood(
        self, answer: HttpResponse, read: Callable[[bytes], T], call_context: CallContext
    ) -> T:
        body = self._client.require_good(answer, is_chat=call_context.is_chat)
        try:
            return read(body)
        except MalformedResponse as error:
            raise TransportError("malformed", str(error)) from error

    def _failed(
        self, fault: TransportError, faults: dict[str, int], call_context: CallContext
    ) -> ParticipantError:
        count = sum(faults.values())
        tried = f" (gave up after {count} batches)" if count > 1 else ""
        error = ParticipantError(f"{self._model}: {fault.detail}{tried}")
        error.usage = Usage(call_context.purpose, call_context.model, 0, faults=faults)
        return error

    async def _next(self, key: str, body: bytes) -> HttpResponse:
        """Return the answer to a body from the next batch."""
        if len(body) > MOST_INPUT_BYTES:
            raise TransportError(
                "oversized", "the request is larger than a batch may be", may_pass=False
            )
        loop = asyncio.get_running_loop()
        if self._gathered.size + len(body) > MOST_INPUT_BYTES:
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
        """Wait until requests are answered.

        Answers come from batches of an earlier process, and the rest from a new batch.
        """
        awaited = {key: gathered.awaited[key] for key in gathered.bodies}
        try:
            held = await self._earlier(awaited)
            keys = frozenset[str]().union(*held.values())
            fresh = {key: body for key, body in gathered.bodies.items() if key not in keys}
            await asyncio.gather(
                *(self._awaited(batch, _part(awaited, held[batch])) for batch in held),
                *([self._submitted(fresh, _part(awaited, fresh))] if fresh else []),
            )
        except (RunHalted, RequestRejected) as error:
            _fail(awaited.values(), error)
        except ParticipantError as error:
            _fail(awaited.values(), _batch_error(error))
        except DragomanError as error:
            _fail(awaited.values(), error)
        finally:
            gone = TransportError(
                "server_error", "its batch is not waited for any more", may_pass=False
            )
            _fail(awaited.values(), gone)

    async def _earlier(self, awaited: Awaited) -> dict[str, frozenset[str]]:
        """Return the batches of an earlier process, each with the requests that it holds.

        A batch may have been submitted although only our name for it is known.
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
        """Submit a batch and wait for it."""
        name = uuid.uuid4().hex
        content = b"".join(request_line(key, body) for key, body in bodies.items())
        try:
            file_id = await self._endpoint.upload(content, self._who)
            self._pending.begin(name, self._place, bodies)
            batch_id = await self._endpoint.create(name, file_id, self._who)
        except RequestRejected as refusal:
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
        """Wait for a batch and distribute its answers."""
        try:
            batch, contents = await self._ended(batch_id)
        except RequestRejected as refusal:
            fault = _batch_error(refusal, may_pass=refusal.status == _GONE)
            _fail(awaited.values(), fault)
            return
        except ParticipantError as error:
            _fail(awaited.values(), _batch_error(error))
            return
        answers = read_answers(contents)
        if answers.unreadable:
            count = answers.unreadable
            log.warning("%s: batch %s: %d unreadable lines", self._model, batch_id, count)
        missing = _missing(batch)
        outcomes = {key: answers.found.get(key, missing) for key in awaited}
        # Good answers come first: once the model has answered, a refusal does not halt the run.
        for key in sorted(outcomes, key=lambda key: not _is_good(outcomes[key])):
            outcome = outcomes[key]
            if isinstance(outcome, TransportError):
                _fail((awaited[key],), outcome)
            elif not awaited[key].done():
                awaited[key].set_result(outcome)

    async def _ended(self, batch_id: str) -> tuple[BatchState, list[bytes]]:
        """Return a batch and its result files once it has ended."""
        pause = FIRST_LOOK
        while (batch := await self._endpoint.look(batch_id, self._who)).status not in ENDED:
            await asyncio.sleep(pause)
            pause = min(pause * 1.5, LONGEST_PAUSE)
        files = [each for each in (batch.output_file_id, batch.error_file_id) if each]
        return batch, [await self._endpoint.content(each, self._who) for each in files]


def _batch_error(error: ParticipantError, *, may_pass: bool = False) -> TransportError:
    """Return the error of a request whose batch failed.

    A request can be retried if its batch is gone.
    """
    return TransportError("server_error", f"its batch: {error}", may_pass=may_pass)


def _is_good(outcome: HttpResponse | TransportError) -> bool:
    return isinstance(outcome, HttpResponse) and outcome.status == _OK


def _missing(batch: BatchState) -> TransportError:
    """Return the error of a request that a batch does not mention."""
    match batch.status:
        case "completed":
            return TransportError("malformed", f"batch {batch.id} brought no answer to it")
        case "expired":
            return TransportError("timeout", f"batch {batch.id} expired")
        case "failed":
            detail = f"batch {batch.id} failed: {batch.why_failed}"
            return TransportError("overloaded" if batch.had_no_room else "server_error", detail)
        case _:
            return TransportError("server_error", f"batch {batch.id} was {batch.status}")


def _part(awaited: Awaited, keys: Iterable[str]) -> Awaited:
    return {key: awaited[key] for key in keys}


def _fail(futures: Iterable[asyncio.Future[HttpResponse]], error: Exception) -> None:
    for future in futures:
        if not future.done():
            future.set_exception(error)
