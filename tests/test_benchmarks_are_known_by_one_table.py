"""Only one table names benchmarks; all other packages use the capabilities that they offer."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from dragoman.core import capabilities
from dragoman.core.capabilities import Benchmark
from dragoman.registry.suites import BUNDLED, benchmarks, find_benchmark

SOURCE = Path(__file__).resolve().parents[1] / "src" / "dragoman"
SHARED = {"kit", "downloads"}


def modules_outside_benchmarks() -> list[Path]:
    """Return the modules outside `benchmarks` and `testing`.

    The servers of `testing` may know the benchmarks that they represent.
    """
    files = SOURCE.rglob("*.py")
    return [
        path for path in files if path.relative_to(SOURCE).parts[0] not in {"benchmarks", "testing"}
    ]


def named_benchmarks(tree: ast.AST) -> Iterator[str]:
    """Yield the benchmarks that a module imports, or names in an importable text."""
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module="dragoman.benchmarks"):
                yield from (alias.name for alias in node.names)
            case ast.ImportFrom(module=str() as module):
                yield from _below(module)
            case ast.Import():
                yield from (part for alias in node.names for part in _below(alias.name))
            case ast.Constant(value=str() as text):
                yield from _below(text)
            case _:
                pass


def _below(name: str) -> Iterator[str]:
    prefix = "dragoman.benchmarks."
    if name.startswith(prefix):
        yield name.removeprefix(prefix).split(".")[0]


@pytest.mark.slow
def test_only_the_catalogue_names_a_benchmark() -> None:
    found = {
        path.relative_to(SOURCE).as_posix(): names
        for path in modules_outside_benchmarks()
        if (names := set(named_benchmarks(ast.parse(path.read_text("utf-8")))) - SHARED)
    }
    assert found == {"registry/suites.py": {"bfcl", "courier", "itc", "tau2"}}


@pytest.mark.slow
def test_nobody_asks_which_suite_it_is() -> None:
    """Outside benchmarks, names of suites are compared with nothing and classes are protocols."""
    asking = [
        f"{path.relative_to(SOURCE)}:{node.lineno}"
        for path in modules_outside_benchmarks()
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and _asks(node)
    ]
    assert asking == []


def _asks(call: ast.Call) -> bool:
    """Return whether a call is `x.startswith("bfcl:...")` or `isinstance(x, SomeSuite)`."""
    texts = [node.value for node in ast.walk(call) if isinstance(node, ast.Constant)]
    if isinstance(call.func, ast.Attribute) and call.func.attr in {"startswith", "removeprefix"}:
        return any(str(text).partition(":")[0] in BUNDLED for text in texts)
    if isinstance(call.func, ast.Name) and call.func.id in {"isinstance", "issubclass"}:
        names = {node.id for node in ast.walk(call.args[1]) if isinstance(node, ast.Name)}
        return any(name.endswith("Suite") for name in names)
    return False


@pytest.mark.parametrize("name", BUNDLED)
def test_every_line_of_the_table_is_a_benchmark_whose_suites_begin_with_its_name(name: str) -> None:
    found = find_benchmark(name)
    assert isinstance(found, Benchmark)
    assert {suite.partition(":")[0] for suite in found.suites()} == {name}


def test_every_capability_of_a_benchmark_is_offered_by_one() -> None:
    offered = (
        capabilities.PullsData,
        capabilities.OwnPrompts,
        capabilities.OwnRules,
        capabilities.HasLeaderboard,
        capabilities.ReadsResults,
        capabilities.WritesResults,
        capabilities.HasTranslations,
    )
    counts = [sum(isinstance(each, facet) for each in benchmarks()) for facet in offered]
    assert counts == [3, 4, 2, 1, 2, 1, 2]
