from hypothesis import given
from hypothesis import strategies as st

from dragoman.curation.translation.segments import BatchLimits, Mode, Segment, batches_of, units_of


def segment(number: int, text: str, mode: Mode = "text", context: str = "shop/text") -> Segment:
    return Segment(f"tasks.json::{number}", "tasks", text, mode, context)


MODES: tuple[Mode, ...] = ("label", "text")
SEGMENTS = st.lists(
    st.tuples(
        st.sampled_from(["Hello.", "Bye.", "x" * 30, "pending"]),
        st.sampled_from(MODES),
        st.sampled_from(["shop/text", "shop/name"]),
    ),
    max_size=30,
).map(lambda drawn: [segment(number, *each) for number, each in enumerate(drawn)])


def test_one_text_in_one_context_is_asked_for_once() -> None:
    segments = [
        segment(0, "Hello."),
        segment(1, "Bye."),
        segment(2, "Hello."),
        segment(3, "Hello.", context="shop/name"),
    ]
    units = units_of(segments, "en", "th")
    assert [[each.address for each in unit.segments] for unit in units] == [
        ["tasks.json::0", "tasks.json::2"],
        ["tasks.json::1"],
        ["tasks.json::3"],
    ]
    assert {unit.source.target_language for unit in units} == {"th"}


@given(segments=SEGMENTS, texts=st.integers(1, 5), characters=st.integers(1, 40))
def test_every_text_is_in_one_batch_that_keeps_to_the_limits(
    segments: list[Segment], texts: int, characters: int
) -> None:
    units = units_of(segments, "en", "th")
    batches = batches_of(units, BatchLimits(texts, characters))
    assert sorted(map(str, units)) == sorted(str(unit) for batch in batches for unit in batch)
    for batch in batches:
        assert 1 <= len(batch) <= texts
        assert len({unit.segment.mode for unit in batch}) == 1
        assert len(batch) == 1 or sum(len(unit.source.text) for unit in batch) <= characters


def test_labels_are_asked_for_before_prose() -> None:
    units = units_of([segment(0, "Hello."), segment(1, "pending", "label")], "en", "th")
    assert [batch[0].segment.mode for batch in batches_of(units, BatchLimits())] == [
        "label",
        "text",
    ]
