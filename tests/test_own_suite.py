"""The guide to own suites shows the content of its example, and the example is sound."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "docs" / "examples" / "own_suite"
GUIDE = (ROOT / "docs" / "how_to" / "own_suite.md").read_text("utf-8")


@pytest.fixture
def installed(tmp_path: Path) -> dict[str, str]:
    """Environment variables after an installation of the example.

    The installation leaves the package and its entry point.
    """
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text("utf-8"))["project"]
    about = tmp_path / f"{project['name']}-{project['version']}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n", "utf-8"
    )
    (about / "entry_points.txt").write_text(
        "".join(
            f"[{group}]\n" + "".join(f"{name} = {target}\n" for name, target in entries.items())
            for group, entries in project["entry-points"].items()
        ),
        "utf-8",
    )
    paths = [str(tmp_path), str(EXAMPLE), str(ROOT / "src")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "XDG_CACHE_HOME": str(tmp_path)}


def dragoman(environment: dict[str, str], *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "dragoman", *arguments],
        env=environment,
        cwd=environment["XDG_CACHE_HOME"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_example_is_checked_as_the_guide_shows(installed: dict[str, str]) -> None:
    (shown,) = re.findall(r"\$ dragoman check lending\n(.*?)```", GUIDE, re.DOTALL)
    assert dragoman(installed, "check", "lending") == shown


@pytest.mark.slow
def test_the_example_is_whole_in_the_language_that_it_brings(installed: dict[str, str]) -> None:
    assert dragoman(installed, "lint", "lending") == "1 folder, no defects\n"
    reported = dragoman(installed, "check", "lending", "--language", "id", "--json")
    (found,) = json.loads(reported)["checks"]
    assert (found["passed"], found["tasks"], found["refused"], found["notes"]) == (2, 2, [], [])
    english = {part["kind"]: part["english"] for part in found["coverage"] if part["texts"]}
    assert {kind for kind, count in english.items() if count} == {"keys of results"}


@pytest.mark.slow
def test_the_example_is_listed_and_played(installed: dict[str, str]) -> None:
    assert "lending" in dragoman(installed, "list", "suites")
    reported = dragoman(
        installed, "run", "lending", "--agent", "gold", "--agent", "silent", "--json"
    )
    assert '"tasks":2' in reported


def test_what_the_guide_shows_is_in_the_example() -> None:
    shown = re.findall(r"```(?:python|toml)\n(.*?)```", GUIDE, re.DOTALL)
    files = [
        path.read_text("utf-8") for path in EXAMPLE.rglob("*") if path.suffix in {".py", ".toml"}
    ]
    assert len(shown) == 5
    assert [part for part in shown if not any(part in text for text in files)] == []
