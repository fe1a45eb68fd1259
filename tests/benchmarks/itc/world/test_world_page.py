"""`docs/reference/itc.md` states the content of the world, and the right numbers."""

import re
from collections import Counter
from pathlib import Path
from typing import get_args

from dragoman.benchmarks.itc.world.api_data import apis, countries
from dragoman.benchmarks.itc.world.bundled_set import load_bundled_apis
from dragoman.testing.itc_server import ApiFaultKind

FILE = Path(__file__).resolve().parents[4] / "docs" / "reference" / "itc.md"
PAGE = FILE.read_text("utf-8").partition("\n## The bundled world\n")[2]
TASKS = load_bundled_apis().tasks


def rows() -> dict[str, list[str]]:
    """Return the cells of every row by the first one."""
    lines = [line for line in PAGE.splitlines() if line.startswith("|")]
    cells = [[cell.strip(" `") for cell in line.strip("|").split(" | ")] for line in lines]
    return {row[0]: row for row in cells}


def test_every_api_is_named_with_its_category() -> None:
    for api in apis().values():
        assert f"`{api.id}` {api.name} ({api.category})" in PAGE
    for country in countries():
        assert f"| {country.country} ({country.language}; {country.form}, " in PAGE


def test_apis_and_tasks_are_counted() -> None:
    kinds = Counter(task.kind for task in TASKS)
    assert f"{len(apis())} APIs of {len(countries()) - 1} countries" in PAGE
    assert f"{len(TASKS)} tasks, written by hand: {kinds['single']} with a single call" in PAGE
    for kind in ("repeated", "parallel", "nested"):
        assert f"{kinds[kind]} {kind}" in PAGE
    assert f"{kinds['none']} whose right answer is no call" in PAGE
    for_tests = sum(task.split == "test" for task in TASKS)
    held_out = sum(api.held_out for api in apis().values())
    assert f"{for_tests} tasks are for testing alone. They use {held_out} APIs" in PAGE


def test_every_language_has_its_count() -> None:
    (said,) = re.findall(r"By language: (.*?)\.", PAGE)
    counts = {name: int(count) for name, count in map(str.split, said.split(", "))}
    assert counts == Counter(task.language for task in TASKS)


def test_every_trap_has_its_row_and_its_count() -> None:
    traps = Counter(trap for task in TASKS for trap in task.traps)
    said = rows()
    assert {trap: int(said[trap][-1].rstrip(" |")) for trap in traps} == traps


def test_every_kind_of_fault_has_its_row() -> None:
    named = {word for row in rows() for word in re.findall(r"\w+", row)}
    assert set(get_args(ApiFaultKind)) <= named
