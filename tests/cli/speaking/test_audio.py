"""`dragoman speak` with audio: the voices, the recognizers, and resumption."""

import json
import os
import re
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from dragoman.core.audio import Audio
from dragoman.store.audio_set import AudioSet
from dragoman.testing.speech.requests import Listen, ProviderRefused, SpeakRequest
from dragoman.testing.speech.server import CodedSpeaker, SpeechServer

Cli = Callable[..., CompletedProcess[str]]
Refused = Callable[..., str]
RunJson = Callable[..., Any]

SPEAK = ("speak", "courier", "--out", "set")
# Carries the code of the test server's voice as it is.
PERFECT_LINE = "studio-without-resample"


class Stumbling:
    """A speaker and recognizer in code that counts its calls.

    It refuses chosen words, or interrupts at them, as long as a test says so.
    """

    def __init__(self) -> None:
        self.refused = self.interrupted = ""
        self.spoken = self.heard = 0

    def speak(self, asked: SpeakRequest) -> Audio:
        if self.refused and self.refused in asked.text:
            raise ProviderRefused("no such words")
        if self.interrupted and self.interrupted in asked.text:
            os.kill(os.getpid(), signal.SIGINT)
        self.spoken += 1
        return CodedSpeaker().speak(asked)

    def listen(self, asked: Listen) -> str:
        self.heard += 1
        return CodedSpeaker().listen(asked)


@pytest.fixture
def speaker() -> Stumbling:
    return Stumbling()


@pytest.fixture
def provider(speaker: Stumbling, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, ...]]:
    """Options by which a provider speaks and listens."""
    monkeypatch.setenv("OPENAI_API_KEY", "key-for-tests")
    with SpeechServer(speaker) as server:
        address = f"base_url={server.url('openai')}"
        yield (
            *("--line", PERFECT_LINE),
            *("--tts", f"openai/alloy?model=tts-1&{address},openai/echo?model=tts-1&{address}"),
            *("--asr", f"openai/whisper-1?{address}"),
        )


