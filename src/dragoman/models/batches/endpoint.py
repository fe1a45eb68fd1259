"""A provider's files and batches over HTTP: handed in, looked for, looked at, fetched."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol, TypeVar
from urllib.parse import quote

import msgspec

from dragoman.core.texts.decoding import UNREADABLE
from dragoman.models.batches.lines import PATH
from dragoman.models.wire.multipart import File, form_with
from dragoman.models.wire.sending import Gatekeeper, Who
from dragoman.models.wire.transport import CHAT_BYTES, Fault, HttpResponse, Transport

T = TypeVar("T")

NAMED = "dragoman"
"""The entry of a batch's metadata that holds our name for it."""

MOST_BYTES = 1024**3
"""The largest file of answers that is read."""

ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
_PAGE = 100
_MOST_PAGES = 10


class _Problem(msgspec.Struct):
    code: str | None = None
    message: str | None = None


class _Problems(msgspec.Struct):
    data: list[_Problem] = []


class BatchState(msgspec.Struct):
    """What a provider says of a batch."""

    id: str
    status: str
    output_file_id: str | None = None
    error_file_id: str | None = None
    errors: _Problems | None = None
    metadata: dict[str, str] | None = None

    @property
    def why_failed(self) -> str:
        """The first reason for which it was not taken."""
        problems = self.errors.data if self.errors else []
        first = problems[0] if problems else _Problem()
        return " ".join((first.message or first.code or "no reason given").split())[:300]

    @property
    def had_no_room(self) -> bool:
        """Whether it was more than the provider keeps waiting at a time."""
        problems = self.errors.data if self.errors else []
        return any(problem.code == "token_limit_exceeded" for problem in problems)


class _Stored(msgspec.Struct):
    id: str


class _Page(msgspec.Struct):
    data: list[BatchState]
    has_more: bool = False


class Web(Transport, Protocol):
    """What asks and posts over HTTP."""

    async def get(
        self,
        url: str,
        headers: Mapping[str, str],
        proxy: str | None = None,
        most_bytes: int = CHAT_BYTES,
    ) -> HttpResponse:
        """Return what is at an address; raise Fault where no answer came."""
        ...


class BatchEndpoint:
    """The files and batches of a provider.

    Every method raises `ParticipantError` where the provider broke, `EndpointRefused` where it refuses
    and `RunHalted` where it is down for good.

    Args:
        url: The address that `/files` and `/batches` are added to.
        headers: Sent with every call, authorization included.
        web: Carries what is asked.
        gate: The gate of the endpoint.
        proxy: The address of a proxy, or None.
    """

    def __init__(
        self,
        url: str,
        headers: Mapping[str, str],
        web: Web,
        gate: Gatekeeper,
        proxy: str | None = None,
    ) -> None:
        self.url = url
        self._headers = {name: said for name, said in headers.items() if name != "Content-Type"}
        self._web = web
        self._gate = gate
        self._proxy = proxy

    async def upload(self, content: bytes, who: Who) -> str:
        """Hand a file of requests in and return its id."""
        file = File("file", "requests.jsonl", "application/jsonl", content)
        kind, body = form_with({"purpose": "batch"}, file)

        async def attempt() -> str:
            return (await self._posted("/files", kind, body, _Stored)).id

        return await self._tried(attempt, who)

    async def create(self, name: str, file_id: str, who: Who) -> str:
        """Have a file's requests answered and return the batch's id.

        One whose answer was lost on the way is looked for by our name before it is made again.
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

        return await self._tried(attempt, who)

    async def find(self, name: str, who: Who) -> str:
        """Return the id of the batch that has our name; "" where there is none."""
        return await self._tried(lambda: self._found(name), who)

    async def look(self, batch_id: str, who: Who) -> BatchState:
        """Return how a batch stands."""
        path = f"/batches/{quote(batch_id, safe='')}"
        return await self._tried(lambda: self._got(path, BatchState), who)

    async def content(self, file_id: str, who: Who) -> bytes:
        """Return what a file holds."""
        path = f"/files/{quote(file_id, safe='')}/content"

        async def attempt() -> bytes:
            got = self._web.get(f"{self.url}{path}", self._headers, self._proxy, MOST_BYTES)
            return self._gate.require_good(await got)

        return await self._tried(attempt, who)

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
        return _read(self._gate.require_good(answer), kind)

    async def _posted(self, path: str, content_type: str, body: bytes, kind: type[T]) -> T:
        headers = {**self._headers, "Content-Type": content_type}
        answer = await self._web.post(f"{self.url}{path}", headers, body, self._proxy)
        return _read(self._gate.require_good(answer), kind)

    async def _tried(self, attempt: Callable[[], Awaitable[T]], who: Who) -> T:
        value, _ = await self._gate.tried(attempt, who)
        return value


def _read(body: bytes, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(body, type=kind)
    except UNREADABLE as error:
        raise Fault("malformed", f"no answer about files and batches ({error})") from error
