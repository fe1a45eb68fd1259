"""Models by name: downloaded once, continued after a cut, and used only when whole."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import msgspec
import pytest
from tests.speech.local.hub_server import HubServer, hub_model

from dragoman.core.errors import UsageError
from dragoman.core.progress import PROGRESS_DISPLAY, ProgressCallback
from dragoman.speech.local.hub_models import (
    HubModel,
    HubPlace,
    fetch_model,
    find_hub_model,
    load_hub_models,
    show_line,
)

FILES = {
    "config.json": b"{}",
    "model.bin": bytes(range(250)) * 200,
    "tokenizer.json": b'{"a": 1}',
}
MODEL = hub_model("base", FILES)
WRITTEN = "whisper/base"


@pytest.fixture
def hub() -> Iterator[HubServer]:
    with HubServer(FILES) as server:
        yield server


@pytest.fixture
def place(hub: HubServer, tmp_path: Path) -> HubPlace:
    return HubPlace(hub.endpoint, tmp_path / "models", answer_seconds=5, stall_seconds=5)


@pytest.fixture
def shown() -> Iterator[list[tuple[str, int, int]]]:
    """Progress of downloads: the title with zeros, then the reported values."""
    reported: list[tuple[str, int, int]] = []

    @contextmanager
    def show(line: str) -> Iterator[ProgressCallback]:
        reported.append((line, 0, 0))
        yield lambda file, done, total: reported.append((file, done, total))

    def shows(line: str) -> AbstractContextManager[ProgressCallback]:
        return show(line)

    token = PROGRESS_DISPLAY.set(shows)
    yield reported
    PROGRESS_DISPLAY.reset(token)


def content_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_model_is_downloaded_once_and_then_used_without_the_network(
    hub: HubServer, place: HubPlace, shown: list[tuple[str, int, int]]
) -> None:
    folder = fetch_model(MODEL, place, WRITTEN)
    assert folder == place.folder / "base"
    assert content_of(folder) == FILES
    assert shown[0][0] == "whisper/base: downloading 0 MB from 127.0.0.1"
    assert shown[-1] == ("whisper/base tokenizer.json", MODEL.size, MODEL.size)
    done = [each[1] for each in shown]
    assert done == sorted(done)
    asked = list(hub.asked)
    offline = msgspec.structs.replace(place, endpoint="http://127.0.0.1:9", is_offline=True)
    assert fetch_model(MODEL, offline, WRITTEN) == folder
    assert hub.asked == asked
    assert [path.name for path in place.folder.iterdir() if path.name[0] != "."] == ["base"]


def test_a_connection_that_is_cut_is_continued(hub: HubServer, place: HubPlace) -> None:
    hub.cut_after, hub.cuts = 20_000, 2
    assert content_of(fetch_model(MODEL, place, WRITTEN)) == FILES
    assert [each for each in hub.asked if each[0] == "model.bin"] == [
        ("model.bin", 0),
        ("model.bin", 20_000),
        ("model.bin", 40_000),
    ]


def test_a_server_without_ranges_sends_the_file_anew(hub: HubServer, place: HubPlace) -> None:
    hub.cut_after, hub.cuts, hub.takes_ranges = 20_000, 1, False
    assert content_of(fetch_model(MODEL, place, WRITTEN)) == FILES
    assert hub.asked.count(("model.bin", 0)) == 2


def test_an_interrupted_download_is_no_model_and_the_next_one_continues_it(
    hub: HubServer, place: HubPlace
) -> None:
    hub.cut_after, hub.cuts = 5_000, 99
    with pytest.raises(UsageError, match="the connection was cut"):
        fetch_model(MODEL, place, WRITTEN)
    assert not (place.folder / "base").exists()
    offline = msgspec.structs.replace(place, is_offline=True)
    with pytest.raises(UsageError, match="HF_HUB_OFFLINE is set"):
        fetch_model(MODEL, offline, WRITTEN)
    hub.cuts = 0
    hub.asked.clear()
    assert content_of(fetch_model(MODEL, place, WRITTEN)) == FILES
    assert hub.asked == [("model.bin", 30_000), ("tokenizer.json", 0)]


def test_a_file_that_is_not_the_pinned_one_is_thrown_away(hub: HubServer, place: HubPlace) -> None:
    hub.files["model.bin"] = bytes(50_000)
    with pytest.raises(UsageError, match=r"model\.bin is not the file that is pinned"):
        fetch_model(MODEL, place, WRITTEN)
    hub.files["model.bin"] = FILES["model.bin"]
    assert content_of(fetch_model(MODEL, place, WRITTEN)) == FILES


def test_a_model_that_was_damaged_is_mended(hub: HubServer, place: HubPlace) -> None:
    folder = fetch_model(MODEL, place, WRITTEN)
    (folder / "model.bin").write_bytes(b"x" * 50_000)
    hub.asked.clear()
    assert content_of(fetch_model(MODEL, place, WRITTEN)) == FILES
    assert hub.asked == [("model.bin", 0)]


def test_without_a_network_there_is_one_line_and_nothing_else(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        place = HubPlace(f"http://127.0.0.1:{closed.getsockname()[1]}", tmp_path)
        with pytest.raises(UsageError) as caught:
            fetch_model(find_hub_model("base", WRITTEN), place, WRITTEN)
    assert str(caught.value) == (
        "whisper/base: model base (148 MB) cannot be downloaded from 127.0.0.1 ([Errno 111] "
        "Connection refused): connect to the network once and try again, or give the folder of a "
        "model, whisper/FOLDER"
    )
    assert capfd.readouterr() == ("", "")


def test_a_host_that_has_no_address_gets_the_same_line(tmp_path: Path) -> None:
    place = HubPlace("https://no-such-host.invalid", tmp_path, answer_seconds=20)
    with pytest.raises(UsageError, match=r"cannot be downloaded from no-such-host\.invalid \("):
        fetch_model(MODEL, place, WRITTEN)


def test_a_server_that_does_not_answer_is_given_up(hub: HubServer, place: HubPlace) -> None:
    hub.silent_seconds = 3
    quick = msgspec.structs.replace(place, answer_seconds=0.2)
    began = time.monotonic()
    with pytest.raises(UsageError, match="no answer in 0 s"):
        fetch_model(MODEL, quick, WRITTEN)
    assert time.monotonic() - began < 2


@pytest.mark.parametrize("status", [401, 404, 503])
def test_a_refusal_gets_one_line(hub: HubServer, place: HubPlace, status: int) -> None:
    hub.status = status
    with pytest.raises(UsageError, match=f"HTTP Error {status}"):
        fetch_model(MODEL, place, WRITTEN)


def test_a_folder_that_cannot_be_written_gets_one_line(hub: HubServer, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    place = HubPlace(hub.endpoint, tmp_path / "file" / "models")
    with pytest.raises(UsageError, match=r"cannot be written \(Not a directory\): make room"):
        fetch_model(MODEL, place, WRITTEN)


def test_two_that_want_a_model_at_once_download_it_once(
    hub: HubServer, place: HubPlace, shown: list[tuple[str, int, int]]
) -> None:
    hub.chunk_seconds = 0.005
    folders: list[Path] = []
    threads = [
        threading.Thread(target=lambda: folders.append(fetch_model(MODEL, place, WRITTEN)))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert folders == [place.folder / "base"] * 2
    assert sorted(hub.asked) == [(name, 0) for name in sorted(FILES)]
    assert not shown  # other threads have their own context


def test_code_that_uses_the_library_gets_a_line_on_standard_error(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with show_line("whisper/base: downloading") as progress:
        assert not capsys.readouterr().err
        progress("model.bin", 1, 2)
        progress("model.bin", 2, 2)
    assert capsys.readouterr().err == "whisper/base: downloading\n"


@pytest.mark.parametrize("model", load_hub_models(), ids=lambda model: model.name)
def test_every_model_that_ships_has_what_is_needed_and_its_own_address(model: HubModel) -> None:
    names = {file.name for file in model.files}
    assert {"config.json", "model.bin", "tokenizer.json"} < names
    file = model.files[0]
    assert model.address("https://huggingface.co/", file) == (
        f"https://huggingface.co/{model.repository}/resolve/{model.revision}/{file.name}"
    )


@pytest.mark.parametrize(
    ("name", "found"), [("base", "base"), ("turbo", "large-v3-turbo"), ("large", "large-v3")]
)
def test_models_are_found_by_name_and_alias(name: str, found: str) -> None:
    assert find_hub_model(name, f"whisper/{name}").name == found


@pytest.mark.parametrize(("name", "near"), [("bass", "base"), ("Base", "base"), ("tubro", "turbo")])
def test_a_name_that_is_misspelled_gets_the_nearest(name: str, near: str) -> None:
    with pytest.raises(UsageError, match=f"did you mean whisper/{near}\\?") as caught:
        find_hub_model(name, f"whisper/{name}")
    assert "\n" not in str(caught.value)
