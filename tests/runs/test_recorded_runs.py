"""Runs on an audio set: recorded messages are played, others are spoken live.

The location of the set does not matter.
"""

import asyncio
import math
import shutil
import struct
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

import dragoman
from dragoman.composition.setup import build_setup
from dragoman.config.run_config import RunConfig
from dragoman.core.audio import Audio, AudioStore, read_wav
from dragoman.core.episodes import Episode, Message
from dragoman.core.errors import UsageError
from dragoman.core.protocols import SessionInput, SessionReply, SessionStart
from dragoman.core.replies import (
    NORMALIZED,
    NORMALIZER_SETTING,
    ORACLE_ENGINE,
    UNRECORDED_NORMALIZER,
    WORDS,
    TextReply,
    Utterance,
    text_reply,
)
from dragoman.core.tools import Toolset
from dragoman.registry.suites import load_suite
from dragoman.runs.executor import execute, pending_cells
from dragoman.runs.jobs import resume_job
from dragoman.runs.manifest import read_manifest
from dragoman.runs.plan import plan_cells
from dragoman.runs.runner import play, start
from dragoman.store.run_store import open_run

WriteSet = Callable[..., Path]
SINGLE, TURNS = "simple_python_0", "multi_turn_base_0"
HEARD: dict[str, Callable[[str], str]] = {
    "mixed": lambda text: text.replace("base", "bass").lower(),
    "deepgram/nova-3": lambda text: text,
    "simulated:15": lambda text: text.replace("triangle", "try angle"),
}


def beep(text: str) -> Audio:
    """A sound as long as a text, and as high."""
    step = 5 + len(text) % 7
    samples = (int(9_000 * math.sin(at / step)) for at in range(80 * len(text)))
    return Audio(b"".join(struct.pack("<h", each) for each in samples), 16_000)


