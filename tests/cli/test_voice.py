"""Spoken runs from the command line: names, refusals, messages, and providers."""

import base64
import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from dragoman.conditions.voice.audio_effects.presets import preset_names
from dragoman.core.episodes import Episode, Message
from dragoman.core.replies import TextReply, Utterance
from dragoman.registry.speech_engines import RECOGNIZERS
from dragoman.report.labels import SOURCE_MEANINGS, STAGE_NAMES
from dragoman.runs.manifest import read_manifest
from dragoman.store.audio_files import audio_path
from dragoman.store.run_store import open_run
from dragoman.testing.fault_injection import Cut, Faults, RateLimited, ServerError, TransportFault
from dragoman.testing.server_config import ServerConfig
from dragoman.testing.speech.server import SpeechServer

Cli = Callable[..., CompletedProcess[str]]
RunJson = Callable[..., Any]
Refused = Callable[..., str]

TASK = ("run", "courier:easy", "--agent", "literal", "--tasks", "where-is-my-parcel")
# Carries the code of the test server's voice as it is.
PERFECT_LINE = "studio-without-resample"


def episodes(folder: Path) -> dict[tuple[str, str], Episode]:
    """Return the conversations of a run by condition and task."""
    with open_run(folder, write=False) as store:
        places = {cell.key: (cell.condition.label, cell.task) for cell in store.cells()}
        return {places[key]: episode for key, _, episode in store.episodes()}


def said(episode: Episode, side: str) -> list[Utterance]:
    return [
        event.reply.utterance
        for event in episode.events
        if isinstance(event, Message) and event.by == side and isinstance(event.reply, TextReply)
    ]


def test_list_voices_names_lines_recognizers_speakers_and_providers(dragoman: Cli) -> None:
    done = dragoman("list", "voices")

    assert done.returncode == 0, done.stderr
    names = {line.split()[0] for line in done.stdout.splitlines() if line[:1].strip()}
    assert {"text", *preset_names(), *RECOGNIZERS, "us", "british", "vi"} <= names
    assert {"openai", "deepgram", "piper", "vosk"} <= names
    assert "th" not in names


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--voice", "walkie"), "no line is named 'walkie'"),
        (("--voice", "studio", "--asr", "ears"), "unknown recognizer 'ears'"),
        (("--voice", "studio", "--speaker", "mumble"), "no embedded voice 'mumble'"),
        (("--asr", "mixed"), "--asr and --speaker need a channel to speak over"),
        (("--speaker", "us"), "--asr and --speaker need a channel to speak over"),
        (("--voice", "text", "--asr", "mixed"), "--asr and --speaker need a channel to speak over"),
    ],
)
def test_what_cannot_be_spoken_is_refused_in_one_line_and_begins_no_run(
    refused: Refused, folder: Path, options: tuple[str, ...], complaint: str
) -> None:
    assert complaint in refused(*TASK, *options, "--out", "mine", status=2)
    assert not (folder / "mine").exists()


def test_a_language_without_a_sound_voice_is_refused(refused: Refused, translated: Path) -> None:
    run = ("run", "tau2:retail", "--agent", "gold", "--scenario", "interaction", "--limit", 1)
    options = ("--voice", "studio", "--asr", "understood")
    line = refused(*run, "--language", "th", *options, cache=translated, status=2)
    assert "no sound embedded voice for th" in line


def test_a_plan_names_the_spoken_conditions_and_plays_nothing(dragoman: Cli, folder: Path) -> None:
    done = dragoman(*TASK, "--voice", "studio", "--asr", "mixed,understood", "--dry-run", "--full")

    assert done.returncode == 0, done.stderr
    assert "en/studio/none" in done.stdout
    assert "en/studio+understood/none" in done.stdout
    assert not (folder / "runs").exists()


@pytest.mark.nightly
@pytest.mark.speech
def test_recognizers_are_conditions_of_their_own_over_the_same_audio(
    run_json: RunJson, dragoman: Cli, folder: Path, speaking: Path
) -> None:
    spoken = ("--voice", "telephone", "--asr", "mixed,understood", "--speaker", "us")
    result = run_json(*TASK, *spoken, "--out", "mine", cache=speaking)

    assert {cell["condition"] for cell in result["cells"]} == {
        "en/telephone/none",
        "en/telephone+understood/none",
    }
    run = folder / "mine"
    played = episodes(run)
    mixed, understood = (
        said(played[condition, "where-is-my-parcel"], "user")[0]
        for condition in ("en/telephone/none", "en/telephone+understood/none")
    )
    assert mixed.audio is not None
    assert (mixed.audio, mixed.clean_audio) == (understood.audio, understood.clean_audio)
    assert (run / audio_path(mixed.audio.sha256)).is_file()
    assert understood.heard == understood.intended
    with open_run(run, write=False) as store:
        voices = read_manifest(store).voices
    about = voices["en/telephone/none"]["language_model"]
    assert isinstance(about, str)
    assert "tools, policy and database of courier" in about
    assert about.endswith("nothing that users say")
    assert voices["en/telephone+understood/none"]["language_model"] == ""

    report = dragoman("report", "mine")
    assert report.returncode == 0, report.stderr
    assert "media-src" in (run / "report.html").read_text()


def provider(server: SpeechServer) -> tuple[str, ...]:
    address = f"base_url={server.url('openai')}"
    return (
        *("--voice", PERFECT_LINE),
        *("--asr", f"openai/whisper-1?{address}"),
        *("--speaker", f"openai/alloy?model=tts-1&{address}"),
    )


def used(result: Any) -> dict[tuple[str, str], Any]:  # noqa: ANN401 - whatever JSON holds
    return {(line["purpose"], line["model"]): line for line in result["usage"]}


