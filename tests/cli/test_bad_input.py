"""Mistakes of a person are answered with one line: what, where and what to do."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

Cli = Callable[..., CompletedProcess[str]]
RunJson = Callable[..., Any]
Refused = Callable[..., str]

RUN = ("run", "sample:shop", "--agent", "gold")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("run", "no:suite", "--agent", "gold"), ("'no:suite'", "dragoman list suites")),
        (("check", "no:suite"), ("'no:suite'", "dragoman list suites")),
        (("run", "sample:shop"), ("no agent", "--agent")),
        (("run", "sample:shop", "--agent", "goldd"), ("'goldd'", "gold, lexical, literal, silent")),
        (("run", "sample:shop", "--agent", ""), ("unknown agent ''",)),
        ((*RUN, "--agent", "gold"), ("named twice",)),
        ((*RUN, "--user", "nobody"), ("'nobody'", "offline")),
        ((*RUN, "--judge", "strict"), ("'strict'", "assume-met")),
        ((*RUN, "--rules", "tau2"), ("'tau2'", "dragoman-2, dragoman-1, tau2-1.0.1")),
        (("run", "sample:shop", "--agent", "opnai/gpt"), ("'opnai'", "openai", "scripted")),
        ((*RUN, "--judge", "opnai/gpt"), ("'opnai'", "openai", "scripted")),
        ((*RUN, "--judge", "scripted/none.json"), ("none.json", "No such file")),
        ((*RUN, "--tasks", "too-late,999"), ("'999'", "larger-jacket")),
        ((*RUN, "--trials", "0"), ("trials", "above 0")),
        ((*RUN, "--trials", "-1"), ("trials", "above 0")),
        ((*RUN, "--limit", "0"), ("limit", "above 0")),
        ((*RUN, "--concurrency", "0"), ("concurrency", "above 0")),
        ((*RUN, "--max-steps", "0"), ("max-steps", "above 0")),
        ((*RUN, "--max-errors", "-2"), ("max-errors", "above 0")),
        ((*RUN, "--timeout", "-1"), ("timeout", "above 0")),
        (("list", "colours"), ("'colours'", "suites")),
        (("data", "pull", "bfcll"), ("'bfcll'", "did you mean 'bfcl'")),
        (("data", "pull", "tau2", "--url", "here"), ("'here'", "https://")),
        (("data", "pull", "tau2", "--url", "http://x", "--from", "."), ("--from", "--url")),
    ],
)
def test_a_wrong_choice_is_named_with_what_there_is_to_choose(
    refused: Refused, folder: Path, arguments: tuple[str, ...], words: tuple[str, ...]
) -> None:
    line = refused(*arguments, status=2)

    assert all(word in line for word in words), line
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--timeout", "nan"), ("timeout",)),
        (("--trials", "99999999999999999999"), ("trials",)),
    ],
)
def test_a_number_beyond_all_reason_is_refused(
    refused: Refused, options: tuple[str, ...], words: tuple[str, ...]
) -> None:
    line = refused(*RUN, "--dry-run", *options, status=2)

    assert all(word in line for word in words), line


def test_an_empty_list_of_tasks_is_not_taken_for_all_tasks(refused: Refused) -> None:
    assert "--tasks" in refused(*RUN, "--tasks", "", status=2)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((*RUN, "--trails", "3"), "--trials"),
        ((*RUN, "--trials", "many"), "--trials"),
        (("rum", "sample:shop"), "rum"),
        (("show",), "RUN"),
    ],
)
def test_an_unknown_option_or_command_is_answered_with_the_usage(
    dragoman: Cli, arguments: tuple[str, ...], words: str
) -> None:
    done = dragoman(*arguments)

    assert done.returncode == 2
    assert "Usage: " in done.stderr
    assert words in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'suite = "sample:shop"\nagents = ["gold"]\ntrails = 3\n', ("'trails'", "'trials'")),
        (b'suite = "sample:shop"\nagents = "gold"\n', ("agents",)),
        (b'suite = "sample:shop"\nagents = ["gold"]\ntrials = true\n', ("trials",)),
        (b'suite = "sample:shop"\nagents = ["gold"]\ntrials = 0\n', ("trials", "above 0")),
        (b'suite = "sample:shop"\nagents = []\n', ("agent",)),
        (b'agents = ["gold"]\n', ("suite",)),
        (b"gold for everyone\n", ("not a TOML file", "line 1")),
        (b"\xff\xfe\x00", ("not a TOML file",)),
        (b"", ("suite",)),
        (None, ("No such file",)),
    ],
)
def test_a_grid_file_is_read_strictly(
    refused: Refused, folder: Path, content: bytes | None, words: tuple[str, ...]
) -> None:
    if content is not None:
        (folder / "grid.toml").write_bytes(content)

    line = refused("run", "grid.toml", status=2)

    assert all(word in line for word in words), line
    if b"above" not in (content or b""):
        assert not (folder / "runs").exists()


def test_a_folder_in_place_of_a_grid_file_is_named(refused: Refused, folder: Path) -> None:
    (folder / "grid.toml").mkdir()

    assert "grid.toml" in refused("run", "grid.toml", status=2)


# Data


def test_without_data_the_line_names_the_command_that_pulls_them(refused: Refused) -> None:
    for command in (("run", "tau2:retail", "--agent", "gold"), ("check", "tau2:retail")):
        assert "dragoman data pull tau2" in refused(*command, status=1)


def test_pulling_from_what_holds_no_data_names_the_missing_file(
    refused: Refused, folder: Path
) -> None:
    (folder / "empty").mkdir()

    assert "LICENSE" in refused("data", "pull", "tau2", "--from", "empty", status=1)
    assert "no-such" in refused("data", "pull", "tau2", "--from", "no-such", status=1)


def test_pulling_from_an_address_that_does_not_answer_says_so(refused: Refused) -> None:
    line = refused("data", "pull", "tau2", "--url", "http://127.0.0.1:1/", status=1)

    assert "127.0.0.1:1" in line
    assert "--from" in line


def test_pulling_into_a_cache_that_cannot_be_written_says_where(
    refused: Refused, folder: Path, data_folder: Path
) -> None:
    (folder / "cache").write_text("a file where the cache should be")

    line = refused(
        "data", "pull", "tau2", "--from", data_folder / "tau2", cache=folder / "cache", status=1
    )

    assert str(folder / "cache") in line


@pytest.fixture
def damaged(pulled: Path, folder: Path) -> Path:
    """A cache of one's own to damage."""
    (source,) = (pulled / "dragoman" / "data" / "tau2").iterdir()
    target = folder / "cache" / "dragoman" / "data" / "tau2" / source.name
    (target / "retail").mkdir(parents=True)
    for name in ("index.json", *(f"retail/{file.name}" for file in (source / "retail").iterdir())):
        (target / name).write_bytes((source / name).read_bytes())
    return target


