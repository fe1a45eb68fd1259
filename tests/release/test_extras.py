"""Every extra can be resolved by pip on every Python version that the wheel states."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

pytestmark = pytest.mark.release

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = sorted(PROJECT["optional-dependencies"])
VERSIONS = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
LIMIT_S = 1_200


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    words = (sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", folder, ROOT)
    subprocess.run(words, check=True, timeout=LIMIT_S)
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_states_three_python_versions() -> None:
    assert VERSIONS == ["3.11", "3.12", "3.13"]


@pytest.mark.parametrize("extra", EXTRAS)
@pytest.mark.parametrize("version", VERSIONS)
def test_an_extra_is_resolved_on_a_python_version(wheel: Path, version: str, extra: str) -> None:
    python = shutil.which(f"python{version}")
    if python is None or subprocess.run((python, "-V"), check=False).returncode:
        pytest.skip(f"needs python{version}")
    words = (python, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet")
    done = subprocess.run(
        (*words, f"{wheel}[{extra}]"), capture_output=True, text=True, timeout=LIMIT_S, check=False
    )

    assert done.returncode == 0, done.stderr[-2_000:]