def content(folder: Path) -> dict[str, bytes]:
    """Return all files of a set."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def timeless(folder: Path) -> dict[str, object]:
    """Return all files of a set without how long calls took."""
    clocks = re.compile(rb'("model":.*?"seconds": ?)[0-9.e-]+', re.DOTALL)
    return {
        name: clocks.sub(rb"\1", data) if name.endswith((".json", ".jsonl")) else data
        for name, data in content(folder).items()
    }


@pytest.mark.slow
def test_a_set_holds_audio_and_what_recognizers_heard_of_it(
    run_json: RunJson, folder: Path, provider: tuple[str, ...], speaker: Stumbling
) -> None:
    *options, recognizer = provider
    card = run_json(*SPEAK, *options, f"{recognizer},simulated:15")
    counts = card["categories"]["courier"]
    assert counts["messages"] == 33
    assert card["sounds"] == speaker.spoken == speaker.heard == 33
    assert counts["speech"]["seconds"] == card["seconds"] > 0
    assert sum(counts["speech"]["voices"].values()) == 33
    assert len(counts["speech"]["voices"]) == 2

    perfect, simulated = counts["speech"]["recognizers"].values()
    assert perfect["word_error_rate"] == 0
    assert 0.05 < simulated["word_error_rate"] < 0.3
    assert perfect["words"] == simulated["words"] > 300
    assert perfect["lost"] == counts["speech"]["unsaid"]
    for heard in (perfect, simulated):
        assert sum(heard["heard"].values()) + heard["lost"] == heard["values"] == counts["values"]
        assert sum(heard["lost_by_kind"].values()) == heard["lost"]
    assert simulated["lost"] > perfect["lost"]
    calls = {each["purpose"]: each["calls"] for each in card["usage"]}
    assert calls == {"synthesis": 33, "recognition": 33}

    recordings = AudioSet(folder / "set")
    assert recordings.digest == card["recorded"]
    (message,) = recordings.of("saturday-morning")
    assert message.audio is not None
    assert recordings.sound(message.audio).seconds == message.audio.seconds
    assert message.heard[recognizer].words == message.said
    assert message.whitelist == {"day": "Saturday morning"}
    assert [stage.name for stage in message.stages] == ["synthesis"]
    found = run_json("speak", "--verify", "set")
    assert found == {"set": "set", "problems": [], "unchecked": []}


def test_the_same_command_changes_nothing_in_a_set_that_is_whole(
    run_json: RunJson, folder: Path, provider: tuple[str, ...], speaker: Stumbling
) -> None:
    run_json(*SPEAK, *provider)
    before, asked = content(folder / "set"), speaker.spoken
    run_json(*SPEAK, *provider)
    assert content(folder / "set") == before
    assert speaker.spoken == asked


@pytest.mark.speech
@pytest.mark.slow
def test_what_was_torn_is_made_again_to_the_same_bytes(run_json: RunJson, folder: Path) -> None:
    command = (
        "speak",
        "courier:easy",
        "--out",
        "set",
        "--tts",
        "us,british",
        "--asr",
        "simulated:15",
    )
    made = folder / "set"
    run_json(*command)
    whole = content(made)
    sound = min(name for name in whole if name.endswith(".flac"))
    heard = "transcripts/simulated-15-2fea7ade.jsonl"
    for name in ("texts.jsonl", "speech.jsonl", heard, sound):
        (made / name).write_bytes(whole[name][: len(whole[name]) // 2])
    (made / "card.json").unlink()
    run_json(*command)
    assert content(made) == whole

    (made / sound).rename(made / "audio" / f"{'0' * 64}.flac")
    (made / heard).unlink()
    run_json(*command)
    assert content(made) == whole


@pytest.mark.nightly
def test_an_engine_that_breaks_ends_the_making_and_the_same_command_goes_on(
    run_json: RunJson,
    refused: Refused,
    folder: Path,
    provider: tuple[str, ...],
    speaker: Stumbling,
) -> None:
    speaker.refused = "neighbour"  # late enough that both voices have answered
    line = refused(*SPEAK, *provider, status=1)
    assert "helpful-neighbour/0.0: " in line
    assert "no such words" in line
    assert "the results so far are in set/speech.jsonl: repeat the command to continue" in line
    kept = (folder / "set" / "speech.jsonl").read_bytes()
    assert 8 < kept.count(b"\n") <= 16
    before = speaker.spoken

    speaker.refused = ""
    card = run_json(*SPEAK, *provider)
    assert (folder / "set" / "speech.jsonl").read_bytes().startswith(kept)
    assert card["sounds"] == speaker.spoken == 33
    assert before > 1
    assert run_json("speak", "--verify", "set")["problems"] == []


@pytest.mark.slow
def test_two_workers_make_the_set_that_one_process_makes(
    run_json: RunJson, folder: Path, provider: tuple[str, ...], speaker: Stumbling
) -> None:
    *options, recognizer = provider
    words = (*options, f"{recognizer},simulated:15", "--sample", 9)
    run_json("speak", "courier", "--out", "here", *words)
    assert run_json("speak", "courier", "--out", "there", *words, "--workers", 2)["sounds"] == 9
    assert timeless(folder / "there") == timeless(folder / "here")
    assert speaker.spoken == speaker.heard == 18


@pytest.mark.slow
def test_an_engine_that_breaks_in_a_worker_is_told_as_one_of_the_command(
    dragoman: Cli, provider: tuple[str, ...], speaker: Stumbling
) -> None:
    speaker.refused = "neighbour"  # late enough that both voices have answered
    done = dragoman(*SPEAK, *provider, "--workers", 2, "--concurrency", 1)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith("dragoman: ")
    assert "helpful-neighbour/0.0: " in line
    assert "no such words" in line
    assert "the results so far are in set/speech.jsonl: repeat the command to continue" in line


@pytest.mark.slow
def test_a_budget_counts_what_workers_spend(
    run_json: RunJson, dragoman: Cli, folder: Path, provider: tuple[str, ...], speaker: Stumbling
) -> None:
    spread = (*SPEAK, *provider, "--workers", 2)
    stopped = dragoman(*spread, "--concurrency", "1", "--max-cost", "0.001 USD")
    assert stopped.returncode == 1
    assert "the same command continues" in stopped.stderr
    before = (folder / "set" / "speech.jsonl").read_bytes()
    assert 0 < before.count(b"\n") < 33
    run_json(*spread)
    assert (folder / "set" / "speech.jsonl").read_bytes().startswith(before)
    assert speaker.spoken == 33


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Enable Ctrl-C as in a terminal: a process in the background ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_whoever_interrupts_the_making_is_told_how_to_go_on(
    run_json: RunJson, dragoman: Cli, folder: Path, provider: tuple[str, ...], speaker: Stumbling
) -> None:
    speaker.interrupted = "flat"
    stopped = dragoman(*SPEAK, *provider, "--concurrency", "1")
    assert stopped.returncode == 130
    assert (
        stopped.stderr
        == "dragoman: stopped; results so far are in set: the same command continues\n"
    )
    kept = (folder / "set" / "speech.jsonl").read_bytes()
    assert kept.count(b"\n") == 2

    speaker.interrupted = ""
    run_json(*SPEAK, *provider)
    assert (folder / "set" / "speech.jsonl").read_bytes().startswith(kept)


def test_a_spent_budget_ends_the_making_and_the_same_command_goes_on(
    run_json: RunJson,
    dragoman: Cli,
    folder: Path,
    provider: tuple[str, ...],
    speaker: Stumbling,
) -> None:
    stopped = dragoman(*SPEAK, *provider, "--concurrency", "1", "--max-cost", "0.001 USD")
    assert stopped.returncode == 1
    assert "the same command continues" in stopped.stderr
    before = (folder / "set" / "speech.jsonl").read_bytes()
    assert 0 < before.count(b"\n") < 33
    run_json(*SPEAK, *provider)
    assert (folder / "set" / "speech.jsonl").read_bytes().startswith(before)
    assert speaker.spoken == 33


@pytest.mark.slow
def test_texts_are_given_audio_later_and_audio_more_recognizers(
    run_json: RunJson, refused: Refused, folder: Path, provider: tuple[str, ...], speaker: Stumbling
) -> None:
    *options, recognizer = provider
    run_json(*SPEAK, "--texts-only")
    run_json(*SPEAK, *options, recognizer)
    spoken = (folder / "set" / "speech.jsonl").read_bytes()
    card = run_json(*SPEAK, *options, f"simulated:5,{recognizer}")
    assert (folder / "set" / "speech.jsonl").read_bytes() == spoken
    assert list(card["categories"]["courier"]["speech"]["recognizers"]) == [
        "simulated:5",
        recognizer,
    ]
    assert speaker.heard == 33

    assert "a set with another asr" in refused(*SPEAK, *options, recognizer, status=2)
    assert "a set with another line" in refused(
        *SPEAK, *options, recognizer, "--line", "studio", status=2
    )
    assert "a set with another" in refused(*SPEAK, "--texts-only", status=2)
    assert run_json("speak", "--verify", "set")["problems"] == []


@pytest.mark.slow
def test_where_only_words_are_misrecognized_nobody_speaks(run_json: RunJson, folder: Path) -> None:
    card = run_json(*SPEAK, "--asr", "simulated:15,simulated:0")
    speech = card["categories"]["courier"]["speech"]
    assert (card["sounds"], speech["seconds"], speech["voices"]) == (0, 0, {})
    assert speech["recognizers"]["simulated:0"]["word_error_rate"] == 0
    assert not (folder / "set" / "audio").exists()
    (message,) = AudioSet(folder / "set").of("saturday-morning")
    assert message.audio is None
    assert run_json("speak", "--verify", "set")["problems"] == []


@pytest.mark.slow
def test_the_table_tells_what_was_heard(dragoman: Cli) -> None:
    printed = dragoman(*SPEAK, "--asr", "simulated:15", COLUMNS="140").stdout
    assert "0 sounds of 0 seconds" in printed
    assert "WER" in printed
    assert "simulated:15" in printed
    assert "misrecognized by kind" in printed


def changed(path: Path, place: int, **fields: object) -> None:
    """Change a line of a file."""
    lines = path.read_bytes().splitlines(keepends=True)
    line = json.loads(lines[place]) | fields
    lines[place] = json.dumps(line, separators=(",", ":")).encode() + b"\n"
    path.write_bytes(b"".join(lines))


@pytest.mark.nightly
def test_a_set_whose_audio_or_transcripts_were_changed_is_found_out(
    run_json: RunJson, folder: Path, provider: tuple[str, ...]
) -> None:
    run_json(*SPEAK, *provider)
    made = folder / "set"
    (heard,) = (made / "transcripts").iterdir()
    changed(heard, 0, text="something else")
    changed(heard, 1, source="0" * 64)
    changed(made / "speech.jsonl", 2, said="other words")
    first, second, *_ = sorted((made / "audio").rglob("*.flac"))
    first.write_bytes(second.read_bytes())
    second.unlink()
    (made / "audio" / "notes.txt").touch()

    (name,) = run_json(*("speak", "--verify", "set"), status=1)["problems"][:1]
    problems = run_json("speak", "--verify", "set", status=1)["problems"]
    assert problems[0] == name
    for expected in (
        "where-is-my-parcel/0.0: what openai/whisper-1",
        "saturday-morning/0.0: openai/whisper-1",
        "the voice was given other words than it was to say",
        "another sound than its name says",
        f"{second.name}: cannot be read",
        "notes.txt belongs to no message",
        "its card does not tell what is in it",
    ):
        assert any(expected in problem for problem in problems), (expected, problems)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--asr", "ears"), "unknown recognizer 'ears'"),
        (("--asr", "understood"), "--asr understood: nobody who hears audio"),
        (("--asr", "itself"), "--asr itself: nobody who hears audio"),
        (("--asr", "simulated:x"), "write a word error rate in percent"),
        (("--asr", "mixed,mixed"), "mixed is named twice"),
        (("--tts", "mumble"), "no embedded voice 'mumble'"),
        (("--tts", "us,vi"), "--speaker vi: does not speak en"),
        (("--line", "walkie"), "no line is named 'walkie'"),
        (("--tts", "openai/alloy"), "model=MODEL"),
        (("--texts-only", "--asr", "mixed"), "--asr: no audio is made with --texts-only"),
        (("--texts-only", "--workers", 2), "--workers: no audio is made with --texts-only"),
        (("--workers", 0), "--workers 0: at least 1"),
    ],
)
def test_who_cannot_speak_or_hear_is_one_line_and_begins_no_set(
    refused: Refused, folder: Path, options: tuple[object, ...], why: str
) -> None:
    assert why in refused(*SPEAK, *options, status=2)
    assert not (folder / "set").exists()


def test_without_the_extra_nobody_speaks_and_no_set_is_begun(
    refused: Refused, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "soundfile", None)
    assert "pip install 'dragoman[voice]'" in refused(*SPEAK, status=2)
    assert not (folder / "set").exists()
