"""Result files of BFCL's program, written here, become runs on the pulled questions."""

import ast
import gzip
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from dragoman.benchmarks.bfcl.result_import import FileReading, ImportReport
from dragoman.core.episodes import Episode, Message
from dragoman.core.errors import DataError, UsageError
from dragoman.core.replies import text_reply
from dragoman.core.scores import METRIC_VERSION, Scored
from dragoman.core.tools import ToolResult
from dragoman.dataframes.results import agreement
from dragoman.formats.result_files import import_run
from dragoman.runs.runner import MeasureRequest, score
from dragoman.store.run_store import open_run

WORDS = "I would need more details for that."


@pytest.fixture(autouse=True)
def _pulled(pulled_bfcl: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(pulled_bfcl))


def tagged(number: int) -> str:
    return f'<tool_call>\n{{"name": "f", "arguments": {{"a": {number}}}}}\n</tool_call>'


def imported(
    folder: Path, results: dict[str, object], form: str | None = None, category: str = "irrelevance"
) -> ImportReport:
    path = folder / "result" / "lab-model" / f"BFCL_v4_{category}_result.json"
    path.parent.mkdir(parents=True)
    lines = (json.dumps({"id": name, "result": result}) for name, result in results.items())
    path.write_text("".join(f"{line}\n" for line in lines))
    report = import_run(path, folder / "run", 0.0, form).report
    assert isinstance(report, ImportReport)
    return report


def episodes(folder: Path) -> dict[str, Episode]:
    with open_run(folder / "run", write=False) as store:
        tasks = {cell.key: cell.task for cell in store.cells()}
        return {tasks[key]: episode for key, _, episode in store.episodes()}


def test_a_form_is_told_from_the_texts_and_kept_with_each_reply(tmp_path: Path) -> None:
    results = {f"simple_python_{number}": tagged(number) for number in range(3)}
    (model,) = imported(
        tmp_path, {**results, "simple_python_3": WORDS}, None, "simple_python"
    ).models
    assert (model.model, model.form, model.spoken_for) == (
        "lab-model",
        "tool_call",
        {"tool_call": 3},
    )
    assert model.files == (FileReading("simple_python", 4, 3),)
    assert not model.files[0].is_mostly_unreadable
    moves = [episode.events[-1] for episode in episodes(tmp_path).values()]
    assert {getattr(move, "call_form", None) for move in moves} == {"tool_call"}


def test_a_chosen_form_that_reads_little_is_told(tmp_path: Path) -> None:
    results = {f"simple_python_{number}": tagged(number) for number in range(3)}
    (model,) = imported(
        tmp_path, {**results, "simple_python_3": "f(a=1)"}, "python", "simple_python"
    ).models
    assert model.files == (FileReading("simple_python", 4, 1),)
    assert model.files[0].is_mostly_unreadable


def test_where_no_call_is_wanted_words_are_no_sign_of_a_wrong_form(tmp_path: Path) -> None:
    (model,) = imported(tmp_path, {f"irrelevance_{n}": WORDS for n in range(3)}).models
    assert not model.files[0].is_mostly_unreadable


def test_a_model_that_was_not_reached_is_infrastructure_and_no_abstention(tmp_path: Path) -> None:
    fault = "Error during inference: Request timed out."
    found = imported(tmp_path, {"irrelevance_0": fault, "irrelevance_1": WORDS})
    assert (found.conversations, found.infrastructure_errors) == (2, 1)
    broken = episodes(tmp_path)["irrelevance_0"]
    assert (broken.ending.reason, broken.ending.detail) == ("infrastructure_error", fault)
    assert found.models[0].files == (FileReading("irrelevance", 1, 0),)


def import_lines(folder: Path, name: str, content: bytes) -> dict[str, Episode]:
    path = folder / "result" / "lab" / name
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    import_run(folder / "result", folder / "run", 0.0)
    return episodes(folder)


@pytest.mark.parametrize(
    ("name", "identity", "entry"),
    [
        ("BFCL_v3_simple_result.json", {"id": "simple_3"}, "simple_python_3"),
        ("BFCL_v3_java_result.json", {"id": "java_3"}, "simple_java_3"),
        ("BFCL_v2_javascript_result.json", {"id": "javascript_3"}, "simple_javascript_3"),
        ("BFCL_v3_live_simple_result.json", {"id": "live_simple_3-2-1"}, "live_simple_3-2-1"),
        ("gorilla_openfunctions_v1_test_relevance_result.json", {"idx": 3}, "irrelevance_3"),
        ("gorilla_openfunctions_v1_test_java_result.json", {"id": 3}, "simple_java_3"),
        ("gorilla_openfunctions_v1_test_simple_result.jsonl", {"id": "3"}, "simple_python_3"),
    ],
)
def test_names_and_ids_of_earlier_versions_are_those_of_today(
    tmp_path: Path, name: str, identity: dict[str, object], entry: str
) -> None:
    line = json.dumps({**identity, "result": WORDS}).encode()
    assert list(import_lines(tmp_path, name, line)) == [entry]


