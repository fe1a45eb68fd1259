"""The files of a batch: a line for each request, and a line for each answer, found by its id."""

from collections.abc import Iterable, Mapping

import msgspec

from dragoman.core.texts.decoding import UNREADABLE
from dragoman.models.wire.transport import Fault, HttpResponse

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
    """What a batch brought.

    Attributes:
        found: By the ids of requests: the answer, or what went wrong with this one.
        unreadable: Lines that are none.
    """

    found: Mapping[str, HttpResponse | Fault]
    unreadable: int


def request_line(key: str, body: bytes) -> bytes:
    """Return the line that asks for a completion."""
    asked = {"custom_id": key, "method": "POST", "url": PATH, "body": msgspec.Raw(body)}
    return msgspec.json.encode(asked) + b"\n"


def read_answers(contents: Iterable[bytes]) -> BatchAnswers:
    """Read the files that a batch brought; of two lines about one request the first counts."""
    found: dict[str, HttpResponse | Fault] = {}
    unreadable = 0
    for content in contents:
        for line in content.splitlines():
            if not line.strip():
                continue
            try:
                read = _LINE.decode(line)
            except UNREADABLE:
                unreadable += 1
                continue
            found.setdefault(read.custom_id, _outcome(read))
    return BatchAnswers(found, unreadable)


def _outcome(line: _Line) -> HttpResponse | Fault:
    if line.response is not None:
        return HttpResponse(line.response.status_code, {}, bytes(line.response.body))
    error = line.error or _Error()
    said = " ".join((error.message or error.code or "no answer").split())[:300]
    return Fault("timeout" if error.code == EXPIRED else "server_error", f"in the batch: {said}")
