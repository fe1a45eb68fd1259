"""A dataset in a folder that anybody may have written."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from dragoman.benchmarks.itc.folder_set import read_folder_set
from dragoman.benchmarks.itc.suite import ApiSuite
from dragoman.core.apis.documents import ApiDocument, Operation
from dragoman.core.apis.metrics import NO_ARGUMENTS, NO_TOOLS
from dragoman.core.apis.tasks import ApiCall, ApiTask
from dragoman.core.errors import DataError

DOCUMENT = ApiDocument(
    "br",
    "Brasil",
    api_list=(Operation("CEP", "http://x/cep"), Operation("Tempo", "http://x/tempo")),
)
NESTED = (ApiCall("CEP"), ApiCall("Tempo", {"cidade": {"from": "$1.cidades.\u00b2"}}))
REPLY = {"operation": "CEP", "arguments": {}, "result": '{"cidades": ["3304557"]}'}


def task(name: str = "t", gold: Sequence[ApiCall] = (ApiCall("CEP"),), split: str = "") -> ApiTask:
    return ApiTask(
        name, "Vai chover?", "pt", "nested", ("br/CEP", "br/Tempo"), tuple(gold), split=split
    )


def written(folder: Path, *tasks: ApiTask, replies: Sequence[object] = ()) -> Path:
    for name, records in (("documents", [DOCUMENT]), ("tasks", tasks), ("replies", replies)):
        if records or name != "replies":
            content = b"".join(msgspec.json.encode(each) + b"\n" for each in records)
            (folder / f"{name}.jsonl").write_bytes(content)
    return folder


def labels(folder: Path) -> dict[str, str]:
    (only,) = ApiSuite(read_folder_set(folder, "itc:x")).tasks
    return only.labels


def test_two_tasks_of_one_id_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"tasks.jsonl, line 2: a second task with the id 't'"):
        read_folder_set(written(tmp_path, task(), task()), "itc:x")


def test_a_set_without_tasks_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"tasks.jsonl: no tasks$"):
        read_folder_set(written(tmp_path), "itc:x")


def test_a_split_without_tasks_is_refused_with_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no tasks of the split 'tset', but of 'test'"):
        read_folder_set(written(tmp_path, task(split="test")), "itc:x", "tset")


def test_gold_that_calls_what_is_not_offered_is_not_judged(tmp_path: Path) -> None:
    found = labels(written(tmp_path, task(gold=(ApiCall("Tides"),))))
    assert found[NO_TOOLS] == "gold calls Tides, not among the functions"


def test_gold_that_takes_results_nobody_recorded_has_no_arguments(tmp_path: Path) -> None:
    found = labels(written(tmp_path, task(gold=NESTED)))
    assert found[NO_ARGUMENTS] == "gold takes values from results, and there is no replies.jsonl"


def test_a_place_in_a_list_is_written_in_plain_digits(tmp_path: Path) -> None:
    found = labels(written(tmp_path, task(gold=NESTED), replies=[REPLY]))
    assert found[NO_ARGUMENTS] == "$1.cidades.\u00b2: the result of call 1 does not hold it"


def test_gold_that_can_be_read_is_judged_whole(tmp_path: Path) -> None:
    gold = (NESTED[0], ApiCall("Tempo", {"cidade": {"from": "$1.cidades.0"}}))
    found = labels(written(tmp_path, task(gold=gold), replies=[REPLY]))
    assert not {NO_TOOLS, NO_ARGUMENTS} & found.keys()