def test_a_provider_speaks_and_listens_and_the_ledger_has_it(
    run_json: RunJson, folder: Path
) -> None:
    with SpeechServer() as server:
        result = run_json(*TASK, *provider(server), "--out", "mine", OPENAI_API_KEY="key-for-tests")

    (episode,) = episodes(folder / "mine").values()
    opening = said(episode, "user")[0]
    assert opening.heard == opening.intended
    assert episode.ending.reason == "user_stop"
    spoke = used(result)["synthesis", "openai/tts-1"]
    heard = used(result)["recognition", "openai/whisper-1"]
    users, agents = said(episode, "user"), said(episode, "agent")
    assert spoke["calls"] == sum(bool(each.spoken) for each in (*users, *agents))
    assert heard["calls"] == sum(bool(each.spoken) for each in users)
    assert spoke["cost"] is not None
    assert heard["audio_seconds"] < spoke["audio_seconds"]


FAULTS: tuple[TransportFault, ...] = (
    RateLimited(rate=0.2, retry_after=0),
    ServerError(rate=0.2, statuses=(500, 503)),
    Cut(rate=0.2),
)


@pytest.mark.slow
def test_no_conversation_is_lost_where_providers_stumble(run_json: RunJson, folder: Path) -> None:
    behaviour = ServerConfig(Faults(transport=FAULTS, most_in_a_row=2), seed=3)
    run = ("run", "courier:easy", "--agent", "literal", "--limit", 3, "--no-cache")
    with SpeechServer(behaviour=behaviour) as server:
        result = run_json(*run, *provider(server), "--out", "mine", OPENAI_API_KEY="key-for-tests")

    played = episodes(folder / "mine")
    assert len(played) == 3
    assert {episode.ending.reason for episode in played.values()} == {"user_stop"}
    stumbled = [line["faults"] for line in used(result).values()]
    assert sum(sum(faults.values()) for faults in stumbled) > 0


@pytest.mark.slow
def test_a_recognizer_that_stays_down_is_infrastructure_and_what_was_spoken_is_counted(
    run_json: RunJson, folder: Path
) -> None:
    down = ServerConfig(
        Faults(transport=(ServerError(rate=1, statuses=(500,)),), most_in_a_row=10**6)
    )
    with SpeechServer() as speaks, SpeechServer(behaviour=down) as hears:
        options = (
            *("--voice", PERFECT_LINE, "--patience", 1, "--no-cache", "--out", "mine"),
            *("--speaker", f"openai/alloy?model=tts-1&base_url={speaks.url('openai')}"),
            *("--asr", f"openai/whisper-1?base_url={hears.url('openai')}"),
        )
        result = run_json(*TASK, *options, status=1, OPENAI_API_KEY="key-for-tests")

    (episode,) = episodes(folder / "mine").values()
    assert episode.is_fault
    assert "status 500" in episode.ending.detail
    assert used(result)["synthesis", "openai/tts-1"]["calls"] == 1
    assert used(result)["recognition", "openai/whisper-1"]["calls"] == 0


def conversations(report: str) -> list[dict[str, Any]]:
    """Return the conversations that a report holds packed."""
    found = re.search(r'<script type="text/plain" id="packed">([^<]*)</script>', report)
    assert found is not None
    document = json.loads(gzip.decompress(base64.b64decode(found[1])))
    held: list[dict[str, Any]] = document["conversations"]
    return held


@pytest.mark.slow
@pytest.mark.speech
@pytest.mark.nightly
def test_attribution_names_what_lost_a_call_and_the_report_shows_it(
    dragoman: Cli, run_json: RunJson, folder: Path, speaking: Path
) -> None:
    options = ("--voice", "bad-line", "--asr", "generic", "--speaker", "us")
    lost = ("run", "courier:easy", "--agent", "literal", "--tasks", "fifteen-or-fifty")
    assert run_json(*lost, *options, "--out", "mine", cache=speaking)["cells"]

    done = dragoman("blame", "mine", cache=speaking)

    assert done.returncode == 0, done.stderr
    assert "Failed conversations by failure source" in done.stdout
    rows = run_json("blame", "mine", cache=speaking)["lost"]
    words = " ".join(done.stdout.split())
    for source, about in SOURCE_MEANINGS.items():
        is_found = source == rows[0]["culprit"]
        assert (f"{STAGE_NAMES[source]}: {about}" in words) == is_found
    (others,) = (line for line in words.split("No failure: ")[1:])
    assert STAGE_NAMES["agent"] in others
    assert [row["task"] for row in rows] == ["fifteen-or-fifty"]
    assert rows[0]["culprit"] in {"line", "speech"}
    report = dragoman("report", "mine")
    assert report.returncode == 0, report.stderr
    (shown,) = conversations((folder / "mine" / "report.html").read_text())
    (attributed,) = (entry for entry in shown["measures"] if entry["name"] == "attribution 4")
    assert [found["subject"] for found in attributed["found"]] == [STAGE_NAMES[rows[0]["culprit"]]]


def test_show_has_the_clock_of_a_conversation_in_which_somebody_speaks(dragoman: Cli) -> None:
    dragoman(*TASK, "--voice", "text", "--voice", "simulated:15", "--out", "timed")
    shown = ("show", "timed", "where-is-my-parcel", "--json", "--condition")
    spoken = json.loads(dragoman(*shown, "en/simulated:15/none").stdout)
    greeting, user, agent = spoken["clock"][:3]
    assert (greeting["begins"], user["begins"]) == (0, greeting["speaking"] + 0.2)
    assert agent["response"]["basis"] == "stated"
    assert agent["begins"] == pytest.approx(user["begins"] + user["speaking"] + 0.5)
    assert json.loads(dragoman(*shown, "en/text/none").stdout)["clock"] == []
