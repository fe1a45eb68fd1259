"""Effects of parameters on table rows, and letters that count as equal."""

import pytest

from dragoman.benchmarks.itc.world.api_data import ApiRow, How, ParameterRow, read_csv
from dragoman.benchmarks.itc.world.request_handler import find_rows, fold_text, page_of_rows
from dragoman.benchmarks.itc.world.request_params import InvalidParameter, read_params

TOWNS = read_csv(
    "name,other:list,people:int,since\n"
    "İzmir,Smyrna|Izmir ili,4,2026-03-10\n"
    "São Paulo,Sampa,12,2026-03-13\n"
    "Kota Bogor,,1,2026-03-16\n"
)


def api(how: How, *columns: str, kind: str = "string") -> ApiRow:
    parameter = ParameterRow("q", "", type=kind, how=how, columns=columns)  # type: ignore[arg-type]
    return ApiRow("x-y", "X", "", "Data", "/x/y", (parameter,))


def names(one: ApiRow, value: object) -> list[object]:
    return [
        row["name"] for row in page_of_rows(one, find_rows(one, TOWNS, {"q": value}), {"q": value})
    ]


@pytest.mark.parametrize(
    ("one", "value", "expected"),
    [
        (api("same", "name"), "IZMIR", ["İzmir"]),
        (api("same", "name", "other"), "sampa", ["São Paulo"]),
        (api("same", "name"), "Bogor", []),
        (api("exact", "name"), "izmir", []),
        (api("has", "name"), "bogor", ["Kota Bogor"]),
        (api("words", "name"), "12 Paulo, Sao", ["São Paulo"]),
        (api("least", "people"), 4, ["İzmir", "São Paulo"]),
        (api("most", "people"), 4, ["İzmir", "Kota Bogor"]),
        (api("between", "people", "people"), 12, ["São Paulo"]),
        (api("latest", "since"), "2026-03-15", ["São Paulo"]),
        (api("latest", "since"), "2026-03-01", []),
        (api("limit"), 2, ["İzmir", "São Paulo"]),
        (api("cursor"), 2, ["Kota Bogor"]),
        (api("page"), 2, []),
        (api("told"), "anything", ["İzmir", "São Paulo", "Kota Bogor"]),
    ],
)
def test_a_parameter_keeps_the_rows_that_it_is_for(
    one: ApiRow, value: object, expected: list[str]
) -> None:
    assert names(one, value) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("DİYARBAKIR", "diyarbakır"),  # noqa: RUF001 - full width, on purpose
        ("Zürich", "ZURICH"),
        ("１００－０００１", "100-0001"),  # noqa: RUF001 - full width, on purpose
        ("أسوان", "اسوان"),
        ("Đà  Nẵng", "da nang"),
        ("e\u0301te\u0301", "été"),
    ],
)
def test_the_same_letters_may_be_typed_in_several_ways(one: str, other: str) -> None:
    assert fold_text(one) == fold_text(other)


@pytest.mark.parametrize(
    ("one", "other"), [("はば", "はは"), ("น่าน", "นาน"), ("कि", "क"), ("القاهرة", "القاهر")]
)
def test_marks_that_make_another_word_are_kept(one: str, other: str) -> None:
    assert fold_text(one) != fold_text(other)


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        (ParameterRow("q", "", type="integer"), "1.5"),
        (ParameterRow("q", "", type="integer"), "१२"),
        (ParameterRow("q", "", type="number"), "1,5"),
        (ParameterRow("q", "", type="number"), "1_000"),
        (ParameterRow("q", "", type="number"), "inf"),
        (ParameterRow("q", "", type="number", maximum=5), "nan"),
        (ParameterRow("q", "", type="number", maximum=5), "5.01"),
        (ParameterRow("q", "", type="boolean"), "yes"),
        (ParameterRow("q", "", choices=("A", "C")), "a"),
        (ParameterRow("q", "", pattern="[0-9]{8}"), "01310-930"),
        (ParameterRow("q", "", pattern="[0-9]{8}"), "０１３１０９３０"),  # noqa: RUF001 - full width, on purpose
    ],
)
def test_a_value_that_a_parameter_forbids_is_refused(parameter: ParameterRow, value: str) -> None:
    one = ApiRow("x-y", "X", "", "Data", "/x/y", (parameter,))
    with pytest.raises(InvalidParameter) as lack:
        read_params(one, {"q": value})
    assert not lack.value.is_missing


def test_what_is_required_and_not_given_is_missing() -> None:
    one = ApiRow("x-y", "X", "", "Data", "/x/y", (ParameterRow("q", "", required=True),))
    with pytest.raises(InvalidParameter) as lack:
        read_params(one, {"q": ""})
    assert lack.value.is_missing


def test_of_some_parameters_one_is_enough() -> None:
    parameters = (ParameterRow("a", ""), ParameterRow("b", "", default="z"))
    one = ApiRow("x-y", "X", "", "Data", "/x/y", parameters, one_of=("a", "b"))
    assert read_params(one, {"a": "1"}) == {"a": "1", "b": "z"}
    with pytest.raises(InvalidParameter, match="a / b"):
        read_params(one, {})
