"""Tool selection and invocation, format and errors of stored conversations, computed by hand."""

import asyncio
from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.benchmarks.kit.environment import OfferedTools
from dragoman.core.apis.itc_answers import FORM
from dragoman.core.apis.metrics import (
    AVERAGES,
    EXACT_RATE,
    FORMAT_RATE,
    INVOCATION,
    KIND_LABEL,
    NO_ARGUMENTS,
    NO_TOOLS,
    SELECTION,
    error_metrics,
    scores,
)
from dragoman.core.episodes import Episode, Message, Termination, TerminationReason
from dragoman.core.measures import MeasureResult, Rate, ScoringContext
from dragoman.core.replies import ToolCallReply, UnparsedReply, text_reply
from dragoman.core.tasks import Action, Criteria, Scenario, Task
from dragoman.core.tools import ToolCall, Toolset, ToolSpec
from dragoman.scoring.measures.api_calls import CALLS

Calls = Sequence[tuple[str, dict[str, object]]]

OFFERED = Toolset(tuple(ToolSpec(name, "", {}) for name in ("rates", "list", "mail")))


def case(
    gold: Calls,
    *moves: Message,
    labels: dict[str, str] | None = None,
    ending: TerminationReason = "turns_done",
) -> ScoringContext:
    actions = tuple(Action(str(n), name, arguments) for n, (name, arguments) in enumerate(gold))
    task = Task(
        "1", "itc:test", "d", Scenario("?"), Criteria(("CALLS",), actions),
        labels={KIND_LABEL: "single", **(labels or {})},
    )  # fmt: skip
    episode = Episode(tuple(moves), Termination(ending, "broke"), len(moves), 0)
    return ScoringContext(task, episode, lambda _: OfferedTools(OFFERED))


def called(
    *calls: tuple[str, dict[str, object]], text: str | None = None, call_form: str = ""
) -> Message:
    made = tuple(ToolCall(str(n), name, arguments) for n, (name, arguments) in enumerate(calls))
    return Message("agent", ToolCallReply(made, text), call_form=call_form)


def measured(
    gold: Calls,
    *moves: Message,
    labels: dict[str, str] | None = None,
    ending: TerminationReason = "turns_done",
) -> MeasureResult:
    return asyncio.run(CALLS.measure(case(gold, *moves, labels=labels, ending=ending)))


def figures(*found: MeasureResult) -> dict[str, float | None]:
    """Return every rate over conversations, by its part and name."""
    values: dict[str, float | None] = {}
    for rate in RATES_MADE:
        pairs = [
            (sum(one.counts.get(n, 0) for n in rate.numerator), sum(one.counts.get(n, 0) for n in rate.denominator))
            for one in found
        ]  # fmt: skip
        own = [above / below for above, below in pairs if below]
        below = sum(pair[1] for pair in pairs)
        micro = sum(pair[0] for pair in pairs) / below if below else None
        macro = sum(own) / len(own) if own else None
        values[f"{rate.part} {rate.name}"] = macro if rate.averaging == "macro" else micro
    return values


RATES_MADE: tuple[Rate, ...] = (
    *(rate for part in (SELECTION, INVOCATION) for each in AVERAGES for rate in scores(part, each)),
    *error_metrics(SELECTION),
    *error_metrics(INVOCATION),
    FORMAT_RATE,
    EXACT_RATE,
)
RATES: tuple[str, dict[str, object]] = ("rates", {"from": "EUR", "to": "USD"})


def test_one_gold_call_made_three_times_has_a_recall_of_three_under_seal_alone() -> None:
    found = figures(measured([RATES], called(RATES, RATES, RATES)))
    assert found["tool selection P seal"] == 1.0
    assert found["tool selection R seal"] == 3.0
    assert found["tool selection F1 seal"] == 1.5
    assert found["tool selection P micro"] == found["tool selection P macro"] == 1 / 3
    assert found["tool selection R micro"] == found["tool selection R macro"] == 1.0
    assert found["tool selection F1 micro"] == 0.5


def test_a_tool_called_twice_as_it_should_has_half_its_arguments_right_under_seal_alone() -> None:
    gold: Calls = [("mail", {"to": "a@example.com"}), ("mail", {"to": "b@example.com"})]
    found = figures(measured(gold, called(*gold)))
    assert found["tool selection P seal"] == found["tool selection R seal"] == 1.0
    assert found["tool invocation P seal"] == found["tool invocation R seal"] == 0.5
    assert found["tool invocation P micro"] == found["tool invocation R macro"] == 1.0
    assert found[" exact"] == 1.0


