"""OpenAPI operations with their servers, security schemes and categories."""

import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from typing import NamedTuple

import msgspec

from dragoman.core.apis.documents import METHODS, ApiParameter, ConfiguredParameter, Operation
from dragoman.core.errors import DataError
from dragoman.core.texts.characters import word_runs
from dragoman.curation.api_datasets.credential_detection import parameter_kind
from dragoman.curation.api_datasets.credential_removal import secrets_of_address
from dragoman.curation.api_datasets.ingestion.openapi_parameters import (
    NeededParameter,
    ParameterReader,
    schema_of_answer,
)
from dragoman.curation.api_datasets.ingestion.openapi_schemas import References, ResolvedValue
from dragoman.curation.api_datasets.ingestion.untrusted_values import (
    as_list,
    as_mapping,
    as_text,
    first_text,
)


def category_of(operation: Mapping[str, object]) -> str:
    """Return the stated category of an operation, or its first tag that is a category.

    The result is "" without either. Other tags only group the operations of one document.
    """
    known = _load_known_categories()
    tags = (known.get(as_text(tag).casefold(), "") for tag in as_list(operation.get("tags")))
    return first_text(operation, "x-category") or next(filter(None, tags), "")


@functools.cache
def _load_known_categories() -> dict[str, str]:
    content = files(__package__).joinpath("categories.toml").read_bytes()
    names = msgspec.toml.decode(content, type=dict[str, tuple[str, ...]])["names"]
    return {name.casefold(): name for name in names}


_VARIABLE = re.compile(r"\{([^{}]{1,100})\}")


def server_of(*levels: Mapping[str, object]) -> str:
    """Return the base address of operations, or "" if the document names none.

    Args:
        levels: An operation, its path and its document; the first one that names servers counts.
    """
    for level in levels:
        addresses = [
            address for each in as_list(level.get("servers")) if (address := _server(each))
        ]
        if addresses:
            return _secure(addresses)
    return _swagger_server(levels[-1])


def secrets_of_servers(*levels: Mapping[str, object]) -> Iterable[str]:
    """Yield the secrets in the addresses of all servers.

    The possible values of variables for credentials are included.
    """
    for level in levels:
        for each in as_list(level.get("servers")):
            raw = as_mapping(each)
            yield from secrets_of_address(_server(raw))
            yield from secrets_of_address(as_text(raw.get("url"), 2_000))
            for name, variable in as_mapping(raw.get("variables")).items():
                if parameter_kind(name) == "credential":
                    said = as_mapping(variable)
                    yield from filter(
                        None, map(as_text, (said.get("default"), *as_list(said.get("enum"))))
                    )
    yield from secrets_of_address(f"https://{as_text(levels[0].get('host'), 300)}")


def _server(server: object) -> str:
    """Return a server's address with the defaults of its variables.

    Variables for credentials are not replaced.
    """
    raw = as_mapping(server)
    variables = as_mapping(raw.get("variables"))

    def default(match: re.Match[str]) -> str:
        if parameter_kind(match[1]) == "credential":
            return match[0]
        raw = as_mapping(variables.get(match[1]))
        listed = next(filter(None, map(as_text, as_list(raw.get("enum")))), "")
        return first_text(raw, "default") or listed or match[0]

    return _VARIABLE.sub(default, as_text(raw.get("url"), 2_000)).rstrip("/")


def _secure(addresses: list[str]) -> str:
    return next((each for each in addresses if each.startswith("https://")), addresses[0])


def _swagger_server(document: Mapping[str, object]) -> str:
    host = as_text(document.get("host"), 300).strip("/")
    base = as_text(document.get("basePath"), 1_000).strip("/")
    path = f"/{base}" if base else ""
    if not host:
        return path
    schemes = [as_text(each, 10) for each in as_list(document.get("schemes"))]
    scheme = "http" if "http" in schemes and "https" not in schemes else "https"
    return f"{scheme}://{host}{path}"


def address_of(server: str, path: str) -> str:
    """Return the address of a path; a query in the server's address stays at the end."""
    base, mark, query = server.partition("?")
    path = path if path.startswith("/") else f"/{path}"
    return f"{base.rstrip('/')}{path}" + (f"{'&' if '?' in path else '?'}{query}" if mark else "")


def path_placeholders(path: str) -> Iterable[str]:
    """Yield the distinct names in braces in a path."""
    return dict.fromkeys(_VARIABLE.findall(path))


_DESCRIBING = frozenset(("type", "name", "in", "scheme", "description", "flows", "bearerFormat"))


