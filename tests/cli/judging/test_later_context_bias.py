"""Later-context bias of a judge: verdicts from the history, and from the whole."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from dragoman.testing.chat_requests import ChatBody
from dragoman.testing.responses import CannedReply
from dragoman.testing.server import ModelServer

Cli = Callable[..., CompletedProcess[str]]

BEFORE = """
over = "agent replies"

[[question]]
name = "polite"
type = "boolean"
text = "Is it polite?"
"""
WHOLE = 'like = "polite@1"\nshows = "whole"\n'
TURNS = re.compile(r"Judge the turns ([\d, ]+), each")


class Judge:
    """Finds every reply polite; shown the whole conversation, not the first one."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, request: ChatBody) -> CannedReply:
        text = request.messages[-1].text
        self.asked.append(text)
        polite: dict[str, Any] = {"id": "polite", "value": True, "why": "so"}
        named = TURNS.search(text)
        if named is None:
            return CannedReply(json.dumps({"answers": [polite]}))
        turns = [int(turn) for turn in named[1].split(", ")]
        answers = [{**polite, "turn": turn, "value": turn != turns[0]} for turn in turns]
        return CannedReply(json.dumps({"answers": answers}))


@pytest.fixture
def judge() -> Judge:
    return Judge()


@pytest.fixture
def server(judge: Judge) -> Iterator[str]:
    with ModelServer(judge) as running:
        yield running.url


@pytest.fixture
def cli(folder: Path, in_process: Cli) -> Cli:
    """Run a command in a folder with a rubric in two versions and a run of two conversations."""
    (folder / "polite@1.md").write_text("Look at every reply.")
    (folder / "polite@1.toml").write_text(BEFORE)
    (folder / "polite@1.whole.md").write_text("")
    (folder / "polite@1.whole.toml").write_text(WHOLE)
    options = ("--agent", "gold", "--tasks", "two-swaps,larger-jacket", "--out", "mine")
    done = in_process("run", "sample:shop", *options, cwd=folder)
    assert done.returncode == 0, done.stderr
    return lambda *words: in_process(*words, cwd=folder)


def test_labels_that_later_evidence_changed_are_counted_and_listed(
    cli: Cli, judge: Judge, server: str
) -> None:
    model = ("--judge", f"compatible/m?base_url={server}")
    scored = cli("score", "mine", "--rubric", "polite@1.toml", *model)
    assert scored.returncode == 0, scored.stderr
    replies = len(judge.asked)
    assert json.loads(cli("judge-check", "mine", "--json").stdout)["hindsight"] == []
    scored = cli("score", "mine", "--rubric", "polite@1.whole.toml", *model)
    assert scored.returncode == 0, scored.stderr
    assert len(judge.asked) == replies + 2, "a conversation is one call"

    checked = cli("judge-check", "mine", "--json")
    assert checked.returncode == 0, checked.stderr
    (found,) = json.loads(checked.stdout)["hindsight"]
    assert found["question"] == "polite"
    assert found["differ"]["items"] == replies
    assert found["differ"]["value"] == pytest.approx(2 / replies)
    assert [entry[1:] for entry in found["changed"]] == [[1, 0], [1, 0]]
    assert found["whole"]["judge"].startswith("turns-1:")
    shown = cli("judge-check", "mine").stdout
    assert "later-context bias" in shown
    assert shown.count("changed: polite, event") == 2
    assert "dragoman show mine larger-jacket --trial 0 --agent gold" in shown
