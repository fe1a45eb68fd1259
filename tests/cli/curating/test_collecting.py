"""`dragoman curate collect` and `list`, as people meet them."""

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

Cli = Callable[..., CompletedProcess[str]]
RunJson = Callable[..., Any]
Refused = Callable[..., str]

OPENAPI = json.dumps(
    {
        "openapi": "3.0.0",
        "info": {"title": "Leis", "x-country": "Brazil", "license": {"name": "MIT"}},
        "servers": [{"url": "https://leis.example"}],
        "paths": {"/a": {"get": {"tags": ["Government"]}}, "/b": {"get": {"tags": ["News"]}}},
    }
)
PAGE = (
    "### News\n\n| API | Description |\n|--|--|\n| [Noticias](https://noticias.example) | Hoy |\n"
)


def write(folder: Path) -> None:
    (folder / "apis").mkdir()
    (folder / "apis" / "leis.json").write_text(OPENAPI)
    (folder / "apis" / "copy.json").write_text(OPENAPI)
    (folder / "apis" / "notes.txt").write_text("text")
    (folder / "lista.md").write_text(PAGE)


def test_what_was_collected_refused_and_merged_is_told(dragoman: Cli, folder: Path) -> None:
    write(folder)
    done = dragoman("curate", "collect", "mine", "apis", "lista.md", "--country", "Chile")
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stdout.split())
    assert "apis 3 1 2 0 4 0" in said
    assert "lista.md 1 0 1 0 0 0" in said
    assert "mine has 2 documents; merged near-duplicates: 0; merged exact duplicates: 1" in said
    assert "refused apis/notes.txt: no .json, .jsonl, .yaml, .yml or .md" in said


@pytest.mark.slow
def test_two_workers_collect_what_one_process_does(run_json: RunJson, folder: Path) -> None:
    write(folder)
    collect = ("curate", "collect", "DATASET", "apis", "lista.md", "--country", "Chile")
    one, two = (
        run_json(*(name if word == "DATASET" else word for word in collect), *words)
        for name, words in (("one", ()), ("two", ("--workers", 2)))
    )
    assert two == one
    assert run_json("curate", "list", "two") == run_json("curate", "list", "one")


def test_less_than_one_worker_collects_nothing(refused: Refused, folder: Path) -> None:
    write(folder)
    assert "--workers 0: at least 1" in refused(
        "curate", "collect", "mine", "apis", "--workers", 0, status=2
    )
    assert not (folder / "mine").exists()


def test_documents_are_counted_by_what_they_state(
    dragoman: Cli, run_json: RunJson, folder: Path
) -> None:
    write(folder)
    assert dragoman("curate", "collect", "mine", "apis", "lista.md").returncode == 0
    assert run_json("curate", "list", "mine", "--by", "country,category", "--json")["counts"] == [
        {"values": ["", "News"], "documents": 1, "operations": 0},
        {"values": ["Brazil", "Government"], "documents": 1, "operations": 1},
        {"values": ["Brazil", "News"], "documents": 1, "operations": 1},
    ]
    printed = " ".join(dragoman("curate", "list", "mine", "--by", "country").stdout.split())
    assert "not stated 1 0 Brazil 1 2" in printed
    assert "2 documents, 2 operations" in printed


def test_the_funnel_has_collecting_and_merging(run_json: RunJson, folder: Path) -> None:
    write(folder)
    collected = run_json("curate", "collect", "mine", "apis", "lista.md", "--json")
    assert collected["merged"] == {"documents": 2, "exact": 1, "near": 0}
    assert [(line["name"], line["verdict"]) for line in collected["refused"]] == [
        ("apis/notes.txt", "dropped")
    ]
    funnel = {
        (each["step"], each["kind"], each["source"]): (
            each["kept"],
            each["dropped"],
            each["merged"],
        )
        for each in run_json("curate", "status", "mine", "--json")["funnel"]
    }
    assert funnel == {
        ("collect", "entry", "apis"): (2, 0, 0),
        ("collect", "entry", "lista.md"): (1, 0, 0),
        ("collect", "file", "apis"): (2, 1, 0),
        ("collect", "file", "lista.md"): (1, 0, 0),
        ("collect", "operation", "apis"): (4, 0, 0),
        ("merge", "found", "apis"): (1, 0, 1),
        ("merge", "found", "lista.md"): (1, 0, 0),
    }


def test_where_nothing_is_found_the_reason_is_told_and_the_exit_status_is_1(
    dragoman: Cli, folder: Path
) -> None:
    (folder / "none.json").write_text("{}")
    done = dragoman("curate", "collect", "mine", "none.json")
    assert done.returncode == 1
    assert "refused none.json: no API document" in done.stdout


def test_a_mistake_of_names_is_one_line(refused: Refused, folder: Path) -> None:
    write(folder)
    (folder / "more" / "apis").mkdir(parents=True)
    for arguments, said in (
        (("collect", "mine", "apis", "more/apis"), "two sources are called 'apis'"),
        (("collect", "mine", "apis", "lista.md", "--source-name", "x"), "--source-name: names one"),
        (("collect", "mine", "nowhere"), "nowhere: no such file"),
        (("list", "mine", "--by", "color"), "--by color: it is one or more of category, country"),
    ):
        assert said in refused("curate", *arguments, status=2)
    assert not (folder / "mine").exists()


@pytest.mark.slow
@pytest.mark.nightly
def test_the_commands_of_the_docs_give_the_counts_that_stand_there(
    dragoman: Cli, folder: Path, data_folder: Path
) -> None:
    (folder / "itc").symlink_to(data_folder / "itc")
    page = Path(__file__).parents[3].joinpath("docs", "how_to", "curate.md").read_text("utf-8")
    section = page.partition("### Real documents and lists")[2]
    _, commands, _, shown, *_ = section.split("```\n")
    for line in commands.splitlines():
        done = dragoman(*shlex.split(line)[1:])
        assert done.returncode == 0, done.stderr
    parts = [part.partition("\n") for part in shown.split("$ dragoman ")[1:]]
    assert len(parts) == 2
    for command, _, counts in parts:
        assert dragoman(*shlex.split(command)).stdout.strip() == counts.strip()
