"""API responses: validity as a tool result, inferred schemas, drift, stored checks.

A schema has types, properties, required properties and items. Merging does not depend on the order.
`{}` fits everything; it is used if values are nested too deep. An object with more properties than
a record has (a table by ids) becomes an object without properties.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import msgspec

from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.web.exchange import HttpExchange
from dragoman.web.response_bodies import body_text

Schema = dict[str, Any]

MOST_DEPTH = 12
MOST_PROPERTIES = 200
MOST_BYTES = 64 * 1024
"""Largest schema as JSON, in bytes; a larger one is cut at a smaller depth."""

_PLAIN = {
    type(None): "null",
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
}


def infer_schema(values: Iterable[object]) -> Schema:
    """Return the schema of some JSON values; `{}` if there are none."""
    schemas = [_of(value, MOST_DEPTH) for value in values]
    return bound_schema(_all_merged(schemas)) if schemas else {}


def merge_schemas(one: Mapping[str, Any], other: Mapping[str, Any]) -> Schema:
    """Return a schema that fits the values of both schemas."""
    if not one or not other:
        return {}
    result: Schema = {"type": _schema_type(types_of(one) | types_of(other))}
    objects = [each for each in (one, other) if "object" in types_of(each)]
    if objects:
        parts = [_object_part(each) for each in objects]
        result.update(parts[0] if len(parts) == 1 else _merged_objects(*parts))
    items = [each["items"] for each in (one, other) if "items" in each]
    if items:
        result["items"] = _all_merged(items)
    return result


def types_of(schema: Mapping[str, Any]) -> frozenset[str]:
    """Return the types that a schema allows; an empty set if it allows any."""
    said = schema.get("type", ())
    return frozenset((said,) if isinstance(said, str) else said)


def bound_schema(schema: Schema, most_bytes: int = MOST_BYTES) -> Schema:
    """Return a schema of at most so many bytes as JSON, cut at the largest possible depth."""
    depth = MOST_DEPTH
    while len(msgspec.json.encode(schema)) > most_bytes and depth:
        depth -= 1
        schema = _cut(schema, depth)
    return schema


def _of(value: object, depth: int) -> Schema:
    plain = _PLAIN.get(type(value))
    if plain:
        return {"type": plain}
    if not depth:
        return {}
    if isinstance(value, list):
        items = [_of(each, depth - 1) for each in value]
        return {"type": "array"} | ({"items": _all_merged(items)} if items else {})
    if not isinstance(value, dict):
        raise TypeError(f"no JSON value: {type(value).__name__}")
    if len(value) > MOST_PROPERTIES:
        return {"type": "object"}
    properties = {str(name): _of(value[name], depth - 1) for name in sorted(value)}
    return {"type": "object", "properties": properties, "required": list(properties)}


def _all_merged(schemas: Sequence[Schema]) -> Schema:
    whole = schemas[0]
    for each in schemas[1:]:
        whole = merge_schemas(whole, each)
    return whole


def _merged_objects(one: Schema, other: Schema) -> Schema:
    if "properties" not in one or "properties" not in other:
        return {}
    ones, others = one["properties"], other["properties"]
    names = sorted({*ones, *others})
    if len(names) > MOST_PROPERTIES:
        return {}
    return {
        "properties": {
            name: merge_schemas(ones[name], others[name])
            if name in ones and name in others
            else ones.get(name, others.get(name))
            for name in names
        },
        "required": sorted({*one["required"]} & {*other["required"]}),
    }


def _object_part(schema: Mapping[str, Any]) -> Schema:
    return {name: schema[name] for name in ("properties", "required") if name in schema}


def _schema_type(types: frozenset[str]) -> str | list[str]:
    if "number" in types:
        types -= {"integer"}
    return next(iter(types)) if len(types) == 1 else sorted(types)


def _cut(schema: Schema, depth: int) -> Schema:
    if not depth:
        return {}
    cut = dict(schema)
    if "properties" in cut:
        cut["properties"] = {
            name: _cut(each, depth - 1) for name, each in cut["properties"].items()
        }
    if "items" in cut:
        cut["items"] = _cut(cut["items"], depth - 1)
    return cut


MOST = 50
"""Most changes that are reported for one response."""


class Drift(msgspec.Struct, frozen=True):
    """One change between two schemas.

    Attributes:
        kind: "gone" for a field that was always present, "new" for one that is always present, and
            "type" for another type.
        place: The place of the change, such as `data.rows[].price`; "" for the whole response.
        said: The change of a type in words: "string was integer".
    """

    kind: Literal["gone", "new", "type"]
    place: str
    said: str = ""

    def __str__(self) -> str:
        """Return the change as one text."""
        where = self.place or "the answer"
        return f"{where}: {self.said}" if self.kind == "type" else f"{where} is {self.kind}"


def find_drift(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[Drift, ...]:
    """Return the changes between two schemas that `infer_schema` made.

    A field that was only sometimes present, an empty list and a null do not count as changes.
    """
    return tuple(each for each, _ in zip(_walk("", before, after), range(MOST), strict=False))


def _walk(place: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Drift]:
    old, new = _telling(before), _telling(after)
    if not old or not new:
        return
    if not new <= old:
        yield Drift("type", place, f"{_format_types(new)} was {_format_types(old)}")
    if "properties" in before and "properties" in after:
        yield from _fields(place, before, after)
    if "items" in before and "items" in after:
        yield from _walk(f"{place}[]", before["items"], after["items"])


def _fields(place: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Drift]:
    old, new = before["properties"], after["properties"]
    for name in sorted({*old, *new}):
        inner = f"{place}.{name}" if place else name
        if name in old and name in new:
            yield from _walk(inner, old[name], new[name])
        elif name in before["required"]:
            yield Drift("gone", inner)
        elif name in after["required"]:
            yield Drift("new", inner)


def _telling(schema: Mapping[str, Any]) -> frozenset[str]:
    """Return the informative types of a schema.

    Null is not informative. A schema for numbers also allows integers, since a number may happen to
    be whole.
    """
    types = types_of(schema) - {"null"}
    return types | {"integer"} if "number" in types else types


def _format_types(types: frozenset[str]) -> str:
    return " or ".join(sorted(types - {"integer"} if "number" in types else types))


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
"""The kind of a response; from `refused` to `broken`, it is not complete."""

NO_WAY: frozenset[AnswerKind] = frozenset({"dns", "connect", "timeout", "cut"})
"""Kinds that may be caused by the connection, including the monitor's own."""

