"""Real sets of other projects: pulled, counted as their origin says, nothing dropped."""

import re
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from dragoman.benchmarks.itc.benchmark import ITC
from dragoman.benchmarks.itc.datasets.loading import CALLS_DATA, READERS, read_downloaded_set
from dragoman.benchmarks.itc.task_sets import CallSet
from dragoman.benchmarks.itc.world.bundled_set import load_bundled_set
from dragoman.core.apis.call_list_parser import longest_first
from dragoman.core.apis.grading import canonical_value
from dragoman.core.apis.itc_answers import parse_itc_answer
from dragoman.core.apis.tasks import ApiCall
from dragoman.core.errors import DataError, UsageError

COUNTS = {
    "seal-tools": (700, 1804),
    "seal-tools-old": (700, 1804),
    "toolalpaca": (100, 154),
    "nexusraven-cve": (78, 78),
    "nexusraven-emailrep": (38, 38),
    "api-bank": (119, 119),
    "hammer-api-bank": (127, 127),
    "acebench-en": (150, 150),
    "acebench-zh": (150, 150),
    "nestful": (85, 233),
    "toolbench": (10, 23),
    "stabletoolbench": (153, 328),
}


@pytest.fixture(scope="module")
def data(data_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    copy = data_folder / "itc" / "calls"
    said = CALLS_DATA.pull(folder, from_dir=copy, url=None, progress=lambda *_: None)
    assert "itc:nexusraven-cve is CC-BY-NC-4.0: No commercial use." in said
    return folder


def found(name: str, data: Path) -> CallSet:
    return read_downloaded_set(name, data)


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
def test_every_sample_is_a_task_and_every_call_is_gold(name: str, data: Path) -> None:
    tasks = found(name, data).tasks
    assert (len(tasks), sum(len(each.task.gold) for each in tasks)) == COUNTS[name]
    assert len({each.task.id for each in tasks}) == len(tasks)
    suite = ITC.load(f"itc:{name}", data)
    assert [task.id for task in suite.tasks] == [each.task.id for each in tasks]


def test_what_cannot_be_read_is_named_and_not_dropped(data: Path) -> None:
    alpaca = found("toolalpaca", data).tasks
    lost = [re.match(r"(\d+) of its gold inputs", each.no_arguments) for each in alpaca]
    assert sum(int(each[1]) for each in lost if each) == 32
    assert sum(bool(each.no_tools) for each in alpaca) == 9
    assert all(each.no_arguments for each in found("toolbench", data).tasks)
    assert sum(bool(each.no_tools) for each in found("api-bank", data).tasks) == 13


def test_nested_gold_and_pairs_are_those_of_the_sets(data: Path) -> None:
    seal = [each.task.kind for each in found("seal-tools", data).tasks]
    assert seal.count("nested") == 28
    english, chinese = (
        [each.task.id for each in found(f"acebench-{code}", data).tasks] for code in ("en", "zh")
    )
    assert english == chinese


def as_python(value: object) -> str:
    return repr(value)


def as_json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def without_escapes(value: object) -> str:
    """Write a value as a model does that escapes nothing."""
    match value:
        case str():
            return f"'{value}'"
        case list():
            return f"[{', '.join(map(without_escapes, value))}]"
        case dict():
            entries = (f"'{key}': {without_escapes(each)}" for key, each in value.items())
            return f"{{{', '.join(entries)}}}"
        case _:
            return as_json(value)


@pytest.mark.slow
@pytest.mark.parametrize("write", [as_python, as_json, without_escapes])
def test_every_gold_call_is_read_back_however_its_values_are_written(
    write: Callable[[object], str], data: Path
) -> None:
    wrong = []
    for given in (load_bundled_set(), *(found(name, data) for name in READERS)):
        for each in given.tasks:
            gold = each.task.gold
            calls = (
                f"{call.tool}({', '.join(f'{k}={write(v)}' for k, v in call.arguments.items())})"
                for call in gold
            )
            text = as_json({"Thought": "", "Action": f"[{', '.join(calls)}]"})
            read = parse_itc_answer(text, longest_first({call.tool for call in gold}))
            same = [canonical_value(msgspec.to_builtins(call)) for call in read.calls or ()]
            if not read.is_strict or same != [
                canonical_value(msgspec.to_builtins(c))
                for c in (ApiCall(call.tool, call.arguments) for call in gold)
            ]:
                wrong.append((given.name, each.task.id))
    assert wrong == []


def test_sets_that_are_not_pulled_say_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="dragoman data pull itc-calls --from DIR"):
        ITC.load("itc:nestful", tmp_path)
    with pytest.raises(UsageError, match="name a copy with --from DIR"):
        CALLS_DATA.pull(tmp_path, from_dir=None, url=None, progress=lambda *_: None)
