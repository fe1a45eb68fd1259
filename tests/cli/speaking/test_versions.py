"""Audio sets and the rules by which their values are found, their texts put into words and counted."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dragoman.conditions.voice.inverse_text_normalization.normalizer import NORMALIZER
from dragoman.conditions.voice.verbalization.spoken_form import VERBALIZATION
from dragoman.core.value_matching.matcher import MATCHER
from dragoman.scoring.speech_accuracy import EARLIER_NORMALIZATION, NORMALIZATION
from dragoman.store.audio_set import AudioSet
from dragoman.store.audio_set_format import UNRECORDED_MATCHER, UNRECORDED_VERBALIZATION

Refused = Callable[..., str]
RunJson = Callable[..., Any]

SPEAK = ("speak", "courier:easy", "--out", "set", "--asr", "simulated:15")
VERSIONS = {
    "matcher": MATCHER,
    "verbalization": VERBALIZATION,
    "normalizer": NORMALIZER,
    "normalization": NORMALIZATION,
}


def changed(path: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    """Change one JSON file."""
    value = json.loads(path.read_bytes())
    change(value)
    path.write_text(json.dumps(value), "utf-8")


def settings(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "set" / "settings.json").read_bytes())
    return {name: found.get(name) for name in VERSIONS}


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def forget(folder: Path, *names: str) -> None:
    """Leave out of a set's settings and card which rules it follows, as sets did before."""

    def leave_out(value: dict[str, Any]) -> None:
        made = value.get("made", value)
        for name in names:
            made.pop(name, None)

    for name in ("settings.json", "card.json"):
        changed(folder / "set" / name, leave_out)


@pytest.fixture
def earlier(run_json: RunJson, folder: Path) -> Path:
    """A set from before rules had names: by the earlier reader, in its words."""
    run_json(*SPEAK)
    forget(folder, "matcher", "normalization")
    (
        folder / "set" / "texts.jsonl"
    ).unlink()  # made again, with values as the earlier reader has them
    run_json(*SPEAK)
    forget(folder, *VERSIONS)
    speech = folder / "set" / "speech.jsonl"
    spoken = lines(speech)
    for line in spoken:
        line["said"] = f"well well, {line['said']}"
    speech.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in spoken))
    run_json(*SPEAK)  # recognized again, and its card states its content
    forget(folder, *VERSIONS)
    return folder / "set"


def test_a_new_set_and_its_card_name_the_rules(run_json: RunJson, folder: Path) -> None:
    card = run_json(*SPEAK)
    assert settings(folder) == VERSIONS
    assert {name: card["made"][name] for name in VERSIONS} == VERSIONS
    assert run_json("speak", "--verify", "set")["unchecked"] == []


def test_a_set_of_texts_names_what_its_texts_depend_on(run_json: RunJson, folder: Path) -> None:
    run_json("speak", "courier:easy", "--out", "set", "--texts-only")
    texts = {**VERSIONS, "normalizer": None, "normalization": None}
    assert settings(folder) == texts
    run_json(*SPEAK)
    assert settings(folder) == VERSIONS


def test_an_earlier_set_is_sound_and_its_words_are_said_to_be_unchecked(
    run_json: RunJson, earlier: Path
) -> None:
    found = run_json("speak", "--verify", "set")
    assert found["problems"] == []
    (line,) = found["unchecked"]
    assert UNRECORDED_VERBALIZATION in line
    assert all(each["said"].startswith("well well") for each in lines(earlier / "speech.jsonl"))


def test_an_earlier_set_goes_on_by_its_own_rules(
    run_json: RunJson, folder: Path, earlier: Path
) -> None:
    files = ("texts.jsonl", "speech.jsonl")
    before = [(earlier / name).read_bytes() for name in files]
    run_json(*SPEAK[:-1], "simulated:15,simulated:30")
    assert [(earlier / name).read_bytes() for name in files] == before
    found = settings(folder)
    assert (found["matcher"], found["verbalization"], found["normalization"]) == (
        UNRECORDED_MATCHER,
        UNRECORDED_VERBALIZATION,
        EARLIER_NORMALIZATION,
    )
    assert run_json("speak", "--verify", "set")["problems"] == []


def test_naming_the_rules_of_a_set_leaves_its_digest_as_it_was(
    run_json: RunJson, earlier: Path
) -> None:
    digest = AudioSet(earlier).digest
    run_json(*SPEAK)
    assert AudioSet(earlier).digest == digest


@pytest.mark.parametrize("name", ["speech.jsonl", "texts.jsonl"])
def test_words_of_two_verbalizations_are_not_mixed(
    refused: Refused, earlier: Path, name: str
) -> None:
    path = earlier / name
    rest = path.read_bytes().splitlines(keepends=True)[:-1]
    path.write_bytes(b"".join(rest))
    why = refused(*SPEAK, status=2)
    assert "set is not whole, and its words are by 'dragoman-verbalization-1'" in why
    assert path.read_bytes() == b"".join(rest)


def test_an_unknown_matcher_is_named(run_json: RunJson, refused: Refused, folder: Path) -> None:
    run_json(*SPEAK)
    changed(
        folder / "set" / "settings.json", lambda value: value.update(matcher="dragoman-values-99")
    )
    why = "its values were found by 'dragoman-values-99', which is unknown here"
    assert run_json("speak", "--verify", "set", status=1)["problems"] == [why]
    assert why in refused(*SPEAK, status=2)