MAY_PASS: frozenset[AnswerKind] = NO_WAY | {"unasked", "5xx"}
"""Kinds that may change with another attempt."""

_MULTIPLE, _CLIENT, _SERVER, _END = 300, 400, 500, 600
_LIMITED = 429
_STATUS_FIELDS = ("code", "status", "statuscode", "status_code", "cod", "errcode", "error_code")
_SAYING_FIELDS = ("message", "msg", "detail", "reason", "status_message")
_is_status = re.compile(r"[45][0-9]{2}").fullmatch
_ERROR_FIELDS = ("error", "errors", "error_message", "errormessage")


class JudgedResponse(msgspec.Struct, frozen=True):
    """The kind of a response and the reason, and the schema of a good one.

    Attributes:
        kind: The kind.
        reason: The reason in words; "" for a good response.
        content_type: Its content type.
        schema: The schema of a good response.
        passes: Whether another attempt may have another result.
    """

    kind: AnswerKind
    reason: str = ""
    content_type: str = ""
    schema: dict[str, Any] = {}
    passes: bool = False


def judge_response(exchange: HttpExchange) -> JudgedResponse:
    """Return the kind of a response."""
    if exchange.failure:
        kind = msgspec.convert(exchange.failure.partition(": ")[0], AnswerKind)
        return JudgedResponse(kind, exchange.failure, passes=kind in MAY_PASS)
    content_type = exchange.headers.get("content-type", "").partition(";")[0].strip().lower()
    if exchange.status >= _MULTIPLE:
        return _unsuccessful(exchange.status, content_type)
    text = body_text(exchange.body, exchange.headers).text
    if not text.strip():
        return JudgedResponse("empty", "the answer is empty", content_type)
    try:
        return _json(msgspec.json.decode(text), content_type)
    except DECODING_ERRORS:
        return _no_json(text, content_type)


