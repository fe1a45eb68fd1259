"""Real sets of other projects: pulled, counted as their origin says, nothing dropped."""

import re
from pathlib import Path

import pytest

from dragoman.benchmarks.itc.benchmark import ITC
from dragoman.benchmarks.itc.others.pulled import CALLS_DATA, READERS, pulled_set
from dragoman.benchmarks.itc.records import CallSet
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
    return pulled_set(name, data)


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


def test_sets_that_are_not_pulled_say_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="dragoman data pull itc-calls --from DIR"):
        ITC.load("itc:nestful", tmp_path)
    with pytest.raises(UsageError, match="name a copy with --from DIR"):
        CALLS_DATA.pull(tmp_path, from_dir=None, url=None, progress=lambda *_: None)