@pytest.mark.parametrize("name", ["db.json", "tasks.json", "policy.md", "tools_openai.json"])
def test_a_damaged_file_of_the_cache_is_named_with_the_command_that_helps(
    refused: Refused, damaged: Path, folder: Path, name: str
) -> None:
    path = damaged / "retail" / name
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0x01
    path.write_bytes(content)

    line = refused("run", "tau2:retail", "--agent", "gold", cache=folder / "cache", status=1)

    assert str(path) in line
    assert "damaged" in line
    assert "dragoman data pull tau2" in line
    assert not (folder / "runs").exists()


def test_a_task_that_names_an_unknown_tool_is_not_played(
    refused: Refused, damaged: Path, folder: Path
) -> None:
    path = damaged / "retail" / "tasks.json"
    path.write_text(path.read_text("utf-8").replace("cancel_pending_order", "cancel_any_order"))

    line = refused("run", "tau2:retail", "--agent", "gold", cache=folder / "cache", status=1)

    assert str(path) in line
    assert "dragoman data pull tau2" in line


def test_a_missing_file_of_the_cache_is_named(
    refused: Refused, damaged: Path, folder: Path
) -> None:
    (damaged / "retail" / "policy.md").unlink()

    line = refused("check", "tau2:retail", cache=folder / "cache", status=1)

    assert "policy.md" in line
    assert "dragoman data pull tau2" in line


def test_a_damaged_cache_is_mended_by_pulling_again(
    dragoman: Cli, run_json: RunJson, damaged: Path, folder: Path, data_folder: Path
) -> None:
    (damaged / "retail" / "db.json").write_bytes(b"{}")
    cache = folder / "cache"

    done = dragoman("data", "pull", "tau2", "--from", data_folder / "tau2", cache=cache)

    assert done.returncode == 0, done.stderr
    assert run_json("run", "tau2:retail", "--agent", "gold", "--limit", 1, cache=cache)["cells"]


def test_data_damaged_after_a_run_stop_its_resume_but_not_its_reading(
    dragoman: Cli, run_json: RunJson, refused: Refused, damaged: Path, folder: Path
) -> None:
    cache = folder / "cache"
    run_json("run", "tau2:retail", "--agent", "gold", "--limit", 2, "--out", "mine", cache=cache)
    (damaged / "retail" / "db.json").write_bytes(b"{}")

    for command in (("resume", "mine"), ("score", "mine", "--judge", "rule")):
        assert "db.json" in refused(*command, cache=cache, status=1)
    assert dragoman("show", "mine", "0", cache=cache).returncode == 0
    assert dragoman("report", "mine", cache=cache).returncode == 0


# Standard output


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [("list",), ("--help",), ("check", "sample:shop"), (*RUN, "--dry-run", "--trials", "400")],
)
def test_a_reader_that_stops_reading_is_no_error_worth_a_traceback(
    folder: Path, arguments: tuple[str, ...]
) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "dragoman", *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    process.stdout.close()
    process.stdout = None

    _, errors = process.communicate(timeout=60)

    assert "Traceback" not in errors
    assert "Exception ignored" not in errors
    assert process.returncode in {0, 1}


@pytest.mark.slow
def test_standard_output_that_is_full_is_told_in_one_line(folder: Path) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-m", "dragoman", "list"],
            cwd=folder,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )

    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) == 1