def test_a_packed_file_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    line = b"\xef\xbb\xbf" + json.dumps({"id": "irrelevance_3", "result": WORDS}).encode()
    packed = gzip.compress(line)
    assert list(import_lines(tmp_path, "BFCL_v4_irrelevance_result.json.gz", packed)) == [
        "irrelevance_3"
    ]


def test_lines_without_ids_are_entries_in_their_order_where_none_is_missing(tmp_path: Path) -> None:
    name = "gorilla_openfunctions_v1_test_relevance_result.json"
    lines = [json.dumps({"result": f"No {number}."}) for number in range(240)]
    found = import_lines(tmp_path, name, "\n".join(lines).encode())
    assert found["irrelevance_239"].events[-1] == Message(
        "agent", text_reply("No 239."), call_form="python"
    )
    with pytest.raises(DataError, match="lines without ids, 239 for 240 entries"):
        import_lines(tmp_path / "cut", name, "\n".join(lines[1:]).encode())


def test_a_form_that_does_not_exist_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="unknown format 'yaml'"):
        imported(tmp_path, {"irrelevance_0": WORDS}, "yaml")
    assert not (tmp_path / "run").exists()


def write_lines(path: Path, *lines: Mapping[str, object]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))


def test_upstreams_verdicts_come_in_beside_the_results_and_are_compared(tmp_path: Path) -> None:
    words = [{"id": f"irrelevance_{n}", "result": WORDS} for n in range(3)]
    name = "lab/non_live/BFCL_v4_irrelevance"
    write_lines(tmp_path / f"result/{name}_result.json", *words)
    head = {"accuracy": 2 / 3, "correct_count": 2, "total_count": 3}
    write_lines(tmp_path / f"score/{name}_score.json", head, {"id": "irrelevance_1"})

    read = import_run(tmp_path, tmp_path / "run", 0.0)
    score(tmp_path / "run", MeasureRequest({"rules": "bfcl-v4"}), lambda: None)

    assert isinstance(read.report, ImportReport)
    assert (read.report.verdicts, read.has_verdicts) == (3, True)
    with open_run(tmp_path / "run", write=False) as store:
        found = agreement(store, "bfcl-v4", "none")
    assert found is not None
    assert (found.compared, found.agreeing) == (3, 2)
    (differing,) = found.differences
    assert (differing.task, differing.recorded, differing.scored) == ("irrelevance_1", 0.0, 1.0)


def test_verdicts_of_other_entries_are_left_out_and_damaged_ones_refused(tmp_path: Path) -> None:
    line = {"id": "irrelevance_0", "result": WORDS}
    write_lines(tmp_path / "all/result/lab/BFCL_v4_irrelevance_result.json", line)
    scores = tmp_path / "all/score/lab/BFCL_v4_irrelevance_score.json"
    for head, unfitting in (
        ({"correct_count": 240, "total_count": 240}, (str(scores),)),
        ({"correct_count": 1, "total_count": 1}, ()),
    ):
        write_lines(scores, head)
        report = import_run(tmp_path / "all", tmp_path / str(len(unfitting)), 0.0).report
        assert isinstance(report, ImportReport)
        assert report.unfitting_scores == unfitting
        assert report.verdicts == 1 - len(unfitting)
    for broken, what in (
        ({"correct_count": 0, "total_count": 1}, "it counts other failures than it names"),
        ({"accuracy": 1}, "line 1: no verdicts of BFCL"),
    ):
        write_lines(scores, broken)
        with pytest.raises(DataError, match=what):
            import_run(tmp_path / "all", tmp_path / "never", 0.0)
    write_lines(scores, {"correct_count": 0, "total_count": 1}, {"name": 1})
    with pytest.raises(DataError, match="line 2: no verdicts of BFCL"):
        import_run(tmp_path / "all", tmp_path / "never", 0.0)


