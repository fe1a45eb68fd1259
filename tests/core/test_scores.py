from typing import get_args

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.scores import ComponentScore, Evidence, Score, Scored, Unscored
from dragoman.core.tasks import Component
from dragoman.core.usage import Usage

TEXT = st.text(max_size=12)
VERDICTS: st.SearchStrategy[Scored | Unscored] = st.one_of(
    st.builds(Scored, st.floats(0, 1), st.lists(TEXT, max_size=2).map(tuple)),
    st.builds(Unscored, TEXT),
)
COMPONENTS = st.builds(
    ComponentScore,
    component=st.sampled_from(get_args(Component)),
    in_basis=st.booleans(),
    verdict=st.none() | VERDICTS,
    evidence=st.lists(
        st.builds(Evidence, TEXT, st.none() | st.booleans(), TEXT, TEXT), max_size=3
    ).map(tuple),
    assumed=st.booleans(),
)
SCORES = st.builds(
    Score,
    rules=TEXT,
    judge=TEXT,
    reward=VERDICTS,
    components=st.lists(COMPONENTS, max_size=5).map(tuple),
    metric=TEXT,
    note=TEXT,
    usage=st.none() | st.builds(Usage, TEXT, TEXT),
)


@given(SCORES)
def test_a_score_survives_a_trip_through_json(score: Score) -> None:
    assert msgspec.json.decode(msgspec.json.encode(score), type=Score) == score


def test_no_value_is_not_the_value_zero() -> None:
    assert msgspec.json.encode(Unscored("why")) != msgspec.json.encode(Scored(0.0))


def part(*, in_basis: bool, assumed: bool) -> ComponentScore:
    return ComponentScore("NL_ASSERTION", in_basis, Scored(1.0), assumed=assumed)


def test_a_score_is_assumed_where_a_component_that_counts_is() -> None:
    counted = part(in_basis=True, assumed=True)
    aside = part(in_basis=False, assumed=True)
    judged = part(in_basis=True, assumed=False)
    assert Score("r", "j", Scored(1.0), (judged, counted)).assumed
    assert not Score("r", "j", Scored(1.0), (judged, aside)).assumed
    assert not Score("r", "j", Scored(1.0), ()).assumed
