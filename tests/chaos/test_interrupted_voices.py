"""Ctrl-C while embedded engines speak and listen: one line, at any moment."""

import signal
import subprocess
from pathlib import Path

import pytest
from tests.chaos.interrupting import TIME_LIMIT, interruptible
from tests.conftest import without_progress

pytestmark = [pytest.mark.chaos, pytest.mark.nightly]

COMMANDS = {
    "run": ("run", "courier", "--agent", "gold", "--voice", "studio", "--out", "spoken"),
    "demo": ("demo", "--out", "spoken"),
    "speak": ("speak", "courier", "--asr", "mixed", "--out", "spoken"),
    "speak with workers": ("speak", "courier", "--workers", "2", "--out", "spoken"),
}


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("seconds", [1.5, 2.5, 4, 6])
def test_a_command_that_speaks_is_stopped_in_one_line(
    name: str, seconds: float, folder: Path, environment: dict[str, str]
) -> None:
    pytest.importorskip("pocketsphinx", reason="hearing needs the extra voice")
    with interruptible(COMMANDS[name], folder, environment) as process:
        try:
            process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=TIME_LIMIT)

    # On a busy machine the command may still be loading: it then ends by the signal itself, which a
    # shell shows as 130 too.
    assert process.returncode in {130, -signal.SIGINT}, errors
    assert "Traceback" not in errors
    reported = [line for line in without_progress(errors) if not line.startswith("conversations:")]
    assert all(line.startswith("dragoman: stopped") for line in reported), errors
    assert len(reported) <= 1
