"""What was decided about the agent's questions: asked, answered, and refused for which reason."""

from collections.abc import Iterator

from dragoman.core.measures import Counted, PlayedCase, Rate, Setting, Total
from dragoman.core.scores import Unscored
from dragoman.core.voice.clarifications import REJECTIONS, Clarification
from dragoman.scoring.measures.counting import Counting


def _is_clarified(setting: Setting) -> bool:
    return setting.is_clarified


def count_clarifications(case: PlayedCase) -> Iterator[Counted] | Unscored:
    """Yield an entry for each time that the agent said something instead of acting.

    A conversation counts once, whether anything was said instead of a call or not.
    """
    if case.fault:
        return Unscored(case.fault)
    return _counted(case)


def _counted(case: PlayedCase) -> Iterator[Counted]:
    yield Counted({"conversations": 1, "with an answer": int(any(_allowed(case)))})
    for entry in case.episode.clarifications:
        yield Counted(
            {
                "judged": 1,
                "allowed": int(entry.is_allowed),
                "rejected": int(not entry.is_allowed),
                **({} if entry.is_allowed else {f"rejected: {entry.reason}": 1}),
            },
            entry.at,
            why=f"answered: {entry.reply}" if entry.is_allowed else f"rejected: {entry.reason}",
        )


def _allowed(case: PlayedCase) -> Iterator[Clarification]:
    return (entry for entry in case.episode.clarifications if entry.is_allowed)


CLARIFICATIONS = Counting(
    "clarifications",
    "1",
    count_clarifications,
    (
        Total("judged", ("judged",)),
        Total("allowed", ("allowed",)),
        Total("rejected", ("rejected",)),
        *(Total(f"rejected: {reason}", (f"rejected: {reason}",)) for reason in REJECTIONS),
        Rate("allowed of judged", ("allowed",), ("judged",)),
        Rate("conversations with an answer", ("with an answer",), ("conversations",)),
    ),
    _is_clarified,
)
