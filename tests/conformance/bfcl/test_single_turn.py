"""Our single-turn BFCL checks against every record of the reference in the truth folder.

Prints the number of compared records per file, and by class the records excluded from a comparison
with the reason; comparing fewer than are recorded today is a failure. DRAGOMAN_TRUTH and
DRAGOMAN_DATA name other folders of the same format.
"""

import ast
import gzip
import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from dragoman.benchmarks.bfcl.ast_checker.call_check import CallCheckContext, check_calls
from dragoman.benchmarks.bfcl.ast_checker.reply_check import (
    WrittenReply,
    judge_by_rules,
    read_reply,
)
from dragoman.benchmarks.bfcl.ast_checker.value_types import normalize_text
from dragoman.benchmarks.bfcl.call_parsers.json_calls import item_strings
from dragoman.benchmarks.bfcl.call_parsers.limits import UnreadableError
from dragoman.benchmarks.bfcl.call_parsers.python_calls import NAMELESS
from dragoman.benchmarks.bfcl.entry_files import Question, read_question
from dragoman.benchmarks.bfcl.reply_parser import read_calls
from dragoman.benchmarks.bfcl.rules import BFCL_V4
from dragoman.benchmarks.bfcl.source_code import java_conversion, javascript_conversion
from dragoman.benchmarks.bfcl.text_tool_calls import call_string
from dragoman.benchmarks.bfcl.verdicts import Outcome, UndecidableError
from dragoman.core.scores import Unscored
from dragoman.core.tools import ToolCall

ANSWERED = ("simple_python", "simple_java", "simple_javascript", "multiple", "parallel")
LIVE = ("live_simple", "live_multiple", "live_parallel", "live_parallel_multiple")
REAL = (*ANSWERED, "parallel_multiple", "irrelevance")
FORMS = {"simple_java": "java", "simple_javascript": "javascript"}
STORED = {"fc_json": "items", "fc_dict": "object_items"}

MAX_REPAIRS = 0.01
"""Of Java and JavaScript texts: those in which the reference's parser repairs what it reads."""

TEXTS = "messages in the reference's own words (compared: the error type)"
CLASSES = "names of exception classes (compared: that it fails)"
CRASHED = "verdicts of rows on which the reference breaks (compared: Unscored)"
SEVERAL = "items with several names, which no reply is read as (compared: the expected name's call)"
AGENTIC = "texts of the agentic matcher (compared in test_bfcl_multi_turn)"

LEAST = {
    "simple_python": 3041,
    "simple_java": 1017,
    "simple_javascript": 472,
    "multiple": 1526,
    "parallel": 1638,
    "parallel_multiple": 1840,
    "irrelevance": 2797,
    "ast_synthetic": 11212,
    "ast_quirks": 198,
    "decode": 151,
    "fc_exec": 6,
    "type_convert": 1246,
    "standardize": 70,
}
"""Number of records to compare."""

Record = dict[str, Any]
Report = Callable[[str, int, Mapping[str, int]], None]


@pytest.fixture
def report(capsys: pytest.CaptureFixture[str]) -> Report:
    def compared(name: str, count: int, left_out: Mapping[str, int]) -> None:
        with capsys.disabled():
            print(f"\n  {name}: {count} records compared", end="")
            for what, times in left_out.items():
                print(f"\n    left out: {times} {what}", end="")
        assert count >= LEAST[name], f"{name}: only {count} records compared"

    return compared


@pytest.fixture(scope="session")
def questions(data_folder: Path) -> Mapping[str, Question]:
    """Every question with its answers, by id."""
    found = {}
    for category in (*REAL, *LIVE):
        answers = {}
        if category != "irrelevance":
            answers = {
                answer["id"]: answer["ground_truth"]
                for answer in lines(data_folder, f"possible_answer/BFCL_v4_{category}.json")
            }
        for entry in lines(data_folder, f"BFCL_v4_{category}.json"):
            found[entry["id"]] = read_question(entry, answers.get(entry["id"], ()))
    return found


def lines(folder: Path, name: str) -> Iterator[Record]:
    raw = folder / "bfcl" / name
    text = raw.read_bytes() if raw.exists() else zipped(raw.with_name(f"{raw.name}.gz"))
    yield from map(json.loads, text.splitlines())


def records(folder: Path, name: str) -> Iterator[Record]:
    yield from map(json.loads, zipped(folder / "bfcl" / f"{name}.jsonl.gz").splitlines())


def zipped(path: Path) -> bytes:
    """Read a file, or skip where it is absent; with DRAGOMAN_REQUIRE_DATA=1, fail."""
    if path.exists():
        return gzip.decompress(path.read_bytes())
    reason = f"{path} is absent: nothing to compare with"
    if os.environ.get("DRAGOMAN_REQUIRE_DATA") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


