"""Does to the world's answers what faults say: pure functions from the sound answer to the spoilt one."""

from collections.abc import Callable, Mapping

import msgspec
from msgspec.structs import replace

from dragoman.testing.http_answers import HttpAnswer
from dragoman.testing.world.faults import WorldFault, WorldFaultKind

_OK = 200
_OF_FIELDS = frozenset(("csv_as_json", "renamed", "number_as_text"))
_HTML = "text/html; charset=utf-8"
_PAGE = "<!doctype html><html><head><title>{0}</title></head><body><h1>{0}</h1></body></html>"
_ENDLESS = b'{"items": [' + b'{"n": 0},' * 900

Spoil = Callable[[WorldFault, HttpAnswer, Mapping[str, str]], HttpAnswer]


def spoilt(fault: WorldFault, answer: HttpAnswer, query: Mapping[str, str]) -> HttpAnswer:
    """Return what is sent instead of an answer to a request with this query.

    Fields are changed in what was found; a refusal has none.
    """
    if fault.kind in _OF_FIELDS and answer.status != _OK:
        return answer
    return _SPOIL[fault.kind](fault, answer, query)


def _said(status: int, content: object) -> Spoil:
    body = msgspec.json.encode(content)
    return lambda _fault, _answer, _query: HttpAnswer(status, (body,))


def _page(status: int, title: str) -> Spoil:
    body = _PAGE.format(f"{status} {title}").encode()
    return lambda _fault, _answer, _query: HttpAnswer(status, (body,), content_type=_HTML)


def _body(change: Callable[[bytes], bytes], content_type: str = "") -> Spoil:
    return lambda _fault, answer, _query: replace(
        answer,
        pieces=(change(answer.body),),
        content_type=content_type or answer.content_type,
    )


def _half(_fault: WorldFault, answer: HttpAnswer, _query: Mapping[str, str]) -> HttpAnswer:
    body = answer.body
    kept = body[: len(body) // 2]
    return replace(answer, pieces=(kept,), ending="cut", missing=len(body) - len(kept))


def _endless(_fault: WorldFault, answer: HttpAnswer, _query: Mapping[str, str]) -> HttpAnswer:
    return replace(answer, pieces=(_ENDLESS,), ending="endless")


def _slow(fault: WorldFault, answer: HttpAnswer, _query: Mapping[str, str]) -> HttpAnswer:
    return replace(answer, wait=fault.seconds)


def _limited(fault: WorldFault, _answer: HttpAnswer, _query: Mapping[str, str]) -> HttpAnswer:
    after = {} if fault.retry_after is None else {"Retry-After": str(fault.retry_after)}
    return HttpAnswer(429, (b'{"message": "Too many requests"}',), headers=after)


def _as_csv(body: bytes) -> bytes:
    """Write the fields of an answer as lines of two columns."""
    content = msgspec.json.decode(body)
    fields = content if isinstance(content, dict) else dict(enumerate(content))
    lines = ["field;value", *(f"{name};{value}" for name, value in fields.items())]
    return "\r\n".join(lines).encode()


def _cyrillic(body: bytes) -> bytes:
    """Put a word in an old charset beside the fields, where the bytes are no UTF-8."""
    note = '{"note": "' + "Служба работает" + '", "answer": '
    return note.encode("windows-1251") + body.decode().encode("windows-1251", "replace") + b"}"


def _redirect(fault: WorldFault, _answer: HttpAnswer, _query: Mapping[str, str]) -> HttpAnswer:
    return HttpAnswer(302, (), headers={"Location": fault.to})


def _needs(fault: WorldFault, answer: HttpAnswer, query: Mapping[str, str]) -> HttpAnswer:
    if query.get(fault.field):
        return answer
    message = {"message": f"{fault.field} is required"}
    return HttpAnswer(400, (msgspec.json.encode(message),))


def _changed(change: Callable[[WorldFault, str, object], tuple[str, object]]) -> Spoil:
    def spoil(fault: WorldFault, answer: HttpAnswer, _query: Mapping[str, str]) -> HttpAnswer:
        content = _every(msgspec.json.decode(answer.body), lambda *field: change(fault, *field))
        return replace(answer, pieces=(msgspec.json.encode(content),))

    return spoil


def _every(content: object, change: Callable[[str, object], tuple[str, object]]) -> object:
    """Change every field of an answer, however deep."""
    if isinstance(content, dict):
        return dict(change(name, _every(value, change)) for name, value in content.items())
    if isinstance(content, list):
        return [_every(value, change) for value in content]
    return content


def _rename(fault: WorldFault, name: str, value: object) -> tuple[str, object]:
    return (fault.to if name == fault.field else name), value


def _to_text(fault: WorldFault, name: str, value: object) -> tuple[str, object]:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return name, str(value) if is_number and fault.field in {"", name} else value


def _unreachable(_fault: WorldFault, answer: HttpAnswer, _query: Mapping[str, str]) -> HttpAnswer:
    return replace(answer, ending="reset")


_SPOIL: dict[WorldFaultKind, Spoil] = {
    "not_found_json": _said(404, {"error": "not found"}),
    "not_found_html": _page(404, "Not Found"),
    "server_error": _said(500, {"error": "internal error"}),
    "bad_gateway_html": _page(502, "Bad Gateway"),
    "error_in_body": _said(200, {"code": 404, "msg": "no data", "data": None}),
    "empty": _body(lambda _body: b""),
    "empty_list": _body(lambda _body: b"[]"),
    "half": _half,
    "endless": _endless,
    "slow": _slow,
    "limited": _limited,
    "json_as_text": _body(lambda body: body, "text/plain"),
    "csv_as_json": _body(_as_csv),
    "bom": _body(lambda body: b"\xef\xbb\xbf" + body),
    "windows_1251": _body(_cyrillic, "application/json; charset=windows-1251"),
    "redirect": _redirect,
    "needs": _needs,
    "renamed": _changed(_rename),
    "number_as_text": _changed(_to_text),
    "unreachable": _unreachable,
}
