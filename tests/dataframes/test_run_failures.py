"""The losses of a run are cached for its stored rows and recomputed after any change."""

import shutil
from pathlib import Path

import pytest

from dragoman import run
from dragoman.core.scores import NO_JUDGE
from dragoman.dataframes import run_failures as kept
from dragoman.dataframes.run_failures import RunFailures, kept_failures, run_failures
from dragoman.runs.runner import MeasureRequest, score
from dragoman.store.run_store import open_run

RULES = "dragoman-1"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(kept, "MIN_KEPT", 1)


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("played") / "run"
    run("courier", "literal", voices=("text", "simulated:15"), limit=2, trials=2, out=folder)
    return folder


@pytest.fixture
def played(run_folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(run_folder, tmp_path / "run"))


def _made(folder: Path) -> RunFailures:
    with open_run(folder, write=False) as store:
        return run_failures(store, RULES, NO_JUDGE)


def _kept(folder: Path) -> RunFailures | None:
    with open_run(folder, write=False) as store:
        return kept_failures(store, RULES, NO_JUDGE)


def _file(tmp_path: Path) -> Path:
    (found,) = (tmp_path / "cache" / "dragoman" / "drops").iterdir()
    return found


def test_the_answer_that_is_kept_is_the_one_that_was_made(played: Path) -> None:
    assert _kept(played) is None
    made = _made(played)

    assert made.drops
    assert made.planned == (
        ("literal", "en/text/none", 4),
        ("literal", "en/simulated:15/none", 4),
    )
    assert _kept(played) == made


def test_an_answer_names_the_run_as_it_is_named_now(
    played: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _made(played)
    monkeypatch.chdir(played.parent)

    found = _kept(Path("run"))

    assert found is not None
    assert {drop.comparison.a.run for drop in found.drops} == {"run"}


def test_a_damaged_answer_is_made_again(played: Path, tmp_path: Path) -> None:
    made = _made(played)
    content = _file(tmp_path).read_bytes()
    _file(tmp_path).write_bytes(content[:50] + bytes([content[50] ^ 1]) + content[51:])

    assert _kept(played) is None
    assert _made(played) == made
    assert _kept(played) == made


def test_an_answer_of_an_empty_file_is_made_again(played: Path, tmp_path: Path) -> None:
    made = _made(played)
    _file(tmp_path).write_bytes(b"")

    assert _made(played) == made


def test_an_answer_is_stale_where_a_measure_was_taken_since(played: Path) -> None:
    _made(played)

    score(played, MeasureRequest(measures=("critical",)), lambda: None)

    assert _kept(played) is None


def test_an_answer_is_stale_where_other_code_would_make_it(
    played: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _made(played)

    monkeypatch.setattr(kept, "_code_digest", lambda: "another version")

    assert _kept(played) is None


def test_a_cache_that_cannot_be_written_changes_no_answer(
    played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = _made(played)
    (tmp_path / "full").write_text("a file where a folder is needed")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "full"))

    assert _made(played) == made
