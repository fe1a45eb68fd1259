"""Judges of natural-language assertions: by rules, by a chat model, or assumed met.

No judge answers by default: without an answer an assertion is undecided.
"""

import re
from collections.abc import Mapping, Sequence
from importlib.resources import files

import msgspec

from dragoman.core.episodes import Event
from dragoman.core.errors import JudgeError
from dragoman.core.protocols import (
    AssertionVerdict,
    ChatModel,
    ChatRequest,
    JudgeContext,
    Judgement,
)
from dragoman.core.tools import NO_TOOLS
from dragoman.core.usage import Usage, total_usage
from dragoman.scoring.judge_prompts import ask_judge, decode_judge_answer, escape_marks, transcript
from dragoman.scoring.required_phrases import whole_numbers
from dragoman.scoring.reward_components import agent_texts

_MUST_BE_SAID = re.compile(
    r"\b(?:tell|tells|provide|provides|inform|informs|state|states|say|says|mention|mentions)\b",
    re.IGNORECASE,
)
_NOTHING_ELSE = re.compile(
    r"^\s*(?:the\s+)?agent\s+(?:should|must|needs\s+to|has\s+to)\s+"
    r"(?:tell|provide|inform|state|say|mention)\b(?!.*\band\s+(?:then\s+)?"
    r"(?:tell|ask|offer|process|cancel|refund|exchange|return|modify|refuse|confirm|transfer)\b)",
    re.IGNORECASE | re.DOTALL,
)
_NEGATED = re.compile(
    r"\b(?:not|never|without|no|cannot|unable|refuses?|den(?:y|ies|ied)|declines?d?)\b|n't",
    re.IGNORECASE,
)
_AMOUNT = re.compile(r"[$€£]\s?(\d[\d,]{0,30}(?:\.\d{1,30})?)")
_IDENTIFIER = re.compile(r"#\w{2,40}")
_IS_IDENTIFIER = re.compile(r"\b(?:is|number|id)\s+#\w{2,40}\W*$", re.IGNORECASE)


class AssumeMet:
    """Assumes every assertion met; whatever rests on it is marked as assumed."""

    name = "assume-met"
    assumes = True
    costs = False

    async def judge(
        self,
        assertions: Sequence[str],
        events: Sequence[Event],  # noqa: ARG002 - it does not look
        case: JudgeContext,  # noqa: ARG002 - it does not look
    ) -> Judgement:
        """Return `met` for everything."""
        return Judgement(tuple(AssertionVerdict(text, True, "assumed") for text in assertions))


class RuleJudge:
    """Judge by rules; it decides only that an agent must say an amount, a number or an id.

    Amounts count before other numbers, numbers before ids: in "the total of order #W1 is $5" the
    amount is what must be said. All other demands of an assertion stay undecided.
    """

    name = "rule-1"
    assumes = False
    costs = False

    async def judge(
        self,
        assertions: Sequence[str],
        events: Sequence[Event],
        case: JudgeContext,  # noqa: ARG002 - rules need no name
    ) -> Judgement:
        """Return met, not met or undecided for every assertion."""
        texts = agent_texts(events)
        return Judgement(tuple(_by_rule(assertion, texts) for assertion in assertions))


def _by_rule(assertion: str, texts: Sequence[str]) -> AssertionVerdict:
    if not _MUST_BE_SAID.search(assertion) or _NEGATED.search(assertion):
        return AssertionVerdict(assertion, None, "not an assertion about something to be said")
    amounts = [found.group(1) for found in _AMOUNT.finditer(assertion)]
    numbers = whole_numbers(" ".join(amounts) if amounts else _IDENTIFIER.sub(" ", assertion))
    if numbers:
        said = set().union(*map(whole_numbers, texts))
        missing = sorted(map(str, numbers - said))
        return _decide_by_mentions(
            assertion, missing, suffices=bool(_NOTHING_ELSE.search(assertion))
        )
    ids = {found.group() for found in _IDENTIFIER.finditer(assertion)}
    if ids:
        said_ids = {found.group() for text in texts for found in _IDENTIFIER.finditer(text)}
        suffices = bool(_NOTHING_ELSE.search(assertion) and _IS_IDENTIFIER.search(assertion))
        return _decide_by_mentions(assertion, sorted(ids - said_ids), suffices=suffices)
    return AssertionVerdict(assertion, None, "names no amount, number or id")


