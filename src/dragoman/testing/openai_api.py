"""Routes of an OpenAI-compatible server: chat completions, embeddings, files and batches."""

import hashlib
import itertools
import time
from collections.abc import Awaitable, Callable, Sequence

import msgspec
from aiohttp import web
from msgspec import json
from msgspec.structs import replace

from dragoman.core.content_keys import content_key
from dragoman.testing.chat_requests import (
    MAX_BODY_BYTES,
    ChatBody,
    Refusal,
    audio_bytes,
    read_request,
)
from dragoman.testing.fault_injection import FaultDraws, LineFault, inject_reply_fault, kind_of
from dragoman.testing.request_handler import Exchange, ReceivedRequest, deliver, has_bearer
from dragoman.testing.request_log import OK, RequestLog
from dragoman.testing.responses import (
    EVENTS,
    JSON,
    CannedReply,
    Envelope,
    HttpAnswer,
    count_tokens,
    encode_chunks,
    encode_completion,
    encode_embeddings,
    error_answer,
    read_embedding_request,
)
from dragoman.testing.scripted_answers import Answerer, Unanswered
from dragoman.testing.server_config import ServerConfig

_NO_PLACE = Refusal("this server does not offer batches", status=404)
_NOT_FOUND = Refusal("no such file or batch", status=404)
_WRONG_KEY = Refusal("wrong or no API key", None, "invalid_api_key", 401)
_TOO_MANY = Refusal("too many batches", None, "rate_limit_exceeded", 429, "requests")

Make = Callable[[ReceivedRequest], tuple[str, HttpAnswer]]


class _Asked(msgspec.Struct):
    custom_id: str
    body: msgspec.Raw


class _NewBatch(msgspec.Struct):
    input_file_id: str
    endpoint: str
    completion_window: str
    metadata: dict[str, str] = {}


class _Held(msgspec.Struct):
    id: str
    metadata: dict[str, str]
    ending: str
    ends: float
    output: str | None
    errors: str | None

    def as_json(self) -> dict[str, object]:
        """Return the JSON object of a batch."""
        has_ended = time.monotonic() >= self.ends
        as_json: dict[str, object] = {
            "id": self.id,
            "object": "batch",
            "status": self.ending if has_ended else "in_progress",
            "metadata": self.metadata,
        }
        if has_ended:
            as_json |= {"output_file_id": self.output, "error_file_id": self.errors}
        if has_ended and self.ending == "failed":
            as_json["errors"] = {"data": [{"code": "token_limit_exceeded", "message": "no room"}]}
        return as_json


