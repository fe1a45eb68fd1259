"""The wheel holds every file of the package, and works in a clean environment outside the clone."""

import email
import os
import subprocess
import sys
import venv
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import CompletedProcess
from typing import NamedTuple

import pytest

from dragoman.core.version import VERSION

pytestmark = [pytest.mark.slow, pytest.mark.nightly]

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "dragoman"
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check")
INSTALL_LIMIT_S = 900
DEMO_LIMIT_S = 1_200


class Installed(NamedTuple):
    """The command of an installed wheel, and the folder in which it runs."""

    folder: Path
    command: Callable[..., CompletedProcess[str]]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel. Without a package index no build tool can be installed, and the tests
    skip."""
    folder = tmp_path_factory.mktemp("wheel")
    with requires_index():
        run(*PIP, "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Install the wheel with voices into an environment of its own; return its command."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder / "venv", with_pip=True)
    scripts = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
    with requires_index():
        run(scripts / "python", "-m", "pip", "install", "--quiet", f"{wheel}[voice]")
    # Neither the clone nor the environment of the tests may help.
    outside = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    outside |= {"XDG_CACHE_HOME": str(folder / "cache"), "COLUMNS": "80", "NO_COLOR": "1"}

    def call(*words: str) -> CompletedProcess[str]:
        return subprocess.run(
            [scripts / "dragoman", *words],
            cwd=folder,
            env=outside,
            capture_output=True,
            text=True,
            timeout=DEMO_LIMIT_S,
            check=False,
        )

    return Installed(folder, call)


@contextmanager
def requires_index() -> Iterator[None]:
    """Skip if pip reaches no package index; on a CI server, fail."""
    try:
        yield
    except subprocess.CalledProcessError as error:
        told = str(error.stderr)
        if "No matching distribution" in told and not os.environ.get("CI"):
            pytest.skip(f"needs a package index: {told.strip().splitlines()[-1]}")
        raise AssertionError(told) from error


def run(*words: object) -> None:
    subprocess.run(
        [str(word) for word in words],
        check=True,
        capture_output=True,
        text=True,
        timeout=INSTALL_LIMIT_S,
    )


def test_the_wheel_holds_every_file_of_the_package(wheel: Path) -> None:
    kept = {
        path.relative_to(PACKAGE.parent).as_posix()
        for path in PACKAGE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }

    with zipfile.ZipFile(wheel) as archive:
        packed = set(archive.namelist())

    assert len(kept) > 800
    assert sorted(kept - packed) == []
    assert sorted(name for name in packed - kept if ".dist-info/" not in name) == []


def test_the_wheel_states_version_licence_command_and_extras(wheel: Path) -> None:
    about = f"dragoman-{VERSION}.dist-info"
    with zipfile.ZipFile(wheel) as archive:
        stated = email.message_from_bytes(archive.read(f"{about}/METADATA"))
        points = archive.read(f"{about}/entry_points.txt").decode()
        licences = [name for name in archive.namelist() if name.startswith(f"{about}/licenses/")]

    assert stated["Version"] == VERSION
    assert stated["License-Expression"] == "Apache-2.0"
    assert {"asr-errors", "litellm", "ray", "train", "voice", "whisper"} <= set(
        stated.get_all("Provides-Extra", [])
    )
    assert "dragoman = dragoman.cli.main:main" in points
    assert sorted(Path(name).name for name in licences) == ["LICENSE", "NOTICE"]


@pytest.mark.speech
def test_the_installed_wheel_plays_the_demonstration(installed: Installed) -> None:
    done = installed.command("demo", "--out", "demo")

    assert done.returncode == 0, done.stderr
    assert "report: demo/report.html" in done.stdout
    for agent in ("careful", "literal"):
        assert agent in done.stdout
    for name in ("run.sqlite", "audio", "blame", "demo.toml", "report.html"):
        assert (installed.folder / "demo" / name).exists()


def test_the_installed_wheel_reports_its_installation(installed: Installed) -> None:
    done = installed.command("doctor")

    assert done.returncode == 0, done.stdout
    assert VERSION in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
