"""Sounds: found by their hash, sent in pieces, and no other file of the folder."""

from contextlib import closing
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from shutil import copytree

import pytest
from tests.viewer.conftest import View, Viewer

from dragoman.core.audio import Audio
from dragoman.store.audio_files import AudioFiles


def fetched(viewer: Viewer, path: str, **headers: str) -> tuple[HTTPResponse, bytes]:
    with closing(HTTPConnection("127.0.0.1", viewer.port, timeout=30)) as wire:
        wire.request("GET", path, headers=headers)
        answer = wire.getresponse()
        return answer, answer.read()


@pytest.fixture
def run(played: Path, tmp_path: Path) -> Path:
    return Path(copytree(played, tmp_path / "mine"))


def test_a_sound_is_sent_whole_or_in_the_range_that_is_asked_for(view: View, run: Path) -> None:
    kept = AudioFiles(run).keep(Audio(bytes(range(256)) * 20, 8_000))
    viewer = view(run)
    address = f"/run/mine/audio/{kept.sha256}.wav"

    whole, content = fetched(viewer, address)
    part, piece = fetched(viewer, address, Range="bytes=100-199")

    assert (whole.status, whole.headers["Content-Type"]) == (200, "audio/wav")
    assert content == AudioFiles(run).read(kept.sha256)
    assert part.status == 206
    assert piece == content[100:200]


@pytest.mark.parametrize(
    "name",
    [
        "0" * 64,
        "..%2f..%2frun",
        "%2e%2e/run.sqlite",
        "A" * 64,
        "a" * 63,
        f"{'a' * 64}%00",
    ],
)
def test_no_name_but_a_stored_hash_is_answered(view: View, run: Path, name: str) -> None:
    AudioFiles(run).keep(Audio(b"\x10\x00" * 100, 8_000))

    answer, _ = fetched(view(run), f"/run/mine/audio/{name}.wav")

    assert answer.status == 404


def test_a_link_out_of_the_folder_is_not_followed(view: View, run: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    link = run / "audio" / "bb" / f"{'b' * 64}.wav"
    link.parent.mkdir(parents=True)
    link.symlink_to(secret)

    answer, content = fetched(view(run), f"/run/mine/audio/{'b' * 64}.wav")

    assert answer.status == 404
    assert b"secret" not in content