def untagged(value: Any) -> object:  # noqa: ANN401 - JSON
    """Return a recorded value with what JSON cannot hold."""
    if isinstance(value, list):
        return [untagged(element) for element in value]
    if not isinstance(value, dict):
        return value
    if "__tuple__" in value:
        return tuple(untagged(element) for element in value["__tuple__"])
    if "__dict__" in value:
        return {
            NAMELESS if key is None else untagged(key): untagged(entry)
            for key, entry in value["__dict__"]
        }
    if "__repr__" in value:
        return ast.literal_eval(value["__repr__"])
    return {key: untagged(entry) for key, entry in value.items()}


def comparable(value: object) -> object:
    """Return a value so that 1, 1.0 and True differ."""
    if isinstance(value, dict):
        return [(comparable(key), comparable(entry)) for key, entry in value.items()]
    if isinstance(value, list | tuple):
        return type(value).__name__, [comparable(element) for element in value]
    return type(value).__name__, repr(value)


def as_recorded(calls: Sequence[ToolCall]) -> object:
    return [comparable({call.name: call.arguments}) for call in calls]


def decoded(value: object) -> object:
    found = untagged(value)
    assert isinstance(found, list)
    return [comparable(item) for item in found]


def is_calls(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(item, dict) and len(item) == 1 and isinstance(next(iter(item.values())), dict)
        for item in value
    )


def calls_of(value: Sequence[Mapping[str, Any]], expected: str = "") -> list[ToolCall]:
    """Return recorded calls; of an item with several names that of the expected one."""
    calls = []
    for item in value:
        name = expected if expected in item else next(iter(item))
        arguments = untagged(item[name])
        assert isinstance(arguments, dict)
        calls.append(ToolCall("", name, arguments))
    return calls


def verdict(result: Outcome) -> tuple[bool | None, str | None]:
    if isinstance(result, Unscored):
        assert result.reason
        return None, None
    return result.valid, None if result.fault is None else result.fault.error_type


def recorded_verdict(record: Record) -> tuple[bool | None, str | None]:
    return record["official_valid"], record.get("error_type")


def written(record: Record, category: str) -> WrittenReply:
    content = record["raw"]
    if record["format"] == "prompt":
        form: Any = FORMS.get(category, "python")
    else:
        form = STORED[record["format"]]
        if form == "object_items" and isinstance(content, str):
            content = [content]
    return WrittenReply(content, form, underscored=record["underscore_to_dot"])


@pytest.mark.parametrize("category", REAL)
def test_every_recorded_reply_is_read_and_judged_as_recorded(
    category: str, questions: Mapping[str, Question], truth_folder: Path, report: Report
) -> None:
    count, texts = 0, 0
    left_out: Counter[str] = Counter()
    repaired: list[str] = []
    for record in records(truth_folder, category):
        question, reply = questions[record["id"]], written(record, category)
        count += 1
        texts += reply.form in FORMS.values()
        if "error" in record:
            left_out[TEXTS] += 1
        if "decode_error" in record:
            left_out[CLASSES] += 1
        difference = reading_difference(reply, record)
        if difference and reply.form in FORMS.values():
            repaired.append(f"{record['id']} ({difference})")
        else:
            assert not difference, (record["id"], difference)
            result = judge_by_rules(question, reply, BFCL_V4)
            assert verdict(result) == recorded_verdict(record), record["id"]
        if is_calls(record["decoded"]) and category != "irrelevance":
            terms = CallCheckContext(BFCL_V4, question.language, record["underscore_to_dot"])
            result = check_calls(question, calls_of(record["decoded"]), terms)
            assert verdict(result) == recorded_verdict(record), record["id"]
    for difference in repaired:
        left_out[f"reading of {difference}"] += 1
    report(category, count, left_out)
    assert len(repaired) <= MAX_REPAIRS * texts


def reading_difference(reply: WrittenReply, record: Record) -> str:
    """Return how a reply is read otherwise than recorded, or nothing."""
    try:
        calls = read_reply(reply, BFCL_V4)
    except UnreadableError as error:
        if is_calls(record["decoded"]):
            return f"the reference's parser repairs what our grammar refuses: {error}"
        if error.is_format == ("decode_error" in record):
            return f"refused with the other error: {error}"
        return ""
    if not is_calls(record["decoded"]):
        return "our grammar reads what the reference's parser refuses"
    return "" if as_recorded(calls) == decoded(record["decoded"]) else "another call"


def test_every_synthetic_reply_is_judged_as_recorded(
    questions: Mapping[str, Question], truth_folder: Path, report: Report
) -> None:
    count = 0
    for record in records(truth_folder, "ast_synthetic"):
        question = questions[record["id"]]
        terms = CallCheckContext(BFCL_V4, question.language, record["underscore_to_dot"])
        result = check_calls(question, calls_of(record["decoded"]), terms)
        assert verdict(result) == recorded_verdict(record), (record["id"], record["mutation"])
        count += 1
    report("ast_synthetic", count, {})


