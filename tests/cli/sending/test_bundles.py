"""`dragoman bundle` and `dragoman unbundle`: their messages, and their target folders."""

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

Cli = Callable[..., CompletedProcess[str]]


def test_a_run_is_sent_and_received_by_two_commands(dragoman: Cli, folder: Path) -> None:
    played = dragoman("run", "sample:shop", "--agent", "gold", "--limit", 1, "--out", "mine")
    assert played.returncode == 0

    sent = dragoman("bundle", "mine")
    assert sent.returncode == 0
    assert (folder / "mine.zip").is_file()
    assert sent.stdout.startswith("mine.zip: ")
    assert "with 0 sounds" in sent.stdout
    assert sent.stderr == ""

    got = dragoman("unbundle", "mine.zip", "--out", "theirs")
    assert got.stdout.startswith("run: theirs, with 0 sounds; made by Dragoman ")
    assert "dragoman report theirs" in got.stderr
    assert dragoman("show", "theirs").returncode == 0

    again = dragoman("unbundle", "mine.zip")
    assert again.returncode == 2
    assert again.stderr == "dragoman: mine is there already and not empty: choose another --out\n"


def test_who_gets_a_bundle_is_told_what_it_names(dragoman: Cli, folder: Path) -> None:
    (folder / "own.py").write_text("def agent(messages, tools):\n    return 'No.'\n", "utf-8")
    dragoman("run", "sample:shop", "--agent", "own:agent", "--limit", 1, "--out", "mine")
    sent = dragoman("bundle", "mine", "--out", "deep/sent.zip")
    assert (folder / "deep" / "sent.zip").is_file()
    assert "visible to recipients of the bundle: runs code, own:agent" in sent.stderr


def test_a_bundle_that_is_not_there_is_one_line(dragoman: Cli) -> None:
    done = dragoman("unbundle", "nowhere")
    assert done.returncode == 2
    assert (
        done.stderr
        == "dragoman: nowhere: no such file: name a bundle that `dragoman bundle` wrote\n"
    )
