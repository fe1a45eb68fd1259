"""The house keeps its shape: rooms say what they hold, pictures tell the truth, folders stay small."""

import ast
import re
import tomllib
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ROOT / "src" / "dragoman"


def contracts() -> list[dict[str, list[str]]]:
    configuration = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    found: list[dict[str, list[str]]] = configuration["tool"]["importlinter"]["contracts"]
    return found


def layers() -> list[set[str]]:
    """Return the rooms of the package that are there, row by row, as the linter holds them."""
    (layered,) = [entry for entry in contracts() if entry.get("containers") == ["dragoman"]]
    rows = [set(re.findall(r"\w+", row)) for row in layered["layers"]]
    return [row & {*rooms(), "api"} for row in rows if row & {*rooms(), "api"}]


def rooms() -> list[str]:
    return sorted(path.parent.name for path in ROOMS.glob("*/__init__.py"))


@pytest.mark.parametrize("room", rooms())
def test_a_room_says_what_lives_there_and_what_may_not(room: str) -> None:
    said = ast.get_docstring(ast.parse((ROOMS / room / "__init__.py").read_text("utf-8"))) or ""
    assert len(re.findall(r"\.(?:\s|$)", said)) >= 2


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_the_picture_of_the_rooms_is_what_the_linter_holds(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    picture = text.partition("## The rooms")[2].partition("```")[2].partition("```")[0]
    drawn = [set(re.findall(r"\w+", re.split(r"\s{2,}", line)[0])) for line in picture.split("\n")]
    assert [row for row in drawn if row] == layers()


def test_a_public_class_has_a_name_of_its_own() -> None:
    """Two domains of benchmarks may each have a customer: those are facts of their data."""
    places: defaultdict[str, set[str]] = defaultdict(set)
    for path in ROOMS.rglob("*.py"):
        module = path.relative_to(ROOMS).as_posix()
        place = "benchmarks" if module.startswith("benchmarks/") else module
        code = re.sub(r"(\"{3}|'{3}).*?\1", "", path.read_text("utf-8"), flags=re.DOTALL)
        for name in re.findall(r"^class ([A-Z]\w*)", code, re.MULTILINE):
            places[name].add(place)
    assert places["Rules"] == {"core/rules.py"}
    assert {name: found for name, found in places.items() if len(found) > 1} == {}
