"""What a judge answers to a rubric's questions: the JSON that it is asked for, and how it is read."""

from collections.abc import Mapping, Sequence
from functools import cache

import msgspec

from dragoman.core.errors import JudgeError
from dragoman.scoring.judge_texts import decoded_answer
from dragoman.scoring.measures.rubrics import RubricQuestion


class JudgeAnswer(msgspec.Struct, frozen=True, forbid_unknown_fields=False):
    """One answer; `quote` is the evidence for it."""

    id: str
    value: bool | int
    why: str = ""
    quote: str = ""


class _Answers(msgspec.Struct):
    answers: list[JudgeAnswer]


@cache
def answers_schema(*, quoting: bool) -> Mapping[str, object]:
    """Return what providers that take schemas hold a judge to; its reply is read as strictly without."""
    fields: dict[str, object] = {
        "id": {"type": "string"},
        "value": {"anyOf": [{"type": "boolean"}, {"type": "integer"}]},
        "why": {"type": "string"},
    }
    if quoting:
        fields["quote"] = {"type": "string"}
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
    given = decoded_answer(text, _Answers).answers
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
