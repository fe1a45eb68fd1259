import json
import os
import sys
from pathlib import Path

import msgspec
import pytest

from dragoman.benchmarks.tau2.result_files import MAX_BYTES, RawResults, read_results, write_results
from dragoman.core.errors import DataError, StoreError

HEAD = {"info": msgspec.Raw(b"{}"), "tasks": msgspec.Raw(b"[]")}
ONE, TWO = ("one", msgspec.Raw(b'{"id":"one"}')), ("two", msgspec.Raw(b'{"id":"two"}'))


def put(path: Path, value: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


@pytest.mark.parametrize("as_folder", [False, True])
@pytest.mark.parametrize("simulations", [(), (ONE,), (ONE, TWO)])
def test_what_is_written_is_read(
    simulations: tuple[tuple[str, msgspec.Raw], ...], as_folder: bool, tmp_path: Path
) -> None:
    out = tmp_path / "new" / "out"

    assert write_results(out, HEAD, simulations, as_folder=as_folder) == len(simulations)

    assert read_results(out) == RawResults(HEAD, tuple(record for _, record in simulations))
    assert [path.name for path in out.parent.iterdir()] == ["out"]


def test_a_folder_is_also_found_by_its_head(tmp_path: Path) -> None:
    write_results(tmp_path / "out", HEAD, [ONE], as_folder=True)

    assert read_results(tmp_path / "out/results.json").simulations == (ONE[1],)


def test_an_index_gives_the_order(tmp_path: Path) -> None:
    index = msgspec.Raw(b'[{"id":"two"},{"id":"one"}]')
    write_results(tmp_path, {**HEAD, "simulation_index": index}, [ONE, TWO], as_folder=True)

    assert read_results(tmp_path).simulations == (TWO[1], ONE[1])


@pytest.mark.parametrize("names", [["one"], ["one", "two", "three"], ["one", "../two"]])
def test_an_index_that_names_other_files_is_refused(names: list[str], tmp_path: Path) -> None:
    index = msgspec.Raw(json.dumps([{"id": name} for name in names]).encode())
    write_results(tmp_path, {**HEAD, "simulation_index": index}, [ONE, TWO], as_folder=True)

    with pytest.raises(DataError, match=r"its index and the folder simulations/ differ in '"):
        read_results(tmp_path)


HOSTILE = ["../../x", "..", ".", "", "/etc/x", "a/b", "a\\b", ".hidden", "a\0b", "a\nb", "x" * 300]


@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_escapes_the_folder(name: str, tmp_path: Path) -> None:
    out = tmp_path / "deep" / "out"

    with pytest.raises(DataError, match="cannot be the name of a file: export to one file"):
        write_results(out, HEAD, [ONE, (name, ONE[1])], as_folder=True)

    assert list(tmp_path.rglob("*")) == []


@pytest.mark.parametrize("name", HOSTILE)
def test_any_name_can_stand_in_one_file(name: str, tmp_path: Path) -> None:
    write_results(tmp_path / "out.json", HEAD, [(name, ONE[1])], as_folder=False)

    assert [path.name for path in tmp_path.iterdir()] == ["out.json"]


def test_two_files_cannot_share_a_name(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="two simulations have the id 'ONE'"):
        write_results(tmp_path / "out", HEAD, [ONE, ("ONE", ONE[1])], as_folder=True)


def test_a_folder_with_results_is_not_mixed_with_others(tmp_path: Path) -> None:
    write_results(tmp_path, HEAD, [ONE], as_folder=True)

    with pytest.raises(StoreError, match="holds results already: choose another --out"):
        write_results(tmp_path, HEAD, [TWO], as_folder=True)

    assert read_results(tmp_path).simulations == (ONE[1],)


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("", "not a tau2 result file"),
        ("[]", "not a tau2 result file"),
        ('{"info": {}', "not a tau2 result file"),
        ('{"info": NaN}', "not a tau2 result file"),
        ("[" * 100_000, "not a tau2 result file"),
        ('{"simulations": {}}', "its simulations are damaged"),
        ('{"info": {}}', "no simulations in it, and no folder simulations/ next to it"),
    ],
)
def test_a_damaged_file_is_named(content: str, what: str, tmp_path: Path) -> None:
    path = put(tmp_path / "f.json", content)

    with pytest.raises(DataError, match=f"^{path}: {what}") as found:
        read_results(path)

    assert "\n" not in str(found.value)


def test_a_damaged_index_is_named(tmp_path: Path) -> None:
    put(tmp_path / "simulations/one.json", {"id": "one"})
    put(tmp_path / "results.json", {"simulation_index": [{"name": "one"}]})

    with pytest.raises(DataError, match="its simulation_index is damaged"):
        read_results(tmp_path)


@pytest.mark.parametrize("name", ["missing.json", "folder"])
def test_a_file_that_is_not_there_is_named(name: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()

    with pytest.raises(DataError, match="cannot read results"):
        read_results(tmp_path / name)


@pytest.mark.parametrize("is_folder", [False, True])
def test_more_than_two_gigabytes_are_not_read(is_folder: bool, tmp_path: Path) -> None:
    write_results(tmp_path / "out", HEAD, [ONE], as_folder=is_folder)
    large = tmp_path / "out/simulations/one.json" if is_folder else tmp_path / "out"
    os.truncate(large, MAX_BYTES + 1)

    with pytest.raises(DataError, match="more than 2 GiB of results: split them"):
        read_results(tmp_path / "out")


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    put(tmp_path / "file", "")

    with pytest.raises(StoreError, match="file: a file, where a folder is needed"):
        write_results(tmp_path / "file/out.json", HEAD, [ONE], as_folder=False)


@pytest.mark.parametrize("moves", range(4))
def test_an_export_that_was_killed_is_repeated(tmp_path: Path, moves: int) -> None:
    """A process that dies at any of its moves of files leaves nothing in the way."""
    out = tmp_path / "out"
    child = os.fork()
    if child == 0:
        done = iter(range(moves))

        def dying(event: str, _: object) -> None:
            if event == "os.rename" and next(done, None) is None:
                os._exit(9)

        sys.addaudithook(dying)
        write_results(out, HEAD, [ONE, TWO], as_folder=True)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == (0 if moves == 3 else 9)
    if moves == 3:
        assert read_results(out).simulations == (ONE[1], TWO[1])
        return

    with pytest.raises(DataError):
        read_results(out)
    assert write_results(out, HEAD, [ONE, TWO], as_folder=True) == 2

    assert read_results(out).simulations == (ONE[1], TWO[1])
    assert sorted(path.name for path in out.iterdir()) == ["results.json", "simulations"]


def test_a_folder_of_somebody_elses_simulations_is_left_alone(tmp_path: Path) -> None:
    put(tmp_path / "simulations/mine.json", {"id": "mine"})

    with pytest.raises(StoreError, match="holds results already"):
        write_results(tmp_path, HEAD, [ONE], as_folder=True)

    assert (tmp_path / "simulations/mine.json").is_file()
