"""How long a spoken conversation took, how soon the agent answered, and when that was too late."""

from collections.abc import Iterator, Sequence

from dragoman.core.measures import Counted, PlayedCase, Quantile, Rate, Setting, Total
from dragoman.core.scores import Unscored
from dragoman.scoring.conversation_clock import (
    AgentResponse,
    TurnTiming,
    conventions,
    turns_by_the_clock,
)
from dragoman.scoring.measures.counting import Counting

RESPONSE = "response seconds"
"""The count of each response's own time: what quantiles are taken of."""

MEDIAN = Quantile("response time, median", RESPONSE, 0.5, "seconds")
HIGH = Quantile("response time, 95th percentile", RESPONSE, 0.95, "seconds")


def _is_spoken(setting: Setting) -> bool:
    return setting.is_spoken


def count_timing(case: PlayedCase) -> Iterator[Counted] | Unscored:
    """Yield an entry for the conversation and one for each turn.

    A conversation of which anything is unknown is unscored: the rest would make it faster than it was.
    """
    if case.fault:
        return Unscored(case.fault)
    turns = turns_by_the_clock(case.episode, case.setting.language)
    if not turns:
        return Unscored("nobody spoke")
    responses = [turn.response for turn in turns if turn.response is not None]
    unknown = sum(response.seconds is None for response in responses)
    if unknown or (end := turns[-1].ends) is None:
        return Unscored(f"how long {unknown} of {len(responses)} responses took is not known")
    return _counted(turns, end)


def _counted(turns: Sequence[TurnTiming], end: float) -> Iterator[Counted]:
    responses = [turn.response for turn in turns if turn.response is not None]
    can_overlap = any(response.overlap is not None for response in responses)
    own = [response.seconds for response in responses if response.seconds is not None]
    of_its_own = {} if not own else {"median seconds": MEDIAN.of(own), "95 % seconds": HIGH.of(own)}
    yield Counted(
        {"conversations": 1, "seconds": end, "full duplex": int(can_overlap), **of_its_own}
    )
    for turn in turns:
        counts: dict[str, int | float] = {
            "speaking seconds": turn.speaking,
            "estimated seconds": turn.speaking if turn.is_estimated else 0.0,
        }
        why = ""
        if turn.response is not None and turn.response.seconds is not None:
            counts |= _of_response(turn.response, turn.response.seconds)
            why = _late(turn.response.seconds)
        if turn.by == "agent" and turn.speaking > conventions().caller.bearable_seconds:
            counts["long speeches"] = 1
            why = "; ".join(filter(None, (why, f"spoke for {turn.speaking:.1f} s")))
        yield Counted(counts, turn.at, why=why)


def _of_response(response: AgentResponse, seconds: float) -> dict[str, int | float]:
    caller = conventions().caller
    return {
        "responses": 1,
        RESPONSE: seconds,
        "tool seconds": response.tools,
        "to first word": int(response.basis == "first word"),
        "stated": int(response.basis == "stated"),
        "silences": int(seconds > caller.patience_seconds),
        "silent seconds": max(0.0, seconds - caller.patience_seconds),
        "missed windows": int(seconds > caller.window_seconds),
        "overlap seconds": response.overlap or 0.0,
        "interruptible": int(response.is_interrupted is not None),
        "interrupted": int(response.is_interrupted is True),
    }


def _late(seconds: float) -> str:
    caller = conventions().caller
    if seconds <= caller.patience_seconds:
        return ""
    missed = ", a missed window" if seconds > caller.window_seconds else ""
    return f"silent for {seconds:.1f} s before it{missed}"


TIMING = Counting(
    "timing",
    "1",
    count_timing,
    (
        Total("responses", ("responses",)),
        MEDIAN,
        HIGH,
        Rate("time per task", ("seconds",), ("conversations",), reads="seconds"),
        Total("silences beyond patience", ("silences",)),
        Rate(
            "silence beyond patience per task",
            ("silent seconds",),
            ("conversations",),
            reads="seconds",
        ),
        Total("missed windows", ("missed windows",)),
        Total("speeches longer than is heard out", ("long speeches",)),
        Rate("speeches that the caller interrupted", ("interrupted",), ("interruptible",)),
        Rate(
            "spoken over the caller per task",
            ("overlap seconds",),
            ("full duplex",),
            reads="seconds",
        ),
        Rate("responses timed to the first word", ("to first word",), ("responses",)),
        Rate("responses of a stated time", ("stated",), ("responses",)),
        Rate("speech of an estimated length", ("estimated seconds",), ("speaking seconds",)),
    ),
    _is_spoken,
)
"""Constants and their reasons: `conversation_clock.toml` and docs/time.md."""
