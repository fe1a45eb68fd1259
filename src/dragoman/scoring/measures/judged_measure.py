"""Measure by an LLM judge with a rubric: pieces of a conversation, answers, quoted evidence."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from importlib.resources import files
from string import Template
from typing import NamedTuple

import msgspec

from dragoman.core.episodes import Event, Message
from dragoman.core.errors import JudgeError, ParticipantError
from dragoman.core.measures import (
    MAX_WHY,
    CountedItem,
    MeasureResult,
    MeasureSetting,
    MetricDefinition,
    ScoringContext,
    sum_counts,
)
from dragoman.core.protocols import ChatModel, ChatRequest
from dragoman.core.replies import TextReply
from dragoman.core.tasks import RiskProfile
from dragoman.core.tools import NO_TOOLS
from dragoman.core.usage import Usage, total_usage
from dragoman.scoring.judge_prompts import (
    JudgePromptLine,
    ask_judge,
    decode_judge_answer,
    escape_marks,
    judge_prompt_lines,
    transcript,
)
from dragoman.scoring.measures.rubrics import (
    JUDGED,
    Over,
    Rubric,
    RubricQuestion,
    risk_profile_template,
)

NO_QUOTE = "no quote"
INVENTED = "quote not in the conversation"
LATER = "quote from after the turn"

_MARKS = re.compile(
    "[\"'`\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u00ab\u00bb\u2039\u203a\u300c-\u300f]+"
)
_MARK = "'"


class QuotableText:
    """Quotable text of a part of a conversation; a quote lies within one line.

    White space and the kind of quotation marks do not matter.
    """

    def __init__(self, events: Sequence[Event]) -> None:
        self._events = events

    @cached_property
    def _lines(self) -> Sequence[tuple[JudgePromptLine, str, str]]:
        return [
            (line, _alike(escape_marks(line.head)), _alike(escape_marks(line.text)))
            for line in judge_prompt_lines(self._events)
        ]

    def fault(self, quote: str, *, is_needed: bool, said_by: str) -> str:
        """Return the fault of a quote; "" if it has none.

        Args:
            quote: The quote that the judge gave.
            is_needed: Whether the answer needs a quote.
            said_by: Side whose words it must be; "" for anything shown.
        """
        wanted = _alike(quote).strip(f" {_MARK}")
        if not any(map(str.isalnum, wanted)):
            return NO_QUOTE if is_needed or wanted else ""
        return "" if any(self._places(wanted, said_by)) else INVENTED

    def _places(self, wanted: str, said_by: str) -> Iterable[bool]:
        for line, head, text in self._lines:
            if not said_by or (line.is_said and line.by == said_by):
                yield _stands_in(wanted.removeprefix(head).strip(f" {_MARK}"), text)


def _alike(text: str) -> str:
    return " ".join(_MARKS.sub(_MARK, text).split())


def _stands_in(wanted: str, text: str) -> bool:
    """Return whether a text contains another, not as a piece of a longer ASCII word."""
    whole = rf"(?<![0-9A-Za-z]){re.escape(wanted)}(?![0-9A-Za-z])"
    return bool(wanted) and re.search(whole, text) is not None


class RubricPiece(NamedTuple):
    """The content of one request to a judge.

    Attributes:
        events: The events that are shown.
        position: Place of the judged reply; None for several replies, or the whole conversation.
        turns: Places of the replies that are judged one by one; empty for a single answer.
        questions: The questions about the events.
        judged: Name of the count of judged pieces.
    """

    events: Sequence[Event]
    position: int | None = None
    turns: tuple[int, ...] = ()
    questions: tuple[RubricQuestion, ...] = ()
    judged: str = JUDGED

    @property
    def places(self) -> tuple[int | None, ...]:
        """Places that the answers belong to."""
        return self.turns or (self.position,)


def rubric_pieces(rubric: Rubric, case: ScoringContext) -> Iterator[RubricPiece]:
    """Yield what a rubric has judged of a conversation."""
    for over, questions in rubric.parts.items():
        for piece in _pieces(over, rubric, case):
            yield piece._replace(questions=questions, judged=rubric.judged(over))


def _pieces(over: Over, rubric: Rubric, case: ScoringContext) -> Iterator[RubricPiece]:
    events = case.episode.events
    if over == "conversation":
        yield RubricPiece(events)
        return
    side = over.split(" ", maxsplit=1)[0]
    begin = len(case.task.history)
    turns = tuple(
        position
        for position, event in enumerate(events)
        if position >= begin and _is_reply(event, side)
    )
    if rubric.shows == "before":
        yield from (RubricPiece(events[: position + 1], position) for position in turns)
    elif turns:
        yield RubricPiece(events, turns=turns)


def piece_prompt(piece: RubricPiece) -> str:
    """Return what a judge is shown and asked of a piece."""
    asked = "\n".join(f"{each.name} ({_kind(each)}): {each.text}" for each in piece.questions)
    shown = (
        marked_transcript(piece.events, piece.turns)
        if piece.turns
        else escape_marks(transcript(piece.events))
    )
    return (
        f"<conversation>\n{shown}\n</conversation>\n{_what(piece)}\n"
        f"<questions>\n{asked}\n</questions>"
    )


def _what(piece: RubricPiece) -> str:
    if piece.turns:
        return f"Judge the turns {', '.join(map(str, piece.turns))}, each from what came before it."
    if piece.position is None:
        return "Judge the whole conversation."
    return "Judge the last reply in it, from what came before."


def marked_transcript(events: Sequence[Event], turns: Collection[int]) -> str:
    """Return what a judge is shown of a conversation, with the places of these turns in it."""
    lines = []
    for position, event in enumerate(events):
        mark = f"[turn {position}] " if position in turns else ""
        lines += [
            f"{mark}{escape_marks(line.head + line.text)}" for line in judge_prompt_lines((event,))
        ]
    return "\n".join(lines)


def _kind(question: RubricQuestion) -> str:
    """Return the description of a question's answer for a judge."""
    whose = f" of the {question.said_by}" if question.said_by else ""
    return f"{question.type}, with a quote{whose}" if question.quote else question.type


