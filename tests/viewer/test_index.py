"""The index of a run: built once, updated, rebuilt if necessary, and outside the run."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from dragoman.analysis.failure_attribution import ATTRIBUTION_METRICS, attribution_result
from dragoman.benchmarks.tau2.sample_suite import sample_suite
from dragoman.config.run_config import RunConfig
from dragoman.core.conditions import PLAIN, condition_of
from dragoman.core.content_keys import content_key
from dragoman.core.episodes import Episode, Termination
from dragoman.core.measures import REWARD, REWARD_VERSION, MeasureResult
from dragoman.core.scores import ComponentScore, Evidence, Score, Scored, Unscored
from dragoman.core.usage import Usage
from dragoman.dataframes.results import summary
from dragoman.runs.manifest import Manifest
from dragoman.store.conversation_writes import StoredEpisode, StoredMeasure
from dragoman.store.run_index import ORDERS, IndexQuery, ListPage, RunIndex, counts
from dragoman.store.run_plan import NewRun, StoredCell
from dragoman.store.run_store import PlayedCell, RunStore, create_run, open_run
from dragoman.viewer.open_runs import OpenedRun
from dragoman.viewer.run_index import MOST_CAUSES, OTHER_CAUSES, FilterFieldBuilder, Listing
from dragoman.viewer.stored_figures import stored_figures

LONG = 20.0
PHONE = condition_of({"language": "th", "scenario": "domain", "voice": "telephone"})
CELLS = [
    StoredCell(
        content_key(condition.label, agent, task, trial), "shop", condition, agent, task, trial
    )
    for condition in (PLAIN, PHONE)
    for agent in ("a", "b")
    for task in ("t1", "t2", "t30")
    for trial in (0, 1)
]


def new_run(folder: Path) -> RunStore:
    config = RunConfig("shop", ("a", "b"), trials=2)
    made = Manifest("0", "3", 1.0, config, "none", "p", sample_suite().provenance)
    return create_run(folder, NewRun(msgspec.json.encode(made), tuple(CELLS), {}))


def entry(
    cell: StoredCell, value: float | None = 1.0, reason: str = "user_stop", **more: object
) -> StoredEpisode:
    ending = Termination(reason, str(more.get("detail", "")))  # type: ignore[arg-type]
    used = (Usage("agent", "openai/gpt-4.1", 1, 1_000_000, 0),)
    place = CELLS.index(cell)
    episode = Episode(
        (), ending, 3, 1, usage=used, started=1_000.0 + place, seconds=float(place % 5)
    )
    if reason == "infrastructure_error":
        return StoredEpisode(cell.key, int(str(more.get("attempt", 0))), episode)
    reward = Unscored("the judge said nothing") if value is None else Scored(value)
    part = ComponentScore("DB", True, reward)
    user = (Evidence("goal_kept", cell.task != "t30"),)
    score = Score(str(more.get("rules", "dragoman-1")), "none", reward, (part,), simulator=user)
    return StoredEpisode(cell.key, int(str(more.get("attempt", 0))), episode, score)


@contextmanager
def listed(folder: Path, cache: Path) -> Iterator[Listing]:
    run = OpenedRun("run", folder, cache)
    try:
        with run.listing(LONG) as listing:
            yield listing
    finally:
        run.close()


def outcomes(listing: Listing, **chosen: str) -> dict[str, int]:
    found = listing.count({name: (value,) for name, value in chosen.items()})
    return {value.name: value.count for value in found.values["outcome"]}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run of 24 conversations: 6 pass, 6 fail, 2 have no score, 2 broke, 8 are missing."""
    folder = tmp_path / "run"
    with new_run(folder) as store:
        store.declare([ATTRIBUTION_METRICS])
        store.put(entry(cell) for cell in CELLS[:6])
        store.put(entry(cell, 0.0) for cell in CELLS[6:12])
        store.put(entry(cell, None) for cell in CELLS[12:14])
        store.put(entry(cell, reason="infrastructure_error", detail="503") for cell in CELLS[14:16])
        store.put([StoredMeasure(CELLS[6].key, 0, attribution_result("agent"))])
    return folder


