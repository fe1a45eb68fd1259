"""What lost spoken conversations: told exactly, of a small real run."""

from pathlib import Path

import msgspec
import pytest

from dragoman.analysis.blame import CULPRITS, Blame, Counterfactuals, blame_counts, blamed
from dragoman.core.errors import StoreError, UsageError
from dragoman.core.scores import METRIC_VERSION, Scored
from dragoman.runs.play import play, start
from dragoman.store.run import open_run
from dragoman.studies.blame import FILE, FOLDER, find_blame, read_blame
from dragoman.wiring.config import RunConfig
from dragoman.wiring.setup import build_setup

LOST = Blame("en/bad-line/none", "literal", "two-swaps", 0, "line")


@pytest.mark.parametrize(
    ("understood", "clean", "culprit"),
    [
        (True, True, "line"),
        (True, False, "speech"),
        (True, None, "unknown"),
        (False, True, "agent"),
        (False, False, "agent"),
        (False, None, "agent"),
        (None, True, "unknown"),
        (None, False, "unknown"),
        (None, None, "unknown"),
    ],
)
def test_the_stage_is_blamed_whose_perfection_saves_the_conversation(
    understood: bool | None, clean: bool | None, culprit: str
) -> None:
    assert blamed(Counterfactuals(understood, clean)) == culprit


def test_lost_conversations_are_counted_by_condition_and_agent() -> None:
    rows = [
        LOST,
        msgspec.structs.replace(LOST, trial=1, culprit="speech"),
        msgspec.structs.replace(LOST, trial=2),
        msgspec.structs.replace(LOST, agent="careful", culprit="unknown"),
    ]
    counts = blame_counts(rows)
    assert counts["en/bad-line/none", "literal"] == {
        "line": 2,
        "speech": 1,
        "agent": 0,
        "unknown": 0,
    }
    assert counts["en/bad-line/none", "careful"]["unknown"] == 1
    assert [list(each) for each in counts.values()] == [list(CULPRITS)] * 2


def played(folder: Path, **fields: object) -> Path:
    config = msgspec.structs.replace(RunConfig("sample:shop", ("literal",)), **fields)
    return play(start(build_setup(config), folder), lambda *_: None).folder


def verdicts(folder: Path) -> dict[tuple[str, str], float]:
    """Return what was reached by condition and task."""
    with open_run(folder, write=False) as store:
        scores = store.scores("dragoman-1", "none", METRIC_VERSION)
        return {
            (cell.condition, cell.task): reward.value
            for cell in store.cells()
            if isinstance(reward := scores[cell.key].reward, Scored)
        }


def test_of_a_run_that_lost_no_spoken_conversation_nobody_is_blamed(tmp_path: Path) -> None:
    run = played(tmp_path / "run", agents=("silent",), limit=1)
    with pytest.raises(UsageError, match="no spoken conversation was lost"):
        find_blame(run, lambda: None)
    assert read_blame(run) == ()


def test_where_errors_are_simulated_nobody_spoke_and_nobody_is_blamed(tmp_path: Path) -> None:
    run = played(tmp_path / "run", voices=("simulated:90",))
    assert 0.0 in verdicts(run).values()
    with pytest.raises(UsageError, match="no spoken conversation was lost"):
        find_blame(run, lambda: None)


def test_a_damaged_file_is_one_line(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("[{}]")
    with pytest.raises(StoreError, match="run `dragoman blame` again"):
        read_blame(tmp_path)


@pytest.mark.slow
def test_what_the_line_or_the_listener_lost_is_named_as_the_counterfactuals_say(
    tmp_path: Path,
) -> None:
    tasks = ("fifteen-or-fifty", "where-is-my-parcel")
    run = played(
        tmp_path / "run",
        suite="courier:easy",
        tasks=tasks,
        voices=("text", "bad-line"),
        asr=("generic",),
        speakers=("us",),
    )
    reached = verdicts(run)
    assert {reached["en/text/none", task] for task in tasks} == {1.0}
    lost = [task for task in tasks if reached["en/bad-line+generic/none", task] == 0.0]
    assert lost

    steps: list[None] = []
    rows = find_blame(run, lambda: steps.append(None))

    assert steps
    assert [row.task for row in rows] == lost
    assert read_blame(run) == rows
    (folder,) = (run / FOLDER).iterdir()
    again = verdicts(folder)
    for row in rows:
        assert again["en/bad-line+generic/none", row.task] == 0.0
        understood = again["en/bad-line+understood/none", row.task] == 1.0
        clean = again["en/studio+generic/none", row.task] == 1.0
        assert row.culprit == blamed(Counterfactuals(understood, clean))
        assert row.culprit in {"line", "speech"}

    more: list[None] = []
    assert find_blame(run, lambda: more.append(None)) == rows
    assert more == []
