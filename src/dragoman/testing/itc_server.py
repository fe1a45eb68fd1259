"""A local server of the bundled ITC web APIs, with their documents and their faults.

In a test, use `with WorldServer(faults=...) as server:` and send requests to `server.origin`; from
the command line, use `dragoman world serve`. Faults are pure functions from the correct answer to
the faulty one.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, time
from fnmatch import fnmatchcase
from importlib.resources import files
from pathlib import Path
from typing import Literal

import msgspec
from aiohttp import web
from msgspec.structs import replace

from dragoman.benchmarks.itc.world.api_data import countries
from dragoman.benchmarks.itc.world.api_documents import (
    CATALOGUE,
    GONE,
    ORIGIN,
    render_catalogue,
    render_documents,
    render_gone_operations,
)
from dragoman.benchmarks.itc.world.bundled_set import NOW, load_bundled_apis
from dragoman.benchmarks.itc.world.request_handler import SimulatedRequest
from dragoman.core.errors import UsageError
from dragoman.store.folder_contents import require_folder_for
from dragoman.testing.fault_injection import FaultDraws, Faults, chance
from dragoman.testing.local_server import LocalServer
from dragoman.testing.request_handler import Exchange
from dragoman.testing.request_log import OK, RequestLog
from dragoman.testing.responses import HttpAnswer
from dragoman.testing.server_config import ServerConfig, load_config

BUNDLED = "schedule"
"""Name of the shipped schedule, in place of a file."""

ApiFaultKind = Literal[
    "not_found_json",
    "not_found_html",
    "server_error",
    "bad_gateway_html",
    "error_in_body",
    "empty",
    "empty_list",
    "half",
    "endless",
    "slow",
    "limited",
    "json_as_text",
    "csv_as_json",
    "bom",
    "windows_1251",
    "redirect",
    "needs",
    "renamed",
    "number_as_text",
    "unreachable",
]
"""Kinds of faults; `docs/reference/itc.md` describes each."""


class ApiFault(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One fault.

    Attributes:
        api: APIs whose answers it hits: an id, or a pattern such as `br-*` or `*`.
        since: Time from which it occurs; None for always.
        until: Time before which it occurs; None for ever.
        daily: Hours of each day between which it occurs, in UTC.
        rate: Share of requests that it hits.
        field: The parameter that becomes required, or the field that is renamed or becomes text.
        to: The field's new name, or the target of a redirect.
        seconds: Duration of a slow answer.
        retry_after: Value of `Retry-After` with a 429; None for no header.
    """

    api: str
    kind: ApiFaultKind
    since: datetime | None = None
    until: datetime | None = None
    daily: tuple[time, time] | None = None
    rate: float = 1.0
    field: str = ""
    to: str = ""
    seconds: float = 10.0
    retry_after: int | None = None

    def __post_init__(self) -> None:
        """Refuse times without an offset, rates outside of 0 to 1, and missing names."""
        if not 0 <= self.rate <= 1:
            raise ValueError(f"a rate is from 0 to 1, not {self.rate}")
        if any(moment is not None and moment.tzinfo is None for moment in (self.since, self.until)):
            raise ValueError("since and until need an offset: 2026-03-16T10:00:00Z")
        if self.kind in {"needs", "renamed"} and not self.field:
            raise ValueError(f"{self.kind} needs a field")
        if self.kind in {"redirect", "renamed"} and not self.to:
            raise ValueError(f"{self.kind} needs to")

    def holds(self, api: str, now: datetime) -> bool:
        """Return whether the fault may hit a request to an API at this time."""
        return (
            fnmatchcase(api, self.api)
            and (self.since is None or now >= self.since)
            and (self.until is None or now < self.until)
            and (self.daily is None or _within(self.daily, now.astimezone(UTC).time()))
        )