def test_conversations_are_counted_by_what_they_have_in_common(run: Path, tmp_path: Path) -> None:
    with listed(run, tmp_path / "views") as listing:
        every = listing.count({})
        found = {name: {v.name: v.count for v in vs} for name, vs in every.values.items()}

        assert every.total == 24
        assert found["outcome"] == {
            "missing": 8,
            "pass": 6,
            "fail": 6,
            "unscored": 2,
            "infrastructure": 2,
        }
        assert found["agent"] == {"a": 12, "b": 12}
        assert found["language"] == {"en": 12, "th": 12}
        assert found["voice"] == {"telephone": 12, "text": 12}
        assert found["cause"] == {
            "DB": 6,
            "503": 2,
            "the judge said nothing": 2,
        }
        assert found["blame"] == {"agent": 1}
        assert found["user"] == {"valid": 10, "unchecked": 10, "invalid": 4}


def test_a_choice_counts_what_each_other_choice_would_give(run: Path, tmp_path: Path) -> None:
    with listed(run, tmp_path / "views") as listing:
        found = listing.count({"outcome": ("fail",), "agent": ("b",)})
        values = {name: {v.name: v.count for v in vs} for name, vs in found.values.items()}

        assert found.total == 6
        assert values["outcome"] == {"fail": 6, "missing": 6}
        assert values["agent"] == {"b": 6}
        assert listing.count({"outcome": ("fail", "pass")}).total == 12
        assert listing.count({"agent": ("nobody",)}).total == 0
        assert listing.count({"no such facet": ("x",)}).total == 0
        assert listing.count({}, IndexQuery("T3")).total == 8


@pytest.mark.parametrize(
    ("sought", "found"),
    [("t1", 8), ("T1", 8), ("%", 0), ("_1", 0), ("t_", 0), ("\\", 0), ("'", 0), ("t30", 8)],
)
def test_a_search_finds_its_signs_as_they_are(
    run: Path, tmp_path: Path, sought: str, found: int
) -> None:
    with listed(run, tmp_path / "views") as listing:
        query = IndexQuery(sought)
        counted = listing.count({}, query)
        tasks = {row.task for row in listing.rows(counted, ListPage(most=50), query)}

        assert counted.total == found
        assert {sought.lower() in task for task in tasks} <= {True}
        assert len(tasks) == bool(found)


def test_values_are_computed_once_for_each_version_of_the_index(run: Path, tmp_path: Path) -> None:
    computed: list[int] = []

    def conversations(index: RunIndex) -> int:
        computed.append(sum(counts(index).values()))
        return computed[-1]

    viewed = OpenedRun("run", run, tmp_path / "views")
    try:
        with viewed.listing(LONG) as listing:
            first = [listing.once(conversations), listing.once(conversations)]
            assert listing.count({"outcome": ("missing",)}).total == 8
        with open_run(run, write=True) as store:
            store.put([entry(CELLS[16])])
        with viewed.listing(LONG) as listing:
            later = [listing.once(conversations), listing.once(conversations)]
            assert listing.count({"outcome": ("missing",)}).total == 7
    finally:
        viewed.close()

    assert (first, later) == ([24, 24], [24, 24])
    assert len(computed) == 2


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("falling", [False, True])
def test_pages_together_have_every_row_once_both_ways(
    run: Path, tmp_path: Path, order: str, falling: bool
) -> None:
    with listed(run, tmp_path / "views") as listing:
        counted = listing.count({})
        cut = ListPage(order, falling, most=7)  # type: ignore[arg-type]
        pages = [listing.rows(counted, cut)]
        while pages[-1]:
            pages.append(
                listing.rows(counted, msgspec.structs.replace(cut, after=pages[-1][-1].place))
            )
        rows = [row for page in pages for row in page]
        back = listing.rows(counted, msgspec.structs.replace(cut, before=rows[14].place))

        assert sorted(row.place for row in rows) == list(range(1, 25))
        assert [row.place for row in back] == [row.place for row in rows[7:14]]
        known = [row.seconds for row in rows if row.seconds is not None]
        if order == "seconds":
            assert known == sorted(known, reverse=falling)
            assert [row.seconds for row in rows[16:]] == [None] * 8


def test_figures_are_those_of_the_summary(run: Path, tmp_path: Path) -> None:
    with listed(run, tmp_path / "views"):
        pass
    opened = OpenedRun("run", run, tmp_path / "views")
    for _ in range(2):  # figures are made after the requested page
        with opened.listing(LONG):
            pass
    opened.close()
    with listed(run, tmp_path / "views") as listing, open_run(run, write=False) as store:
        made = stored_figures(listing.index)
        cells = summary(store, "dragoman-1", "none")

    assert made is not None
    assert [cell.result for cell in made.cells] == [cell.result for cell in cells]