class BatchService:
    """Accepts files and batches, and answers their requests like single ones.

    Args:
        behaviour: Faults of batches.
        log: Log in which each request of a batch is counted.
        make: Function that answers one request.
    """

    def __init__(self, behaviour: ServerConfig, log: RequestLog, make: Make) -> None:
        self._faults = behaviour.batches
        self._key = behaviour.checks.api_key
        self._log = log
        self._make = make
        self._files: dict[str, bytes] = {}
        self._batches: dict[str, _Held] = {}
        self._endings = list(self._faults.endings)
        self._lines: Sequence[LineFault] = self._faults.lines
        self._refused, self._lost = self._faults.refused, self._faults.lost

    def routes(self, prefix: str) -> list[web.RouteDef]:
        """Return the routes under a prefix."""
        return [
            web.post(f"{prefix}/files", self._guarded(self._upload)),
            web.get(f"{prefix}/files/{{id}}/content", self._guarded(self._content)),
            web.post(f"{prefix}/batches", self._guarded(self._create)),
            web.get(f"{prefix}/batches", self._guarded(self._list)),
            web.get(f"{prefix}/batches/{{id}}", self._guarded(self._look)),
        ]

    def _guarded(
        self, answer: Callable[[web.Request, bytes], HttpAnswer]
    ) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        async def handle(request: web.Request) -> web.StreamResponse:
            body = await request.read()
            if not self._faults.are_served:
                return await deliver(request, error_answer(_NO_PLACE))
            if self._key and not has_bearer(request, self._key):
                return await deliver(request, error_answer(_WRONG_KEY))
            return await deliver(request, answer(request, body))

        return handle

    def _upload(self, request: web.Request, body: bytes) -> HttpAnswer:
        boundary = b"--" + request.headers["Content-Type"].partition("boundary=")[2].encode()
        part = next(each for each in body.split(boundary) if b"filename=" in each)
        name = f"file-{len(self._files)}"
        self._files[name] = part.partition(b"\r\n\r\n")[2].removesuffix(b"\r\n")
        return _json({"id": name, "object": "file", "purpose": "batch"})

    def _content(self, request: web.Request, _: bytes) -> HttpAnswer:
        content = self._files.get(request.match_info["id"])
        return error_answer(_NOT_FOUND) if content is None else HttpAnswer(200, (content,))

    def _create(self, _: web.Request, body: bytes) -> HttpAnswer:
        if self._refused:
            self._refused -= 1
            return error_answer(_TOO_MANY)
        asked = msgspec.json.decode(body, type=_NewBatch)
        lines = self._files[asked.input_file_id].splitlines()
        requests = [msgspec.json.decode(line, type=_Asked) for line in lines]
        ending = self._endings.pop(0) if self._endings else "completed"
        output, errors = self._worked_off(requests, ending)
        held = _Held(
            f"batch_{len(self._batches)}",
            asked.metadata,
            ending,
            time.monotonic() + self._faults.seconds,
            self._stored(output),
            self._stored(errors),
        )
        self._batches[held.id] = held
        answer = _json(held.as_json())
        if self._lost:
            self._lost -= 1
            return msgspec.structs.replace(answer, ending="reset")
        return answer

    def _list(self, _: web.Request, __: bytes) -> HttpAnswer:
        held = [batch.as_json() for batch in self._batches.values()]
        return _json({"object": "list", "data": held[::-1], "has_more": False})

    def _look(self, request: web.Request, _: bytes) -> HttpAnswer:
        held = self._batches.get(request.match_info["id"])
        return error_answer(_NOT_FOUND) if held is None else _json(held.as_json())

    def _stored(self, lines: list[bytes]) -> str | None:
        if not lines:
            return None
        name = f"file-{len(self._files)}"
        self._files[name] = b"\n".join(lines) + b"\n"
        return name

    def _worked_off(
        self, requests: Sequence[_Asked], ending: str
    ) -> tuple[list[bytes], list[bytes]]:
        """Return the lines of answers and of errors."""
        if ending in {"failed", "cancelled"}:
            return [], []
        output, errors = [], []
        faults, self._lines = self._lines, ()
        for index, asked in enumerate(requests):
            if ending == "expired" and index % 2:
                errors.append(_line(asked, None, {"code": "batch_expired", "message": "too late"}))
                continue
            fault = faults[index] if index < len(faults) else "ok"
            output += self._answered(asked, fault)
        return output, errors

    def _answered(self, asked: _Asked, fault: LineFault) -> list[bytes]:
        body = bytes(asked.body)
        content = hashlib.sha256(body).hexdigest()[:32]
        self._log.start(content)
        outcome, answer = self._make(ReceivedRequest(body, content))
        self._log.end(content, outcome if fault == "ok" or outcome != OK else fault)
        response: dict[str, object] = {
            "status_code": answer.status,
            "body": msgspec.Raw(answer.body),
        }
        match fault:
            case "ok":
                return [_line(asked, response, None)]
            case "malformed":
                return [_line(asked, response, None)[:-9]]
            case "wrong_id":
                asked.custom_id = "nobody"
                return [_line(asked, response, None)]
            case "missing":
                return []
            case _:
                status = 400 if fault == "refused" else 503
                broken = {"error": {"message": f"{fault} in the batch"}}
                return [_line(asked, {"status_code": status, "body": broken}, None)]


def _line(asked: _Asked, response: object, error: object) -> bytes:
    said = {"id": "line", "custom_id": asked.custom_id, "response": response, "error": error}
    return msgspec.json.encode(said)


def _json(said: object) -> HttpAnswer:
    return HttpAnswer(200, (msgspec.json.encode(said),), JSON)


ANY_MODEL = "any"


