"""What a judge answers to a rubric's questions: the JSON that it is asked for, and how it is read."""

from collections.abc import Mapping, Sequence
from functools import cache

import msgspec

from dragoman.core.errors import JudgeError
from dragoman.scoring.judge_texts import decoded_answer
from dragoman.scoring.measures.rubrics import RubricQuestion


class JudgeAnswer(msgspec.Struct, frozen=True, forbid_unknown_fields=False):
    """One answer; `quote` is the evidence for it, `turn` the reply it is about where several are judged."""

    id: str
    value: bool | int
    why: str = ""
    quote: str = ""
    turn: int | None = None


class _Answers(msgspec.Struct):
    answers: list[JudgeAnswer]


@cache
def answers_schema(*, quoting: bool, by_turn: bool = False) -> Mapping[str, object]:
    """Return what providers that take schemas hold a judge to; its reply is read as strictly without."""
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
    """Read a judge's JSON and match its answers to questions by id; some may be left out.

    Raises:
        JudgeError: Where the text is not such JSON, or an answer answers nothing, repeats another,
            or is not of the kind asked for.
    """
    return _matched(decoded_answer(text, _Answers).answers, questions)


def parse_turn_answers(
    text: str, questions: Sequence[RubricQuestion], turns: Sequence[int]
) -> dict[int | None, dict[str, JudgeAnswer]]:
    """Read a judge's JSON on several turns, and match its answers by turn and id.

    Raises:
        JudgeError: As `parse_answers`, and where an answer is about a turn that nobody asked about.
    """
    of_turn: dict[int | None, list[JudgeAnswer]] = {turn: [] for turn in turns}
    for answer in decoded_answer(text, _Answers).answers:
        if answer.turn not in of_turn:
            asked = ", ".join(map(str, turns))
            raise JudgeError(f"the judge answered of turn {answer.turn}, asked were {asked}")
        of_turn[answer.turn].append(answer)
    return {turn: _matched(given, questions) for turn, given in of_turn.items()}


def _matched(
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
    """Return what a value should be; "" where it is that."""
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