class ApiFaultPlan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All faults of the server; the first one that hits is applied.

    Another seed draws other requests.
    """

    faults: tuple[ApiFault, ...] = ()
    seed: int = 0


class ApiFaultSampler:
    """Draws faults; equal seeds, requests and times give equal faults."""

    def __init__(self, faults: ApiFaultPlan) -> None:
        self._faults = faults
        self._times: Counter[str] = Counter()

    def hitting(self, api: str, target: str, now: datetime) -> ApiFault | None:
        """Return the fault that hits the next request for a target, if any.

        The target is method, path and query.
        """
        content = f"{target} {now.isoformat()}"
        times = self._times[content]
        self._times[content] += 1
        for place, fault in enumerate(self._faults.faults):
            drawn = chance(self._faults.seed, content, f"{place}/{times}")
            if fault.holds(api, now) and drawn < fault.rate:
                return fault
        return None


def load_faults(name: str | Path | None) -> ApiFaultPlan:
    """Read faults from a JSON file, or the bundled schedule by its name; None for none.

    Raises:
        UsageError: If the file cannot be read or is invalid.
    """
    if name is None:
        return ApiFaultPlan()
    if str(name) == BUNDLED:
        content = files("dragoman.testing").joinpath("schedule.json").read_bytes()
        return msgspec.json.decode(content, type=ApiFaultPlan)
    return load_config(Path(name), ApiFaultPlan)


def _within(hours: tuple[time, time], now: time) -> bool:
    start, end = hours
    return start <= now < end if start <= end else now >= start or now < end


_OK = 200
_OF_FIELDS = frozenset(("csv_as_json", "renamed", "number_as_text"))
_HTML = "text/html; charset=utf-8"
_PAGE = "<!doctype html><html><head><title>{0}</title></head><body><h1>{0}</h1></body></html>"
_ENDLESS = b'{"items": [' + b'{"n": 0},' * 900

ApiFaultFunction = Callable[[ApiFault, HttpAnswer, Mapping[str, str]], HttpAnswer]


def inject_api_fault(fault: ApiFault, answer: HttpAnswer, query: Mapping[str, str]) -> HttpAnswer:
    """Return the faulty answer to a request with this query.

    Faults of fields apply only to found data, not to refusals.
    """
    if fault.kind in _OF_FIELDS and answer.status != _OK:
        return answer
    return _SPOIL[fault.kind](fault, answer, query)


def _make_fixed_answer(status: int, content: object) -> ApiFaultFunction:
    body = msgspec.json.encode(content)
    return lambda _fault, _answer, _query: HttpAnswer(status, (body,))


def _page(status: int, title: str) -> ApiFaultFunction:
    body = _PAGE.format(f"{status} {title}").encode()
    return lambda _fault, _answer, _query: HttpAnswer(status, (body,), content_type=_HTML)


def _body(change: Callable[[bytes], bytes], content_type: str = "") -> ApiFaultFunction:
    return lambda _fault, answer, _query: replace(
        answer,
        pieces=(change(answer.body),),
        content_type=content_type or answer.content_type,
    )


def _half(_fault: ApiFault, answer: HttpAnswer, _query: Mapping[str, str]) -> HttpAnswer:
    body = answer.body
    kept = body[: len(body) // 2]
    return replace(answer, pieces=(kept,), ending="cut", missing=len(body) - len(kept))


def _endless(_fault: ApiFault, answer: HttpAnswer, _query: Mapping[str, str]) -> HttpAnswer:
    return replace(answer, pieces=(_ENDLESS,), ending="endless")


def _slow(fault: ApiFault, answer: HttpAnswer, _query: Mapping[str, str]) -> HttpAnswer:
    return replace(answer, wait=fault.seconds)


def _limit_rate(fault: ApiFault, _answer: HttpAnswer, _query: Mapping[str, str]) -> HttpAnswer:
    after = {} if fault.retry_after is None else {"Retry-After": str(fault.retry_after)}
    return HttpAnswer(429, (b'{"message": "Too many requests"}',), headers=after)


def _as_csv(body: bytes) -> bytes:
    """Return the fields of an answer as CSV with two columns."""
    content = msgspec.json.decode(body)
    fields = content if isinstance(content, dict) else dict(enumerate(content))
    lines = ["field;value", *(f"{name};{value}" for name, value in fields.items())]
    return "\r\n".join(lines).encode()


def _cyrillic(body: bytes) -> bytes:
    """Add a word in an old charset, so that the bytes are not UTF-8."""
    note = '{"note": "' + "Служба работает" + '", "answer": '
    return note.encode("windows-1251") + body.decode().encode("windows-1251", "replace") + b"}"


def _redirect(fault: ApiFault, _answer: HttpAnswer, _query: Mapping[str, str]) -> HttpAnswer:
    return HttpAnswer(302, (), headers={"Location": fault.to})


def _needs(fault: ApiFault, answer: HttpAnswer, query: Mapping[str, str]) -> HttpAnswer:
    if query.get(fault.field):
        return answer
    message = {"message": f"{fault.field} is required"}
    return HttpAnswer(400, (msgspec.json.encode(message),))


def _make_field_fault(
    change: Callable[[ApiFault, str, object], tuple[str, object]],
) -> ApiFaultFunction:
    def spoil(fault: ApiFault, answer: HttpAnswer, _query: Mapping[str, str]) -> HttpAnswer:
        content = _every(msgspec.json.decode(answer.body), lambda *field: change(fault, *field))
        return replace(answer, pieces=(msgspec.json.encode(content),))

    return spoil


def _every(content: object, change: Callable[[str, object], tuple[str, object]]) -> object:
    """Apply a change to every field of an answer, at any depth."""
    if isinstance(content, dict):
        return dict(change(name, _every(value, change)) for name, value in content.items())
    if isinstance(content, list):
        return [_every(value, change) for value in content]
    return content


def _rename(fault: ApiFault, name: str, value: object) -> tuple[str, object]:
    return (fault.to if name == fault.field else name), value


def _to_text(fault: ApiFault, name: str, value: object) -> tuple[str, object]:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return name, str(value) if is_number and fault.field in {"", name} else value


def _unreachable(_fault: ApiFault, answer: HttpAnswer, _query: Mapping[str, str]) -> HttpAnswer:
    return replace(answer, ending="reset")


_SPOIL: dict[ApiFaultKind, ApiFaultFunction] = {
    "not_found_json": _make_fixed_answer(404, {"error": "not found"}),
    "not_found_html": _page(404, "Not Found"),
    "server_error": _make_fixed_answer(500, {"error": "internal error"}),
    "bad_gateway_html": _page(502, "Bad Gateway"),
    "error_in_body": _make_fixed_answer(200, {"code": 404, "msg": "no data", "data": None}),
    "empty": _body(lambda _body: b""),
    "empty_list": _body(lambda _body: b"[]"),
    "half": _half,
    "endless": _endless,
    "slow": _slow,
    "limited": _limit_rate,
    "json_as_text": _body(lambda body: body, "text/plain"),
    "csv_as_json": _body(_as_csv),
    "bom": _body(lambda body: b"\xef\xbb\xbf" + body),
    "windows_1251": _body(_cyrillic, "application/json; charset=windows-1251"),
    "redirect": _redirect,
    "needs": _needs,
    "renamed": _make_field_fault(_rename),
    "number_as_text": _make_field_fault(_to_text),
    "unreachable": _unreachable,
}


def render_api_files(origin: str = ORIGIN) -> dict[str, bytes]:
    """Return the files that describe the APIs, by name.

    These are an OpenAPI document for each country, a catalogue in Markdown, and the retired APIs in
    the form of International Tool Calling.

    Args:
        origin: Scheme, host and port of the server in the documents.
    """
    return {
        **render_documents(countries(), origin),
        CATALOGUE: render_catalogue(origin),
        GONE: render_gone_operations(origin),
    }


def write_documents(folder: Path, origin: str = ORIGIN) -> list[str]:
    """Write the documents to a folder, which is made; return the file names.

    Raises:
        UsageError: If the folder holds a run, a dataset or the like, or a file cannot be written or
            exists with another content.
    """
    require_folder_for(folder)
    made = render_api_files(origin)
    for name, content in made.items():
        path = folder / name
        try:
            if path.exists() and path.read_bytes() != content:
                raise UsageError(f"{path}: is there already, with another content")
            folder.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        except OSError as error:
            raise UsageError(f"{path}: {error.strerror}") from error
    return list(made)


class SimulatedApiServer(LocalServer):
    """The simulated APIs as a context manager: `with` uses a thread, `async with` none.

    It can be entered once.

    Attributes:
        now: Time of its clock, which decides about faults; a test sets it to let time pass.
    """

    def __init__(
        self,
        faults: ApiFaultPlan | None = None,
        *,
        now: datetime | None = None,
        port: int = 0,
    ) -> None:
        """Prepare a server, which starts when it is entered.

        Args:
            faults: Faults and their times.
            now: Time with an offset; the default is the simulation's Monday morning.
            port: Port to listen on; 0 takes a free port.
        """
        self.now = now or datetime.fromisoformat(NOW)
        self._apis = load_bundled_apis().apis
        self._faults = ApiFaultSampler(faults or ApiFaultPlan())
        exchange = Exchange(ServerConfig(), RequestLog(), FaultDraws(Faults(), 0))
        application = web.Application()
        application.router.add_get("/", self._contents)
        application.router.add_get("/{page}", self._document)
        application.router.add_get("/documents/{page}", self._document)
        application.router.add_route("*", "/{path:.*}", self._serve)
        super().__init__(application, exchange, (), port)

    async def _contents(self, _request: web.Request) -> web.Response:
        """List the documents for a human reader."""
        return web.Response(
            text="".join(f"{self.origin}/documents/{name}\n" for name in render_api_files())
        )

    async def _document(self, request: web.Request) -> web.Response:
        """Send a document, by its file name or as the page of its country."""
        page = request.match_info["page"]
        for name, content in render_api_files(self.origin).items():
            if page in {name, name.partition(".")[0]}:
                return web.Response(body=content, content_type="text/plain", charset="utf-8")
        raise web.HTTPNotFound

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        body = await request.read()
        asked = SimulatedRequest(
            request.method, request.path, dict(request.query), body, dict(request.headers)
        )
        return await self._exchange.serve(request, lambda _asked: self._made(asked))

    def _made(self, asked: SimulatedRequest) -> tuple[str, HttpAnswer]:
        """Return the outcome of a request, as in logs, and the answer."""
        api = self._apis.api_of(asked)
        answered = self._apis.answer(
            asked.method, asked.path, asked.query, asked.body, asked.headers
        )
        answer = HttpAnswer(
            answered.status, (answered.body,), content_type=answered.headers["Content-Type"]
        )
        fault = api and self._faults.hitting(api, _target(asked), self.now)
        if not fault:
            return OK, answer
        return fault.kind, inject_api_fault(fault, answer, asked.query)


def _target(asked: SimulatedRequest) -> str:
    query: Mapping[str, str] = dict(sorted(asked.query.items()))
    return f"{asked.method} {asked.path} {query}"
