"""The memory limit of a stored record follows from its JSON, however it is packed."""

import tracemalloc

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.store.record_codec import require_bounded_json

MOST = 1_000_000
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False)
    | st.text(max_size=20),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=10,
)
DENSE = [
    "[]",
    "{}",
    '""',
    '"\U0001f600a"',
    "1.5",
    '{"":0}',
    "[[]]",
    '{"a":{"b":{"c":"d"}}}',
    '"\\\\"',
]


@given(JSON)
def test_a_small_record_is_left_as_it_is(value: object) -> None:
    content = msgspec.json.encode(value)
    assert require_bounded_json(content, MOST) is content


@given(st.sampled_from(DENSE), st.integers(1, 60_000))
def test_what_is_let_through_takes_no_more_than_the_bound(value: str, times: int) -> None:
    content = f"[{','.join([value] * times)}]".encode()
    try:
        require_bounded_json(content, MOST)
    except ValueError:
        return
    tracemalloc.start()
    try:
        decoded = msgspec.json.decode(content)
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(decoded) == times
    assert taken + len(content) <= MOST


def test_what_stands_within_texts_is_no_value() -> None:
    listed = msgspec.json.encode([{"content": msgspec.json.encode([[]] * 100_000).decode()}])
    assert require_bounded_json(listed, MOST) is listed


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b'"' + b"a" * 600_000 + b'"', "its 600,002 bytes are more than a record may hold"),
        (b"[" + b"[]," * 10_000 + b"0]", "its 30,003 bytes hold more than 9,399 values"),
        (
            '["\U0001f600' + "a" * 300_000 + '"]',
            "its 300,008 bytes are more than a record may hold",
        ),
        (b'["\\ud83d\\ude00' + b"a" * 300_000 + b'"]', "are more than a record may hold"),
    ],
)
def test_a_bomb_is_refused_by_what_it_holds(content: bytes | str, why: str) -> None:
    packed = content.encode() if isinstance(content, str) else content
    with pytest.raises(ValueError, match=why):
        require_bounded_json(packed, MOST)


@pytest.mark.parametrize("broken", [b'"', b'\\"', b'"\\', b'[,"'])
def test_texts_that_never_end_are_read_once(broken: bytes) -> None:
    assert len(require_bounded_json(broken * 100_000, 64 * MOST)) == len(broken) * 100_000