class SecuritySchemes:
    """The security schemes of a document.

    Args:
        document: The document.
        references: Resolves references to schemes in other places.
        file: The document's place.
    """

    def __init__(self, document: Mapping[str, object], references: References, file: str) -> None:
        self._all = document.get("security")
        self._schemes = {
            name: _resolve_scheme(scheme, references, file)
            for name, scheme in _schemes(document).items()
        }

    def configuration_of(self, operation: Mapping[str, object]) -> tuple[ConfiguredParameter, ...]:
        """Return the parameters that the operation's security schemes require from callers.

        A parameter is required if every alternative includes its scheme.
        """
        ways = [as_mapping(way) for way in as_list(operation.get("security", self._all))]
        found: dict[tuple[str, str], ConfiguredParameter] = {}
        for name in dict.fromkeys(name for way in ways for name in way):
            required = all(name in way for way in ways)
            one = _parse_security_scheme(self._schemes.get(name, {}), required=required)
            if one is not None:
                found.setdefault((one.place, one.name.casefold()), one)
        return tuple(found[key] for key in sorted(found))

    @property
    def names(self) -> Mapping[tuple[str, str], ConfiguredParameter]:
        """Return the parameters that the schemes require from callers, by place and name.

        A key of one operation is a key in all operations.
        """
        found = (_parse_security_scheme(each, required=False) for each in self._schemes.values())
        return {(one.place, one.name.casefold()): one for one in found if one is not None}

    def stated(self) -> Iterator[object]:
        """Yield the values that schemes state in addition to their definition.

        These are examples, defaults, and the authors' additions.
        """
        for scheme in self._schemes.values():
            yield from (value for key, value in scheme.items() if key not in _DESCRIBING)


def _parse_security_scheme(
    scheme: Mapping[str, object], *, required: bool
) -> ConfiguredParameter | None:
    kind = first_text(scheme, "type").lower()
    name, travels_in = as_text(scheme.get("name"), 200), first_text(scheme, "in")
    if kind == "apikey" and name:
        if travels_in == "query":
            return ConfiguredParameter(name, "query", required=required)
        if travels_in == "cookie":
            return ConfiguredParameter(name, "cookie", required=required)
        return ConfiguredParameter(name, required=required)
    said = first_text(scheme, "scheme").lower() if kind == "http" else kind
    if kind in {"http", "basic"}:
        return ConfiguredParameter("Authorization", scheme=said, required=required)
    if kind in {"oauth2", "openidconnect"}:
        return ConfiguredParameter("Authorization", scheme="bearer", required=required)
    return None


def _resolve_scheme(scheme: object, references: References, file: str) -> Mapping[str, object]:
    try:
        return as_mapping(references.followed(scheme, file).value)
    except DataError:
        return {}


def _schemes(document: Mapping[str, object]) -> Mapping[str, object]:
    return as_mapping(document.get("securityDefinitions")) or as_mapping(
        as_mapping(document.get("components")).get("securitySchemes")
    )


def authentication_of(
    document: Mapping[str, object],
    operations: Iterable[Mapping[str, object]],
    references: References,
    file: str,
) -> str:
    """Return the kinds of authentication that operations need, joined by commas.

    Of several alternatives the first one counts. If one alternative is empty, the operation needs
    no authentication.
    """
    schemes = _schemes(document)
    kinds: set[str] = set()
    for operation in operations:
        ways = as_list(operation.get("security", document.get("security")))
        if ways and all(as_mapping(way) for way in ways):
            for name in as_mapping(ways[0]):
                kinds.add(_kind(schemes.get(name), references, file) or as_text(name, 60))
    return ", ".join(sorted(kinds))


def _kind(scheme: object, references: References, file: str) -> str:
    try:
        raw = as_mapping(references.followed(scheme, file).value)
    except DataError:
        return ""
    kind = first_text(raw, "type")
    return (first_text(raw, "scheme") or kind).lower() if kind == "http" else kind


_METHODS = ("get", "post", "put", "patch", "delete", "head", "options", "trace")
_MOST_OPERATIONS = 2_000


class ReadOperation(NamedTuple):
    """One operation as it was read, or the reason for excluding it, and a remark.

    Attributes:
        raw: The operation in the document.
        operation: The operation; None if it is excluded.
        remark: The reason for excluding it, or a remark on it.
        place: Its method and path, or the path alone if no operation can be read.
        stated: Values stated for its cookies and for headers that are credentials.
    """

    raw: Mapping[str, object]
    operation: Operation | None
    remark: str = ""
    place: str = ""
    stated: tuple[object, ...] = ()


class _RawOperation(NamedTuple):
    """An operation in its document: path, method, content, path item, and their file."""

    path: str
    method: str
    raw: Mapping[str, object]
    item: Mapping[str, object]
    file: str


class _Read(NamedTuple):
    """The context for reading one document's operations."""

    document: Mapping[str, object]
    references: References
    schemes: SecuritySchemes


def read_operations(
    document: Mapping[str, object], file: str, references: References, schemes: SecuritySchemes
) -> list[ReadOperation]:
    """Return all operations of a document, including those that cannot be called.

    Raises:
        DataError: If there are too many operations.
    """
    having = _Read(document, references, schemes)
    found: list[ReadOperation] = []
    taken: set[str] = set()
    for path, item in as_mapping(document.get("paths")).items():
        if path.startswith("x-"):
            continue
        for each in _of_path(path, ResolvedValue(item, file), having):
            found.append(_with_own_name(each, taken))
            if len(found) > _MOST_OPERATIONS:
                raise DataError(f"more than {_MOST_OPERATIONS:,} operations: split it")
    return found


