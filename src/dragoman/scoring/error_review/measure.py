"""The measure `errors`: a chat model goes through a conversation's turns and names their errors."""

from collections.abc import Iterator, Sequence

from dragoman.core.episodes import Move
from dragoman.core.errors import JudgeError, ParticipantError
from dragoman.core.judged_errors import ErrorReview, JudgedError, ReportedError
from dragoman.core.measures import Counted, Derived, Measured, PlayedCase, Rate, Setting, summed
from dragoman.core.protocols import ChatModel, ChatRequest
from dragoman.core.tools import NO_TOOLS, Role
from dragoman.core.usage import Usage, total_usage
from dragoman.scoring.error_review.error_rubric import ERRORS, error_rubric
from dragoman.scoring.error_review.written_reviews import parse_review, review_schema
from dragoman.scoring.judge_texts import inert, usable_answer
from dragoman.scoring.measures.judged import REPEAT
from dragoman.scoring.measures.quotes import Quotable
from dragoman.scoring.measures.rubric_pieces import marked_transcript
from dragoman.scoring.measures.rubrics import JUDGED
from dragoman.scoring.user_turns import scenario_texts

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
        self.figures: tuple[Derived, ...] = tuple(
            Rate(f"{side} {level}", (f"{side} {level}",), (JUDGED,))
            for side in _SIDES
            for level in ("critical", "minor")
        )

    def applies(self, setting: Setting) -> bool:  # noqa: ARG002 - errors are made everywhere
        """Whether there is anything to judge under a condition."""
        return True

    async def measure(self, case: PlayedCase) -> Measured:
        """Judge one conversation; where the judge fails, it is unscored and says why."""
        if case.fault:
            return self._result(unscored=case.fault)
        usages: list[Usage] = []
        try:
            reported = await self._reported(case, usages)
        except (JudgeError, ParticipantError) as error:
            usages += () if error.usage is None else (error.usage,)
            return self._result(usages=usages, unscored=f"judge failed: {error}")
        return self._result(reported, usages, unscored=_invented(case, reported))

    async def _reported(self, case: PlayedCase, usages: list[Usage]) -> tuple[ReportedError, ...]:
        """Return the errors that the judge names, and add what it took to `usages`."""
        turns = _turns(case)
        if not turns:
            return ()
        messages = [
            {"role": "system", "content": error_rubric().text},
            {"role": "user", "content": _asked(case, turns)},
        ]
        draw = f"{case.draw}{self._again}"
        request = ChatRequest(
            messages, NO_TOOLS, 0, case.task.id, draw=draw, reply_schema=self._schema
        )
        return await usable_answer(
            self._model,
            (request, f"measure {self.name}"),
            lambda reply: parse_review(reply, turns),
            usages,
            lambda found: not _invented(case, found),
        )

    def _result(
        self,
        reported: Sequence[ReportedError] = (),
        usages: Sequence[Usage] = (),
        *,
        unscored: str,
    ) -> Measured:
        sums = {} if unscored else summed(_by_side(reported))
        return Measured(
            self.name,
            self.version,
            self.judge,
            counts=sums,
            evidence=(*(() if unscored else _by_side(reported)), *map(_shown, reported)),
            unscored=unscored,
            usage=next(iter(total_usage(usages)), None),
            errors=() if unscored else tuple(reported),
        )


def _turns(case: PlayedCase) -> dict[int, Role]:
    """Return the places of the turns that are judged, and whose they are."""
    begin = len(case.task.history)
    return {
        position: event.by
        for position, event in enumerate(case.episode.events)
        if position >= begin and isinstance(event, Move) and not event.scripted
    }


def _asked(case: PlayedCase, turns: dict[int, Role]) -> str:
    told = "\n\n".join(scenario_texts(case.task.scenario))
    shown = marked_transcript(case.episode.events, turns)
    return (
        f"<policy>\n{inert(case.policy())}\n</policy>\n<scenario>\n{inert(told)}\n</scenario>\n"
        f"<conversation>\n{shown}\n</conversation>\n"
        f"Review the turns {', '.join(map(str, turns))}."
    )


def _invented(case: PlayedCase, reported: Sequence[ReportedError]) -> str:
    """Return which errors are without evidence; "" where none is."""
    seen = Quotable(case.episode.events)
    faults: dict[str, list[str]] = {}
    for error in reported:
        fault = seen.fault(error.quote, is_needed=True, said_by="")
        if fault:
            faults.setdefault(fault, []).append(f"turn {error.position}")
    shown = (f"{fault} ({', '.join(where[:_NAMED])})" for fault, where in faults.items())
    return f"judge failed: {'; '.join(shown)}" if faults else ""


def _by_side(reported: Sequence[ReportedError]) -> Iterator[Counted]:
    """Yield what a conversation counts for: judged once, and for each side its gravest error."""
    yield Counted({JUDGED: 1})
    errors = ErrorReview(tuple(JudgedError(each.by, each.severity) for each in reported))
    for side in _SIDES:
        levels = {error.level for error in errors.errors_of(side)}
        is_critical = "critical" in levels
        for level, value in (
            ("critical", is_critical),
            ("minor", bool(levels) and not is_critical),
        ):
            yield Counted({f"{side} {level}": int(value)}, subject=f"{side} {level}")


def _shown(error: ReportedError) -> Counted:
    """Return an error as something that counts for nothing by itself, to be seen."""
    subject = f"{error.by}: {error.severity}, {', '.join(error.tags)}"
    return Counted({}, error.position, subject, f"{error.why} [{error.quote.strip()}]")
