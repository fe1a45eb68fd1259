"""Stored conversations by the source's code have the figures that its formulas give of the same messages."""

from collections.abc import Mapping

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from dragoman.analysis.cell_summary import ConversationResult
from dragoman.core.conditions import PLAIN
from dragoman.core.episodes import Episode, Termination
from dragoman.core.measures import MeasureResult
from dragoman.core.scores import Score, Scored
from dragoman.papers.mm_tau.count_sources import CELL_METRICS
from dragoman.papers.mm_tau.definitions import (
    AGENT_FIELDS,
    CODE,
    TASK_FIELDS,
    JudgedConversation,
    JudgedMessage,
    code_figures,
)
from dragoman.papers.mm_tau.summary import mm_tau_summaries

SCORING = ("dragoman-2", "none")
VOICE = PLAIN.with_axes(voice="telephone")
ZERO_OR_ONE = st.integers(min_value=0, max_value=1)


def message(counts: Mapping[str, float]) -> JudgedMessage:
    """Return a message; by the rubric, asking for a required value is a true positive."""
    right = {
        f"{kind}_true_positives": counts[f"{kind}_asked"] * counts[f"{kind}_required"]
        for kind in ("clarification", "confirmation")
    }
    return JudgedMessage("assistant", {**counts, **right})


AGENT = st.fixed_dictionaries(dict.fromkeys(AGENT_FIELDS, ZERO_OR_ONE)).map(message)
USER = st.builds(lambda effort: JudgedMessage("user", {"user_effort": effort}), ZERO_OR_ONE)
COUNTED_TASKS = st.tuples(*[ZERO_OR_ONE] * 4).map(
    lambda found: dict(
        zip(TASK_FIELDS, (2, found[0] + found[1], found[2], found[2] * found[3]), strict=True)
    )
)


@st.composite
def conversations(draw: st.DrawFn) -> JudgedConversation:
    return JudgedConversation(
        "task",
        tuple(draw(st.lists(AGENT | USER, min_size=1, max_size=5))),
        draw(COUNTED_TASKS),
        ("user", *draw(st.lists(st.just("assistant"), min_size=1, max_size=3))),
        draw(COUNTED_TASKS),
    )


def stored(task: str, found: JudgedConversation, *, is_text: bool) -> ConversationResult:
    """Return a conversation with the counts of the second version of the rubric."""
    roles = found.text_roles if is_text else tuple(each.role for each in found.messages)
    messages = () if is_text else found.messages
    counts: dict[str, float] = {
        "judged": 1,
        "judged_agent_replies": (roles or ()).count("assistant"),
        "judged_user_replies": (roles or ()).count("user"),
    }
    for name in (*AGENT_FIELDS, "user_effort"):
        counts[name] = sum((each.counts or {}).get(name, 0) for each in messages)
    counts["critical_field_percent"] = 100 * counts.pop("critical_field_accuracy")
    counts |= (found.text_tasks if is_text else found.tasks) or {}
    measured = MeasureResult("mm_tau_p2", "2@aaaa", "measure-2:big", counts=counts)
    score = Score(*SCORING, Scored(1.0), ())
    episode = Episode((), Termination("user_stop"), 1, 0)
    condition = PLAIN if is_text else VOICE
    return ConversationResult(
        "s", condition, "clerk", task, 0, episode, score, measures=(measured,)
    )


@settings(max_examples=20, phases=(Phase.generate,), deadline=None)
@given(st.lists(conversations(), min_size=1, max_size=3))
def test_stored_counts_have_the_figures_of_the_formulas(found: list[JudgedConversation]) -> None:
    rows = [
        stored(f"t{number}", each, is_text=is_text)
        for number, each in enumerate(found)
        for is_text in (True, False)
    ]
    digests = {(row.suite, row.task): "same" for row in rows}
    (summary,) = mm_tau_summaries(rows, digests, SCORING, definitions=(CODE,))
    (voice,) = [
        each.metrics
        for each in summary.cells
        if each.input_mode.voice != "text" and each.reader != "log"
    ]
    figures = code_figures(found)
    for name in (*CELL_METRICS, "pass^1"):
        wanted = None if name == "IAS" else figures[name].value
        value = voice[name].value
        assert value == (None if wanted is None else pytest.approx(wanted)), name
        assert (value is None) == bool(voice[name].why), name