def _of_path(path: str, item: ResolvedValue, having: _Read) -> Iterator[ReadOperation]:
    try:
        shared = having.references.followed(item.value, item.file)
    except DataError as error:
        yield ReadOperation({}, None, f"{path}: {error}", path)
        return
    raw = as_mapping(shared.value)
    methods = [method for method in _METHODS if isinstance(raw.get(method), dict)]
    if not methods:
        yield ReadOperation({}, None, f"{path}: no operation stands there", path)
    for method in methods:
        raw_operation = _RawOperation(path, method, as_mapping(raw[method]), raw, shared.file)
        try:
            yield _operation(raw_operation, having)
        except DataError as error:
            place = f"{method.upper()} {path}"
            yield ReadOperation(raw_operation.raw, None, f"{place}: {error}", place)


def _operation(found: _RawOperation, having: _Read) -> ReadOperation:
    path, method, raw, item, file = found
    document, references, schemes = having
    consumes = as_list(raw.get("consumes", document.get("consumes")))
    reader = ParameterReader(references, [as_text(each, 200) for each in consumes])
    needed = reader.listed(
        ResolvedValue(item.get("parameters"), file), ResolvedValue(raw.get("parameters"), file)
    )
    if "requestBody" in raw:
        needed += reader.body(ResolvedValue(raw["requestBody"], file))
    needed = _in_path(path, needed)
    _refuse_namesakes(needed)
    schema = _answer_schema(raw, file, references, reader)
    operation = Operation(
        as_text(raw.get("operationId"), 200) or _name_of(method, path),
        address_of(server_of(raw, item, document), path),
        first_text(raw, "description", "summary") or first_text(item, "description", "summary"),
        METHODS[method.upper()],
        category_of(raw),
        tuple(each.parameter for each in needed if each.required),
        tuple(each.parameter for each in needed if not each.required),
        schema=schema,
        media_type=reader.media_type,
        configuration=_configuration(raw, needed, reader, schemes),
    )
    place = f"{method.upper()} {path}"
    missing = f"{place}: {reader.missing[0]}" if reader.missing else ""
    return ReadOperation(raw, operation, missing, place, tuple(reader.stated))


def _configuration(
    raw: Mapping[str, object],
    needed: Sequence[NeededParameter],
    reader: ParameterReader,
    schemes: SecuritySchemes,
) -> tuple[ConfiguredParameter, ...]:
    """Return the configuration of an operation's callers.

    It comes from the schemes, and from parameters that the schemes name.
    """
    found = {
        (each.place, each.name.casefold()): each
        for each in (*reader.configured, *schemes.configuration_of(raw))
    }
    for each in needed:
        key = (each.parameter.place, each.parameter.name.casefold())
        if key in schemes.names and not each.parameter.in_task:
            found.setdefault(key, schemes.names[key])
    return tuple(found[key] for key in sorted(found))


def _in_path(path: str, needed: Sequence[NeededParameter]) -> list[NeededParameter]:
    """Return parameters completed with those that the path names and no description covers.

    Parameters in the path that the path does not name are removed.
    """
    named = list(path_placeholders(path))
    kept = [
        each for each in needed if each.parameter.place != "path" or each.parameter.name in named
    ]
    described = {each.parameter.name for each in kept if each.parameter.place == "path"}
    plain = [ApiParameter(name, place="path") for name in named if name not in described]
    return [*(NeededParameter(each, required=True) for each in plain), *kept]


def _refuse_namesakes(needed: Sequence[NeededParameter]) -> None:
    """Raise DataError if two parameters have one name.

    Calls identify parameters by name and could not tell them apart.
    """
    places: dict[str, str] = {}
    for each in needed:
        name, place = each.parameter.name, each.parameter.place
        if name in places:
            raise DataError(f"two parameters are called {name!r} (in {places[name]}, in {place})")
        places[name] = place


def _answer_schema(
    raw: Mapping[str, object], file: str, references: References, reader: ParameterReader
) -> dict[str, object]:
    """Return the schema of a successful response, or {} if the document declares none."""
    answers = as_mapping(raw.get("responses"))
    good = sorted(code for code in answers if code.startswith("2"))
    for code in (*good, "default")[:3]:
        if code not in answers:
            continue
        try:
            answer = references.followed(answers[code], file)
        except DataError as error:
            reader.missing.append(str(error))
            continue
        if (schema := schema_of_answer(as_mapping(answer.value))) is not None:
            return reader.schema(schema, answer.file)
    return {}


def _name_of(method: str, path: str) -> str:
    """Return a name for an operation without one.

    It is `get_holidays_year` for GET /holidays/{year}.
    """
    return "_".join((method, *word_runs(path)))[:200]


def _with_own_name(read: ReadOperation, taken: set[str]) -> ReadOperation:
    """Return an operation under a name that no earlier operation has."""
    if read.operation is None:
        return read
    name, count = read.operation.name, 1
    while name in taken:
        count += 1
        name = f"{read.operation.name}_{count}"
    taken.add(name)
    if name == read.operation.name:
        return read
    return read._replace(operation=msgspec.structs.replace(read.operation, name=name))
