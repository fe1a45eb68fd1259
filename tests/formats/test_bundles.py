"""Bundles are unpacked as they were packed, and a stranger's bundle does no harm."""

import hashlib
import json
import sqlite3
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

import dragoman
from dragoman.core.audio import Audio
from dragoman.core.episodes import Episode, Message
from dragoman.core.errors import DataError, DragomanError, StoreError, UsageError
from dragoman.core.replies import AudioRef, TextReply, Utterance
from dragoman.formats import run_bundle
from dragoman.formats.run_bundle import pack_run, unpack_run
from dragoman.store.audio_files import AudioFiles, audio_path
from dragoman.store.conversation_writes import StoredEpisode
from dragoman.store.run_plan import NewRun
from dragoman.store.run_store import create_run, open_run

SOUND = Audio(b"\x01\x02" * 800, 8000)
ELSEWHERE = AudioRef(hashlib.sha256(b"a secret").hexdigest(), 1.0, 8000)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with one sound, and one whose file is a link to another file of this machine."""
    folder = tmp_path_factory.mktemp("bundles")
    dragoman.run("sample:shop", agent="gold", limit=2, out=folder / "played")
    with open_run(folder / "played", write=False) as store:
        new = NewRun(store.manifest(), store.cells(), store.tasks())
        episodes = {key: episode for key, _, episode in store.episodes()}
    sound = AudioFiles(folder / "spoken").keep(SOUND)
    spoken = (StoredEpisode(key, 0, _spoken(episode, sound)) for key, episode in episodes.items())
    create_run(folder / "spoken", new, spoken).close()
    (folder / "secret").write_bytes(b"not what its name says")
    link = folder / "spoken" / audio_path(ELSEWHERE.sha256)
    link.parent.mkdir(parents=True)
    link.symlink_to(folder / "secret")
    return folder / "spoken"


def _spoken(episode: Episode, sound: AudioRef) -> Episode:
    line = Utterance("Hello", "hello", "yellow", audio=sound, clean_audio=ELSEWHERE)
    return msgspec.structs.replace(
        episode, events=(Message("user", TextReply(line)), *episode.events)
    )


@pytest.fixture(scope="module")
def bundle(run: Path) -> Path:
    packed = pack_run(run, run.parent / "sent.zip", None, None)
    assert (packed.sounds, packed.missing) == (1, 1)
    return packed.path


def test_what_was_sent_comes_out_with_its_sounds(run: Path, bundle: Path, tmp_path: Path) -> None:
    manifest = unpack_run(bundle, tmp_path / "got")
    assert manifest.run == "spoken"
    (theirs, ours) = (dragoman.frames(folder) for folder in (tmp_path / "got", run))
    for name in ("episodes", "turns", "utterances", "calls", "scores", "cells"):
        assert theirs[name].equals(ours[name]), name
    sound = theirs.utterances["audio"].drop_nulls()[0]
    assert (tmp_path / "got" / sound).read_bytes() == (run / sound).read_bytes()
    found = {path.name for path in (tmp_path / "got").iterdir()}
    assert found == {"run.sqlite", "audio"}


def test_the_report_inside_reaches_the_sounds_beside_it(bundle: Path) -> None:
    with zipfile.ZipFile(bundle) as archive:
        report = archive.read("report.html").decode()
        names = archive.namelist()
        held = b"".join(archive.read(name) for name in names)
    assert "media-src" in report
    assert audio_path(SOUND.reference().sha256) in names
    assert b"not what its name says" not in held
    assert str(bundle.parent).encode() not in held


def test_equal_runs_are_equal_bundles(run: Path, bundle: Path, tmp_path: Path) -> None:
    assert (
        pack_run(run, tmp_path / "again.zip", None, None).path.read_bytes() == bundle.read_bytes()
    )


Files = dict[str, bytes]


def changed(bundle: Path, target: Path, change: Callable[[Files], None]) -> Path:
    """Write a bundle with other files, whose manifest fits them."""
    with zipfile.ZipFile(bundle) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(files.pop("bundle.json"))
    change(files)
    manifest["files"] = {
        name: {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
        for name, content in files.items()
    }
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {**files, "bundle.json": json.dumps(manifest).encode()}.items():
            archive.writestr(name, content)
    return target


OTHER = f"audio/{'ab' * 1}/{'ab' * 32}.wav"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("../outside", "no bundle has a file"),
        ("/etc/outside", "no bundle has a file"),
        ("audio/../../outside.wav", "no bundle has a file"),
        ("run.sqlite-wal", "no bundle has a file"),
        ("audio/ab/sitecustomize.py", "no bundle has a file"),
        (OTHER, "is not the sound of its name"),
    ],
)
def test_a_name_that_no_bundle_has_is_refused_before_anything_is_written(
    bundle: Path, tmp_path: Path, name: str, why: str
) -> None:
    bad = changed(bundle, tmp_path / "bad.zip", lambda files: files.update({name: b"x"}))
    with pytest.raises(DataError, match=why):
        unpack_run(bad, tmp_path / "deep" / "got")
    assert list(tmp_path.iterdir()) == [bad]


def test_a_file_that_is_not_what_the_manifest_says_is_refused_and_leaves_nothing(
    bundle: Path, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.zip"
    with zipfile.ZipFile(bundle) as archive, zipfile.ZipFile(bad, "w") as target:
        for name in archive.namelist():
            content = archive.read(name)
            target.writestr(name, content[::-1] if name == "run.sqlite" else content)
    with pytest.raises(DataError, match="it was changed"):
        unpack_run(bad, tmp_path / "got")
    assert list(tmp_path.iterdir()) == [bad]


def test_a_file_that_the_manifest_does_not_name_is_refused(bundle: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.zip"
    bad.write_bytes(bundle.read_bytes())
    with zipfile.ZipFile(bad, "a") as archive:
        archive.writestr("more", b"x")
    with pytest.raises(DataError, match="is not what its"):
        unpack_run(bad, tmp_path / "got")


def test_a_link_is_unpacked_as_a_plain_file(bundle: Path, tmp_path: Path) -> None:
    linked = tmp_path / "linked.zip"
    with zipfile.ZipFile(bundle) as archive, zipfile.ZipFile(linked, "w") as target:
        for entry in archive.infolist():
            entry.external_attr = (stat.S_IFLNK | 0o777) << 16
            target.writestr(entry, archive.read(entry))
    unpack_run(linked, tmp_path / "got")
    assert not [path for path in (tmp_path / "got").rglob("*") if path.is_symlink()]


def test_what_unpacks_to_much_more_than_it_is_is_refused(
    bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bomb = changed(
        bundle, tmp_path / "bomb.zip", lambda files: files.update({"README.txt": bytes(10**7)})
    )
    monkeypatch.setattr(run_bundle, "SMALL", 2**16)
    with pytest.raises(DataError, match="no run is that dense"):
        unpack_run(bomb, tmp_path / "got")


def test_a_run_that_would_do_something_when_it_is_read_is_refused(
    bundle: Path, tmp_path: Path
) -> None:
    def with_trigger(files: Files) -> None:
        path = tmp_path / "run.sqlite"
        path.write_bytes(files["run.sqlite"])
        connection = sqlite3.connect(path)
        connection.execute("CREATE TRIGGER t AFTER INSERT ON meta BEGIN DELETE FROM meta; END")
        connection.commit()
        connection.close()
        files["run.sqlite"] = path.read_bytes()
        path.unlink()

    bad = changed(bundle, tmp_path / "bad.zip", with_trigger)
    with pytest.raises(StoreError, match="not a run file"):
        unpack_run(bad, tmp_path / "got")
    assert list(tmp_path.iterdir()) == [bad]


def test_what_is_no_bundle_is_one_line(bundle: Path, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no zip", "utf-8")
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("a", b"")
    with zipfile.ZipFile(tmp_path / "odd.zip", "w") as archive:
        archive.writestr("bundle.json", b'{"format": 1}')
    (tmp_path / "cut.zip").write_bytes(bundle.read_bytes()[:-200])
    for name in ("text", "other.zip", "odd.zip", "cut.zip", "none.zip"):
        with pytest.raises(DragomanError) as caught:
            unpack_run(tmp_path / name, tmp_path / "got")
        assert "\n" not in str(caught.value)
    assert not (tmp_path / "got").exists()


def test_a_folder_with_something_in_it_is_left_alone(bundle: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine", "utf-8")
    with pytest.raises(UsageError, match="choose another --out"):
        unpack_run(bundle, tmp_path)
    assert (tmp_path / "mine").read_text("utf-8") == "mine"
