"""Planted losses: a lost value is attributed to the stage that lost it, and no other."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import dragoman
from dragoman.core.audio import Audio
from dragoman.core.texts.expected_values import ExpectedValue
from dragoman.core.value_matching.matcher import states
from dragoman.curation.audio_sets.messages import expected_values
from dragoman.experiments.failure_attribution import attribute_failures
from dragoman.registry.suites import load_suite

SUITE = "bfcl:simple_python"
PLANTED = 50
_NUMBER = re.compile(r"(?<![\w.,$-])([1-9][0-9]?)(?![\w.,%-]|\s?(?:st|nd|rd|th))")


def misrecognized(text: str) -> str:
    """Return a text with its first small number heard as another."""
    return _NUMBER.sub(lambda match: str(int(match[1]) + 47), text, count=1)


def in_other_forms(text: str) -> str:
    """Return a text as a recognizer writes it that hears everything: money and percent in words."""
    text = re.sub(r"\$([0-9][0-9,]*(?:\.[0-9]+)?)", r"\1 dollars", text)
    return re.sub(r"([0-9])%", r"\1 percent", text)


@pytest.fixture(scope="module")
def lossy_tasks(pulled_bfcl: Path) -> list[str]:
    """Tasks that need a number that can be misrecognized, and that fail without it."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("XDG_CACHE_HOME", str(pulled_bfcl))
        suite = load_suite(SUITE)
    chosen = []
    for task in suite.tasks:
        text = task.turns[0].messages[0]
        match = _NUMBER.search(text)
        changed = misrecognized(text)
        if match is not None and any(
            _is_lost(each, match[1], text, changed) for each in expected_values(suite, task)
        ):
            chosen.append(task.id)
    return chosen[:PLANTED]


def _is_lost(expected: ExpectedValue, number: str, text: str, changed: str) -> bool:
    """Return whether a parameter accepts only a number that is no longer heard."""
    values = {value for alternative in expected.alternatives for value in alternative}
    return values == {number} and states(number, text, "en") and not states(number, changed, "en")


@pytest.mark.nightly
def test_planted_losses_are_blamed_on_their_stage_and_perfect_hearing_on_none(
    write_set: Callable[..., Path],
    pulled_bfcl: Path,
    lossy_tasks: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("soundfile", reason="FLAC needs the extra voice")
    monkeypatch.setenv("XDG_CACHE_HOME", str(pulled_bfcl))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert len(lossy_tasks) == PLANTED
    silence = Audio(bytes(3_200), 16_000)
    heard = {
        "openai/mishears": misrecognized,
        "openai/perfect": in_other_forms,
        "simulated:15": misrecognized,
    }
    folder = write_set(tmp_path / "set", [load_suite(SUITE)], lossy_tasks, heard, lambda _: silence)
    dragoman.run(f"set:{folder}", agent="literal", voice="recorded", out=tmp_path / "run")

    found = [
        (row.condition.split("+")[1], row.failure_source)
        for row in attribute_failures(tmp_path / "run", lambda: None)
    ]

    assert found.count(("openai/mishears/none", "speech")) == PLANTED
    assert found.count(("simulated:15/none", "mishearing")) == PLANTED
    assert [row for row in found if row[0] == "openai/perfect/none"] == []
    assert len(found) == 2 * PLANTED
