"""The world answers: a request as values in, an answer as values out, the same each time."""

from collections.abc import Mapping, Sequence

import msgspec

from dragoman.benchmarks.itc.world.computing import COMPUTED
from dragoman.benchmarks.itc.world.given import Given, NotGiven, read_given
from dragoman.benchmarks.itc.world.lookups import found, stretch
from dragoman.benchmarks.itc.world.reading import countries, table
from dragoman.benchmarks.itc.world.rows import ApiRow, CountryRow, Missing
from dragoman.benchmarks.itc.world.shapes import body_of, filled, template

JSON = "application/json; charset=utf-8"
_OK, _BAD, _NOT_FOUND, _NOT_ALLOWED = 200, 400, 404, 405


class WorldAnswer(msgspec.Struct, frozen=True):
    """An answer over HTTP as a value."""

    status: int
    headers: dict[str, str]
    body: bytes


class WorldRequest(msgspec.Struct, frozen=True):
    """A request over HTTP as a value; its path is not escaped."""

    method: str
    path: str
    query: dict[str, str] = {}
    body: bytes = b""
    headers: dict[str, str] = {}


class ApiWorld:
    """All APIs of some countries; pure, so that one may be shared by all who play.

    Args:
        rows: The countries.
    """

    def __init__(self, rows: Sequence[CountryRow] | None = None) -> None:
        rows = countries() if rows is None else rows
        self._by_name = {api.name: (land, api) for land in rows for api in land.api}
        self._routes: dict[tuple[str, int], list[tuple[CountryRow, ApiRow]]] = {}
        for land, api in self._by_name.values():
            parts = _parts(api.path)
            self._routes.setdefault((parts[0], len(parts)), []).append((land, api))

    def answer(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None = None,
        body: bytes = b"",
        headers: Mapping[str, str] | None = None,
    ) -> WorldAnswer:
        """Answer a request: a path that nobody serves is 404, a wrong method 405.

        Args:
            method: In capitals.
            path: Not escaped, without a query.
            query: Its parameters.
            body: JSON, where something is posted.
            headers: With names in any case.
        """
        parts = _parts(path)
        served = self._routes.get((parts[0], len(parts)), []) if parts else []
        for land, api in served:
            in_path = _in_path(api.path, parts)
            if in_path is None:
                continue
            if api.method != method:
                return _json(_NOT_ALLOWED, {"error": f"{method} is not allowed"})
            values = {**_posted(body), **_headed(headers or {}, api), **(query or {}), **in_path}
            return _answer(land, api, values)
        return _json(_NOT_FOUND, {"error": "no such resource"})

    def api_of(self, request: WorldRequest) -> str:
        """Return the id of the API that serves a request; "" where none does."""
        parts = _parts(request.path)
        served = self._routes.get((parts[0], len(parts)), []) if parts else []
        return next((api.id for _, api in served if _in_path(api.path, parts) is not None), "")

    def call(self, tool: str, arguments: Mapping[str, object]) -> WorldAnswer:
        """Answer a call by the tool's name, as its request would be.

        Raises:
            KeyError: Where no tool has the name.
        """
        made = self.request(tool, arguments)
        return self.answer(made.method, made.path, made.query, made.body, made.headers)

    def request(self, tool: str, arguments: Mapping[str, object]) -> WorldRequest:
        """Make the request of a call; what a parameter of the path lacks leaves its place empty.

        Raises:
            KeyError: Where no tool has the name.
        """
        _, api = self._by_name[tool]
        path, query, body, headers = api.path, {}, {}, {}
        places = {parameter.name: parameter for parameter in api.parameter}
        given = dict(arguments)
        for name, parameter in places.items():
            if parameter.place == "header" and parameter.default is not None:
                given.setdefault(name, parameter.default)
        for name, value in given.items():
            place = places[name].place if name in places else "query"
            if place == "path":
                path = path.replace("{" + name + "}", sent(value))
            elif place == "body":
                body[name] = value
            elif place == "header":
                headers[name] = sent(value)
            else:
                query[name] = sent(value)
        content = msgspec.json.encode(body) if body else b""
        return WorldRequest(api.method, path, query, content, headers)


def sent(value: object) -> str:
    """Return a value as it stands in a path, a query or a header."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return ",".join(map(sent, value)) if isinstance(value, list | tuple) else str(value)


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part]


def _in_path(pattern: str, parts: Sequence[str]) -> dict[str, str] | None:
    """Return the parameters in a path; None where it is another."""
    values = {}
    for wanted, part in zip(_parts(pattern), parts, strict=True):
        if wanted.startswith("{"):
            values[wanted[1:-1]] = part
        elif wanted != part:
            return None
    return values


def _posted(body: bytes) -> dict[str, object]:
    if not body:
        return {}
    try:
        return msgspec.json.decode(body, type=dict[str, object])
    except msgspec.DecodeError:
        return {}


def _headed(headers: Mapping[str, str], api: ApiRow) -> dict[str, str]:
    lower = {name.lower(): value for name, value in headers.items()}
    wanted = [each.name for each in api.parameter if each.place == "header"]
    return {name: lower[name.lower()] for name in wanted if name.lower() in lower}


def _answer(land: CountryRow, api: ApiRow, values: Mapping[str, object]) -> WorldAnswer:
    try:
        given = read_given(api, values)
    except NotGiven as lack:
        return _complaint(land, lack)
    rows = found(api, table(api.table), given) if api.table else []
    if api.compute:
        made = COMPUTED[api.compute](given, rows)
        rows = [] if made is None else [made]
    if not rows and api.missing is not None:
        return _nothing(api.missing, given)
    shown = stretch(api, rows, given)
    return _json(_OK, body_of(api, shown, given, len(rows)), api.sent_as)


def _nothing(missing: Missing, given: Given) -> WorldAnswer:
    if missing.json:
        return _json(missing.status, filled(template(missing.json), {}, given))
    return WorldAnswer(
        missing.status, {"Content-Type": missing.content_type}, missing.text.encode()
    )


def _complaint(land: CountryRow, lack: NotGiven) -> WorldAnswer:
    said = land.complaints.missing if lack.is_missing else land.complaints.invalid
    message = said.replace("{name}", lack.name)
    return _json(
        land.complaints.status, filled(template(land.complaints.body), {"message": message}, {})
    )


def _json(status: int, content: object, content_type: str = JSON) -> WorldAnswer:
    return WorldAnswer(status, {"Content-Type": content_type}, msgspec.json.encode(content))
