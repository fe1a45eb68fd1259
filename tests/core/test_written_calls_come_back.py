"""Written calls are read back unchanged."""

from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.apis.call_list_parser import longest_first, parse_calls
from dragoman.core.apis.itc_answers import format_calls, format_itc_answer, parse_itc_answer
from dragoman.core.apis.tasks import ApiCall

NAMES = st.sampled_from(
    ["Consulta CEP", "Recherche d'adresse", "ค่าฝุ่น PM2.5", "駅検索", "Global Email V4", "a(b)", "x"]
)
KEYS = st.sampled_from(["cep", "from", "ngày", "target lang", "page[size]", "a-b", "x.y", "種別"])
SCALARS = (
    st.text(max_size=20)
    | st.integers(-(10**12), 10**12)
    | st.booleans()
    | st.none()
    | st.floats(-1e6, 1e6).map(lambda value: round(value, 3))
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)
CALLS = st.lists(st.builds(ApiCall, NAMES, st.dictionaries(KEYS, VALUES, max_size=4)), max_size=3)


@given(CALLS)
def test_calls_come_back_as_they_were_written(calls: list[ApiCall]) -> None:
    read = parse_calls(format_calls(calls), longest_first({call.tool for call in calls}))
    assert read.calls == tuple(calls)
    assert read.is_plain


@given(st.text(max_size=80), CALLS)
def test_a_written_answer_keeps_to_the_form(thought: str, calls: list[ApiCall]) -> None:
    read = parse_itc_answer(
        format_itc_answer(thought, calls), longest_first({call.tool for call in calls})
    )
    assert (read.thought, read.calls, read.is_strict) == (thought, tuple(calls), True)
