"""Queries made by templates: for trying a pipeline without a model, and named as what they are.

Their words are a frame in the language asked for around what documents say in theirs, and their calls are
known: what is filled in is what documents state.
"""

import functools
import re
from collections.abc import Mapping, Sequence
from importlib.resources import files

import msgspec

from dragoman.core.apis.documents import Operation, offered_names
from dragoman.core.apis.tasks import ApiCall, ApiTask
from dragoman.core.content_keys import derive_seed
from dragoman.curation.apis.generating.briefs import Brief
from dragoman.curation.apis.known import KnownOperation
from dragoman.curation.apis.stated_values import stated_arguments

NAME = "template@1"
_LONGEST = 160
_WRITTEN_AS = {"no": "nb"}
_EMPTY = re.compile(r" ?[(\N{FULLWIDTH LEFT PARENTHESIS}][)\N{FULLWIDTH RIGHT PARENTHESIS}]")


class Frames(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"joined": "and"}):
    """What queries of one language are made with."""

    single: tuple[str, ...]
    repeated: tuple[str, ...]
    parallel: tuple[str, ...]
    nested: tuple[str, ...]
    thought: str
    with_: str = msgspec.field(name="with")
    joined: str


def template_query(brief: Brief, known: Mapping[str, KnownOperation], seed: int) -> ApiTask:
    """Return a query with its calls.

    Args:
        brief: What it is to be.
        known: The operations, by id.
        seed: Which of several frames is taken.

    Raises:
        ValueError: Where there are no frames for the language, or documents state too little; the text
            says what.
    """
    frames = _frames_of(brief.language)
    if frames is None:
        raise ValueError(f"no template in {brief.language!r}")
    used = [known[name] for name in brief.used]
    names = offered_names(
        {name: (known[name].document, known[name].operation) for name in brief.offered}
    )
    calls = _calls(brief, [(names[each.id], each.operation) for each in used])
    choices: tuple[str, ...] = getattr(frames, brief.kind)
    said = [_said(frames, each) for each in calls]
    # The first frame has values in brackets, which can go.
    frame = choices[derive_seed(brief.id, f"frame {seed}") % len(choices) if all(said) else 0]
    last = said[-1]
    if brief.kind == "nested":
        last = frames.with_.format(values=last) if last else ""
    query = frame.format(
        what=_what(used[0].operation),
        values=said[0],
        what2=_what(used[-1].operation),
        values2=last,
    )
    return ApiTask(
        f"{brief.id}-1",
        _EMPTY.sub("", query),
        brief.language,
        brief.kind,
        brief.offered,
        tuple(calls),
        brief.country,
        made_by=NAME,
    )


def template_thought(task: ApiTask) -> str:
    """Return what goes for a thought in the answer to a template's query: the tools that it calls.

    Raises:
        ValueError: Where there are no frames for its language.
    """
    frames = _frames_of(task.language)
    if frames is None:
        raise ValueError(f"no template in {task.language!r}")
    tools = dict.fromkeys(call.tool for call in task.gold)
    return frames.thought.format(tools=frames.joined.join(tools))


def _calls(brief: Brief, used: Sequence[tuple[str, Operation]]) -> list[ApiCall]:
    if brief.kind == "repeated":
        name, operation = used[0]
        sets = stated_arguments(operation)
        if len(sets) == 1:
            raise ValueError("its document states values for one call only")
        return [ApiCall(name, each) for each in sets[:2]]
    calls = []
    for at, (name, operation) in enumerate(used):
        fed = brief.chain if at else None
        arguments = stated_arguments(operation, without=fed.parameter if fed else "")[0]
        calls.append(
            ApiCall(
                name, {fed.parameter: {"from": f"$1.{fed.path}"}, **arguments} if fed else arguments
            )
        )
    return calls


def _said(frames: Frames, call: ApiCall) -> str:
    stated = {name: value for name, value in call.arguments.items() if not _is_reference(value)}
    return frames.joined.join(f"{name}: {_plain(value)}" for name, value in stated.items())


def _is_reference(value: object) -> bool:
    """Whether a value is what another call returns; an object that a document states is said."""
    return (
        isinstance(value, dict) and value.keys() == {"from"} and str(value["from"]).startswith("$")
    )


def _plain(value: object) -> str:
    if isinstance(value, dict | list):
        return msgspec.json.encode(value).decode()
    return str(value).lower() if isinstance(value, bool) else str(value)


def _what(operation: Operation) -> str:
    text = " ".join((operation.description or operation.name).split())
    first = text.split(". ")[0].split("。")[0].rstrip(".")
    return first if len(first) <= _LONGEST else f"{first[:_LONGEST].rsplit(' ', 1)[0]}…"


def _frames_of(language: str) -> Frames | None:
    """Return the frames of a language by its tag: Norwegian without more is Bokmål."""
    spoken = language.partition("-")[0].casefold()
    return _frames().get(_WRITTEN_AS.get(spoken, spoken))


@functools.cache
def _frames() -> dict[str, Frames]:
    content = (files(__package__) / "templates.toml").read_bytes()
    return msgspec.toml.decode(content, type=dict[str, Frames])
