"""A run that is killed while it waits for a batch goes on with that batch."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dragoman.models.chat.scripted import ScriptedReply
from dragoman.store.run_store import open_run
from dragoman.testing.fault_injection import BatchFaults
from dragoman.testing.scripted_answers import Rule, RuleAnswers
from dragoman.testing.server import ModelServer
from dragoman.testing.server_config import ServerConfig

pytestmark = pytest.mark.nightly

TIME_LIMIT = 60
KILLS = 3


def outcomes(folder: Path) -> dict[str, Any]:
    """Return by task and trial how each conversation went, without raw bodies, times and usage."""
    with open_run(folder, write=False) as store:
        names = {cell.key: f"{cell.task} {cell.trial}" for cell in store.cells()}
        return {
            names[key]: msgspec.to_builtins((episode.ending, episode.steps, episode.errors))
            for key, _, episode in store.episodes()
        }


def test_a_run_killed_while_it_waits_ends_as_an_unbroken_one_and_no_request_is_submitted_twice(
    tmp_path: Path, command: Callable[..., list[str]]
) -> None:
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    answers = RuleAnswers([Rule(ScriptedReply("Shall I do anything else?"))])

    def started(*arguments: object) -> subprocess.Popen[bytes]:
        quiet = subprocess.DEVNULL
        return subprocess.Popen(
            command(*arguments), cwd=tmp_path, env=environment, stdout=quiet, stderr=quiet
        )

    def asked(server: ModelServer) -> tuple[object, ...]:
        agent = f"compatible/any?base_url={server.url}"
        limits = ("--trials", 2, "--max-steps", 9)
        return ("run", "sample:shop", "--agent", agent, *limits, "--batch", f"{server.origin}=0.3")

    with ModelServer(answers) as server:
        assert started(*asked(server), "--out", "whole").wait(TIME_LIMIT) == 0

    with ModelServer(answers, ServerConfig(batches=BatchFaults(seconds=2))) as server:
        process = started(*asked(server), "--out", "killed")
        for _ in range(KILLS):
            before, until = server.log.completed, time.monotonic() + TIME_LIMIT
            while server.log.completed == before and process.poll() is None:
                assert time.monotonic() < until, "no batch was submitted"
                time.sleep(0.01)
            process.send_signal(signal.SIGKILL)
            assert process.wait(TIME_LIMIT) == -signal.SIGKILL
            process = started("resume", "killed")
        assert process.wait(2 * TIME_LIMIT) == 0
        submitted = server.log.contents

    assert outcomes(tmp_path / "killed") == outcomes(tmp_path / "whole") != {}
    assert {sum(each.values()) for each in submitted.values()} == {1}