def _decide_by_mentions(
    assertion: str, missing: Sequence[str], *, suffices: bool
) -> AssertionVerdict:
    """Return not met if something was never said; met only if mentioning it is sufficient."""
    if missing:
        return AssertionVerdict(assertion, False, f"never said: {', '.join(missing)}")
    if not suffices:
        return AssertionVerdict(assertion, None, "everything it names was said, but it asks more")
    return AssertionVerdict(assertion, True, "everything it names was said")


class _Answer(msgspec.Struct, forbid_unknown_fields=False):
    id: int
    met: bool
    why: str = ""


class _Answers(msgspec.Struct):
    verdicts: list[_Answer]


VERDICTS_SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {
        "verdicts": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "id": {"type": "integer"},
                    "met": {"type": "boolean"},
                    "why": {"type": "string"},
                },
                "required": ["id", "met", "why"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["verdicts"],
    "additionalProperties": False,
}
"""JSON schema of a judge's reply for providers that support schemas.

Without one, the reply is read just as strictly.
"""


class JudgePrompt(msgspec.Struct, frozen=True):
    """Prompt of a chat model that judges: the file of the text, and the purpose in ledgers.

    `version` is part of the judge's name.
    """

    version: str
    file: str
    purpose: str


ASSERTIONS = JudgePrompt("chat-1", "assertions-1.md", "judge")
SIMULATOR = JudgePrompt("chat-1", "simulator-1.md", "user judge")


def chat_judge_name(rubric: JudgePrompt, model: str, version: str) -> str:
    """Return the name that the scores of a chat judge carry."""
    return f"{rubric.version}:{model}{version and '@'}{version}"


class ChatJudge:
    """Asks a chat model; its reply must answer every assertion exactly once, by number.

    `version` tells models of one name apart (scripts); it is part of the judge's name.
    """

    assumes = False
    costs = True

    def __init__(
        self, model: ChatModel, version: str = "", rubric: JudgePrompt = ASSERTIONS
    ) -> None:
        self._model = model
        self._rubric = rubric
        self.name = chat_judge_name(rubric, model.name, version)

    async def judge(
        self,
        assertions: Sequence[str],
        events: Sequence[Event],
        case: JudgeContext,
        scenario: str = "",
    ) -> Judgement:
        """Return the model's verdicts; a scenario is shown before the conversation.

        Raises:
            JudgeError: If the reply is not JSON, or answers something that was not asked.
        """
        rubric = files("dragoman.scoring") / "rubrics" / self._rubric.file
        numbered = "\n".join(f"{index}. {text}" for index, text in enumerate(assertions, 1))
        reported = f"<scenario>\n{escape_marks(scenario)}\n</scenario>\n" if scenario else ""
        question = (
            f"{reported}<conversation>\n{escape_marks(transcript(events))}\n</conversation>\n"
            f"<assertions>\n{numbered}\n</assertions>"
        )
        messages = [
            {"role": "system", "content": rubric.read_text("utf-8")},
            {"role": "user", "content": question},
        ]
        request = ChatRequest(
            messages, NO_TOOLS, 0, case.label, draw=case.draw, reply_schema=VERDICTS_SCHEMA
        )
        usages: list[Usage] = []
        try:
            verdicts = await ask_judge(
                self._model,
                (request, self._rubric.purpose),
                lambda reply: parse_verdicts(reply, assertions),
                usages,
            )
        except JudgeError as error:
            error.usage = next(iter(total_usage(usages)), None)
            raise
        return Judgement(verdicts, next(iter(total_usage(usages)), None))


def parse_verdicts(text: str, assertions: Sequence[str]) -> tuple[AssertionVerdict, ...]:
    """Read a judge's JSON, fenced or not, and match answers to assertions by number.

    An assertion that the reply omits is marked as unanswered; the rules define its meaning.

    Raises:
        JudgeError: If an answer has an unknown number or repeats another, or the text is not such
            JSON.
    """
    answers = decode_judge_answer(text, _Answers).verdicts
    by_id = {answer.id: answer for answer in answers}
    if len(by_id) != len(answers) or not set(by_id) <= set(range(1, len(assertions) + 1)):
        given = sorted(answer.id for answer in answers)
        raise JudgeError(f"the judge answered {given}, asked were 1 to {len(assertions)}")
    return tuple(
        AssertionVerdict(assertion, by_id[index].met, by_id[index].why[:2_000])
        if index in by_id
        else AssertionVerdict(assertion, None, "the judge left it out", is_answered=False)
        for index, assertion in enumerate(assertions, 1)
    )
