"""What a judge answers that reviews errors: the JSON that it is asked for, and how it is read."""

from collections.abc import Mapping, Sequence

import msgspec

from dragoman.core.errors import JudgeError
from dragoman.core.judged_errors import ReportedError, Severity
from dragoman.core.measures import MAX_WHY
from dragoman.core.scores import Unscored
from dragoman.core.tools import Role
from dragoman.scoring.error_tags import normalise_severity, taxonomy
from dragoman.scoring.judge_texts import decoded_answer

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
    """Return what providers that take schemas hold a judge to; its reply is read as strictly without."""
    known = taxonomy()
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
    """Read a judge's JSON: the errors of every turn that it was asked about, its tags as they are.

    Raises:
        JudgeError: Where the text is not such JSON, an entry is of a turn that nobody asked about or
            names another side, a turn has two entries or none, or an error has no tag or a severity
            that its side does not have.
    """
    given = decoded_answer(text, _Review).turns
    _require_each_once([entry.turn for entry in given], turns)
    return tuple(
        _reported(error, entry.turn, turns[entry.turn])
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


def _reported(error: _Error, turn: int, side: Role) -> ReportedError:
    severity = normalise_severity(error.severity, side)
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
