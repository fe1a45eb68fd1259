"""A search by a term finds the module that is responsible for it."""

import importlib.util
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

TESTS = Path(__file__).resolve().parent
QUESTIONS = tomllib.loads((TESTS / "find_questions.toml").read_text("utf-8"))["question"]


def load_script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("find_script", TESTS / "find.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = script
    spec.loader.exec_module(script)
    return script


script = load_script()


def read_modules(folder: Path) -> tuple[object, ...]:
    found: tuple[object, ...] = script.read_modules(folder)
    return found


@pytest.fixture(scope="module")
def modules() -> tuple[object, ...]:
    return read_modules(script.SOURCE)


def found_paths(term: str, modules: tuple[object, ...]) -> list[str]:
    return [module.path for module in script.find(term, modules)]


def small_package(folder: Path, files: dict[str, str]) -> tuple[object, ...]:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return read_modules(folder)


@pytest.mark.parametrize("question", QUESTIONS, ids=[each["ask"] for each in QUESTIONS])
def test_a_question_finds_its_module_among_five(
    question: dict[str, str | list[str]], modules: tuple[object, ...]
) -> None:
    found = found_paths(str(question["ask"]), modules)
    assert len(found) <= 5
    assert set(found) & set(question["modules"])


def test_every_expected_module_is_there() -> None:
    wanted = {path for each in QUESTIONS for path in each["modules"]}
    assert [path for path in sorted(wanted) if not (script.SOURCE / path).is_file()] == []


def test_there_are_at_least_fifty_questions_with_one_or_two_modules_each() -> None:
    assert len(QUESTIONS) >= 50
    assert {len(each["modules"]) for each in QUESTIONS} <= {1, 2}


@pytest.mark.parametrize(
    "term", ["rate limiter", "RATE LIMITER", "rate-limiter", "rate_limiter", "RateLimiter"]
)
def test_case_hyphen_and_underscore_make_no_difference(
    term: str, modules: tuple[object, ...]
) -> None:
    assert found_paths(term, modules)[0] == "models/endpoints/rate_limit.py"


@pytest.mark.parametrize("term", ["websocket", "WebSocket", "web_socket", "web-socket"])
def test_a_compound_is_found_as_one_word_or_several(term: str, modules: tuple[object, ...]) -> None:
    assert found_paths(term, modules)[0] == "models/http/websocket.py"


def test_endings_of_words_make_no_difference(tmp_path: Path) -> None:
    modules = small_package(tmp_path, {"a.py": '"""Merges runs."""\n', "b.py": '"""Nothing."""\n'})
    assert found_paths("merging a run", modules) == ["a.py"]


def test_a_path_counts_more_than_a_docstring_and_a_docstring_more_than_a_function(
    tmp_path: Path,
) -> None:
    files = {
        "one.py": '"""Nothing."""\n\n\ndef parse_dates() -> None:\n    """Do it."""\n',
        "two.py": '"""Dates in a text."""\n',
        "dates.py": '"""Nothing."""\n',
        "three.py": '"""Nothing."""\n\n\nclass Reader:\n    """Reads dates."""\n',
    }
    modules = small_package(tmp_path, files)
    assert found_paths("date", modules) == ["dates.py", "two.py", "one.py", "three.py"]


def test_a_module_that_has_all_words_comes_before_one_that_has_a_rare_one(tmp_path: Path) -> None:
    files = {
        "all.py": '"""Retries a model request."""\n',
        "rare.py": '"""Retries."""\n',
        **{f"other{number}.py": '"""A model request."""\n' for number in range(8)},
    }
    modules = small_package(tmp_path, files)
    assert found_paths("retry a model request", modules)[0] == "all.py"


def test_docstrings_of_long_signatures_are_searched(tmp_path: Path) -> None:
    text = (
        '"""Nothing."""\n\n\ndef run(\n    one: int = 1,\n    two: str = "x",\n) -> int:\n'
        '    """Plays chess."""\n    return one\n'
    )
    modules = small_package(tmp_path, {"game.py": text})
    assert found_paths("chess", modules) == ["game.py"]


def test_results_are_paths_with_the_first_lines_of_docstrings(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert script.main(["websocket"]) == 0
    path, line = capsys.readouterr().out.splitlines()[:2]
    assert (script.SOURCE.parents[1] / path).is_file()
    assert line.strip() in (script.SOURCE.parents[1] / path).read_text("utf-8")


@pytest.mark.parametrize("term", ["xylophone", "the", "?!"])
def test_a_term_without_a_match_exits_with_1_and_one_line(
    term: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert script.main([term]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines() == [f"find.py: no module matches {term!r}: try other words"]


def test_a_call_without_a_term_exits_with_2_and_shows_the_usage(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as stop:
        script.main([])
    assert stop.value.code == 2
    assert "usage: find.py" in capsys.readouterr().err