def test_arguments_of_a_wrong_tool_lower_the_precision_of_invocation() -> None:
    gold: Calls = [("rates", {"from": "EUR"})]
    found = figures(measured(gold, called(gold[0], ("list", {"a": 1, "b": 2}))))
    for averaging in ("macro", "micro", "seal"):
        assert found[f"tool invocation P {averaging}"] == pytest.approx(1 / 3)
        assert found[f"tool invocation R {averaging}"] == 1.0


def test_averages_are_taken_over_conversations_or_over_the_corpus() -> None:
    good = measured([RATES], called(RATES))
    bad = measured([RATES] * 3, called(RATES, ("list", {})))
    found = figures(good, bad)
    assert found["tool selection P macro"] == (1 + 1 / 2) / 2
    assert found["tool selection R macro"] == (1 + 1 / 3) / 2
    assert found["tool selection F1 macro"] == (1 + 2 / 5) / 2
    assert found["tool selection P micro"] == 2 / 3
    assert found["tool selection R micro"] == 2 / 4
    assert found["tool selection F1 micro"] == 4 / 7


def test_an_answer_that_cannot_be_read_lowers_recall_and_no_precision() -> None:
    broken = Message("agent", UnparsedReply("[rates(", "no end"), call_form=FORM)
    found = figures(measured([RATES], called(RATES)), measured([RATES], broken))
    for averaging in ("macro", "micro", "seal"):
        assert found[f"tool selection P {averaging}"] == 1.0
        assert found[f"tool selection R {averaging}"] == 0.5
    assert found[" FM"] == 0.0


def test_no_calls_and_none_wanted_are_exact_and_have_no_precision_or_recall() -> None:
    found = figures(measured([], Message("agent", text_reply("None of these can do that."))))
    assert found[" exact"] == 1.0
    assert found["tool selection P macro"] is found["tool selection F1 micro"] is None


def test_the_form_counts_for_answers_that_were_asked_for_in_it() -> None:
    strict = '{"Thought": "t", "Action": "[rates(from=\'EUR\', to=\'USD\')]"}'
    found = figures(
        measured([RATES], called(RATES, text=strict, call_form=FORM)),
        measured([RATES], called(RATES, text=f"Sure! {strict}", call_form=FORM)),
        measured([RATES], called(RATES)),
    )
    assert found[" FM"] == 0.5
    assert found["tool invocation F1 macro"] == 1.0


def test_what_cannot_be_judged_is_unscored_with_its_reason() -> None:
    assert measured([RATES], labels={NO_TOOLS: "its tool is not among those offered"}).unscored == (
        "its tool is not among those offered"
    )
    assert measured([RATES], ending="infrastructure_error").unscored == "infrastructure: broke"
    named = measured([("rates", {})], called(RATES), labels={NO_ARGUMENTS: "gold names tools only"})
    found = figures(named)
    assert found["tool selection F1 micro"] == found["tool selection F1 seal"] == 1.0
    assert found["tool invocation F1 micro"] is found["tool invocation F1 seal"] is None
    assert found[" exact"] is None
    assert [each.why for each in named.evidence if not each.counts] == ["gold names tools only"]


_NAMES, _VALUES = st.sampled_from(["rates", "list", "nowhere"]), st.sampled_from([1, "1", "x"])
_CALLS = st.lists(
    st.tuples(_NAMES, st.dictionaries(st.sampled_from("ab"), _VALUES, max_size=2)), max_size=4
)


@given(st.lists(st.tuples(_CALLS, _CALLS), min_size=1, max_size=4), st.randoms())
def test_shares_of_errors_sum_to_one_and_no_order_changes_a_figure(
    samples: list[tuple[Calls, Calls]], random: Random
) -> None:
    found = figures(*(measured(gold, called(*made)) for gold, made in samples))
    for part, names in {
        SELECTION: ("hallucinated", "missing", "extra"),
        INVOCATION: ("wrong", "missing", "extra"),
    }.items():
        shares = [found[f"{part} {name}"] for name in names]
        assert shares == [None] * 3 or sum(filter(None, shares)) == pytest.approx(1.0)
    mixed = [
        (random.sample(gold, len(gold)), random.sample(made, len(made))) for gold, made in samples
    ]
    again = figures(*(measured(gold, called(*made)) for gold, made in mixed))
    one_to_one = {name for name in found if not name.endswith("seal")}
    assert {name: again[name] for name in one_to_one} == {name: found[name] for name in one_to_one}