def _is_reply(event: Event, side: str) -> bool:
    """Return whether a side said something of its own."""
    if not isinstance(event, Message) or event.by != side or event.scripted:
        return False
    return isinstance(event.reply, TextReply)


class JudgeAnswer(msgspec.Struct, frozen=True, forbid_unknown_fields=False):
    """One answer of a judge.

    `quote` is the evidence for it. `turn` is the reply that it is about if several are judged.
    """

    id: str
    value: bool | int
    why: str = ""
    quote: str = ""
    turn: int | None = None


class _Answers(msgspec.Struct):
    answers: list[JudgeAnswer]


@cache
def answers_schema(*, quoting: bool, by_turn: bool = False) -> Mapping[str, object]:
    """Return the JSON schema that constrains a judge, for providers that accept schemas.

    Replies of other providers are read just as strictly.
    """
    fields: dict[str, object] = {
        "id": {"type": "string"},
        "value": {"anyOf": [{"type": "boolean"}, {"type": "integer"}]},
        "why": {"type": "string"},
    }
    if quoting:
        fields["quote"] = {"type": "string"}
    if by_turn:
        fields["turn"] = {"type": "integer"}
    answer = {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {"answers": {"type": "array", "items": answer}},
        "required": ["answers"],
        "additionalProperties": False,
    }


def parse_answers(text: str, questions: Sequence[RubricQuestion]) -> dict[str, JudgeAnswer]:
    """Decode a judge's JSON and match its answers to questions by id; some may be missing.

    Raises:
        JudgeError: If the text is not such JSON, or an answer has an unknown id, repeats another,
            or is not of the requested kind.
    """
    return _match_answers(decode_judge_answer(text, _Answers).answers, questions)


def parse_turn_answers(
    text: str, questions: Sequence[RubricQuestion], turns: Sequence[int]
) -> dict[int | None, dict[str, JudgeAnswer]]:
    """Read a judge's JSON on several turns, and match its answers by turn and id.

    Raises:
        JudgeError: For the same reasons as in `parse_answers`, and if an answer is about a turn
            that was not requested.
    """
    of_turn: dict[int | None, list[JudgeAnswer]] = {turn: [] for turn in turns}
    for answer in decode_judge_answer(text, _Answers).answers:
        if answer.turn not in of_turn:
            asked = ", ".join(map(str, turns))
            raise JudgeError(f"the judge answered of turn {answer.turn}, asked were {asked}")
        of_turn[answer.turn].append(answer)
    return {turn: _match_answers(given, questions) for turn, given in of_turn.items()}


