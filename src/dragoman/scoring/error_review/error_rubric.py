"""What a judge of errors is told: a text, and what the words of the taxonomy mean."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import msgspec

from dragoman.core.keys import content_key
from dragoman.core.tools import Role
from dragoman.scoring.error_tags import taxonomy

ERRORS = "errors"
"""The measure."""

RUBRIC = "errors@1"
"""The rubric that ships, by the name that `--rubric` takes."""


class _Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    about: str
    tags: Mapping[str, str]
    severities: Mapping[Role, Mapping[str, str]]


class ErrorRubric(msgspec.Struct, frozen=True):
    """The rubric as it was read; its version ends in a hash of its content.

    Attributes:
        about: A line about it for lists.
        version: Its version.
        text: What a judge is told.
    """

    about: str
    version: str
    text: str


@cache
def error_rubric() -> ErrorRubric:
    """Return the rubric that ships."""
    folder = files("dragoman.scoring.error_review")
    told = (folder / f"{RUBRIC}.md").read_text("utf-8")
    table = tomllib.loads((folder / f"{RUBRIC}.toml").read_text("utf-8"))
    words = msgspec.convert(table, _Words)
    text = "\n".join((told, "Tags:", *_tags(words), *_severities(words), ""))
    return ErrorRubric(words.about, f"{RUBRIC.partition('@')[2]}@{content_key(text)[:8]}", text)


def _tags(words: _Words) -> list[str]:
    own = taxonomy().tags["user"]
    return [
        f"- {tag}{'' if tag in own else ' (of the agent alone)'}: {words.tags[tag]}"
        for tag in taxonomy().tags["agent"]
    ]


def _severities(words: _Words) -> list[str]:
    lines = []
    for side, severities in taxonomy().severities.items():
        lines += ["", f"Severities of the {side}:"]
        lines += [f"- {each}: {words.severities[side][each]}" for each in severities]
    return lines
