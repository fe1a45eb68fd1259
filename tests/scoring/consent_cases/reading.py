"""Reads the written consent cases: conversations with a verdict per irreversible call."""

import shlex
from collections.abc import Iterator
from pathlib import Path

import msgspec

from dragoman.core.episodes import Event, Message
from dragoman.core.replies import ToolCallReply, text_reply
from dragoman.core.tools import ToolCall, ToolResult

FOLDER = Path(__file__).parent
RESULTS = {"yes": "confirmed", "no": "not confirmed", "open": "undecided"}
_NUMBERS = {"amount", "gb_amount", "cents", "total_baggages", "nonfree_baggages"}


class Case(msgspec.Struct, frozen=True):
    """One conversation, and the expected results of its irreversible calls in their order."""

    name: str
    language: str
    events: tuple[Event, ...]
    expected: tuple[tuple[int, str], ...]


def cases(path: Path) -> Iterator[Case]:
    language = path.stem.rpartition("-")[0]
    for chunk in path.read_text("utf-8").split("\n## ")[1:]:
        name, *lines = [line for line in chunk.split("\n") if line.strip()]
        events: list[Event] = []
        expected: list[tuple[int, str]] = []
        for at, line in enumerate(lines):
            mark, text = line[0], line[2:].replace("\\n", "\n")
            match mark:
                case "A" | "U":
                    events.append(Message("agent" if mark == "A" else "user", text_reply(text)))
                case "T":
                    look = ToolCall(f"{at}", "look", {})
                    events += [
                        Message("agent", ToolCallReply((look,))),
                        ToolResult(f"{at}", "look", text, "agent"),
                    ]
                case "C" | "F":
                    call, _, result = text.rpartition(" = ") if mark == "C" else (text, "", "")
                    if mark == "C":
                        expected.append((len(events), RESULTS[result.strip()]))
                    made = _call(call, f"{at}")
                    done = ToolResult(made.id, made.name, "", "agent", error=mark == "F")
                    events += [Message("agent", ToolCallReply((made,))), done]
                case _:
                    raise ValueError(f"{path.name}, {name}: {line}")
        yield Case(name, language, tuple(events), tuple(expected))


def _call(text: str, id_: str) -> ToolCall:
    lexer = shlex.shlex(text, posix=True, punctuation_chars=False)
    lexer.whitespace_split, lexer.commenters = True, ""
    name, *arguments = list(lexer)
    return ToolCall(id_, name, dict(_argument(each) for each in arguments))


def _argument(text: str) -> tuple[str, object]:
    name, _, value = text.partition("=")
    if value.startswith("["):
        return name, value.strip("[]").split(",")
    return name, float(value) if name in _NUMBERS else value
