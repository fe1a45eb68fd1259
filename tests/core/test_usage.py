from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.usage import Usage, as_replayed, total_usage

TOKENS = st.none() | st.integers(0, 1000)
USAGE = st.builds(
    Usage,
    st.sampled_from(["agent", "user"]),
    st.sampled_from(["m1", "m2"]),
    st.integers(0, 5),
    input_tokens=TOKENS,
    output_tokens=TOKENS,
)


def test_usage_adds_up_by_purpose_and_model() -> None:
    entries = [
        Usage("user", "m", 1, input_tokens=1, output_tokens=2),
        Usage("agent", "m", 2, input_tokens=10, output_tokens=20),
        Usage("user", "m", 1, input_tokens=3, output_tokens=4),
    ]
    assert total_usage(entries) == (
        Usage("agent", "m", 2, input_tokens=10, output_tokens=20),
        Usage("user", "m", 2, input_tokens=4, output_tokens=6),
    )


def test_one_unknown_makes_the_sum_unknown() -> None:
    entries = [
        Usage("agent", "m", 1, input_tokens=5, output_tokens=7),
        Usage("agent", "m", 1, input_tokens=None, output_tokens=7),
    ]
    assert total_usage(entries) == (Usage("agent", "m", 2, input_tokens=None, output_tokens=14),)


def test_nothing_used_is_nothing() -> None:
    assert total_usage([]) == ()


@given(st.lists(USAGE, max_size=8), st.integers(0, 8))
def test_adding_in_two_steps_is_adding_at_once(entries: list[Usage], cut: int) -> None:
    halves = [*total_usage(entries[:cut]), *total_usage(entries[cut:])]
    assert total_usage(halves) == total_usage(entries)


@given(st.lists(USAGE, max_size=8))
def test_calls_are_never_lost(entries: list[Usage]) -> None:
    assert sum(entry.calls for entry in total_usage(entries)) == sum(e.calls for e in entries)


def test_a_replayed_call_keeps_its_tokens_and_loses_time_and_faults() -> None:
    call = Usage(
        "agent", "m", input_tokens=9, output_tokens=2, cached_tokens=4, faults={"a": 1}, seconds=3.0
    )
    replayed = as_replayed(call)
    assert (replayed.calls, replayed.replayed, replayed.seconds, replayed.faults) == (1, 1, 0.0, {})
    (both,) = total_usage([call, replayed])
    assert (both.calls, both.replayed, both.input_tokens) == (2, 1, 18)
    assert (both.replayed_input_tokens, both.replayed_output_tokens) == (9, 2)
    assert both.replayed_cached_tokens == 4


def test_tokens_of_audio_add_up_and_unknown_ones_stay_unknown() -> None:
    reported = Usage("agent", "m", input_audio_tokens=9, output_audio_tokens=2)
    (both,) = total_usage([reported, as_replayed(reported)])
    assert (both.input_audio_tokens, both.replayed_input_audio_tokens) == (18, 9)
    assert (both.output_audio_tokens, both.replayed_output_audio_tokens) == (4, 2)
    (other,) = total_usage([reported, Usage("agent", "m", input_audio_tokens=None)])
    assert (other.input_audio_tokens, other.output_audio_tokens) == (None, 2)
