"""Rubrics of LLM judges: prompt text, questions (booleans and integers) and metrics.

A rubric has two files in one folder: `NAME@VERSION.md`, the text that a judge is given, and
`NAME@VERSION.toml`, its questions and the metrics to compute from the answers. A version may extend
the text of another one. Some are bundled.
"""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal, TypeVar

import msgspec

from dragoman.core.content_keys import content_key
from dragoman.core.errors import DataError
from dragoman.core.measures import Averaging, MetricDefinition, MetricFormat, Rate, Total
from dragoman.core.texts.decoding import DECODING_ERRORS, load_toml

JUDGED = "judged"
"""Further count that a rubric's figures may use: judged conversations or replies."""

JUDGED_REPLIES: Mapping[str, str] = {
    "agent replies": "judged_agent_replies",
    "user replies": "judged_user_replies",
}
"""Judged replies by side, as further units that a rubric's figures may count.

They serve rubrics that ask some questions of replies and some of the conversation.
"""

MAX_BYTES = 256 * 1024

_STEM = re.compile(r"([a-z][a-z0-9_]{0,40})@([0-9A-Za-z._]{1,20})")
_NAME = re.compile(r"[a-z][a-z0-9_]{0,60}")

_Kind = TypeVar("_Kind")

Over = Literal["conversation", "agent replies", "user replies"]
"""Subject of the judgement: the conversation, or each reply of a side."""


Shows = Literal["before", "whole"]
"""Context for a judge of replies: the part before each, or the whole conversation."""

Edition = Annotated[int, msgspec.Meta(ge=1, le=1_000)]
"""Latest edition of a suite's list of handover duties that a judge is told."""


class RubricQuestion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One question of a rubric.

    Attributes:
        name: The id of its answer.
        type: Type of the answer.
        text: The question.
        least: The smallest integer that is a valid answer.
        most: The largest integer that is a valid answer.
        within: Names of counts of which this count is a part, so that it exceeds none of them.
        quote: Whether true, or a count above 0, needs a quote from what was shown.
        said_by: Side whose words the quote must be; "" for anything shown.
        over: Subject of the question; "" for the subject of the rubric.
        all_within: Names of counts that its sum over all judged parts of a conversation does not
            exceed.
    """

    name: str
    type: Literal["boolean", "integer"]
    text: str
    least: int = 0
    most: int = 1_000
    within: tuple[str, ...] = ()
    quote: bool = False
    said_by: Literal["", "agent", "user"] = ""
    over: Over | Literal[""] = ""
    all_within: tuple[str, ...] = ()


class _Rate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    numerator: tuple[str, ...]
    denominator: tuple[str, ...]
    averaging: Averaging = "micro"
    reads: MetricFormat = "number"


class _Schema(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    question: tuple[RubricQuestion, ...]
    over: Over = "conversation"
    rate: tuple[_Rate, ...] = ()
    shows: Shows = "before"
    risk_profile: bool = msgspec.field(default=False, name="stakes")
    duties: Edition = 1
    about: str = ""


class _Version(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A version that asks what another one asks; its text comes after the other's."""

    like: str
    shows: Shows | None = None
    duties: Edition | None = None
    about: str = ""


class Rubric(msgspec.Struct, frozen=True):
    """One rubric as it was read; its version ends in a hash of its content.

    `has_risk_profile` says whether a judge is given the suite's list of irreversible actions and of
    duties to hand over to a person; `duties` is the edition of that list. `about` is a line about
    it for lists.
    """

    name: str
    version: str
    text: str
    over: Over
    questions: tuple[RubricQuestion, ...]
    figures: tuple[MetricDefinition, ...]
    shows: Shows = "before"
    has_risk_profile: bool = False
    about: str = ""
    duties: int = 1

    @property
    def parts(self) -> dict[Over, tuple[RubricQuestion, ...]]:
        """The questions by their subject."""
        found: dict[Over, tuple[RubricQuestion, ...]] = {}
        for question in self.questions:
            over = question.over or self.over
            found[over] = (*found.get(over, ()), question)
        return found

    def judged(self, over: Over) -> str:
        """Return under which name what was judged is counted."""
        return _judged_count_name(over, is_mixed=len(self.parts) > 1)


def _judged_count_name(over: Over, *, is_mixed: bool) -> str:
    return JUDGED_REPLIES.get(over, JUDGED) if is_mixed else JUDGED


def bundled_rubrics() -> dict[str, Path]:
    """Return the schemas of the rubrics that ship, by `NAME@VERSION`."""
    return {
        path.stem: path for path in sorted(_folder().glob("*@*.toml"), key=lambda path: path.stem)
    }


