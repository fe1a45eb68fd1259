"""Commits have short imperative subjects, and bodies that give the reason."""

import itertools
import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
BASE = "3bcbf98c121f1f3b6f8027ed8c867f29bed590d0"
"""The last commit before the rule."""

MAX_SUBJECT = 72
PAST_OR_PROGRESSIVE = re.compile(r"[A-Z][a-z]+(?:ed|ing|ied)")
IMPERATIVES = {"Bring", "Embed", "Exceed", "Feed", "Need", "Proceed", "Seed", "Speed", "String"}
"""Imperatives that have the endings of other forms."""


def git(*arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout


@cache
def reason_to_skip() -> str:
    """Return the reason why commits cannot be checked here; empty if they can."""
    try:
        top = git("rev-parse", "--show-toplevel").strip()
        git("merge-base", "--is-ancestor", BASE, "HEAD")
    except FileNotFoundError:
        return "git is not installed"
    except subprocess.CalledProcessError:
        return "no git checkout that holds the commits"
    return "" if Path(top) == ROOT else "the checkout is of another project"


def require_checkout() -> None:
    if reason := reason_to_skip():
        pytest.skip(reason)


def commits() -> list[tuple[str, str]]:
    """Return the subject and the body of each commit after `BASE`, without merges."""
    log = git("log", "--no-merges", "--format=%s%x00%b%x01", f"{BASE}..HEAD")
    entries = [entry.strip("\n").partition("\0") for entry in log.split("\1")]
    return [(subject, body) for subject, _, body in entries if subject]


def is_imperative(subject: str) -> bool:
    first = subject.split(maxsplit=1)[0]
    if first in IMPERATIVES:
        return True
    return first[0].isupper() and PAST_OR_PROGRESSIVE.fullmatch(first) is None


def test_subjects_are_imperative_and_short() -> None:
    require_checkout()
    wrong = [
        subject
        for subject, _ in commits()
        if len(subject) > MAX_SUBJECT or subject.endswith(".") or not is_imperative(subject)
    ]
    assert wrong == []


def test_bodies_give_a_reason() -> None:
    require_checkout()
    assert [subject for subject, body in commits() if not body.strip()] == []


@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        ("Add a retry limit", True),
        ("Embed the table of voices", True),
        ("Added a retry limit", False),
        ("Adding a retry limit", False),
        ("a retry limit", False),
    ],
)
def test_an_imperative_is_recognized_by_its_form(subject: str, expected: bool) -> None:
    assert is_imperative(subject) is expected


def test_the_commits_that_blame_ignores_exist_under_their_subjects() -> None:
    require_checkout()
    lines = (ROOT / ".git-blame-ignore-revs").read_text("utf-8").split("\n")
    listed = [pair for pair in itertools.pairwise(lines) if pair[1][:1].isalnum()]
    assert listed
    for comment, commit in listed:
        assert re.fullmatch(r"[0-9a-f]{40}", commit)
        assert git("log", "-1", "--format=# %s", commit).strip() == comment
