"""JUnit XML of a run: failures, errors and skipped tests, and arbitrary text."""

from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import dragoman
from dragoman.formats.junit import write_junit
from dragoman.store.run_store import open_run

HOSTILE = ']]></failure><x a="&\x00\x1b[31m\ufffe\u202e'


def hostile(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> str:
    assert messages
    assert tools
    raise KeyError(HOSTILE)


def written(run: dragoman.RunResult, path: Path, agent: str | None = None) -> ET.Element:
    with open_run(run.folder, write=False) as store:
        count = write_junit(store, (run.rules, run.judge), path, agent)
    root = ET.parse(path).getroot()  # noqa: S314 - written here
    assert root.get("tests") == str(count) == str(len(root.findall(".//testcase")))
    return root


def test_failures_errors_and_what_has_no_score_are_told_apart(tmp_path: Path) -> None:
    run = dragoman.run("sample:shop", agent=["silent", hostile, "gold"], out=tmp_path / "run")
    root = written(run, tmp_path / "run.xml")
    counts_by_status = run.episodes.group_by("standing").len().rows()
    expected = {str(status): count for status, count in counts_by_status}
    assert expected["code"] == 5
    assert root.get("errors") == "5"
    assert root.get("failures") == str(expected["fail"])
    assert root.get("skipped") == str(expected["unscored"])
    assert root.get("failures") != "0" != root.get("skipped")
    assert len(root.findall("testsuite")) == 3
    for row in run.episodes.filter(standing="unscored").to_dicts():
        skipped = [
            case.find("skipped")
            for case in root.findall(".//testcase")
            if case.get("name") == f"{row['task']} [trial 0]"
            and str(case.get("classname")).endswith(f".{row['agent']}")
        ]
        assert [each.get("message") for each in skipped if each is not None] == [row["unscored"]]


def test_any_text_fits_into_the_file_and_steers_nothing(tmp_path: Path) -> None:
    run = dragoman.run("sample:shop", agent=hostile, limit=1, out=tmp_path / "run")
    (error,) = written(run, tmp_path / "run.xml").findall(".//error")
    assert ']]></failure><x a="&' in str(error.get("message"))
    assert "\x1b" not in str(error.text)
    assert "\u202e" not in str(error.text)
    assert error.get("type") == "code"


def test_only_the_agent_that_is_named_is_in_it(tmp_path: Path) -> None:
    run = dragoman.run("sample:shop", agent=["gold", "silent"], limit=1, out=tmp_path / "run")
    root = written(run, tmp_path / "deep" / "run.xml", "silent")
    assert [suite.get("name") for suite in root] == ["sample:shop, en/text/none, silent"]