def _json(value: object, content_type: str) -> JudgedResponse:
    if value in (None, "", [], {}):
        return JudgedResponse("empty", "nothing is in the answer", content_type)
    error = _error_in(value)
    if error:
        return JudgedResponse("error inside", error, content_type)
    return JudgedResponse("good", "", content_type, infer_schema([value]))


def _unsuccessful(status: int, content_type: str) -> JudgedResponse:
    passes = status >= _SERVER or status == _LIMITED
    kind: AnswerKind = "5xx" if status >= _SERVER else "4xx" if status >= _CLIENT else "3xx"
    return JudgedResponse(kind, f"status {status}", content_type, passes=passes)


def _no_json(text: str, content_type: str) -> JudgedResponse:
    start = text.lstrip()[:1]
    if start in {"{", "["} or (content_type.endswith("json") and start not in {"<", ""}):
        return JudgedResponse("malformed", "the JSON is malformed", content_type)
    what = "a page or XML" if start == "<" else content_type or "text"
    return JudgedResponse("not JSON", f"no JSON but {what}", content_type)


def _error_in(value: object) -> str:
    """Return the error that a response with status 200 reports in its body.

    The result is "" if the response does not report an error.
    """
    if not isinstance(value, dict):
        return ""
    low = {str(name).lower(): each for name, each in value.items()}
    reported = next((name for name in _ERROR_FIELDS if low.get(name)), "")
    if any(
        each for name, each in low.items() if name != reported and isinstance(each, dict | list)
    ):
        return ""
    status = next((name for name in _STATUS_FIELDS if _is_bad_status(low.get(name))), "")
    if status and (len(low) == 1 or any(name in low for name in (*_SAYING_FIELDS, *_ERROR_FIELDS))):
        return f"the answer says {status} {low[status]}"
    if low.get("success") is False or low.get("ok") is False:
        return "the answer says that it is not a success"
    return f"the answer has {reported!r} and no data" if reported else ""


def _is_bad_status(said: object) -> bool:
    """Return whether a field holds the HTTP status of an error, as a number or as text."""
    if isinstance(said, str) and _is_status(said):
        said = int(said)
    return type(said) is int and _CLIENT <= said < _END


OBSERVATION, EXCHANGE, HISTORY = "observation", "exchange", "history"


class Observation(msgspec.Struct, frozen=True, omit_defaults=True):
    """The responses of an operation at its verification, observed and never invented.

    Attributes:
        at: Time of the observation, in ISO 8601, UTC.
        statuscode: The status in the source's notation ("200").
        schema: JSON schema that fits every observed response.
        content_type: The content type of the responses.
        completes: The fields that the document did not state; only these add to it.
        calls: Number of good responses.
    """

    at: str
    statuscode: str
    schema: dict[str, Any]
    content_type: str = ""
    completes: tuple[str, ...] = ()
    calls: int = 1


class RoundCheck(msgspec.Struct, frozen=True, omit_defaults=True):
    """One check of one operation.

    Attributes:
        round: The round, named by the time of its beginning; rounds are ordered by this time.
        kind: The kind of the response.
        reason: The reason in words; "" for a good response.
        seconds: Duration of the call, in seconds.
        drift: Changes of a good response since verification that would break a caller.
        added: Fields that are new in it.
    """

    round: str
    kind: AnswerKind
    reason: str = ""
    seconds: float = 0.0
    drift: tuple[str, ...] = ()
    added: tuple[str, ...] = ()


class CheckHistory(msgspec.Struct, frozen=True, omit_defaults=True):
    """All checks of one operation, in order; `host` is the host that was called."""

    operation: str
    host: str
    checks: tuple[RoundCheck, ...] = ()
