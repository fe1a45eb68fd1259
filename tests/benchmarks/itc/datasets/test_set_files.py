"""A dataset file of another project is read in place, or refused with a helpful line."""

import gzip
import io
import json
import tarfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from dragoman.benchmarks.itc.benchmark import ITC
from dragoman.benchmarks.itc.datasets.loading import read_file_set
from dragoman.benchmarks.itc.suite import ApiSuite
from dragoman.core.apis.metrics import KIND_LABEL, NO_ARGUMENTS
from dragoman.core.capabilities import OWN_DATASET
from dragoman.core.errors import DataError
from dragoman.core.protocols import Suite

CALL = {"api": "findStop", "parameters": {"name": "Harbour"}, "responses": ["API_call_0"]}
NEXT = {"api": "nextTram", "parameters": {"stop": "API_call_0"}, "responses": ["API_call_1"]}
SEAL = [
    {"id": "test-1", "query": "Where is Harbour?", "calling": [CALL]},
    {"id": "test-2", "query": "When does a tram leave Harbour?", "calling": [CALL, NEXT]},
]
TOOLS = [
    {
        "api_name": name,
        "api_description": name,
        "field": "Travel/Trams",
        "parameters": {parameter: {"type": "str", "description": ""}},
        "required": [parameter],
    }
    for name, parameter in (("findStop", "name"), ("nextTram", "stop"), ("ringBell", "times"))
]
ACE = {"id": "ace_0", "question": "user: Ring twice.", "function": [{"name": "ringBell"}]}
ACE_ANSWER = {"id": "ace_0", "ground_truth": {"ringBell": {"times": 2}}}
FILES: dict[str, object] = {
    "hammer.json": [
        {
            "query": "Ring twice.",
            "tools": [{"name": "ringBell", "parameters": {"times": {"type": "int"}}}],
            "answers": [{"name": "ringBell", "arguments": {"times": 2}}],
        }
    ],
    "queries.json": [{"query": "Ring twice.", "reference": "r = ringBell(times=2)"}],
    "G9_query.json": [
        {
            "query": "Ring.",
            "query_id": 7,
            "api_list": [{"tool_name": "Bell", "api_name": "ring"}],
            "relevant APIs": [["Bell", "ring"]],
        }
    ],
}


def lines(rows: Sequence[object]) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def loaded(path: Path) -> Suite:
    return ITC.load(f"itc:{path}", path.parent / "nothing is pulled")


def put(folder: Path, name: str, content: bytes) -> Path:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content)
    return folder / name


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("has_tools", [True, False])
def test_seal_tools_test_files_are_read(
    tmp_path: Path, pack: Callable[[bytes], bytes], has_tools: bool
) -> None:
    path = put(tmp_path, "test_in_domain.jsonl", pack(lines(SEAL)))
    if has_tools:
        put(tmp_path, "tool.jsonl", lines(TOOLS))
    suite = loaded(path)
    assert [task.id for task in suite.tasks] == ["test-1", "test-2"]
    assert [task.labels[KIND_LABEL] for task in suite.tasks] == ["single", "nested"]
    assert isinstance(suite, ApiSuite)
    offered = set(suite.tools(suite.tasks[0]).by_name)
    assert offered == {"findStop", "nextTram", *(["ringBell"] if has_tools else [])}


def test_the_old_format_finds_its_tools_in_the_folder_above(tmp_path: Path) -> None:
    put(tmp_path, "tool.jsonl.gz", gzip.compress(lines(TOOLS)))
    pairs = [[CALL, "Where is Harbour?"], [[CALL, NEXT], "When does a tram leave?"]]
    path = put(tmp_path, "dataset_in_old_format/test_out_domain.jsonl", lines(pairs))
    suite = loaded(path)
    assert [len(task.criteria.actions or ()) for task in suite.tasks if task.criteria] == [1, 2]
    assert ITC.tasks_of(f"itc:{path}") == OWN_DATASET


