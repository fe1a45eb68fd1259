"""Ctrl-C while conversations are played: one line that says how far it came."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.chaos.interrupting import TIME_LIMIT, interruptible

pytestmark = pytest.mark.chaos

STOPS_AT_THE_THIRD = """
import os, signal
begun = []
def agent(messages, tools):
    begun.extend([1] if [each["role"] for each in messages].count("user") == 1 else [])
    if len(begun) == 3:
        os.kill(os.getpid(), signal.SIGINT)
    return "No."
"""


def test_a_run_that_is_stopped_says_how_much_of_it_is_done_and_how_the_rest_is_played(
    folder: Path, environment: dict[str, str]
) -> None:
    (folder / "own.py").write_text(STOPS_AT_THE_THIRD)
    shop = ("run", "sample:shop", "--agent", "own:agent", "--trials", "2", "--concurrency", "1")

    reported = [
        _last_words(arguments, folder, environment)
        for arguments in ((*shop, "--limit", "5", "--out", "mine"), ("resume", "mine"))
    ]

    assert reported == [
        f"dragoman: stopped; {done} of 10 conversations finished and stored; "
        f"resume the other {left} with: dragoman resume mine"
        for done, left in ((2, 8), (4, 6))
    ]


def test_playing_invalid_ones_again_is_gone_on_with_as_it_was_begun(
    folder: Path, environment: dict[str, str]
) -> None:
    (folder / "own.py").write_text(STOPS_AT_THE_THIRD)
    shop = ("run", "sample:shop", "--agent", "own:agent", "--trials", "2", "--concurrency", "1")
    _last_words((*shop, "--limit", "5", "--out", "mine"), folder, environment)

    reported = _last_words(("resume", "mine", "--retry-invalid"), folder, environment)

    assert reported.endswith("resume the other 6 with: dragoman resume mine --retry-invalid")


def _last_words(arguments: Sequence[str], folder: Path, environment: dict[str, str]) -> str:
    with interruptible(arguments, folder, environment) as process:
        _, errors = process.communicate(timeout=TIME_LIMIT)
    assert process.returncode == 130, errors
    return errors.splitlines()[-1]