def _match_answers(
    given: Sequence[JudgeAnswer], questions: Sequence[RubricQuestion]
) -> dict[str, JudgeAnswer]:
    answers = {answer.id: answer for answer in given}
    known = {question.name: question for question in questions}
    if len(answers) != len(given) or not answers.keys() <= known.keys():
        ids = ", ".join(sorted(answer.id[:40] for answer in given))
        raise JudgeError(f"the judge answered {ids}, asked were {', '.join(known)}")
    for name, answer in answers.items():
        why = _misfit(known[name], answer.value) or _excess(known[name], answers)
        if why:
            raise JudgeError(f"the judge's answer to {name} is {answer.value}, not {why}")
    return answers


def _misfit(question: RubricQuestion, value: bool | int) -> str:
    """Return what a value should be; "" if it is that."""
    if question.type == "boolean":
        return "" if isinstance(value, bool) else "true or false"
    fits = not isinstance(value, bool) and question.least <= value <= question.most
    return "" if fits else f"a whole number from {question.least} to {question.most}"


def _excess(question: RubricQuestion, answers: Mapping[str, JudgeAnswer]) -> str:
    """Return which count, that this one is a part of, it exceeds."""
    value = answers[question.name].value
    for whole in question.within:
        if whole in answers and value > answers[whole].value:
            return f"at most the {answers[whole].value} of {whole}"
    return ""


ASKED = "measure-1"
"""Version of the request to a judge, for all rubrics; it is part of the judge's name."""

ASKED_TO_QUOTE = "measure-2"
"""Version of the request if a rubric wants quotes as evidence."""

ASKED_BY_TURN = "turns-1"
"""Version of the request about all replies at once, with the whole conversation."""

_LEFT_OUT = "the judge left it out"
_NAMED = 3
"""Number of questions without evidence that a reason names."""

NO_RISK_PROFILE = RiskProfile()

REPEAT = "#"
"""Mark in a judge's name before the number of the request, from the second request on."""


class JudgedMeasure:
    """Measure that asks a chat model the questions of a rubric.

    The questions are about a conversation or each of its replies.

    `version` distinguishes models of one name; it is part of the judge's name, and so is the number
    of the request (`#2`), since a model may answer differently when it is asked again. An
    unanswered question leaves the conversation unscored.
    """

    rules = ""

    def __init__(
        self,
        rubric: Rubric,
        model: ChatModel,
        version: str = "",
        time: int = 1,
        *,
        risk_profile: RiskProfile = NO_RISK_PROFILE,
    ) -> None:
        self._rubric = rubric
        self._model = model
        self._again = f"{REPEAT}{time}" if time > 1 else ""
        self.name = rubric.name
        self.version = rubric.version
        asked_by = _asked_by(rubric)
        self._schema = answers_schema(quoting=asked_by != ASKED, by_turn=asked_by == ASKED_BY_TURN)
        listed = _at_stake(risk_profile, rubric.duties) if rubric.has_risk_profile else ""
        self._instructions = f"{_instructions(asked_by)}{rubric.text}{listed}"
        self.judge = f"{asked_by}:{model.name}{version and '@'}{version}{self._again}"
        self.figures: tuple[MetricDefinition, ...] = rubric.figures

    def applies(self, setting: MeasureSetting) -> bool:  # noqa: ARG002
        """Return whether there is anything to judge under a condition."""
        return True

    async def measure(self, case: ScoringContext) -> MeasureResult:
        """Judge one conversation; where the judge fails, it is unscored and says why."""
        if case.fault:
            return self._result(unscored=case.fault)
        found: list[CountedItem] = []
        usages: list[Usage] = []
        for piece in rubric_pieces(self._rubric, case):
            try:
                found += await self._judged(case, piece, usages)
            except (JudgeError, ParticipantError) as error:
                usages += () if error.usage is None else (error.usage,)
                why = f"judge failed{_at(piece.position)}: {error}"
                return self._result(found, usages, unscored=why)
        return self._result(found, usages, unscored=_open(found) or self._beyond(found))

    def _beyond(self, found: Sequence[CountedItem]) -> str:
        """Return which sum over a conversation exceeds what it is a part of; "" if none does."""
        counts = sum_counts(found)
        for question in self._rubric.questions:
            for whole in question.all_within:
                part, most = counts.get(question.name, 0), counts.get(whole, 0)
                if part > most:
                    return (
                        f"judge failed: {question.name} {part:g} in all, more than the "
                        f"{most:g} of {whole}"
                    )
        return ""

    def _result(
        self, found: Sequence[CountedItem] = (), usages: Sequence[Usage] = (), *, unscored: str
    ) -> MeasureResult:
        return MeasureResult(
            self.name,
            self.version,
            self.judge,
            counts={} if unscored else sum_counts(found),
            evidence=tuple(found),
            unscored=unscored,
            usage=next(iter(total_usage(usages)), None),
        )

    async def _judged(
        self, case: ScoringContext, piece: RubricPiece, usages: list[Usage]
    ) -> list[CountedItem]:
        """Return what one answer counts for, and add what it took to `usages`."""
        messages = [
            {"role": "system", "content": self._instructions},
            {"role": "user", "content": piece_prompt(piece)},
        ]
        draw = f"{case.draw}{self._again}"
        request = ChatRequest(
            messages, NO_TOOLS, 0, case.task.id, draw=draw, reply_schema=self._schema
        )
        return await ask_judge(
            self._model,
            (request, f"measure {self.name}"),
            lambda reply: list(_count_reply(piece, reply)),
            usages,
            lambda found: not _open(found),
        )


