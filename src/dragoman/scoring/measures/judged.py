"""A measure that a chat model takes by a rubric: booleans and integers, matched by id."""

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from string import Template

from dragoman.core.errors import JudgeError, ParticipantError
from dragoman.core.measures import MAX_WHY, Counted, Derived, Measured, PlayedCase, Setting, summed
from dragoman.core.protocols import ChatModel, ChatRequest
from dragoman.core.tasks import Stakes
from dragoman.core.tools import NO_TOOLS
from dragoman.core.usage import Usage, total_usage
from dragoman.scoring.judge_texts import usable_answer
from dragoman.scoring.measures.quotes import INVENTED, LATER, Quotable
from dragoman.scoring.measures.rubric_answers import (
    JudgeAnswer,
    answers_schema,
    parse_answers,
    parse_turn_answers,
)
from dragoman.scoring.measures.rubric_pieces import RubricPiece, asked_about, pieces
from dragoman.scoring.measures.rubrics import Rubric, stakes_template

ASKED = "measure-1"
"""The version of how a judge is asked, whatever the rubric; part of the judge's name."""

ASKED_TO_QUOTE = "measure-2"
"""How it is asked where a rubric wants quotes as evidence."""

ASKED_BY_TURN = "turns-1"
"""How it is asked about all replies at once, shown the whole conversation."""

_LEFT_OUT = "the judge left it out"
_NAMED = 3
"""How many of the questions without evidence a reason names."""

NO_STAKES = Stakes()

REPEAT = "#"
"""Stands in a judge's name before which time it was asked, from the second on."""


class JudgedMeasure:
    """Puts a rubric's questions to a chat model, over a conversation or each reply in it.

    `version` tells models of one name apart; it is part of the judge's name, and so is which time
    it is asked (`#2`), since a model that is asked again may answer otherwise. What is not answered
    leaves the conversation unscored.
    """

    rules = ""

    def __init__(
        self,
        rubric: Rubric,
        model: ChatModel,
        version: str = "",
        time: int = 1,
        *,
        stakes: Stakes = NO_STAKES,
    ) -> None:
        self._rubric = rubric
        self._model = model
        self._again = f"{REPEAT}{time}" if time > 1 else ""
        self.name = rubric.name
        self.version = rubric.version
        asked_by = _asked_by(rubric)
        self._schema = answers_schema(quoting=asked_by != ASKED, by_turn=asked_by == ASKED_BY_TURN)
        listed = _at_stake(stakes, rubric.duties) if rubric.has_stakes else ""
        self._told = f"{_instructions(asked_by)}{rubric.text}{listed}"
        self.judge = f"{asked_by}:{model.name}{version and '@'}{version}{self._again}"
        self.figures: tuple[Derived, ...] = rubric.figures

    def applies(self, setting: Setting) -> bool:  # noqa: ARG002 - rubrics are asked everywhere
        """Whether there is anything to judge under a condition."""
        return True

    async def measure(self, case: PlayedCase) -> Measured:
        """Judge one conversation; where the judge fails, it is unscored and says why."""
        if case.fault:
            return self._result(unscored=case.fault)
        found: list[Counted] = []
        usages: list[Usage] = []
        for piece in pieces(self._rubric, case):
            try:
                found += await self._judged(case, piece, usages)
            except (JudgeError, ParticipantError) as error:
                usages += () if error.usage is None else (error.usage,)
                why = f"judge failed{_at(piece.position)}: {error}"
                return self._result(found, usages, unscored=why)
        return self._result(found, usages, unscored=_open(found) or self._beyond(found))

    def _beyond(self, found: Sequence[Counted]) -> str:
        """Return which sum over a conversation exceeds what it is a part of; "" where none does."""
        counts = summed(found)
        for question in self._rubric.questions:
            for whole in question.all_within:
                part, most = counts.get(question.name, 0), counts.get(whole, 0)
                if part > most:
                    return f"judge failed: {question.name} {part:g} in all, more than the {most:g} of {whole}"
        return ""

    def _result(
        self, found: Sequence[Counted] = (), usages: Sequence[Usage] = (), *, unscored: str
    ) -> Measured:
        return Measured(
            self.name,
            self.version,
            self.judge,
            counts={} if unscored else summed(found),
            evidence=tuple(found),
            unscored=unscored,
            usage=next(iter(total_usage(usages)), None),
        )

    async def _judged(
        self, case: PlayedCase, piece: RubricPiece, usages: list[Usage]
    ) -> list[Counted]:
        """Return what one answer counts for, and add what it took to `usages`."""
        messages = [
            {"role": "system", "content": self._told},
            {"role": "user", "content": asked_about(piece)},
        ]
        draw = f"{case.draw}{self._again}"
        request = ChatRequest(
            messages, NO_TOOLS, 0, case.task.id, draw=draw, reply_schema=self._schema
        )
        return await usable_answer(
            self._model,
            (request, f"measure {self.name}"),
            lambda reply: list(_counted(piece, reply)),
            usages,
            lambda found: not _open(found),
        )


def _at_stake(stakes: Stakes, edition: int) -> str:
    """Return what a judge is told of a suite's irreversible actions and duties to hand over."""
    told = (each for each in stakes.escalations if each.since <= edition)
    duties = "\n".join(f"- {each.reason}: {each.when}" for each in told)
    return Template(stakes_template()).substitute(
        irreversible=", ".join(stakes.irreversible) or "none listed",
        tool=stakes.escalation_tool or "no tool",
        duties=duties or "- none listed",
    )


def _asked_by(rubric: Rubric) -> str:
    if rubric.shows == "whole":
        return ASKED_BY_TURN
    return ASKED_TO_QUOTE if any(question.quote for question in rubric.questions) else ASKED


def _counted(piece: RubricPiece, reply: str) -> Iterator[Counted]:
    """Yield what a judge's reply counts for.

    Raises:
        JudgeError: Where it is not what was asked for.
    """
    questions = piece.questions
    answers = (
        parse_turn_answers(reply, questions, piece.turns)
        if piece.turns
        else {piece.position: parse_answers(reply, questions)}
    )
    for place in piece.places:
        yield Counted({piece.judged: 1}, place)
        seen = Quotable(piece.events if place is None else piece.events[: place + 1])
        for question in questions:
            answer = answers[place].get(question.name)
            if answer is None:
                yield Counted({}, place, question.name, _LEFT_OUT)
            elif not question.quote:
                yield _answered(answer, place, answer.why)
            elif fault := seen.fault(
                answer.quote, is_needed=bool(answer.value), said_by=question.said_by
            ):
                yield Counted({}, place, question.name, _told_apart(fault, answer, piece))
            else:
                quote = f" [{answer.quote.strip()}]" if answer.value else ""
                yield _answered(answer, place, f"{answer.why}{quote}")


def _told_apart(fault: str, answer: JudgeAnswer, piece: RubricPiece) -> str:
    """Return what is wrong with a quote: what stands behind the turn was not invented."""
    if fault != INVENTED or not piece.turns:
        return fault
    is_later = not Quotable(piece.events).fault(answer.quote, is_needed=True, said_by="")
    return LATER if is_later else INVENTED


def _answered(answer: JudgeAnswer, position: int | None, why: str) -> Counted:
    return Counted({answer.id: int(answer.value)}, position, answer.id, why[:MAX_WHY])


def _open(found: Sequence[Counted]) -> str:
    """Return why what a judge answered cannot be counted; "" where it can."""
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
