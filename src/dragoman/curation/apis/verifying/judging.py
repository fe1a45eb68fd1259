"""Whether an answer is one that a tool may give: JSON with something in it."""

import re
from typing import Any, Literal

import msgspec

from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.curation.apis.verifying.schemas import inferred
from dragoman.web.exchange import HttpExchange
from dragoman.web.response_bodies import body_text

AnswerKind = Literal[
    "good",
    "refused",
    "unasked",
    "dns",
    "connect",
    "timeout",
    "cut",
    "too large",
    "broken",
    "3xx",
    "4xx",
    "5xx",
    "empty",
    "malformed",
    "not JSON",
    "error inside",
]
"""What an answer is; from `refused` to `broken` there is no whole one."""

NO_WAY: frozenset[AnswerKind] = frozenset({"dns", "connect", "timeout", "cut"})
"""Kinds that may be the fault of the line to it, also of our own."""

MAY_PASS: frozenset[AnswerKind] = NO_WAY | {"unasked", "5xx"}
"""Kinds that another attempt may mend."""

_MULTIPLE, _CLIENT, _SERVER, _END = 300, 400, 500, 600
_LIMITED = 429
_STATUS_FIELDS = ("code", "status", "statuscode", "status_code", "cod", "errcode", "error_code")
_SAYING_FIELDS = ("message", "msg", "detail", "reason", "status_message")
_is_status = re.compile(r"[45][0-9]{2}").fullmatch
_ERROR_FIELDS = ("error", "errors", "error_message", "errormessage")


class JudgedAnswer(msgspec.Struct, frozen=True):
    """What an answer is and why; of a good one its schema.

    Attributes:
        passes: Whether another attempt may bring another answer.
    """

    kind: AnswerKind
    reason: str = ""
    content_type: str = ""
    schema: dict[str, Any] = {}
    passes: bool = False


def judged(exchange: HttpExchange) -> JudgedAnswer:
    """Say what an answer is."""
    if exchange.failure:
        kind = msgspec.convert(exchange.failure.partition(": ")[0], AnswerKind)
        return JudgedAnswer(kind, exchange.failure, passes=kind in MAY_PASS)
    content_type = exchange.headers.get("content-type", "").partition(";")[0].strip().lower()
    if exchange.status >= _MULTIPLE:
        return _unsuccessful(exchange.status, content_type)
    text = body_text(exchange.body, exchange.headers).text
    if not text.strip():
        return JudgedAnswer("empty", "the answer is empty", content_type)
    try:
        return _json(msgspec.json.decode(text), content_type)
    except DECODING_ERRORS:
        return _no_json(text, content_type)


def _json(value: object, content_type: str) -> JudgedAnswer:
    if value in (None, "", [], {}):
        return JudgedAnswer("empty", "nothing is in the answer", content_type)
    error = _error_in(value)
    if error:
        return JudgedAnswer("error inside", error, content_type)
    return JudgedAnswer("good", "", content_type, inferred([value]))


def _unsuccessful(status: int, content_type: str) -> JudgedAnswer:
    passes = status >= _SERVER or status == _LIMITED
    kind: AnswerKind = "5xx" if status >= _SERVER else "4xx" if status >= _CLIENT else "3xx"
    return JudgedAnswer(kind, f"status {status}", content_type, passes=passes)


def _no_json(text: str, content_type: str) -> JudgedAnswer:
    start = text.lstrip()[:1]
    if start in {"{", "["} or (content_type.endswith("json") and start not in {"<", ""}):
        return JudgedAnswer("malformed", "the JSON is malformed", content_type)
    what = "a page or XML" if start == "<" else content_type or "text"
    return JudgedAnswer("not JSON", f"no JSON but {what}", content_type)


def _error_in(value: object) -> str:
    """Return what an answer with status 200 says of an error of its own; "" where it says nothing."""
    if not isinstance(value, dict):
        return ""
    low = {str(name).lower(): each for name, each in value.items()}
    told = next((name for name in _ERROR_FIELDS if low.get(name)), "")
    if any(each for name, each in low.items() if name != told and isinstance(each, dict | list)):
        return ""
    status = next((name for name in _STATUS_FIELDS if _is_bad_status(low.get(name))), "")
    if status and (len(low) == 1 or any(name in low for name in (*_SAYING_FIELDS, *_ERROR_FIELDS))):
        return f"the answer says {status} {low[status]}"
    if low.get("success") is False or low.get("ok") is False:
        return "the answer says that it is no success"
    return f"the answer has {told!r} and no data" if told else ""


def _is_bad_status(said: object) -> bool:
    """Whether a field has a status of HTTP that is one of an error, as a number or as text."""
    if isinstance(said, str) and _is_status(said):
        said = int(said)
    return type(said) is int and _CLIENT <= said < _END
