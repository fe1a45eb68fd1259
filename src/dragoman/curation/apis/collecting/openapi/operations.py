"""Operations of an OpenAPI document."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from dragoman.core.apis.documents import METHODS, ApiParameter, ConfiguredParameter, Operation
from dragoman.core.errors import DataError
from dragoman.core.texts.characters import word_runs
from dragoman.curation.apis.collecting.openapi.addresses import address_of, placeholders, server_of
from dragoman.curation.apis.collecting.openapi.categories import category_of
from dragoman.curation.apis.collecting.openapi.parameters import (
    Needed,
    ParameterReader,
    schema_of_answer,
)
from dragoman.curation.apis.collecting.openapi.references import PlacedValue, References
from dragoman.curation.apis.collecting.openapi.security import SecuritySchemes
from dragoman.curation.apis.collecting.values import first_text, mapping, sequence, text

_METHODS = ("get", "post", "put", "patch", "delete", "head", "options", "trace")
_MOST_OPERATIONS = 2_000


class ReadOperation(NamedTuple):
    """One operation as it was read, or why it was left out, and what is to be known of it.

    Attributes:
        place: Its method and path, or the path alone where nothing of it can be read.
        stated: What is stated for its cookies and for headers that are credentials.
    """

    raw: Mapping[str, object]
    operation: Operation | None
    remark: str = ""
    place: str = ""
    stated: tuple[object, ...] = ()


class _RawOperation(NamedTuple):
    """An operation as it stands: its path, its method, itself, its path's item, and their file."""

    path: str
    method: str
    raw: Mapping[str, object]
    item: Mapping[str, object]
    file: str


class _Read(NamedTuple):
    """What one document's operations are read with."""

    document: Mapping[str, object]
    references: References
    schemes: SecuritySchemes


def read_operations(
    document: Mapping[str, object], file: str, references: References, schemes: SecuritySchemes
) -> list[ReadOperation]:
    """Return all operations of a document, those too that cannot be called as it describes them.

    Raises:
        DataError: Where there are more than are read.
    """
    having = _Read(document, references, schemes)
    found: list[ReadOperation] = []
    taken: set[str] = set()
    for path, item in mapping(document.get("paths")).items():
        if path.startswith("x-"):
            continue
        for each in _of_path(path, PlacedValue(item, file), having):
            found.append(_with_own_name(each, taken))
            if len(found) > _MOST_OPERATIONS:
                raise DataError(f"more than {_MOST_OPERATIONS:,} operations: split it")
    return found


def _of_path(path: str, item: PlacedValue, having: _Read) -> Iterator[ReadOperation]:
    try:
        shared = having.references.followed(item.value, item.file)
    except DataError as error:
        yield ReadOperation({}, None, f"{path}: {error}", path)
        return
    raw = mapping(shared.value)
    methods = [method for method in _METHODS if isinstance(raw.get(method), dict)]
    if not methods:
        yield ReadOperation({}, None, f"{path}: no operation stands there", path)
    for method in methods:
        raw_operation = _RawOperation(path, method, mapping(raw[method]), raw, shared.file)
        try:
            yield _operation(raw_operation, having)
        except DataError as error:
            place = f"{method.upper()} {path}"
            yield ReadOperation(raw_operation.raw, None, f"{place}: {error}", place)


def _operation(found: _RawOperation, having: _Read) -> ReadOperation:
    path, method, raw, item, file = found
    document, references, schemes = having
    consumes = sequence(raw.get("consumes", document.get("consumes")))
    reader = ParameterReader(references, [text(each, 200) for each in consumes])
    needed = reader.listed(
        PlacedValue(item.get("parameters"), file), PlacedValue(raw.get("parameters"), file)
    )
    if "requestBody" in raw:
        needed += reader.body(PlacedValue(raw["requestBody"], file))
    needed = _in_path(path, needed)
    _refuse_namesakes(needed)
    schema = _answer_schema(raw, file, references, reader)
    operation = Operation(
        text(raw.get("operationId"), 200) or _name_of(method, path),
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
    needed: Sequence[Needed],
    reader: ParameterReader,
    schemes: SecuritySchemes,
) -> tuple[ConfiguredParameter, ...]:
    """Return what callers of an operation configure: by its schemes, and by parameters that these name."""
    found = {
        (each.place, each.name.casefold()): each
        for each in (*reader.configured, *schemes.configuration_of(raw))
    }
    for each in needed:
        key = (each.parameter.place, each.parameter.name.casefold())
        if key in schemes.names and not each.parameter.in_task:
            found.setdefault(key, schemes.names[key])
    return tuple(found[key] for key in sorted(found))


def _in_path(path: str, needed: Sequence[Needed]) -> list[Needed]:
    """Return parameters with those that the path names and nobody describes, without those that it does not name."""
    named = list(placeholders(path))
    kept = [
        each for each in needed if each.parameter.place != "path" or each.parameter.name in named
    ]
    described = {each.parameter.name for each in kept if each.parameter.place == "path"}
    plain = [ApiParameter(name, place="path") for name in named if name not in described]
    return [*(Needed(each, required=True) for each in plain), *kept]


def _refuse_namesakes(needed: Sequence[Needed]) -> None:
    """Raise where two parameters have one name: calls are by names, and could not tell them apart."""
    places: dict[str, str] = {}
    for each in needed:
        name, place = each.parameter.name, each.parameter.place
        if name in places:
            raise DataError(f"two parameters are called {name!r} (in {places[name]}, in {place})")
        places[name] = place


def _answer_schema(
    raw: Mapping[str, object], file: str, references: References, reader: ParameterReader
) -> dict[str, object]:
    """Return the schema of the answer to what went well, {} where the document declares none."""
    answers = mapping(raw.get("responses"))
    good = sorted(code for code in answers if code.startswith("2"))
    for code in (*good, "default")[:3]:
        if code not in answers:
            continue
        try:
            answer = references.followed(answers[code], file)
        except DataError as error:
            reader.missing.append(str(error))
            continue
        if (schema := schema_of_answer(mapping(answer.value))) is not None:
            return reader.schema(schema, answer.file)
    return {}


def _name_of(method: str, path: str) -> str:
    """Return a name for an operation without one: `get_holidays_year` of GET /holidays/{year}."""
    return "_".join((method, *word_runs(path)))[:200]


def _with_own_name(read: ReadOperation, taken: set[str]) -> ReadOperation:
    """Return an operation under a name that none before it has."""
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
