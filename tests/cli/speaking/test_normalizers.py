"""Audio sets and the rules of inverse text normalization by which their transcripts were written."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from dragoman.conditions.voice.inverse_text_normalization.normalizer import (
    EARLIER_NORMALIZER,
    NORMALIZER,
    normalized_transcript,
)
from dragoman.core.replies import NORMALIZED, NORMALIZER_SETTING, WORDS
from dragoman.store.audio_set_format import transcripts_name

RunJson = Callable[..., Any]

SPEAK = ("speak", "courier:easy", "--out", "set", "--asr", "simulated:15")
TRANSCRIPTS = Path("set") / transcripts_name("simulated:15")
TASK = "where-is-my-parcel"
WORDED = "Buy 2 or 3, for One Hundred Years"
"""Words that the two normalizers write differently."""


def changed(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change one JSON file."""
    value = json.loads(path.read_bytes())
    change(value)
    path.write_text(json.dumps(value), "utf-8")


def make_old(run_json: RunJson, folder: Path) -> None:
    """Make a set as it was before sets named their normalizer, with words that show which it was."""
    run_json(*SPEAK)
    changed(folder / "set" / "settings.json", lambda settings: settings.pop(NORMALIZER_SETTING))
    lines = [json.loads(line) for line in (folder / TRANSCRIPTS).read_bytes().splitlines()]
    lines[0]["words"] = WORDED
    for line in lines:
        line["text"] = normalized_transcript(line["words"], "en", EARLIER_NORMALIZER)
    (folder / TRANSCRIPTS).write_bytes(
        b"".join(msgspec.json.encode(line) + b"\n" for line in lines)
    )
    run_json(*SPEAK)  # Its card states its content again.
    changed(folder / "set" / "settings.json", lambda settings: settings.pop(NORMALIZER_SETTING))
    changed(folder / "set" / "card.json", lambda card: card["made"].pop(NORMALIZER_SETTING))


def test_a_new_set_names_its_normalizer(run_json: RunJson, folder: Path) -> None:
    card = run_json(*SPEAK)
    settings = json.loads((folder / "set" / "settings.json").read_bytes())
    assert settings[NORMALIZER_SETTING] == card["made"][NORMALIZER_SETTING] == NORMALIZER


def test_an_old_set_is_sound_and_goes_on_under_its_own_normalizer(
    run_json: RunJson, folder: Path
) -> None:
    make_old(run_json, folder)
    assert run_json("speak", "--verify", "set")["problems"] == []

    run_json(*SPEAK[:-1], "simulated:15,simulated:30")
    settings = json.loads((folder / "set" / "settings.json").read_bytes())
    assert settings[NORMALIZER_SETTING] == EARLIER_NORMALIZER
    assert run_json("speak", "--verify", "set")["problems"] == []


def test_transcripts_are_checked_by_the_normalizer_that_is_recorded(
    run_json: RunJson, folder: Path
) -> None:
    make_old(run_json, folder)
    for path in ("settings.json", "card.json"):

        def name_other(value: dict[str, Any]) -> None:
            value.get("made", value)[NORMALIZER_SETTING] = NORMALIZER

        changed(folder / "set" / path, name_other)
    (problem,) = run_json("speak", "--verify", "set", status=1)["problems"]
    assert "what simulated:15 heard is not written as it is written down" in problem


def test_an_unknown_normalizer_is_named(run_json: RunJson, folder: Path) -> None:
    run_json(*SPEAK)
    changed(
        folder / "set" / "settings.json",
        lambda settings: settings.update({NORMALIZER_SETTING: "dragoman-itn-99"}),
    )
    found = run_json("speak", "--verify", "set", status=1)["problems"]
    assert "its transcripts were written by 'dragoman-itn-99', which is unknown here" in found


def test_an_old_set_is_played_with_either_transcript(run_json: RunJson, folder: Path) -> None:
    make_old(run_json, folder)
    first = json.loads((folder / TRANSCRIPTS).read_bytes().splitlines()[0])
    for form, received in (("normalized", first["text"]), ("raw", WORDED)):
        options = ("--agent", "literal", "--voice", "recorded", "--tasks", first["task"])
        run_json("run", "set:set", *options, "--transcript", form, "--out", form)
        events = run_json("show", form, first["task"])["episode"]["events"]
        said = next(each for each in events if each.get("by") == "user")["reply"]["utterance"]
        assert said["heard"] == received
        settings = said["stages"][-1]["settings"]
        assert (settings[WORDS], settings[NORMALIZED]) == (WORDED, first["text"])
        assert settings[NORMALIZER_SETTING] == EARLIER_NORMALIZER
