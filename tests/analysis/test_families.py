"""Families of comparisons: one corrected p for each pair of cells, whatever is shown with it."""

from collections.abc import Sequence

from dragoman.analysis.cell_summary import ConversationResult
from dragoman.analysis.comparison import CellName, CellOutcomes, Comparison, comparable
from dragoman.analysis.drops import drops_from_baseline, find_drops
from dragoman.analysis.families import compare_in_families
from dragoman.core.conditions import PLAIN, Condition, condition_of
from dragoman.core.scores import Score, Scored

PHONE = PLAIN.with_axes(voice="telephone")
VIETNAMESE = condition_of({"language": "vi", "scenario": "domain"})
VIETNAMESE_PHONE = VIETNAMESE.with_axes(voice="telephone")

TASKS = 8
DIGESTS = {f"t{at}": "same" for at in range(TASKS)}


def cell(agent: str, condition: Condition, failed: int, run: str = "run") -> CellOutcomes:
    """A cell whose first tasks failed; a lost task more halves the p of the sign-flip test."""
    rows = (
        ConversationResult(
            *("shop", condition, agent, f"t{at}", 0, None),
            Score("rules", "none", Scored(float(at >= failed)), ()),
        )
        for at in range(TASKS)
    )
    return CellOutcomes(CellName(run, "shop", condition, agent), tuple(rows), DIGESTS)


def run_of(*agents: str, run: str = "run") -> list[CellOutcomes]:
    lost = {PLAIN: 0, PHONE: 7, VIETNAMESE: 1, VIETNAMESE_PHONE: 8}
    return [cell(agent, condition, lost[condition], run) for agent in agents for condition in lost]


Found = tuple[str, float | None, int]


def by_pair(found: Sequence[Comparison]) -> dict[frozenset[CellName], Found]:
    return {
        frozenset({each.a, each.b}): (each.family, each.adjusted_p, each.corrected_for)
        for each in found
    }


def test_drops_from_the_baseline_are_corrected_for_their_own_number() -> None:
    drops = drops_from_baseline(run_of("one", "two"))
    assert [
        (drop.comparison.b.condition, drop.comparison.p, drop.comparison.adjusted_p)
        for drop in drops[:3]
    ] == [
        (PHONE, 2 / 128, 4 * 2 / 128),
        (VIETNAMESE, 1.0, 1.0),
        (VIETNAMESE_PHONE, 2 / 256, 6 * 2 / 256),
    ]
    assert {drop.comparison.corrected_for for drop in drops} == {6}


def test_a_drop_has_the_same_p_among_drops_along_one_layer_and_further_ones_their_own() -> None:
    cells = run_of("one", "two")
    first = by_pair([drop.comparison for drop in drops_from_baseline(cells)])
    along = by_pair([drop.comparison for drop in find_drops(cells)])
    shared = first.keys() & along.keys()
    assert len(shared) == 4
    assert all(first[pair] == along[pair] for pair in shared)
    assert {along[pair][0::2] for pair in along.keys() - shared} == {("layer", 4)}


def test_every_pair_of_a_run_has_its_p_whatever_is_compared_with_it() -> None:
    cells = run_of("one", "two")
    whole = by_pair(compare_in_families(comparable(cells), cells))
    drops = by_pair([drop.comparison for drop in find_drops(cells)])
    assert all(whole[pair] == found for pair, found in drops.items())
    assert {found[0::2] for found in whole.values()} == {
        ("baseline", 6),
        ("layer", 4),
        ("agent", 4),
    }
    for pair in comparable(cells):
        (alone,) = compare_in_families([pair], cells)
        assert (alone.family, alone.adjusted_p, alone.corrected_for) == whole[
            frozenset({pair[0].name, pair[1].name})
        ]


def test_pairs_of_two_runs_are_a_family_and_change_none_within_a_run() -> None:
    a, b = run_of("one", run="a"), run_of("one", run="b")
    alone = by_pair(compare_in_families(comparable(a), a))
    both = by_pair(compare_in_families(comparable([*a, *b]), [*a, *b]))
    assert all(both[pair] == found for pair, found in alone.items())
    of_two = {pair: found for pair, found in both.items() if len({each.run for each in pair}) == 2}
    matched = [
        found for pair, found in of_two.items() if len({each.condition for each in pair}) == 1
    ]
    assert {found[0::2] for found in matched} == {("run", 4)}
    assert len(matched) == 4


def test_pairs_that_a_filter_removes_do_not_count_in_their_family() -> None:
    cells = run_of("one")
    drops = drops_from_baseline(
        cells, lambda pairs: [pair for pair in pairs if pair[1].name.condition != VIETNAMESE]
    )
    assert [drop.comparison.corrected_for for drop in drops] == [2, 2]
