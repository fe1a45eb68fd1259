"""A measure that a chat model takes by a rubric: booleans and integers, matched by id."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files

import msgspec

from dragoman.core.episodes import Event, Move
from dragoman.core.errors import JudgeError, ParticipantError
from dragoman.core.measures import MAX_WHY, Counted, Derived, Measured, PlayedCase, Setting, summed
from dragoman.core.protocols import ChatModel, ChatRequest
from dragoman.core.speech import Said
from dragoman.core.tools import NO_TOOLS
from dragoman.core.usage import Usage, total_usage
from dragoman.scoring.judge_texts import decoded_answer, inert, reply_text, transcript
from dragoman.scoring.measures.rubrics import JUDGED, Rubric, RubricQuestion

ASKED = "measure-1"
"""The version of how a judge is asked, whatever the rubric; part of the judge's name."""

REPEAT = "#"
"""Stands in a judge's name before which time it was asked, from the second on."""


class _Answer(msgspec.Struct, forbid_unknown_fields=False):
    id: str
    value: bool | int
    why: str = ""


class _Answers(msgspec.Struct):
    answers: list[_Answer]


ANSWERS_SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {
        "answers": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "id": {"type": "string"},
                    "value": {"anyOf": [{"type": "boolean"}, {"type": "integer"}]},
                    "why": {"type": "string"},
                },
                "required": ["id", "value", "why"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["answers"],
    "additionalProperties": False,
}
"""What providers that take schemas hold a judge to; its reply is read as strictly without."""


class JudgedMeasure:
    """Puts a rubric's questions to a chat model, over a conversation or each reply in it.

    `version` tells models of one name apart; it is part of the judge's name, and so is which time
    it is asked (`#2`), since a model that is asked again may answer otherwise. What is not answered
    leaves the conversation unscored.
    """

    rules = ""

    def __init__(self, rubric: Rubric, model: ChatModel, version: str = "", time: int = 1) -> None:
        self._rubric = rubric
        self._model = model
        self._again = f"{REPEAT}{time}" if time > 1 else ""
        self.name = rubric.name
        self.version = rubric.version
        self.judge = f"{ASKED}:{model.name}{version and '@'}{version}{self._again}"
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
                answers, usage = await self._asked(case, position, events)
            except (JudgeError, ParticipantError) as error:
                usages += () if error.usage is None else (error.usage,)
                why = f"judge failed{_at(position)}: {error}"
                return self._result(found, usages, unscored=why)
            usages.append(usage)
            found += _counted(self._rubric.questions, answers, position)
        open_questions = sum(not entry.counts for entry in found)
        asked = sum(bool(entry.subject) for entry in found)
        why = f"judge failed: {open_questions} of {asked} questions not answered"
        return self._result(found, usages, unscored=why if open_questions else "")

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

    async def _asked(
        self, case: PlayedCase, position: int | None, events: Sequence[Event]
    ) -> tuple[dict[str, _Answer], Usage]:
        messages = [
            {"role": "system", "content": f"{_instructions()}{self._rubric.text}"},
            {"role": "user", "content": _question(self._rubric.questions, position, events)},
        ]
        draw = f"{case.draw}{self._again}"
        request = ChatRequest(
            messages, NO_TOOLS, 0, case.task.id, draw=draw, reply_schema=ANSWERS_SCHEMA
        )
        completion = await self._model.complete(request, f"measure {self.name}")
        try:
            return parse_answers(reply_text(completion), self._rubric.questions), completion.usage
        except JudgeError as error:
            error.usage = completion.usage
            raise


def parse_answers(text: str, questions: Sequence[RubricQuestion]) -> dict[str, _Answer]:
    """Read a judge's JSON and match its answers to questions by id; some may be left out.

    Raises:
        JudgeError: Where the text is not such JSON, or an answer answers nothing, repeats another,
            or is not of the kind asked for.
    """
    given = decoded_answer(text, _Answers).answers
    answers = {answer.id: answer for answer in given}
    known = {question.name: question for question in questions}
    if len(answers) != len(given) or not answers.keys() <= known.keys():
        ids = ", ".join(sorted(answer.id[:40] for answer in given))
        raise JudgeError(f"the judge answered {ids}, asked were {', '.join(known)}")
    for name, answer in answers.items():
        if why := _misfit(known[name], answer.value):
            raise JudgeError(f"the judge's answer to {name} is {answer.value}, not {why}")
    return answers


def _misfit(question: RubricQuestion, value: bool | int) -> str:
    """Return what a value should be; "" where it is that."""
    if question.type == "boolean":
        return "" if isinstance(value, bool) else "true or false"
    fits = not isinstance(value, bool) and question.least <= value <= question.most
    return "" if fits else f"a whole number from {question.least} to {question.most}"


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
    asked = "\n".join(f"{each.name} ({each.type}): {each.text}" for each in questions)
    shown = inert(transcript(events))
    return f"<conversation>\n{shown}\n</conversation>\n{what}\n<questions>\n{asked}\n</questions>"


def _counted(
    questions: Sequence[RubricQuestion], answers: Mapping[str, _Answer], position: int | None
) -> Iterator[Counted]:
    yield Counted({JUDGED: 1}, position)
    for question in questions:
        answer = answers.get(question.name)
        if answer is None:
            yield Counted({}, position, question.name, "the judge left it out")
        else:
            yield Counted(
                {question.name: int(answer.value)}, position, question.name, answer.why[:MAX_WHY]
            )


def _at(position: int | None) -> str:
    return "" if position is None else f" at event {position}"


@cache
def _instructions() -> str:
    return (files("dragoman.scoring") / "rubrics" / "measure-1.md").read_text("utf-8")