@pytest.mark.slow
def test_results_of_several_turns_come_in_with_the_counts_of_all_replies(tmp_path: Path) -> None:
    path = tmp_path / "result" / "lab-FC" / "multi_turn" / "BFCL_v4_multi_turn_base_result.json"
    path.parent.mkdir(parents=True)
    turns = [[[{"ls": "{}"}], "Done."], ["Sorry."]]
    line = {"id": "multi_turn_base_0", "result": turns, "input_token_count": [[7, 5], [3]]}
    fault = {"id": "multi_turn_base_1", "result": "Error during inference: cut", "latency": [[1]]}
    path.write_text(f"{json.dumps(line)}\n{json.dumps(fault)}\n")
    questions = path.parent / "BFCL_v4_irrelevance_result.json"

    report = import_run(path, tmp_path / "run", 0.0).report

    assert isinstance(report, ImportReport)
    assert (report.conversations, report.infrastructure_errors) == (2, 1)
    assert [model.form for model in report.models] == ["items"]
    found = episodes(tmp_path)
    assert found["multi_turn_base_0"].usage[0].input_tokens == 15
    assert found["multi_turn_base_0"].usage[0].output_tokens is None
    assert found["multi_turn_base_1"].seconds == 1
    assert [
        event.name for event in found["multi_turn_base_0"].events if isinstance(event, ToolResult)
    ] == ["ls"]

    questions.write_text(json.dumps({"id": "irrelevance_0", "result": WORDS}))
    both = import_run(path.parent, tmp_path / "both", 0.0).report
    assert isinstance(both, ImportReport)
    assert (both.conversations, both.left_out) == (1, ("multi_turn_base",))


@pytest.mark.slow
@pytest.mark.conformance
@pytest.mark.nightly
def test_recorded_conversations_come_in_as_result_files_and_score_as_recorded(
    tmp_path: Path, truth_folder: Path
) -> None:
    with gzip.open(truth_folder / "bfcl" / "multi_turn.jsonl.gz", "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    # Text loses arguments without a name, and the records were executed with them.
    taken = [row for row in rows if all(map(is_named, calls_of(row)))][::6]
    results = tmp_path / "result"
    for number, row in enumerate(taken):
        category = row["id"].rpartition("_")[0]
        turns = [[f"[{', '.join(step)}]" for step in turn] for turn in row["turns"]]
        path = results / f"lab-{number % 20}-{number // 20}" / f"BFCL_v4_{category}_result.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"id": row["id"], "result": turns}))

    import_run(results, tmp_path / "run", 0.0, "python")
    judged = package_score(tmp_path / "run")

    expected = {
        (f"lab-{n % 20}-{n // 20}", row["id"]): row["official_valid"] for n, row in enumerate(taken)
    }
    assert len(expected) > 300
    assert judged == expected


def calls_of(row: dict[str, Any]) -> list[str]:
    return [call for turn in row["turns"] for step in turn for call in step]


def is_named(call: str) -> bool:
    """Return whether a call is one that can be written and read as text without a loss."""
    try:
        node = ast.parse(call, mode="eval").body
    except SyntaxError:
        return False
    return isinstance(node, ast.Call) and not node.args and "{}" not in call


def package_score(run: Path) -> dict[tuple[str, str], bool]:
    """Score a run by upstream's rules and return by agent and task whether it passes."""
    score(run, MeasureRequest({"rules": "bfcl-v4"}), lambda: None)
    with open_run(run, write=False) as store:
        scores = store.scores("bfcl-v4", "none", METRIC_VERSION)
        return {
            (cell.agent, cell.task): scores[cell.key].reward == Scored(1.0)
            for cell in store.cells()
        }


@pytest.mark.parametrize(
    "name", ["memory_kv", "memory_vector_prereq", "memory_rec_sum", "web_search_base"]
)
def test_results_of_memory_and_web_search_are_refused_with_the_reason(
    name: str, tmp_path: Path
) -> None:
    file = tmp_path / f"result/lab/agentic/BFCL_v4_{name}_result.json"
    write_lines(file, {"id": f"{name}_0", "result": [["Paris"]]})

    with pytest.raises(DataError, match=f"results of {name} cannot be imported: what the memory"):
        import_run(tmp_path / "result", tmp_path / "run", 0.0)


def test_results_that_stay_behind_are_named_by_their_reason(tmp_path: Path) -> None:
    write_lines(
        tmp_path / "result/lab/non_live/BFCL_v4_irrelevance_result.json",
        {"id": "irrelevance_0", "result": WORDS},
    )
    for name in ("memory_kv", "multi_turn_base", "exec_simple"):
        write_lines(tmp_path / f"result/lab/BFCL_v4_{name}_result.json", {"id": "x", "result": []})

    notes = import_run(tmp_path / "result", tmp_path / "run", 0.0).notes

    assert [note.split(":")[1].strip() for note in notes] == [
        "multi_turn_base",
        "results of memory_kv cannot be imported",
    ]
    assert notes[1].endswith("exec_simple: no category of BFCL v4")