def test_every_probe_of_the_checker_is_judged_as_recorded(
    truth_folder: Path, report: Report
) -> None:
    count = 0
    left_out: Counter[str] = Counter()
    for record in records(truth_folder, "ast_quirks"):
        entry = {
            "id": record["note"],
            "category": record["category"],
            "function": record["function"],
        }
        question = read_question(entry, record["ground_truth"])
        assert question.language == record["language"]
        if record["official_valid"] is None:
            left_out[CRASHED] += 1
        if not is_calls(record["decoded"]):
            left_out[SEVERAL] += 1
        calls = calls_of(record["decoded"], record["function"][0]["name"])
        terms = CallCheckContext(BFCL_V4, question.language, record["underscore_to_dot"])
        result = check_calls(question, calls, terms)
        assert verdict(result) == recorded_verdict(record), (record["note"], record["decoded"])
        count += 1
    report("ast_quirks", count, left_out)


def test_every_text_is_decoded_as_recorded(truth_folder: Path, report: Report) -> None:
    count, texts = 0, 0
    left_out: Counter[str] = Counter()
    repaired: list[str] = []
    for record in records(truth_folder, "decode"):
        count += 1
        texts += record["fmt"] in FORMS.values()
        if not record["decode_ast"]["ok"]:
            left_out[CLASSES] += 1
        difference = decoding_difference(record)
        if difference and record["fmt"] in FORMS.values():
            repaired.append(f"{record['text']} ({difference})")
        else:
            assert not difference, (record["text"], difference)
        if "decode_exec" in record:
            assert executed(record["text"]) == without_class(record["decode_exec"]), record["text"]
    for difference in repaired:
        left_out[f"reading of {difference}"] += 1
    report("decode", count, left_out)
    assert len(repaired) <= MAX_REPAIRS * texts


def decoding_difference(record: Record) -> str:
    """Return how a probe is decoded otherwise than recorded, or nothing."""
    expected = record["decode_ast"]
    try:
        calls = read_calls(record["text"], record["fmt"], BFCL_V4, in_tags=record["tag"])
    except UnreadableError as error:
        has_no_calls = expected["ok"] and not is_calls(expected["out"])
        if error.is_format:
            return "" if has_no_calls else "read as another format"
        return f"refused: {error}" if expected["ok"] else ""
    if not expected["ok"]:
        return "read what the reference refuses"
    if "is_fc_format" in record:
        assert record["is_fc_format"]
        assert record["is_empty"] == (not calls)
    is_same = is_calls(expected["out"]) and as_recorded(calls) == decoded(expected["out"])
    return "" if is_same else "another call"


def executed(text: str) -> Record:
    try:
        calls = read_calls(text, "python", BFCL_V4)
        return {"ok": True, "out": [call_string(call) for call in calls]}
    except UnreadableError:
        return {"ok": False}


def without_class(result: Record) -> Record:
    return {key: value for key, value in result.items() if key != "exc"}


def test_every_stored_call_is_written_for_the_executor_as_recorded(
    truth_folder: Path, report: Report
) -> None:
    count = 0
    for record in records(truth_folder, "fc_exec"):
        try:
            found: Record = {"ok": True, "out": list(item_strings(record["in"]))}
        except UnreadableError:
            found = {"ok": False}
        assert found == without_class(record["decode_exec"]), record["in"]
        count += 1
    report("fc_exec", count, {})


def test_every_source_text_is_converted_as_recorded(truth_folder: Path, report: Report) -> None:
    patterns = {"java": java_conversion, "js": javascript_conversion}
    count = 0
    left_out: Counter[str] = Counter()
    for record in records(truth_folder, "type_convert"):
        where = (record["lang"], record["value"], record["type"], record.get("nested"))
        convert = patterns[record["lang"]].convert
        count += 1
        if not record["ok"]:
            left_out[CLASSES] += 1
            with pytest.raises(UndecidableError):
                convert(record["value"], record["type"], record.get("nested"))
            continue
        found = convert(record["value"], record["type"], record.get("nested"))
        assert comparable(found) == comparable(record["out"]), where
    report("type_convert", count, left_out)


def test_every_text_is_standardized_as_recorded(truth_folder: Path, report: Report) -> None:
    count = 0
    left_out: Counter[str] = Counter()
    for record in records(truth_folder, "standardize"):
        if record["kind"] != "ast":
            left_out[AGENTIC] += 1
            continue
        assert normalize_text(record["in"]) == record["out"], record["in"]
        count += 1
    report("standardize", count, left_out)