@pytest.fixture
def recorded(
    write_set: WriteSet, pulled_bfcl: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """A set of a question and of an entry with several turns, spoken in beeps."""
    pytest.importorskip("soundfile", reason="FLAC needs the extra voice")
    monkeypatch.setenv("XDG_CACHE_HOME", str(pulled_bfcl))
    suites = [load_suite("bfcl:simple_python"), load_suite("bfcl:multi_turn_base")]
    return write_set(tmp_path / "set", suites, (SINGLE, TURNS), HEARD, beep)


def played(folder: Path) -> dict[tuple[str, str], Episode]:
    """The conversations of a run by condition and task."""
    with open_run(folder, write=False) as store:
        places = {cell.key: (cell.condition.label, cell.task) for cell in store.cells()}
        return {places[key]: episode for key, _, episode in store.episodes()}


def said(episode: Episode, side: str = "user") -> list[Utterance]:
    return [
        event.reply.utterance
        for event in episode.events
        if isinstance(event, Message) and event.by == side and isinstance(event.reply, TextReply)
    ]


def test_a_set_is_played_as_text_and_as_each_of_its_recognizers_heard_it(
    recorded: Path, tmp_path: Path
) -> None:
    result = dragoman.run(f"set:{recorded}", agent="gold", out=tmp_path / "run")

    assert set(result.cells["condition"].to_list()) == {
        "en/text/none",
        "en/recorded/none",
        "en/recorded+deepgram/nova-3/none",
        "en/recorded+simulated:15/none",
    }
    assert set(result.cells["suite"].to_list()) == {"bfcl:simple_python", "bfcl:multi_turn_base"}
    assert result.episodes["reward"].to_list() == [1.0] * 8
    conversations = played(tmp_path / "run")
    (typed,) = said(conversations["en/text/none", SINGLE])
    assert typed == Utterance(typed.intended)
    (heard,) = said(conversations["en/recorded/none", SINGLE])
    text = typed.intended
    assert (heard.intended, heard.spoken, heard.heard) == (text, f"um {text}", HEARD["mixed"](text))
    assert heard.audio == beep(text).reference()
    assert [stage.engine for stage in heard.stages] == ["espeak-ng:us", "mixed"]
    assert heard.stages[-1].settings == {
        WORDS: HEARD["mixed"](text),
        NORMALIZED: HEARD["mixed"](text),
        NORMALIZER_SETTING: UNRECORDED_NORMALIZER,
    }
    (misrecognized,) = said(conversations["en/recorded+simulated:15/none", SINGLE])
    assert (misrecognized.heard, misrecognized.audio) == (
        text.replace("triangle", "try angle"),
        None,
    )
    turns = said(conversations["en/recorded/none", TURNS])
    assert [each.spoken for each in turns] == [f"um {each.intended}" for each in turns]
    assert len(turns) == 4


def test_words_are_counted_as_in_live_conversations(recorded: Path, tmp_path: Path) -> None:
    result = dragoman.run(f"set:{recorded}", agent="gold", task=SINGLE, out=tmp_path / "run")

    (text,) = load_suite("bfcl:simple_python").tasks[0].turns[0].messages
    frame = result.measures
    rows = {
        (row["condition"], row["figure"]): row["value"]
        for row in frame.filter(frame["measure"] == "hearing").to_dicts()
    }
    # Its two digits are two units; the `um` that voices said is a filler, which does not count.
    words = len(text.split()) + 1
    assert rows["en/recorded/none", "word errors"] == pytest.approx(1 / words)
    assert rows["en/recorded+deepgram/nova-3/none", "word errors"] == 0
    assert rows["en/recorded+simulated:15/none", "word errors"] == pytest.approx(2 / words)
    assert rows["en/recorded+deepgram/nova-3/none", "values heard"] == 1


@pytest.mark.nightly
def test_a_run_keeps_the_audio_that_it_heard_when_the_set_is_gone(
    recorded: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    dragoman.run(f"set:{recorded}", agent=["gold", "literal"], asr=["mixed"], out=run)
    shutil.rmtree(recorded)

    heard = {
        utterance.audio
        for (condition, _), episode in played(run).items()
        for utterance in said(episode)
        if condition == "en/recorded/none"
    }
    assert len(heard) == 5
    files = sorted((run / "audio").rglob("*.wav"))
    assert {read_wav(each.read_bytes(), "").reference() for each in files} == heard
    with open_run(run, write=False) as store:
        record = read_manifest(store).voices["en/recorded/none"]
    assert (record["line"], record["speakers"], record["recognizer"]) == ("studio", ["us"], "mixed")


class Listening:
    """An agent that keeps all audio that it gets."""

    name = "listening"
    hears_audio = True

    def __init__(self) -> None:
        self.heard: list[tuple[str | None, Audio]] = []

    async def open(self, opening: SessionStart) -> "ListeningSession":
        return ListeningSession(self, opening.sounds)


class ListeningSession:
    def __init__(self, agent: Listening, sounds: AudioStore) -> None:
        self._agent = agent
        self._sounds = sounds

    async def reply(self, heard: Sequence[SessionInput], tools: Toolset) -> SessionReply:  # noqa: ARG002 - it calls nothing
        for part in heard:
            if isinstance(part, TextReply) and part.utterance.audio is not None:
                sound = self._sounds.sound(part.utterance.audio)
                self._agent.heard.append((part.utterance.received, sound))
        return SessionReply(text_reply("I am afraid I cannot help you with that."))

    async def close(self) -> None:
        pass


def test_an_agent_that_hears_is_given_what_was_recorded(recorded: Path, tmp_path: Path) -> None:
    agent = Listening()
    options: dict[str, Any] = {
        "voice": "recorded",
        "asr": ["itself", ORACLE_ENGINE],
        "task": SINGLE,
    }
    dragoman.run(f"set:{recorded}", agent=agent, out=tmp_path / "run", **options)

    (text,) = load_suite("bfcl:simple_python").tasks[0].turns[0].messages
    assert sorted(agent.heard, key=str) == [(text, beep(text)), (None, beep(text))]


def changed(suite: str, fields: Mapping[str, object]) -> RunConfig:
    return msgspec.structs.replace(RunConfig(suite, ("gold",)), **fields)


def keys(folder: Path, **fields: object) -> dict[tuple[str, str], str]:
    setup = build_setup(changed(f"set:{folder}", fields))
    return {(cell.condition.label, cell.task.id): cell.key for cell in plan_cells(setup)}


@pytest.mark.nightly
def test_where_a_set_lies_is_no_part_of_any_key(recorded: Path, tmp_path: Path) -> None:
    lines = ("text", "recorded", "telephone")
    before = keys(recorded, voices=lines)
    moved = recorded.rename(tmp_path / "moved")
    assert keys(moved, voices=lines) == before
    assert len(set(before.values())) == len(before) == 10

    transcripts = moved / "transcripts" / "mixed.jsonl"
    transcripts.write_bytes(transcripts.read_bytes().replace(b"final", b"fine L"))
    assert set(keys(moved).values()).isdisjoint(before.values())


def stored(folder: Path) -> dict[str, Episode]:
    """Return the conversations by cell, without the differences between runs."""
    with open_run(folder, write=False) as store:
        return {
            key: msgspec.structs.replace(episode, started=0.0, seconds=0.0)
            for key, _, episode in store.episodes()
        }


def test_a_run_that_was_stopped_and_whose_set_was_moved_ends_as_one_that_was_not(
    recorded: Path, tmp_path: Path
) -> None:
    config = RunConfig(f"set:{recorded}", ("literal",), clarify=("rule",), concurrency=1)
    whole = play(start(build_setup(config), tmp_path / "whole"), lambda *_: None).folder
    broken = start(build_setup(config), tmp_path / "broken")
    with broken.store as store:
        some = pending_cells(broken.cells, store)[::3]
        asyncio.run(execute(broken.setup, some, store, lambda *_: None))
    moved = recorded.rename(tmp_path / "moved")
    folder = play(
        resume_job(tmp_path / "broken", {"suite": f"set:{moved}"}), lambda *_: None
    ).folder

    assert stored(folder) == stored(whole)
    assert len(stored(whole)) == 8
    sounds = [sorted(each.name for each in run.rglob("*.wav")) for run in (whole, folder)]
    assert sounds[0] == sounds[1] != []


@pytest.mark.slow
def test_words_that_a_set_does_not_hold_are_said_live_and_heard_by_the_same(
    write_set: WriteSet, tmp_path: Path
) -> None:
    courier = load_suite("courier:easy")
    task = "where-is-my-parcel"
    folder = write_set(tmp_path / "set", [courier], [task], {"simulated:30": str.upper})
    dragoman.run(f"set:{folder}", agent="literal", voice="recorded", out=tmp_path / "run")

    (episode,) = played(tmp_path / "run").values()
    opening, *others = said(episode)
    assert opening.heard == opening.intended.upper()
    assert others
    assert {stage.engine for each in others for stage in each.stages} == {"simulated:en:0.3"}
    assert any(each.heard != each.intended for each in others)


def refusal(suite: str, **options: object) -> str:
    with pytest.raises(UsageError) as caught:
        build_setup(changed(suite, options))
    (line,) = str(caught.value).splitlines()
    return line


def test_what_cannot_be_played_is_refused_in_one_line(
    recorded: Path, write_set: WriteSet, tmp_path: Path
) -> None:
    here = f"set:{recorded}"
    assert "plays audio sets, and bfcl:simple_python is none" in refusal(
        "bfcl:simple_python", voices=("recorded",)
    )
    assert "was not heard by 'generic': choose mixed, deepgram/nova-3, simulated:15, " in refusal(
        here, asr=("generic",)
    )
    assert "has its own voices" in refusal(here, speakers=("us",))
    said_live = refusal(here, asr=("deepgram/nova-3",), clarify=("spoken+rule",))
    assert "what is not is spoken live: " in said_live
    assert "DEEPGRAM_API_KEY" in said_live
    courier = load_suite("courier:easy")
    silent = write_set(tmp_path / "silent", [courier], ["saturday-morning"], HEARD)
    assert "nobody spoke in" in refusal(f"set:{silent}", voices=("recorded",), asr=("understood",))


def test_what_was_recorded_is_english(recorded: Path) -> None:
    assert keys(recorded, languages=("th",), scenarios=("tasks",)) == {}


def test_audio_that_is_damaged_is_no_fault_of_the_agent(recorded: Path, tmp_path: Path) -> None:
    for file in (recorded / "audio").rglob("*.flac"):
        file.write_bytes(b"noise")
    run = tmp_path / "run"
    dragoman.run(f"set:{recorded}", agent="literal", asr="mixed", task=SINGLE, out=run)

    ending = played(run)["en/recorded/none", SINGLE].ending
    assert ending.reason == "infrastructure_error"
    assert "no readable FLAC file" in ending.detail
