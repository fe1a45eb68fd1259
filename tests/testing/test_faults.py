import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.testing.fault_injection import (
    Cut,
    DuplicateReply,
    FaultDraws,
    Faults,
    Hang,
    InvalidArguments,
    RateLimited,
    Reset,
    ServerError,
    chance,
    kind_of,
)

HALF = Faults(transport=(Cut(0.25), Reset(0.25)), agent=(InvalidArguments(0.5),))


def drawn(faults: Faults, seed: int, content: str, times: int) -> list[str | None]:
    draws = FaultDraws(faults, seed)
    found = [draws.transport(content) for _ in range(times)]
    return [None if fault is None else kind_of(fault) for fault in found]


def test_the_same_seed_draws_the_same_faults() -> None:
    assert drawn(HALF, 1, "a", 20) == drawn(HALF, 1, "a", 20)
    assert drawn(HALF, 1, "a", 20) != drawn(HALF, 2, "a", 20)
    assert drawn(HALF, 1, "a", 20) != drawn(HALF, 1, "b", 20)


def test_other_requests_in_between_change_nothing() -> None:
    draws = FaultDraws(HALF, 1)
    kinds = []
    for index in range(20):
        draws.transport(f"other {index}")
        fault = draws.transport("a")
        kinds.append(None if fault is None else kind_of(fault))
    assert kinds == drawn(HALF, 1, "a", 20)


def test_faults_come_as_often_as_their_rates_say() -> None:
    draws = FaultDraws(HALF, 1)
    found = [draws.transport(str(index)) for index in range(4_000)]
    shares = {
        kind: sum(isinstance(fault, kind) for fault in found) / 4_000 for kind in (Cut, Reset)
    }
    # Three standard deviations of a share of 4,000 draws.
    assert shares == pytest.approx({Cut: 0.25, Reset: 0.25}, abs=0.021)


def test_the_first_requests_of_all_are_spared() -> None:
    draws = FaultDraws(Faults((Cut(1),), first=3), 1)
    found = [draws.transport(content) for content in ("a", "b", "a", "a", "c")]
    assert found == [None, None, None, Cut(1), Cut(1)]


@given(st.integers(1, 5), st.text(max_size=5), st.integers())
def test_after_the_most_in_a_row_a_request_is_spared(most: int, content: str, seed: int) -> None:
    always = Faults((Cut(1),), most_in_a_row=most)
    assert drawn(always, seed, content, 2 * (most + 1)) == [*["cut"] * most, None] * 2


def test_a_retry_meets_the_same_mistake_of_the_model() -> None:
    draws = FaultDraws(HALF, 1)
    for content in map(str, range(20)):
        assert draws.agent(content) == draws.agent(content)
    assert {draws.agent(str(content)) for content in range(20)} == {None, InvalidArguments(0.5)}


def test_without_faults_nothing_is_drawn() -> None:
    draws = FaultDraws(Faults(), 1)
    assert draws.transport("a") is None
    assert draws.agent("a") is None


@given(st.integers(), st.text(max_size=5))
def test_a_chance_is_below_one(seed: int, content: str) -> None:
    assert 0 <= chance(seed, content, "try 0") < 1


@pytest.mark.parametrize("rate", [-0.1, 1.1, float("nan")])
def test_a_rate_that_is_no_share_is_refused(rate: float) -> None:
    with pytest.raises(ValueError, match="a rate is from 0 to 1"):
        Cut(rate)


def test_rates_of_one_group_are_at_most_one_together() -> None:
    with pytest.raises(ValueError, match=r"the rates of one group add up to 1\.2, more than 1"):
        Faults((Cut(0.6), Reset(0.6)))
    assert Faults((Cut(0.1),) * 10).transport


@pytest.mark.parametrize("statuses", [(), (500, 404)])
def test_a_server_error_is_one(statuses: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="statuses are from 500 to 599"):
        ServerError(1, statuses)


def test_faults_are_read_from_json() -> None:
    text = b"""{
        "transport": [
            {"kind": "rate_limited", "rate": 0.1, "retry_after": 2, "as_date": true},
            {"kind": "hang", "rate": 0.1, "seconds": 5}
        ],
        "agent": [{"kind": "duplicate_reply", "rate": 0.5}],
        "most_in_a_row": 2
    }"""
    assert msgspec.json.decode(text, type=Faults) == Faults(
        (RateLimited(0.1, 2, as_date=True), Hang(0.1, 5)), (DuplicateReply(0.5),), 2
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b'{"transport": [{"kind": "gremlins", "rate": 1}]}', "gremlins"),
        (b'{"transport": [{"kind": "cut"}]}', "rate"),
        (b'{"transport": [{"kind": "cut", "rate": 1, "seconds": 2}]}', "seconds"),
        (b'{"agent": [{"kind": "cut", "rate": 1}]}', "cut"),
        (b'{"most_in_a_row": 0}', "most_in_a_row is at least 1"),
    ],
)
def test_a_file_that_says_something_else_is_refused(text: bytes, said: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=said):
        msgspec.json.decode(text, type=Faults)
