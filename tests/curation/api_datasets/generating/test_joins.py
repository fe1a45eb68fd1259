"""Two operations are joined if a value means the same, not if it only shares its name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.apis.documents import ApiDocument, ApiParameter, Method, Operation
from dragoman.curation.api_datasets.operation_chains import answer_fields, find_chains, name_words
from dragoman.curation.api_datasets.operations import KnownOperation, known_operations

Schema = dict[str, object]
TEXT: Schema = {"type": "string"}


def known(  # noqa: PLR0913 - the parts of two operations
    gives: str,
    field: str,
    schema: Schema,
    takes: str,
    parameter: ApiParameter,
    *,
    own: tuple[ApiParameter, ...] = (),
    countries: tuple[str, str] = ("", ""),
    method: Method = "GET",
    documents: tuple[str, str] = ("one", "two"),
) -> dict[str, KnownOperation]:
    """Return an operation that answers a field, and one that takes a parameter."""
    whole: Schema = schema
    for part in reversed(field.split(".")):
        whole = {"items": whole} if part == "0" else {"properties": {part: whole}}
    first = Operation(
        "first", f"https://a.example{gives}", method=method, required_parameters=own, schema=whole
    )
    second = Operation("second", f"https://b.example{takes}", required_parameters=(parameter,))
    if documents[0] == documents[1]:
        return known_operations([ApiDocument("one", "One", api_list=(first, second))])
    return known_operations(
        [
            ApiDocument(name, name, country=country, api_list=(each,))
            for name, country, each in zip(documents, countries, (first, second), strict=True)
        ]
    )


def joined(operations: dict[str, KnownOperation]) -> list[str]:
    return [each.path for each in find_chains(operations, {})]


def of(kind: str, **said: object) -> Schema:
    return {"type": kind, **said}


STATION = "Number of the weather station"


@pytest.mark.parametrize(
    ("gives", "field", "schema", "takes", "parameter"),
    [
        ("/stations", "0.stationId", of("string", description=STATION), "/w",
         ApiParameter("station_id", description="The weather station's number")),
        ("/users", "items.0.uuid", of("string", format="uuid"), "/users/{uuid}/orders",
         ApiParameter("uuid", place="path", schema={"format": "uuid"})),
        ("/posts", "0.author.id", of("integer"), "/authors/{id}", ApiParameter("id", "integer")),
        ("/places", "0.geo_ref", of("string", examples=["DE-BY-09162"]), "/w",
         ApiParameter("geo_ref", example="DE-BY-09162")),
        ("/estaciones", "0.código", of("integer", description="Código de la estación"), "/w",
         ApiParameter("código", "integer", "Código de una estación")),
        ("/eki", "0.eki_code", of("string", description="駅のコード"), "/w",
         ApiParameter("eki_code", description="発車駅のコード")),
    ],
)  # fmt: skip
def test_what_means_the_same_is_joined(
    gives: str, field: str, schema: Schema, takes: str, parameter: ApiParameter
) -> None:
    assert joined(known(gives, field, schema, takes, parameter)) == [field]


@pytest.mark.parametrize(
    ("gives", "field", "schema", "takes", "parameter"),
    [
        # Only the same name.
        ("/geo", "0.citycode", TEXT, "/w/{cityCode}", ApiParameter("cityCode")),
        ("/geo", "0.citycode", of("string", description="城市编码"), "/w",
         ApiParameter("cityCode", description="Código da cidade")),
        # Identifiers of other things.
        ("/messages", "0.uuid", of("string", format="uuid"), "/users/{uuid}",
         ApiParameter("uuid", schema={"format": "uuid"})),
        ("/posts", "0.category.id", of("integer"), "/authors/{id}", ApiParameter("id", "integer")),
        ("/areas", "0.area.id", of("integer"), "/area_kinds/{id}", ApiParameter("id", "integer")),
        # Settings, times, measures.
        ("/a", "page_size", of("integer", description="how many rows of stations"), "/b",
         ApiParameter("PageSize", "integer", "how many rows of stations")),
        ("/a", "start_time", of("string", description="start of the event"), "/b",
         ApiParameter("start_time", description="start of the event")),
        # Types, formats, patterns, listed values and looks that speak against it.
        ("/s", "station_id", of("string", description=STATION), "/w",
         ApiParameter("station_id", "integer", STATION)),
        ("/s", "station_id", of("string", description=STATION, format="uuid"), "/w",
         ApiParameter("station_id", description=STATION, schema={"format": "date"})),
        ("/s", "station_id", of("string", description=STATION, example="ab-1"), "/w",
         ApiParameter("station_id", description=STATION, schema={"pattern": "^[0-9]{4}$"})),
        ("/s", "station_id", of("string", description=STATION, example="ab-1"), "/w",
         ApiParameter("station_id", description=STATION, example="4711")),
        ("/s", "station_id", of("string", description=STATION), "/w",
         ApiParameter("station_id", description=STATION, schema={"enum": ["a", "b"]})),
        ("/s", "station_id", of("boolean", description=STATION), "/w",
         ApiParameter("station_id", description=STATION)),
    ],
)  # fmt: skip
def test_what_has_only_the_name_is_not_joined(
    gives: str, field: str, schema: Schema, takes: str, parameter: ApiParameter
) -> None:
    assert joined(known(gives, field, schema, takes, parameter)) == []


NUMBER = ApiParameter("station_id", description=STATION)
SAID = of("string", description=STATION)


def test_what_an_operation_was_given_is_nothing_that_it_tells() -> None:
    own = (ApiParameter("stationId"),)
    assert joined(known("/s", "station_id", SAID, "/w", NUMBER, own=own)) == []


def test_apis_of_two_countries_are_not_joined_and_one_of_all_may_be() -> None:
    assert (
        joined(known("/s", "station_id", SAID, "/w", NUMBER, countries=("China", "Brazil"))) == []
    )
    assert (
        joined(known("/s", "station_id", SAID, "/w", NUMBER, countries=("Global", "Brazil"))) != []
    )


def test_what_may_change_something_is_no_first_call() -> None:
    assert joined(known("/s", "station_id", SAID, "/w", NUMBER, method="DELETE")) == []


def test_one_api_means_one_thing_by_one_name() -> None:
    bare = ApiParameter("eventNo")
    assert joined(known("/e", "event_no", TEXT, "/w", bare)) == []
    assert joined(known("/e", "event_no", TEXT, "/w", bare, documents=("one", "one"))) == [
        "event_no"
    ]


def test_of_several_places_the_nearest_is_taken() -> None:
    operations = known("/s", "station_id", SAID, "/w", NUMBER)
    deep: Schema = {"properties": {"a": {"properties": {"station_id": SAID}}, "station_id": SAID}}
    (chain,) = find_chains(operations, {"one/first": deep})
    assert (chain.path, chain.first, chain.second) == ("station_id", "one/first", "two/second")


def test_what_was_seen_is_described_by_what_is_declared() -> None:
    operations = known("/s", "0.station_id", SAID, "/w", NUMBER)
    seen: Schema = {"items": {"properties": {"station_id": {"type": ["string", "null"]}}}}
    assert [each.path for each in find_chains(operations, {"one/first": seen})] == ["0.station_id"]


def test_a_pattern_that_could_run_long_is_not_run() -> None:
    slow = ApiParameter("station_id", description=STATION, schema={"pattern": "(a+)+$"})
    schema = of("string", description=STATION, example=f"{'a' * 60}!")
    assert joined(known("/s", "station_id", schema, "/w", slow)) == ["station_id"]


@pytest.mark.parametrize("name", ["cityCode", "city_code", "City-Code", "city code", "CityCode"])
def test_a_name_is_one_however_its_words_are_joined(name: str) -> None:
    assert name_words(name) == ("city", "code")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(JSON, JSON)
def test_any_schema_is_looked_through(answered: object, asked: object) -> None:
    schema: Schema = {"properties": {"station_id": answered}}
    parameter = ApiParameter(
        "station_id", schema=asked if isinstance(asked, dict) else {"enum": asked, "pattern": asked}
    )
    assert isinstance(joined(known("/s", "x", schema, "/w", parameter)), list)
    assert isinstance(list(answer_fields(answered)), list)
