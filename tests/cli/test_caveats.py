"""Runs with scripted participants say so, and state the limits of their figures."""

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

Cli = Callable[..., CompletedProcess[str]]
RunJson = Callable[..., Any]

VIETNAMESE = ("run", "courier", "--limit", "1", "--language", "vi", "--scenario", "interaction")
WARNING = (
    "vi:interaction/text/none: agent careful and user offline speak words of an English script, "
    "in whole or in part: these figures say nothing of conversations in 'vi'"
)
OWN = """
def agent(messages, tools):
    return "Tôi không giúp được."


def user(messages, tools):
    return "###STOP###"
"""


def test_scripts_in_english_are_a_warning_where_another_language_is_spoken(
    dragoman: Cli, run_json: RunJson, folder: Path
) -> None:
    done = dragoman(*VIETNAMESE, "--agent", "careful", "--out", "mine", "--full")

    assert f"\nwarning: {WARNING}\n" in done.stdout
    assert run_json("resume", "mine")["warnings"] == [WARNING]
    assert dragoman("report", "mine").returncode == 0
    assert WARNING.replace("'", "&#39;") in (folder / "mine" / "report.html").read_text("utf-8")


def test_scripts_in_the_language_are_no_warning(run_json: RunJson) -> None:
    told_in = ("--language", "vi", "--scenario", "domain", "--limit", "1")
    assert run_json("run", "courier", *told_in, "--agent", "careful")["warnings"] == []


def test_participants_that_can_speak_the_language_are_no_warning(
    run_json: RunJson, folder: Path
) -> None:
    (folder / "vietnamese.py").write_text(OWN, "utf-8")

    named = ("--agent", "vietnamese:agent", "--user", "vietnamese:user")
    assert run_json(*VIETNAMESE, *named)["warnings"] == []
    scripted_user = run_json(*VIETNAMESE, *named[:2])["warnings"]
    assert [warning.split(" speak ")[0] for warning in scripted_user] == [
        "vi:interaction/text/none: user offline"
    ]


def test_users_that_follow_no_persona_are_a_warning(run_json: RunJson) -> None:
    persona = ("--persona", "none,hard", "--limit", 1)
    recited = run_json("run", "sample:shop", "--agent", "literal", *persona)["warnings"]
    assert recited == [
        (
            "en/text/hard: the user offline recites a script and follows no persona: these "
            "figures say nothing of one"
        )
    ]
    followed = run_json("run", "courier", "--agent", "literal,gold", *persona)["warnings"]
    assert [line.partition(" recites")[0] for line in followed[:-1]] == [
        "en/text/hard: the user gold"
    ]
    assert followed[-1].startswith(
        "it is not known whether users kept the cards of hard: dragoman "
    )


def test_the_user_that_nobody_named_is_named_in_the_summary(
    dragoman: Cli, run_json: RunJson, folder: Path
) -> None:
    done = dragoman("run", "sample:shop", "--agent", "silent", "--out", "mine")

    assert "user offline (a script, no model)" in " ".join(done.stdout.split())
    found = run_json("run", "sample:shop", "--agent", "silent", "--agent", "gold")
    assert found["users"] == {"silent": "offline", "gold": "gold"}
    assert found["warnings"] == []
    assert dragoman("report", "mine").returncode == 0
    assert "offline (a script, no model)" in (folder / "mine" / "report.html").read_text("utf-8")


@pytest.mark.slow
def test_where_nobody_plays_the_user_none_is_named(
    run_json: RunJson, dragoman: Cli, pulled: Path
) -> None:
    run = ("run", "tau2:telecom-solo", "--agent", "gold", "--limit", "2", "--out", "solo")

    assert run_json(*run, cache=pulled)["users"] == {}
    assert "user " not in dragoman("resume", "solo", cache=pulled).stdout.splitlines()[1]
