"""Measure `errors`: an LLM judge reviews each turn and names its errors."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files

import msgspec

from dragoman.core.content_keys import content_key
from dragoman.core.episodes import Message
from dragoman.core.errors import JudgeError, ParticipantError
from dragoman.core.measures import (
    MAX_WHY,
    CountedItem,
    ErrorReview,
    JudgedError,
    MeasureResult,
    MeasureSetting,
    MetricDefinition,
    Rate,
    ReportedError,
    ScoringContext,
    Severity,
    sum_counts,
)
from dragoman.core.protocols import ChatModel, ChatRequest
from dragoman.core.scores import Unscored
from dragoman.core.tools import NO_TOOLS, Role
from dragoman.core.usage import Usage, total_usage
from dragoman.scoring.judge_prompts import ask_judge, decode_judge_answer, escape_marks
from dragoman.scoring.measures.error_tags import error_taxonomy, normalize_severity
from dragoman.scoring.measures.judged_measure import REPEAT, QuotableText, marked_transcript
from dragoman.scoring.measures.rubrics import JUDGED
from dragoman.scoring.user_turns import scenario_texts

ERRORS = "errors"
"""The measure."""

RUBRIC = "errors@1"
"""The rubric that ships, by the name that `--rubric` takes."""


class _Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    about: str
    tags: Mapping[str, str]
    severities: Mapping[Role, Mapping[str, str]]


class ErrorRubric(msgspec.Struct, frozen=True):
    """The error rubric; its version ends in a hash of its content.

    Attributes:
        about: A line about it for lists.
        version: Its version.
        text: Instructions for the judge.
    """

    about: str
    version: str
    text: str


@cache
def error_rubric() -> ErrorRubric:
    """Return the rubric that ships."""
    folder = files("dragoman.scoring.measures")
    instructions = (folder / f"{RUBRIC}.md").read_text("utf-8")
    table = tomllib.loads((folder / f"{RUBRIC}.toml").read_text("utf-8"))
    words = msgspec.convert(table, _Words)
    text = "\n".join((instructions, "Tags:", *_tags(words), *_severities(words), ""))
    return ErrorRubric(words.about, f"{RUBRIC.partition('@')[2]}@{content_key(text)[:8]}", text)


def _tags(words: _Words) -> list[str]:
    own = error_taxonomy().tags["user"]
    return [
        f"- {tag}{'' if tag in own else ' (of the agent alone)'}: {words.tags[tag]}"
        for tag in error_taxonomy().tags["agent"]
    ]


def _severities(words: _Words) -> list[str]:
    lines = []
    for side, severities in error_taxonomy().severities.items():
        lines += ["", f"Severities of the {side}:"]
        lines += [f"- {each}: {words.severities[side][each]}" for each in severities]
    return lines


MAX_ERRORS = 20
"""Errors of one turn."""

_MAX_TAGS = 10
_MAX_TAG = 100


class _Error(msgspec.Struct, frozen=True):
    severity: str
    tags: list[str]
    why: str
    quote: str


class _Turn(msgspec.Struct, frozen=True):
    turn: int
    by: Role
    errors: list[_Error]


class _Review(msgspec.Struct, frozen=True):
    turns: list[_Turn]


def review_schema() -> Mapping[str, object]:
    """Return the JSON schema that constrains a judge, for providers that accept schemas.

    Replies of other providers are read just as strictly.
    """
    known = error_taxonomy()
    severities = dict.fromkeys(each for side in known.severities.values() for each in side)
    error = _object(
        {
            "severity": {"type": "string", "enum": list(severities)},
            "tags": _list({"type": "string", "enum": list(known.tags["agent"])}),
            "why": {"type": "string"},
            "quote": {"type": "string"},
        }
    )
    turn = _object(
        {
            "turn": {"type": "integer"},
            "by": {"type": "string", "enum": ["agent", "user"]},
            "errors": _list(error),
        }
    )
    return _object({"turns": _list(turn)})


def parse_review(text: str, turns: Mapping[int, Role]) -> tuple[ReportedError, ...]:
    """Decode a judge's JSON: the errors of every requested turn, with tags as written.

    Raises:
        JudgeError: If the text is not such JSON, an entry is about a turn that was not requested or
            names another side, a turn has two entries or none, or an error has no tag or a severity
            that its side does not have.
    """
    given = decode_judge_answer(text, _Review).turns
    _require_each_once([entry.turn for entry in given], turns)
    return tuple(
        _to_reported_error(error, entry.turn, turns[entry.turn])
        for entry in sorted(given, key=lambda each: each.turn)
        for error in _of_side(entry, turns[entry.turn]).errors
    )


def _require_each_once(given: Sequence[int], turns: Mapping[int, Role]) -> None:
    for turn in given:
        if turn not in turns:
            raise JudgeError(f"the judge answered of turn {turn}, which nobody asked about")
    if len(set(given)) < len(given):
        raise JudgeError("the judge answered of a turn twice")
    missing = len(turns) - len(given)
    if missing:
        raise JudgeError(f"{missing} of {len(turns)} turns not answered")


def _of_side(entry: _Turn, side: Role) -> _Turn:
    if entry.by != side:
        raise JudgeError(f"turn {entry.turn} is the {side}'s, not the {entry.by}'s")
    if len(entry.errors) > MAX_ERRORS:
        raise JudgeError(f"turn {entry.turn} has {len(entry.errors)} errors, not {MAX_ERRORS}")
    return entry


def _to_reported_error(error: _Error, turn: int, side: Role) -> ReportedError:
    severity = normalize_severity(error.severity, side)
    if isinstance(severity, Unscored):
        raise JudgeError(f"turn {turn}: {severity.reason}")
    tags = tuple(dict.fromkeys(error.tags))
    if not 0 < len(tags) <= _MAX_TAGS or any(len(tag) > _MAX_TAG for tag in tags):
        raise JudgeError(f"turn {turn}: an error has 1 to {_MAX_TAGS} short tags, not {len(tags)}")
    return _error(side, severity, tags, turn, error)


def _error(
    side: Role, severity: Severity, tags: tuple[str, ...], turn: int, error: _Error
) -> ReportedError:
    return ReportedError(side, severity, tags, turn, error.why[:MAX_WHY], error.quote[:MAX_WHY])


def _object(properties: Mapping[str, object]) -> Mapping[str, object]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(items: Mapping[str, object]) -> Mapping[str, object]:
    return {"type": "array", "items": items}


ASKED = "errors-1"
"""The version of how a judge is asked, part of its name."""

_SIDES: tuple[Role, ...] = ("agent", "user")
_NAMED = 3


class ErrorsMeasure:
    """Has a chat model review the errors of conversations.

    `version` tells models of one name apart; it and which time the model is asked are part of the
    judge's name. Tags are kept as they were written. An error whose quote does not stand in the
    conversation, or a turn without an answer, leaves the conversation unscored.
    """

    name = ERRORS
    rules = ""

    def __init__(self, model: ChatModel, version: str = "", time: int = 1) -> None:
        self._model = model
        self._again = f"{REPEAT}{time}" if time > 1 else ""
        self._schema = review_schema()
        self.version = error_rubric().version
        self.judge = f"{ASKED}:{model.name}{version and '@'}{version}{self._again}"
        self.figures: tuple[MetricDefinition, ...] = tuple(
            Rate(f"{side} {level}", (f"{side} {level}",), (JUDGED,))
            for side in _SIDES
            for level in ("critical", "minor")
        )

    def applies(self, setting: MeasureSetting) -> bool:  # noqa: ARG002 - errors are made everywhere
        """Return whether there is anything to judge under a condition."""
        return True

    async def measure(self, case: ScoringContext) -> MeasureResult:
        """Judge one conversation; where the judge fails, it is unscored and says why."""
        if case.fault:
            return self._result(unscored=case.fault)
        usages: list[Usage] = []
        try:
            reported = await self._reported(case, usages)
        except (JudgeError, ParticipantError) as error:
            usages += () if error.usage is None else (error.usage,)
            return self._result(usages=usages, unscored=f"judge failed: {error}")
        return self._result(reported, usages, unscored=_describe_unsupported(case, reported))

    async def _reported(
        self, case: ScoringContext, usages: list[Usage]
    ) -> tuple[ReportedError, ...]:
        """Return the errors that the judge names, and add what it took to `usages`."""
        turns = _turns(case)
        if not turns:
            return ()
        messages = [
            {"role": "system", "content": error_rubric().text},
            {"role": "user", "content": _compose_review_prompt(case, turns)},
        ]
        draw = f"{case.draw}{self._again}"
        request = ChatRequest(
            messages, NO_TOOLS, 0, case.task.id, draw=draw, reply_schema=self._schema
        )
        return await ask_judge(
            self._model,
            (request, f"measure {self.name}"),
            lambda reply: parse_review(reply, turns),
            usages,
            lambda found: not _describe_unsupported(case, found),
        )

    def _result(
        self,
        reported: Sequence[ReportedError] = (),
        usages: Sequence[Usage] = (),
        *,
        unscored: str,
    ) -> MeasureResult:
        sums = {} if unscored else sum_counts(_by_side(reported))
        return MeasureResult(
            self.name,
            self.version,
            self.judge,
            counts=sums,
            evidence=(
                *(() if unscored else _by_side(reported)),
                *map(_to_uncounted_item, reported),
            ),
            unscored=unscored,
            usage=next(iter(total_usage(usages)), None),
            errors=() if unscored else tuple(reported),
        )


def _turns(case: ScoringContext) -> dict[int, Role]:
    """Return the places of the turns that are judged, and whose they are."""
    begin = len(case.task.history)
    return {
        position: event.by
        for position, event in enumerate(case.episode.events)
        if position >= begin and isinstance(event, Message) and not event.scripted
    }


def _compose_review_prompt(case: ScoringContext, turns: dict[int, Role]) -> str:
    instructions = "\n\n".join(scenario_texts(case.task.scenario))
    shown = marked_transcript(case.episode.events, turns)
    return (
        f"<policy>\n{escape_marks(case.policy())}\n</policy>\n<scenario>\n{escape_marks(instructions)}\n</scenario>\n"
        f"<conversation>\n{shown}\n</conversation>\n"
        f"Review the turns {', '.join(map(str, turns))}."
    )


def _describe_unsupported(case: ScoringContext, reported: Sequence[ReportedError]) -> str:
    """Return which errors are without evidence; "" if none is."""
    seen = QuotableText(case.episode.events)
    faults: dict[str, list[str]] = {}
    for error in reported:
        fault = seen.fault(error.quote, is_needed=True, said_by="")
        if fault:
            faults.setdefault(fault, []).append(f"turn {error.position}")
    shown = (f"{fault} ({', '.join(where[:_NAMED])})" for fault, where in faults.items())
    return f"judge failed: {'; '.join(shown)}" if faults else ""


def _by_side(reported: Sequence[ReportedError]) -> Iterator[CountedItem]:
    """Yield what a conversation counts for: judged once, and for each side its gravest error."""
    yield CountedItem({JUDGED: 1})
    errors = ErrorReview(tuple(JudgedError(each.by, each.severity) for each in reported))
    for side in _SIDES:
        levels = {error.level for error in errors.errors_of(side)}
        is_critical = "critical" in levels
        for level, value in (
            ("critical", is_critical),
            ("minor", bool(levels) and not is_critical),
        ):
            yield CountedItem({f"{side} {level}": int(value)}, subject=f"{side} {level}")


def _to_uncounted_item(error: ReportedError) -> CountedItem:
    """Return an error as something that counts for nothing by itself, to be seen."""
    subject = f"{error.by}: {error.severity}, {', '.join(error.tags)}"
    return CountedItem({}, error.position, subject, f"{error.why} [{error.quote.strip()}]")
