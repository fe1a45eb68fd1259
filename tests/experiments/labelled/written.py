"""Reads conversations that were written by hand, with their labels.

A line is one action: `U:` and `A:` speak, `C:` calls a tool with a JSON object, `R:` and `E:` are
the result and the error of a call. Calls in a row are made at once. Labels stand in brackets before
the colon.
"""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import msgspec
from tests.experiments.labelled.playing import Played

from dragoman.core.episodes import Episode, Event, Message, Termination
from dragoman.core.replies import ToolCallReply, text_reply
from dragoman.core.tasks import Action, Criteria, Scenario, Task
from dragoman.core.tools import ToolCall, ToolResult

_LINE = re.compile(r"([UACRE])(?:\[([a-z_, ]+)\])?: ?(.*)")


class _Planned(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    arguments: dict[str, object]


class _Written(msgspec.Struct, forbid_unknown_fields=True):
    """One conversation; `about` describes its difficulty."""

    id: str
    about: str
    lines: str
    plan: list[_Planned] = []
    language: str = "en"


class _File(msgspec.Struct, forbid_unknown_fields=True):
    conversation: list[_Written]


def written(domain: str, path: Path) -> Iterator[Played]:
    """Yield the conversations of a file."""
    file = msgspec.convert(tomllib.loads(path.read_text("utf-8")), _File)
    for each in file.conversation:
        events, labels = _events(each)
        plan = tuple(Action(f"{at}", a.name, a.arguments) for at, a in enumerate(each.plan))
        criteria = Criteria(reward_basis=("DB",), actions=plan)
        task = Task(f"{domain}-{each.id}", domain, "", Scenario(each.about), criteria=criteria)
        episode = Episode(tuple(events), Termination("user_stop"), len(events), 0)
        yield Played(task.id, task, episode, labels, each.language)


def _events(each: _Written) -> tuple[list[Event], dict[int, list[str]]]:
    events: list[Event] = []
    labels: dict[int, list[str]] = {}
    waiting: list[ToolCall] = []
    answered = 0
    for line in each.lines.strip().splitlines():
        found = _LINE.fullmatch(line.strip())
        assert found is not None, (each.id, line)
        who, marks, text = found.groups()
        if who == "C":
            name, _, arguments = text.partition(" ")
            call = ToolCall(f"c{len(events)}", name, msgspec.json.decode(arguments))
            if waiting and not answered:
                call = msgspec.structs.replace(call, id=f"{waiting[0].id}.{len(waiting)}")
                waiting.append(call)
                events[-1] = Message("agent", ToolCallReply(tuple(waiting)))
            else:
                waiting, answered = [call], 0
                events.append(Message("agent", ToolCallReply((call,))))
        elif who in "RE":
            call = waiting[answered]
            answered += 1
            events.append(ToolResult(call.id, call.name, text, "agent", error=who == "E"))
        else:
            waiting, answered = [], 0
            events.append(Message("agent" if who == "A" else "user", text_reply(text)))
        if marks:
            place = labels.setdefault(len(events) - 1, [])
            place += [mark.strip() for mark in marks.split(",")]
    return events, labels