def _at_stake(risk_profile: RiskProfile, edition: int) -> str:
    """Return the judge's instructions on irreversible actions and handover duties."""
    instructions = (each for each in risk_profile.escalations if each.since <= edition)
    duties = "\n".join(f"- {each.reason}: {each.when}" for each in instructions)
    return Template(risk_profile_template()).substitute(
        irreversible=", ".join(risk_profile.irreversible) or "none listed",
        tool=risk_profile.escalation_tool or "no tool",
        duties=duties or "- none listed",
    )


def _asked_by(rubric: Rubric) -> str:
    if rubric.shows == "whole":
        return ASKED_BY_TURN
    return ASKED_TO_QUOTE if any(question.quote for question in rubric.questions) else ASKED


def _count_reply(piece: RubricPiece, reply: str) -> Iterator[CountedItem]:
    """Yield the counted items of a judge's reply.

    Raises:
        JudgeError: If it is not what was asked for.
    """
    questions = piece.questions
    answers = (
        parse_turn_answers(reply, questions, piece.turns)
        if piece.turns
        else {piece.position: parse_answers(reply, questions)}
    )
    for place in piece.places:
        yield CountedItem({piece.judged: 1}, place)
        seen = QuotableText(piece.events if place is None else piece.events[: place + 1])
        for question in questions:
            answer = answers[place].get(question.name)
            if answer is None:
                yield CountedItem({}, place, question.name, _LEFT_OUT)
            elif not question.quote:
                yield _to_counted_item(answer, place, answer.why)
            elif fault := seen.fault(
                answer.quote, is_needed=bool(answer.value), said_by=question.said_by
            ):
                yield CountedItem(
                    {}, place, question.name, _classify_quote_fault(fault, answer, piece)
                )
            else:
                quote = f" [{answer.quote.strip()}]" if answer.value else ""
                yield _to_counted_item(answer, place, f"{answer.why}{quote}")


def _classify_quote_fault(fault: str, answer: JudgeAnswer, piece: RubricPiece) -> str:
    """Return what is wrong with a quote: what stands behind the turn was not invented."""
    if fault != INVENTED or not piece.turns:
        return fault
    is_later = not QuotableText(piece.events).fault(answer.quote, is_needed=True, said_by="")
    return LATER if is_later else INVENTED


def _to_counted_item(answer: JudgeAnswer, position: int | None, why: str) -> CountedItem:
    return CountedItem({answer.id: int(answer.value)}, position, answer.id, why[:MAX_WHY])


def _open(found: Sequence[CountedItem]) -> str:
    """Return why what a judge answered cannot be counted; "" if it can."""
    asked = sum(bool(entry.subject) for entry in found)
    left: dict[str, list[str]] = {}
    for entry in found:
        if not entry.counts:
            left.setdefault(entry.why, []).append(f"{entry.subject}{_at(entry.position)}")
    if not left:
        return ""
    missing = len(left.pop(_LEFT_OUT, ()))
    reasons = [f"{missing} of {asked} questions not answered"] if missing else []
    reasons += [f"{why} ({', '.join(subjects[:_NAMED])})" for why, subjects in left.items()]
    return f"judge failed: {'; '.join(reasons)}"


def _at(position: int | None) -> str:
    return "" if position is None else f" at event {position}"


@cache
def _instructions(asked: str) -> str:
    return (files("dragoman.scoring") / "rubrics" / f"{asked}.md").read_text("utf-8")