def read_rubric(path: Path) -> Rubric:
    """Read a rubric by its schema, `NAME@VERSION.toml`; the text is in the same folder.

    Raises:
        DataError: If a file cannot be read, or has other content.
    """
    named = _STEM.fullmatch(path.stem)
    if named is None or path.suffix != ".toml":
        raise DataError(f"{path}: a rubric's schema is called NAME@VERSION.toml")
    text, written = _text(path.with_suffix(".md")), _text(path)
    about, version = "", _version(path, written)
    if version is not None:
        about, path = version.about, path.with_name(f"{version.like}.toml")
        text, written = f"{_text(path.with_suffix('.md'))}{text}", _text(path)
    schema = _convert_table(path, _read_table(path, written), _Schema)
    shows = (version and version.shows) or schema.shows
    _require_sound(path, schema, shows)
    duties = (version and version.duties) or schema.duties
    instructions = [risk_profile_template()] if schema.risk_profile else []
    instructions += [] if shows == schema.shows else [shows]
    instructions += [] if duties == schema.duties else [f"duties {duties}"]
    return Rubric(
        named[1],
        f"{named[2]}@{content_key(text, written, *instructions)[:8]}",
        text,
        schema.over,
        schema.question,
        _figures(schema),
        shows,
        schema.risk_profile,
        about or schema.about,
        duties,
    )


@cache
def risk_profile_template() -> str:
    """Return the template (`string.Template`) that tells a judge a suite's risk profile."""
    return (_folder() / "stakes-1.md").read_text("utf-8")


def _folder() -> Path:
    return Path(str(files("dragoman.scoring") / "rubrics"))


def _version(path: Path, written: str) -> _Version | None:
    """Return of which version a schema is a version; None if it has questions of its own."""
    table = _read_table(path, written)
    if "like" not in table:
        return None
    version = _convert_table(path, table, _Version)
    if not _STEM.fullmatch(version.like):
        raise DataError(f"{path}: 'like' names a rubric in the same folder, NAME@VERSION")
    return version


def _read_table(path: Path, written: str) -> dict[str, object]:
    try:
        return load_toml(written)
    except (tomllib.TOMLDecodeError, *DECODING_ERRORS) as error:
        raise DataError(f"{path}: no schema of a rubric ({error})") from error


def _convert_table(path: Path, table: dict[str, object], kind: type[_Kind]) -> _Kind:
    try:
        return msgspec.convert(table, kind)
    except DECODING_ERRORS as error:
        raise DataError(f"{path}: no schema of a rubric ({error})") from error


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise DataError(f"{path}: more than {MAX_BYTES} bytes: no rubric")
        return path.read_text("utf-8")
    except OSError as error:
        raise DataError(f"{path}: the rubric cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: the rubric is no UTF-8 text") from error


def _require_sound(path: Path, schema: _Schema, shows: Shows) -> None:
    overs = {question.name: question.over or schema.over for question in schema.question}
    if shows == "whole" and "conversation" in overs.values():
        raise DataError(f'{path}: shows = "whole" is for a rubric over replies')
    names = [question.name for question in schema.question]
    reserved = {JUDGED, *JUDGED_REPLIES.values()}
    odd = next((name for name in names if not _NAME.fullmatch(name) or name in reserved), None)
    if odd is not None or len(set(names)) != len(names) or not names:
        raise DataError(
            f"{path}: questions need names of their own, in small letters: {odd or names}"
        )
    counts = {question.name for question in schema.question if question.type == "integer"}
    for question in schema.question:
        if not {*question.within, *question.all_within} <= counts - {question.name}:
            raise DataError(
                f"{path}: {question.name!r} is within something that is not another count"
            )
        if any(overs[whole] != overs[question.name] for whole in question.within):
            raise DataError(f"{path}: {question.name!r} is within what is asked of something else")
        if question.said_by and not question.quote:
            raise DataError(f"{path}: {question.name!r} says whose quote, but wants none")
    for rate in schema.rate:
        for name in (*rate.numerator, *rate.denominator):
            if name not in {*names, *reserved}:
                raise DataError(
                    f"{path}: rate {rate.name!r} counts {name!r}, which nobody is asked"
                )


def _figures(schema: _Schema) -> tuple[MetricDefinition, ...]:
    overs = [question.over or schema.over for question in schema.question]
    is_mixed = len(set(overs)) > 1
    return (
        *(
            _figure(question, _judged_count_name(over, is_mixed=is_mixed))
            for question, over in zip(schema.question, overs, strict=True)
        ),
        *map(_rate, schema.rate),
    )


def _figure(question: RubricQuestion, judged: str) -> MetricDefinition:
    if question.type == "integer":
        return Total(question.name, (question.name,))
    return Rate(question.name, (question.name,), (judged,))


def _rate(rate: _Rate) -> Rate:
    return Rate(rate.name, rate.numerator, rate.denominator, rate.averaging, reads=rate.reads)