@pytest.mark.parametrize("name", sorted(FILES))
def test_files_of_other_sets_are_known_by_what_they_hold(tmp_path: Path, name: str) -> None:
    path = put(tmp_path, name, json.dumps(FILES[name]).encode())
    (task,) = loaded(path).tasks
    assert task.criteria is not None
    assert len(task.criteria.actions or ()) == 1
    assert (NO_ARGUMENTS in task.labels) == name.startswith("G9")


@pytest.mark.parametrize("where", ["data_x.answers.json", "possible_answer/data_x.json"])
def test_answers_are_looked_for_beside_questions(tmp_path: Path, where: str) -> None:
    path = put(tmp_path, "data_x.json", lines([ACE]))
    with pytest.raises(DataError, match="its answers are missing: put data_x"):
        loaded(path)
    put(tmp_path, where, lines([ACE_ANSWER]))
    (task,) = loaded(path).tasks
    assert task.labels["language"] == "en"


def test_an_archive_of_dialogues_is_read(tmp_path: Path) -> None:
    said = [
        {"role": "User", "text": "Ring twice."},
        {"role": "API", "api_name": "ToolSearcher", "param_dict": {"keywords": "ring"},
         "result": {"output": {"name": "ringBell", "input_parameters": {}}}},
    ]  # fmt: skip
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w", format=tarfile.USTAR_FORMAT) as opened:
        content = lines(said)
        entry = tarfile.TarInfo("a-1.jsonl")
        entry.size = len(content)
        opened.addfile(entry, io.BytesIO(content))
    (task,) = loaded(put(tmp_path, "level-2.tar.gz", gzip.compress(archive.getvalue()))).tasks
    assert task.criteria is not None


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("tool.jsonl", lines(TOOLS), "the tools of Seal-Tools: name the file of queries"),
        (
            "answers.json",
            lines([ACE_ANSWER]),
            "the answers of ACEBench: name the file of questions",
        ),
        ("x.json", b"{}", "no file of a set that is known: Seal-Tools"),
        ("x.json", b"[]", "no file of a set that is known"),
        ("x.json", b"\x00\xff", "no file of a set that is known"),
        ("x.json.gz", gzip.compress(lines(SEAL))[:-20], "a damaged archive"),
        ("x.jsonl", lines([*SEAL, SEAL[0]]), "two samples are called 'test-1'"),
        ("x.jsonl", lines([*SEAL, {"id": "x"}]), "x.jsonl, line 3: "),
        (
            "data.json",
            json.dumps([{"input": "?", "output": []}]).encode(),
            "put spec.json next to it",
        ),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_line(
    tmp_path: Path, name: str, content: bytes, why: str
) -> None:
    with pytest.raises(DataError, match=why) as refused:
        loaded(put(tmp_path, name, content))
    assert "\n" not in str(refused.value)


@pytest.fixture
def calls(data_folder: Path) -> Path:
    folder = data_folder / "itc" / "calls"
    if not folder.is_dir():
        pytest.skip(f"{folder} is not there")
    return folder


@pytest.mark.parametrize(
    ("name", "tasks", "gold"),
    [
        ("seal-tools/old_format_dev.jsonl.gz", 700, 1804),
        ("toolalpaca/eval_simulated.json", 100, 154),
        ("nexusraven/cve_cpe_queries.json", 78, 78),
        ("nexusraven/emailrep_queries.json", 38, 38),
        ("hammer/apibank_l2.json", 127, 127),
        ("api-bank/level-2-toolsearcher.tar.gz", 119, 119),
        ("acebench/zh_normal_similar_api.json.gz", 50, 50),
        ("nestful/executable-data.json", 85, 233),
        ("toolbench/G3_query.json", 2, 7),
        ("stabletoolbench/G1_category.json.gz", 153, 328),
    ],
)
def test_real_files_are_read_whole(calls: Path, name: str, tasks: int, gold: int) -> None:
    found = read_file_set(calls / name, "itc:x", calls / "nothing is pulled")
    assert len(found.tasks) == tasks
    assert sum(len(each.task.gold) for each in found.tasks) == gold
    assert found.provenance.licence