def test_what_is_stored_later_is_read_and_nothing_else(run: Path, tmp_path: Path) -> None:
    opened = OpenedRun("run", run, tmp_path / "views")
    with opened.listing(LONG) as listing:
        before = outcomes(listing)
    with open_run(run, write=True) as store:
        store.put([entry(CELLS[14], attempt=1), entry(CELLS[16])])
        with opened.listing(LONG) as listing:
            after = outcomes(listing)
            row = listing.row(CELLS[14].key)
        store.put([StoredMeasure(CELLS[7].key, 0, attribution_result("line"))])
        with opened.listing(LONG) as listing:
            attributed = listing.count({"blame": ("line",)}).total
    opened.close()

    assert before["infrastructure"] == 2
    assert after == {"pass": 8, "missing": 7, "fail": 6, "unscored": 2, "infrastructure": 1}
    assert row is not None
    assert row.attempt == 1
    assert row.cost == 4.0  # both attempts
    assert attributed == 1


def test_a_newer_scoring_makes_the_index_anew(run: Path, tmp_path: Path) -> None:
    opened = OpenedRun("run", run, tmp_path / "views")
    with opened.listing(LONG) as listing:
        assert outcomes(listing)["fail"] == 6
    with open_run(run, write=True) as store:
        for cell in CELLS[:16]:
            score = entry(cell, rules="mine").score
            assert score is not None
            store.put(
                [StoredMeasure(cell.key, 0, MeasureResult(REWARD, REWARD_VERSION, score=score))]
            )
    with opened.listing(LONG) as listing:
        found = outcomes(listing)
    opened.close()

    assert found == {"pass": 14, "missing": 8, "infrastructure": 2}


@pytest.mark.parametrize("harm", ["nothing of ours", "another format", "cut"])
def test_an_index_that_is_none_is_made_anew(run: Path, tmp_path: Path, harm: str) -> None:
    with listed(run, tmp_path / "views") as listing:
        right = outcomes(listing)
    (file,) = (tmp_path / "views").glob("*.sqlite")
    if harm == "another format":
        with sqlite3.connect(file) as connection:
            connection.execute("PRAGMA user_version = 77")
        connection.close()
    else:
        file.write_bytes(b"x" * 5_000 if harm == "nothing of ours" else file.read_bytes()[:2_000])

    with listed(run, tmp_path / "views") as listing:
        assert outcomes(listing) == right


def test_a_copy_from_before_makes_the_index_anew(run: Path, tmp_path: Path) -> None:
    older = (run / "run.sqlite").read_bytes()
    with open_run(run, write=True) as store:
        store.put([entry(CELLS[16])])
    with listed(run, tmp_path / "views") as listing:
        assert outcomes(listing)["missing"] == 7
    (run / "run.sqlite").unlink()
    (run / "run.sqlite").write_bytes(older)

    with listed(run, tmp_path / "views") as listing:
        assert outcomes(listing)["missing"] == 8


def test_the_file_of_the_run_stays_as_it_is_to_the_byte(run: Path, tmp_path: Path) -> None:
    before = (run / "run.sqlite").read_bytes()

    with listed(run, tmp_path / "views"):
        pass

    assert (run / "run.sqlite").read_bytes() == before
    # SQLite keeps these files next to a database while it is read, as for every other command.
    assert {path.name for path in run.iterdir()} <= {
        *("run.sqlite", "run.lock", "run.sqlite-shm", "run.sqlite-wal"),
    }
    assert (run / "run.sqlite-wal").stat().st_size == 0


def test_what_breaks_in_a_thousand_words_is_told_apart_up_to_a_number() -> None:
    maker = FilterFieldBuilder()
    found: set[str] = set()
    for number in range(MOST_CAUSES + 10):
        stored = entry(CELLS[0], reason="infrastructure_error", detail=f"no. {number}")
        played = PlayedCell(1, 0, stored.episode, None, (), ())
        found.update(maker.played(CELLS[0], played).causes)

    assert len(found) == MOST_CAUSES + 1
    assert OTHER_CAUSES in found
