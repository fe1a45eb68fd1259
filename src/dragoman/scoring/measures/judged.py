"""A measure that a chat model takes by a rubric: booleans and integers, matched by id."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from string import Template

from dragoman.core.episodes import Event, Move
from dragoman.core.errors import JudgeError, ParticipantError
from dragoman.core.measures import MAX_WHY, Counted, Derived, Measured, PlayedCase, Setting, summed
from dragoman.core.protocols import ChatModel, ChatRequest, Completion
from dragoman.core.speech import Said
from dragoman.core.tasks import Stakes
from dragoman.core.tools import NO_TOOLS
from dragoman.core.usage import Usage, total_usage
from dragoman.scoring.judge_texts import inert, reply_text, transcript
from dragoman.scoring.measures.quotes import Quotable
from dragoman.scoring.measures.rubric_answers import JudgeAnswer, answers_schema, parse_answers
from dragoman.scoring.measures.rubrics import JUDGED, Rubric, RubricQuestion, stakes_template

ASKED = "measure-1"
"""The version of how a judge is asked, whatever the rubric; part of the judge's name."""

ASKED_TO_QUOTE = "measure-2"
"""How it is asked where a rubric wants quotes as evidence."""

ONCE_MORE = "~"
"""Stands in a draw before how many remembered replies were passed over."""

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
        self._quoting = any(question.quote for question in rubric.questions)
        asked_by = ASKED_TO_QUOTE if self._quoting else ASKED
        listed = _at_stake(stakes) if rubric.has_stakes else ""
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
        for position, events in _pieces(self._rubric, case):
            try:
                found += await self._judged(case, position, events, usages)
            except (JudgeError, ParticipantError) as error:
                usages += () if error.usage is None else (error.usage,)
                why = f"judge failed{_at(position)}: {error}"
                return self._result(found, usages, unscored=why)
        return self._result(found, usages, unscored=_open(found))

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
        self,
        case: PlayedCase,
        position: int | None,
        events: Sequence[Event],
        usages: list[Usage],
    ) -> list[Counted]:
        """Return what one answer counts for, and add what it took to `usages`.

        A remembered reply that is no full answer is passed over: the judge is asked once more.
        """
        questions = self._rubric.questions
        messages = [
            {"role": "system", "content": self._told},
            {"role": "user", "content": _question(questions, position, events)},
        ]
        draw, passed_over = f"{case.draw}{self._again}", 0
        while True:
            completion = await self._complete(case, messages, draw)
            usages.append(completion.usage)
            try:
                answers = parse_answers(reply_text(completion), questions)
                found = list(_counted(questions, answers, position, events))
                if not (completion.usage.replayed and _open(found)):
                    return found
            except JudgeError:
                if not completion.usage.replayed:
                    raise
            passed_over += 1
            draw = f"{case.draw}{self._again}{ONCE_MORE}{passed_over}"

    async def _complete(
        self, case: PlayedCase, messages: Sequence[Mapping[str, object]], draw: str
    ) -> Completion:
        schema = answers_schema(quoting=self._quoting)
        request = ChatRequest(messages, NO_TOOLS, 0, case.task.id, draw=draw, reply_schema=schema)
        return await self._model.complete(request, f"measure {self.name}")


def _at_stake(stakes: Stakes) -> str:
    """Return what a judge is told of a suite's irreversible actions and duties to hand over."""
    duties = "\n".join(f"- {each.reason}: {each.when}" for each in stakes.escalations)
    return Template(stakes_template()).substitute(
        irreversible=", ".join(stakes.irreversible) or "none listed",
        tool=stakes.escalation_tool or "no tool",
        duties=duties or "- none listed",
    )


def _pieces(rubric: Rubric, case: PlayedCase) -> Iterator[tuple[int | None, Sequence[Event]]]:
    """Yield what is judged: the whole, or for each reply of a side all up to it, with its place."""
    events = case.episode.events
    if rubric.over == "conversation":
        yield None, events
        return
    side = rubric.over.split(" ", maxsplit=1)[0]
    for position, event in enumerate(events):
        if position >= len(case.task.history) and _is_reply(event, side):
            yield position, events[: position + 1]


def _is_reply(event: Event, side: str) -> bool:
    """Whether a side said something of its own."""
    if not isinstance(event, Move) or event.by != side or event.scripted:
        return False
    return isinstance(event.reply, Said)


def _question(
    questions: Sequence[RubricQuestion], position: int | None, events: Sequence[Event]
) -> str:
    what = (
        "Judge the whole conversation."
        if position is None
        else "Judge the last reply in it, from what came before."
    )
    asked = "\n".join(f"{each.name} ({_kind(each)}): {each.text}" for each in questions)
    shown = inert(transcript(events))
    return f"<conversation>\n{shown}\n</conversation>\n{what}\n<questions>\n{asked}\n</questions>"


def _kind(question: RubricQuestion) -> str:
    """Return what a question is answered by, as a judge is told."""
    whose = f" of the {question.said_by}" if question.said_by else ""
    return f"{question.type}, with a quote{whose}" if question.quote else question.type


def _counted(
    questions: Sequence[RubricQuestion],
    answers: Mapping[str, JudgeAnswer],
    position: int | None,
    events: Sequence[Event],
) -> Iterator[Counted]:
    quotable = Quotable(events) if any(question.quote for question in questions) else None
    yield Counted({JUDGED: 1}, position)
    for question in questions:
        answer = answers.get(question.name)
        if answer is None:
            yield Counted({}, position, question.name, _LEFT_OUT)
        elif quotable is not None and question.quote:
            yield _evidenced(question, answer, position, quotable)
        else:
            yield _answered(answer, position, answer.why)


def _evidenced(
    question: RubricQuestion, answer: JudgeAnswer, position: int | None, quotable: Quotable
) -> Counted:
    """Count an answer by its quote; with none, or an invented one, it stays open."""
    fault = quotable.fault(answer.quote, is_needed=bool(answer.value), said_by=question.said_by)
    if fault:
        return Counted({}, position, question.name, fault)
    quote = f" [{answer.quote.strip()}]" if answer.value else ""
    return _answered(answer, position, f"{answer.why}{quote}")


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