class Endpoint:
    """Answers requests for completions and embeddings, through an exchange that injects faults."""

    def __init__(self, answerer: Answerer, behaviour: ServerConfig, log: RequestLog) -> None:
        self._answerer = answerer
        self._behaviour = behaviour
        self._draws = FaultDraws(behaviour.faults, behaviour.seed)
        self.exchange = Exchange(behaviour, log, self._draws)
        self._batch_service = BatchService(behaviour, log, self._completion)
        self._number = itertools.count(1)
        self._fingerprint = f"fp_{content_key(behaviour)[:10]}"

    def application(self) -> web.Application:
        """Return the routes, each with and without `/v1`."""
        application = web.Application(client_max_size=MAX_BODY_BYTES)
        for prefix in ("", "/v1"):
            application.router.add_post(f"{prefix}/chat/completions", self.complete)
            application.router.add_post(f"{prefix}/embeddings", self.embed)
            application.router.add_routes(self._batch_service.routes(prefix))
            application.router.add_get(f"{prefix}/models", self.list_models)
            application.router.add_get(f"{prefix}/log", self.show_log)
        return application

    async def list_models(self, _: web.Request) -> web.Response:
        """List the models served."""
        models = [
            {"id": name, "object": "model", "created": 0, "owned_by": "dragoman"}
            for name in self._behaviour.checks.models or (ANY_MODEL,)
        ]
        return web.Response(body=json.encode({"object": "list", "data": models}), content_type=JSON)

    async def show_log(self, _: web.Request) -> web.Response:
        """Show the counts of the log."""
        return web.Response(body=json.encode(self.exchange.log.view()), content_type=JSON)

    async def complete(self, request: web.Request) -> web.StreamResponse:
        """Answer a chat completion request."""
        return await self.exchange.serve(request, self._completion)

    async def embed(self, request: web.Request) -> web.StreamResponse:
        """Answer a request for embeddings."""
        return await self.exchange.serve(request, self._embeddings)

    def _completion(self, asked: ReceivedRequest) -> tuple[str, HttpAnswer]:
        """Return the completion for a body."""
        chat = read_request(asked.body, self._behaviour.checks, asked.content)
        if isinstance(chat, Refusal):
            return "refused", error_answer(chat)
        reply = self._answerer(chat)
        if isinstance(reply, Unanswered):
            return "refused", error_answer(Refusal(reply.reason, "messages", "no_answer"))
        return self._answer(chat, reply, asked.content, len(asked.body))

    def _embeddings(self, asked: ReceivedRequest) -> tuple[str, HttpAnswer]:
        """Return the embeddings for a body."""
        request = read_embedding_request(asked.body, self._behaviour.checks)
        if isinstance(request, Refusal):
            return "refused", error_answer(request)
        return OK, HttpAnswer(200, (encode_embeddings(request, len(asked.body)),))

    def _answer(
        self, asked: ChatBody, reply: CannedReply, content: str, size: int
    ) -> tuple[str, HttpAnswer]:
        """Return the completion, with an agent fault if one is due."""
        outcome, reply = OK, with_ids(reply, content)
        mistake = self._draws.agent(content)
        if mistake is not None and (mistaken := inject_reply_fault(mistake, reply)) != reply:
            outcome, reply = kind_of(mistake), mistaken
        envelope = Envelope(
            # As with real providers, no two answers are identical, whatever the request.
            id=f"chatcmpl-{content}-{next(self._number)}",
            created=int(time.time()),
            model=asked.model,
            system_fingerprint=self._fingerprint,
            prompt_tokens=count_tokens(size),
            audio_tokens=count_tokens(audio_bytes(asked.messages)),
            spoken_as=asked.audio.format if asked.is_to_be_spoken and asked.audio else "",
        )
        if not asked.stream:
            return outcome, HttpAnswer(200, (encode_completion(reply, envelope),))
        with_usage = asked.stream_options is not None and asked.stream_options.include_usage
        chunks = encode_chunks(reply, envelope, with_usage=with_usage)
        return outcome, HttpAnswer(200, chunks, EVENTS)


def with_ids(reply: CannedReply, content: str) -> CannedReply:
    """Give ids to the calls without one; they differ between requests."""
    if all(call.id for call in reply.tool_calls):
        return reply
    calls = [
        call if call.id else replace(call, id=f"call_{content[:16]}_{index}")
        for index, call in enumerate(reply.tool_calls)
    ]
    return replace(reply, tool_calls=tuple(calls))
