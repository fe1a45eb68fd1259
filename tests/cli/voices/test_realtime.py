"""Whole runs of agents with realtime sessions: on recorded audio, and at an endpoint that cuts off."""

import asyncio
import base64
import gzip
import json
import math
import re
import struct
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from dragoman.core.audio import Audio
from dragoman.models.chat.scripted import ScriptedCall, ScriptedReply
from dragoman.registry.suites import load_suite
from dragoman.store.audio_files import audio_path
from dragoman.store.audio_set import AudioSet
from dragoman.testing.realtime.responses import Dropped, RealtimeConfig
from dragoman.testing.realtime.server import RealtimeServer
from dragoman.testing.realtime.session import SpeechBackend, hear_recorded
from dragoman.testing.recorded_runs import answers_from_run
from dragoman.testing.scripted_answers import Rule, RuleAnswers, When

Cli = Callable[..., CompletedProcess[str]]
RunJson = Callable[..., Any]

SINGLE, TURNS = "simple_python_0", "multi_turn_base_0"
AREA = Rule(
    ScriptedReply(None, (ScriptedCall("calculate_triangle_area", {"base": 10, "height": 5}),)),
    When(contains="Find the area of a triangle with a base of 10 units"),
)
WORDS = "That is done, as far as I can."
DONE = Rule(ScriptedReply(WORDS))
MOST_ATTEMPTS = 40


def beep(text: str) -> Audio:
    """A sound as long as a text."""
    samples = (int(9_000 * math.sin(at / 7)) for at in range(80 * len(text)))
    return Audio(b"".join(struct.pack("<h", each) for each in samples), 16_000)


@pytest.fixture
def spoken(
    write_set: Callable[..., Path], pulled_bfcl: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """A set `spoken` of a question and of an entry with several turns, said in beeps."""
    for library in ("soundfile", "soxr"):
        pytest.importorskip(library, reason="FLAC and other rates need the extra voice")
    monkeypatch.setenv("XDG_CACHE_HOME", str(pulled_bfcl))
    suites = [load_suite("bfcl:simple_python"), load_suite("bfcl:multi_turn_base")]
    return write_set(folder / "spoken", suites, (SINGLE, TURNS), {"mixed": str.lower}, beep)


def utterances(shown: dict[str, Any], side: str) -> list[dict[str, Any]]:
    """Return the utterances of a side in a conversation, as `show` prints them."""
    return [
        event["reply"]["utterance"]
        for event in shown["episode"]["events"]
        if event["type"] == "move" and event["by"] == side and event["reply"]["type"] == "said"
    ]


@pytest.mark.slow
def test_the_audio_of_a_set_is_heard_and_answered_in_spoken_words(
    run_json: RunJson, dragoman: Cli, spoken: Path, folder: Path, pulled_bfcl: Path
) -> None:
    recognizer = SpeechBackend(hear=hear_recorded(AudioSet(spoken)))
    with RealtimeServer(RuleAnswers([AREA, DONE]), voice=recognizer) as server:
        agent = ("--agent", f"compatible-realtime/any?base_url={server.url}")
        options = ("--voice", "recorded", "--asr", "itself", "--out", "mine")
        result = run_json("run", "set:spoken", *agent, *options, cache=pulled_bfcl)
        assert server.log.outcomes == {"ok": 5}

    single = run_json("show", "mine", SINGLE, cache=pulled_bfcl)
    assert single["score"]["reward"]["value"] == 1, "what the server knew by its sound was called"
    turns = run_json("show", "mine", TURNS, cache=pulled_bfcl)
    heard = utterances(turns, "user")
    assert len(heard) == 4
    assert {entry["heard"] for entry in heard} == {None}
    said = utterances(turns, "agent")
    assert [entry["intended"] for entry in said] == [WORDS] * 4
    sounds = {
        name: [entry[name] for entry in entries]
        for name, entries in (("audio", heard), ("clean_audio", said))
    }
    assert [sound["seconds"] for sound in sounds["clean_audio"]] == [
        pytest.approx(1.8, abs=0.01)
    ] * 4
    for sound in (*sounds["audio"], *sounds["clean_audio"]):
        assert (folder / "mine" / audio_path(sound["sha256"])).is_file()
    replies = [event for event in turns["episode"]["events"] if event.get("by") == "agent"]
    assert all(
        0 < event["latency"]["first_word"] <= event["latency"]["seconds"] for event in replies
    )
    (used,) = turns["episode"]["usage"]
    assert used["calls"] == 4
    assert used["input_audio_tokens"] > 0
    assert used["output_audio_tokens"] == 4 * 36
    (cell,) = [cell for cell in result["cells"] if cell["suite"] == "bfcl:multi_turn_base"]
    assert cell["condition"] == "en/recorded+itself/none"

    shown = dragoman("show", "mine", TURNS, cache=pulled_bfcl).stdout
    assert "heard     the audio" in shown
    assert "of silence (first word), spoke 1.8 s" in shown
    reported = dragoman("report", "mine", cache=pulled_bfcl)
    assert reported.returncode == 0, reported.stderr
    report = (folder / "mine" / "report.html").read_text()
    block = re.search(r'id="packed">([^<]*)<', report)
    assert block is not None
    document = gzip.decompress(base64.b64decode(block[1])).decode()
    assert WORDS in document
    assert sounds["clean_audio"][0]["sha256"] in document


@pytest.mark.slow
def test_conversations_that_an_endpoint_cuts_off_are_played_again_until_all_are_whole(
    run_json: RunJson, dragoman: Cli, folder: Path
) -> None:
    run_json("run", "sample:shop", "--agent", "gold", "--out", "gold")
    answers = asyncio.run(answers_from_run(folder / "gold", "agent"))
    # Of every response but the first of its session every other attempt is cut off.
    every_other = RealtimeConfig((Dropped(1.0, after=3),), first=1, most_in_a_row=1)
    with RealtimeServer(answers, every_other) as server:
        agent = ("--agent", f"compatible-realtime/any?base_url={server.url}")
        play = ("run", "sample:shop", *agent, "--user", "gold", "--judge", "rule", "--out", "cut")
        done = dragoman(*play)
        assert done.returncode == 1, done.stderr
        assert "ended: 5 infrastructure_error" in done.stdout
        assert "the connection was cut" in done.stdout
        assert "5 conversations ended by infrastructure errors. Retry: dragoman" in done.stdout
        cell, left = {}, [5]
        while left[-1] and len(left) <= MOST_ATTEMPTS:
            done = dragoman("resume", "cut", "--json")
            (cell,) = json.loads(done.stdout.splitlines()[-1])["cells"]
            left.append(cell["infrastructure_errors"])

    assert left[-1] == 0
    assert left == sorted(left, reverse=True), "what was whole stays"
    assert cell["endings"] == {"user_stop": 5}
    assert cell["pass_hat"] == {"1": 1.0}
    assert set(cell["unscored"]) == {"NL_ASSERTION: the judge left 1 of 1 assertions undecided"}
    assert server.log.outcomes["dropped"] > 2 * 5
    assert set(server.log.outcomes) == {"ok", "dropped"}
