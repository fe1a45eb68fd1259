"""A person plays a part at the command line: through a pipe, from a file and at a terminal."""

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

pytestmark = pytest.mark.slow

Typed = Callable[..., CompletedProcess[str]]

TOO_LATE = ("run", "sample:shop", "--tasks", "too-late", "--judge", "rule")
LINES = "get_order_details order_id=#S1000005\nYour tracking number is 660017783004.\n"


@pytest.fixture
def typed(folder: Path) -> Typed:
    """Run a command with typed lines on a pipe."""

    def call(lines: str, *arguments: object) -> CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "dragoman", *map(str, arguments)],
            cwd=folder,
            env={**os.environ, "XDG_CACHE_HOME": str(folder / "no-cache"), "COLUMNS": "100"},
            input=lines,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return call


def test_a_person_plays_the_agent_to_a_score(typed: Typed) -> None:
    done = typed(LINES, *TOO_LATE, "--agent", "human", "--json")
    assert done.returncode == 0, done.stderr
    (cell,) = json.loads(done.stdout)["cells"]
    assert (cell["agent"], cell["pass_hat"]) == ("human", {"1": 1})
    assert "a person is a participant: one conversation at a time" in done.stderr
    assert "user: You want to cancel order #S1000005" in done.stderr


def test_a_person_plays_the_user(typed: Typed) -> None:
    lines = "/scenario\nI am Ines.\n/stop\n"
    done = typed(lines, *TOO_LATE, "--agent", "silent", "--user", "human", "--json")
    assert done.returncode == 0, done.stderr
    assert "agent: Hi! How can I help you today?" in done.stderr
    assert "Reason for call:" in done.stderr
    assert json.loads(done.stdout)["cells"][0]["tasks"] == 1


def test_a_run_that_a_person_quits_is_resumed_where_it_stopped(typed: Typed) -> None:
    both = ("run", "sample:shop", "--tasks", "too-late,two-swaps", "--judge", "rule")
    one = "Goodbye.\n/quit\n"
    stopped = typed(one, *both, "--agent", "human", "--out", "mine")
    assert stopped.returncode == 1
    assert "dragoman: you stopped: what was finished is stored" in stopped.stderr
    assert "Traceback" not in stopped.stderr
    done = typed("Goodbye.\n", "resume", "mine", "--json")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("A new conversation.") == 1
    assert json.loads(done.stdout)["cells"][0]["tasks"] == 2


def test_the_end_of_input_is_like_quitting(typed: Typed) -> None:
    stopped = typed("get_order_details", *TOO_LATE, "--agent", "human", "--out", "mine")
    assert stopped.returncode == 1
    assert stopped.stderr.splitlines()[-1].startswith("dragoman: you stopped")


def test_lines_may_come_from_a_file(folder: Path) -> None:
    (folder / "lines.txt").write_text(LINES)
    with (folder / "lines.txt").open() as lines:
        done = subprocess.run(
            [sys.executable, "-m", "dragoman", *TOO_LATE, "--agent", "human"],
            cwd=folder,
            stdin=lines,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    assert done.returncode == 0, done.stderr


def test_a_line_that_nobody_types_ends_the_run(typed: Typed) -> None:
    stopped = typed("x" * 100_000, *TOO_LATE, "--agent", "human", "--out", "mine")
    assert stopped.returncode == 1
    assert "a line of more than 65536 bytes" in stopped.stderr


def test_what_data_say_cannot_steer_the_terminal(typed: Typed, folder: Path) -> None:
    (folder / "evil.py").write_text(
        "def agent(messages, tools):\n    return 'Look: \\x1b[2J\\u202e here'\n"
    )
    done = typed("/stop\n/stop\n", *TOO_LATE, "--agent", "evil:agent", "--user", "human")
    said = typed("Hi.\n/stop\n", *TOO_LATE, "--agent", "evil:agent", "--user", "human")
    assert done.returncode == said.returncode == 0, said.stderr
    assert "Look: \\x1b[2J\\u202e here" in said.stderr
    assert "\x1b" not in said.stderr


def test_a_person_at_a_terminal_sees_prompts_and_is_understood(folder: Path) -> None:
    controller, terminal = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "dragoman", *TOO_LATE, "--agent", "human", "--json"],
        cwd=folder,
        stdin=terminal,
        stdout=subprocess.PIPE,
        stderr=terminal,
    ) as process:
        os.close(terminal)
        os.write(controller, LINES.encode())
        seen = read_all(controller)
        assert process.stdout is not None
        printed = process.stdout.read()
        assert process.wait(60) == 0, seen
    os.close(controller)
    assert json.loads(printed)["cells"][0]["pass_hat"] == {"1": 1}
    assert "agent> " in seen
    assert "result of get_order_details:" in seen


def read_all(controller: int) -> str:
    """Return everything that a program wrote to its terminal."""
    seen = b""
    while True:
        try:
            chunk = os.read(controller, 4096)
        except OSError:  # Linux reports this if the other end is closed
            break
        if not chunk:
            break
        seen += chunk
    return seen.decode("utf-8", "replace")


def test_a_person_is_not_to_be_had_without_a_terminal(folder: Path) -> None:
    (folder / "by_code.py").write_text(
        "import dragoman\n"
        "from dragoman.core.errors import UsageError\n"
        "try:\n    dragoman.run('sample:shop', 'human')\n"
        "except UsageError as error:\n    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "by_code.py"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.stdout == (
        "human: a person plays at a terminal only: `dragoman run SUITE --agent human`\n"
    )
