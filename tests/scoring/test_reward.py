import asyncio
from collections.abc import Sequence

import msgspec
import pytest

from dragoman.benchmarks.tau2.suite import DomainSuite
from dragoman.core.episodes import Episode, Event, Message, Termination, TerminationReason
from dragoman.core.errors import JudgeError, ParticipantError
from dragoman.core.language.localized_values import LocalizedValues
from dragoman.core.protocols import AssertionVerdict, Judge, JudgeContext, Judgement
from dragoman.core.replies import ToolCallReply, text_reply
from dragoman.core.rules import DEFAULT_RULES, RULES, TAU2_RULES, Rules
from dragoman.core.scores import ComponentScore, Score, Scored, Unscored
from dragoman.core.tasks import Action, Component, Criteria, Scenario, Task
from dragoman.core.tools import ToolCall, ToolResult
from dragoman.core.usage import Usage
from dragoman.scoring.judges import AssumeMet, RuleJudge
from dragoman.scoring.reward import Scorer
from dragoman.scoring.simulator_validity import UserCheck

ADDRESS: dict[str, object] = {
    "user_id": "maren_holt_2201",
    "address1": "1 New Road",
    "address2": "",
    "city": "Reno",
    "country": "USA",
    "state": "NV",
    "zip": "89501",
}
FAULT = Termination("infrastructure_error", "cut")
MOVE_HOUSE = Action("1", "modify_user_address", ADDRESS)
EARLY: tuple[TerminationReason, ...] = (
    "max_steps",
    "too_many_errors",
    "timeout",
    "agent_error",
    "user_error",
)


class Saying:
    """A judge that answers as given, or raises, and counts its requests."""

    assumes = False

    def __init__(
        self, *met: bool | None, costs: bool = False, error: Exception | None = None
    ) -> None:
        self.name = "saying"
        self.costs = costs
        self.asked = 0
        self._met = met
        self._error = error

    async def judge(
        self,
        assertions: Sequence[str],
        events: Sequence[Event],  # noqa: ARG002 - it does not look
        case: JudgeContext,  # noqa: ARG002 - it does not look
    ) -> Judgement:
        self.asked += 1
        if self._error is not None:
            raise self._error
        pairs = zip(assertions, self._met, strict=False)
        verdicts = tuple(AssertionVerdict(text, met, "said") for text, met in pairs)
        return Judgement(verdicts, Usage("judge", "m"))


def task(
    *basis: Component,
    actions: tuple[Action, ...] | None = (),
    communicate_info: tuple[str, ...] = (),
    assertions: tuple[str, ...] = (),
) -> Task:
    criteria = Criteria(
        basis, actions=actions, communicate_info=communicate_info, assertions=assertions
    )
    return Task("1", "suite", "digest", Scenario("x"), criteria)


def talked(
    shop: DomainSuite,
    *calls: ToolCall,
    words: str = "Done.",
    ending: TerminationReason = "user_stop",
    rules: Rules = DEFAULT_RULES,
) -> Episode:
    environment = shop.factory(rules)(shop.tasks[0])
    events: list[Event] = [Message("agent", text_reply("Hi!"), scripted=True)]
    if calls:
        events += [Message("agent", ToolCallReply(calls)), *map(environment.call, calls)]
    return Episode((*events, Message("agent", text_reply(words))), Termination(ending), 3, 0)


def score(
    shop: DomainSuite,
    task: Task,
    episode: Episode,
    judge: Judge | None = None,
    rules: Rules = DEFAULT_RULES,
) -> Score:
    return asyncio.run(Scorer(shop.factory(rules), rules, judge).score(task, episode))


def part(scored: Score, name: Component) -> ComponentScore:
    (component,) = [entry for entry in scored.components if entry.component == name]
    return component


DID = ToolCall("a", "modify_user_address", ADDRESS)


def test_the_planned_state_earns_one_and_another_state_nothing(shop: DomainSuite) -> None:
    planned = task("DB", actions=(MOVE_HOUSE,))
    assert score(shop, planned, talked(shop, DID)).reward == Scored(1.0)
    assert score(shop, planned, talked(shop)).reward == Scored(0.0)


def test_only_the_basis_counts_but_every_component_is_recorded(shop: DomainSuite) -> None:
    scored = score(shop, task("DB", communicate_info=("42",)), talked(shop))
    assert scored.reward == Scored(1.0)
    assert part(scored, "COMMUNICATE").verdict == Scored(0.0)
    assert not part(scored, "COMMUNICATE").in_basis
    assert [entry.component for entry in scored.components] == [
        "DB",
        "ENV_ASSERTION",
        "ACTION",
        "COMMUNICATE",
        "NL_ASSERTION",
    ]


@pytest.mark.parametrize(
    ("words", "did", "reward"),
    [("42", True, 1.0), ("no", True, 0.0), ("42", False, 0.0), ("no", False, 0.0)],
)
def test_the_reward_is_the_product_over_the_basis(
    shop: DomainSuite, words: str, *, did: bool, reward: float
) -> None:
    both = task("DB", "COMMUNICATE", actions=(MOVE_HOUSE,), communicate_info=("42",))
    episode = talked(shop, *([DID] if did else []), words=words)
    assert score(shop, both, episode).reward == Scored(reward)


def test_nothing_to_judge_leaves_the_product(shop: DomainSuite) -> None:
    scored = score(shop, task("DB", "NL_ASSERTION"), talked(shop), Saying())
    assert scored.reward == Scored(1.0)
    assert part(scored, "NL_ASSERTION").verdict is None


def test_nothing_to_judge_is_not_a_pass(shop: DomainSuite) -> None:
    nothing = task("COMMUNICATE", "NL_ASSERTION", actions=None)
    assert score(shop, nothing, talked(shop)).reward == Unscored("nothing to judge")
    theirs = score(shop, nothing, talked(shop), rules=TAU2_RULES)
    assert theirs.reward == Scored(1.0)


def test_an_empty_basis_is_not_a_pass(shop: DomainSuite) -> None:
    assert score(shop, task(), talked(shop)).reward == Unscored("nothing to judge")


def test_a_task_without_criteria_is_not_a_pass(shop: DomainSuite) -> None:
    bare = Task("1", "suite", "digest", Scenario("x"))
    assert score(shop, bare, talked(shop)).reward == Unscored("the task has no criteria")
    assert score(shop, bare, talked(shop), rules=TAU2_RULES).reward == Scored(1.0)


# Judges

JUDGED = task("DB", "NL_ASSERTION", actions=(MOVE_HOUSE,), assertions=("be kind", "be brief"))


@pytest.mark.parametrize(
    ("verdicts", "reward"),
    [
        ((True, True), Scored(1.0)),
        ((True, False), Scored(0.0)),
        ((False, None), Scored(0.0, ("NL_ASSERTION",))),
    ],
)
def test_every_assertion_must_be_met(
    shop: DomainSuite, verdicts: tuple[bool | None, ...], reward: Scored
) -> None:
    scored = score(shop, JUDGED, talked(shop, DID), Saying(*verdicts))
    assert scored.reward == reward
    assert [entry.met for entry in part(scored, "NL_ASSERTION").evidence] == list(verdicts)
    assert scored.usage == Usage("judge", "m")


def test_an_assertion_left_open_leaves_the_reward_open(shop: DomainSuite) -> None:
    reward = score(shop, JUDGED, talked(shop, DID), Saying(True, None)).reward
    assert isinstance(reward, Unscored)
    assert "1 of 2 assertions undecided" in reward.reason


def test_no_judge_leaves_the_reward_open(shop: DomainSuite) -> None:
    scored = score(shop, JUDGED, talked(shop, DID))
    assert isinstance(scored.reward, Unscored)
    assert "no judge" in scored.reward.reason
    assert [entry.met for entry in part(scored, "NL_ASSERTION").evidence] == [None, None]
    assert scored.judge == "none"


def test_a_factor_of_nothing_is_nothing_whatever_a_judge_would_say(shop: DomainSuite) -> None:
    assert score(shop, JUDGED, talked(shop)).reward == Scored(0.0, ("NL_ASSERTION",))


@pytest.mark.parametrize("error", [JudgeError("no JSON"), ParticipantError("429")])
def test_a_judge_that_fails_is_never_a_pass(shop: DomainSuite, error: Exception) -> None:
    scored = score(shop, JUDGED, talked(shop, DID), Saying(error=error))
    assert isinstance(scored.reward, Unscored)
    assert f"judge failed: {error}" in scored.reward.reason


def test_assumed_verdicts_are_marked(shop: DomainSuite) -> None:
    assumed = score(shop, JUDGED, talked(shop, DID), AssumeMet())
    assert (assumed.reward, assumed.assumed, assumed.judge) == (Scored(1.0), True, "assume-met")
    judged = score(shop, JUDGED, talked(shop, DID), Saying(True, True))
    assert not judged.assumed
    free = score(shop, task("DB"), talked(shop), AssumeMet())
    assert not free.assumed


def test_outside_the_basis_only_a_judge_that_costs_nothing_is_asked(shop: DomainSuite) -> None:
    aside = task("DB", assertions=("be kind",))
    dear, free = Saying(True, costs=True), Saying(True)
    spared = score(shop, aside, talked(shop), dear)
    asked = score(shop, aside, talked(shop), free)
    assert (dear.asked, free.asked) == (0, 1)
    assert (spared.reward, asked.reward) == (Scored(1.0), Scored(1.0))
    assert [entry.met for entry in part(spared, "NL_ASSERTION").evidence] == [None]
    assert [entry.met for entry in part(asked, "NL_ASSERTION").evidence] == [True]


# Endings


@pytest.mark.parametrize("rules", [DEFAULT_RULES, TAU2_RULES], ids=lambda rules: rules.name)
@pytest.mark.parametrize("ending", EARLY)
def test_a_conversation_that_ended_early_earns_nothing(
    shop: DomainSuite, ending: TerminationReason, rules: Rules
) -> None:
    planned = task("DB", actions=(MOVE_HOUSE,))
    episode = talked(shop, DID, ending=ending, rules=rules)
    scored = score(shop, planned, episode, rules=rules)
    if ending == "user_error" and rules is DEFAULT_RULES:
        assert scored.reward == Unscored("the user simulator failed: ")
        return
    assert scored.reward == Scored(0.0)
    assert scored.note == f"ended early: {ending}"
    assert part(scored, "DB").verdict == Scored(1.0)


@pytest.mark.parametrize("ending", ["user_stop", "agent_stop", "turns_done"])
def test_a_conversation_that_came_to_its_end_is_judged(
    shop: DomainSuite, ending: TerminationReason
) -> None:
    scored = score(shop, task("DB"), talked(shop, ending=ending))
    assert (scored.reward, scored.note) == (Scored(1.0), "")


def test_a_judge_that_costs_is_not_asked_about_an_early_end(shop: DomainSuite) -> None:
    dear, free = Saying(True, True, costs=True), Saying(True, True)
    episode = talked(shop, DID, ending="max_steps")
    assert score(shop, JUDGED, episode, dear).reward == Scored(0.0)
    assert score(shop, JUDGED, episode, free).reward == Scored(0.0)
    assert (dear.asked, free.asked) == (0, 1)


def test_an_early_end_without_a_judge_stays_out_of_averages(shop: DomainSuite) -> None:
    scored = score(shop, JUDGED, talked(shop, DID, ending="max_steps"))
    assert scored.reward == Scored(0.0, ("NL_ASSERTION",))


def test_a_fault_of_the_infrastructure_has_no_score(shop: DomainSuite) -> None:
    episode = Episode((), Termination("infrastructure_error", "the wire was cut"), 0, 0)
    for rules in (DEFAULT_RULES, TAU2_RULES):
        scored = score(shop, task("DB"), episode, rules=rules)
        assert scored.reward == Unscored("infrastructure: the wire was cut")
        assert scored.components == ()


# Replay


def test_a_result_that_does_not_repeat_has_no_score(shop: DomainSuite) -> None:
    episode = talked(shop, DID)
    events = list(episode.events)
    events[2] = msgspec.structs.replace(events[2], content="Error: User not found")
    reward = score(shop, task("DB"), msgspec.structs.replace(episode, events=tuple(events))).reward
    assert isinstance(reward, Unscored)
    assert reward.reason.startswith("replay: modify_user_address (a)")


def reason_under(shop: DomainSuite, task: Task, episode: Episode, rules: Rules) -> str:
    """Return the reason why a conversation is unscored, under the given rules."""
    scorer = Scorer(shop.factory(rules), rules, None, environments=shop.factory)
    reward = asyncio.run(scorer.score(task, episode)).reward
    assert isinstance(reward, Unscored)
    return reward.reason


def test_a_result_that_does_not_repeat_names_the_rules_that_repeat_it(shop: DomainSuite) -> None:
    wrong = ToolCall("a", "modify_user_address", {**ADDRESS, "zip": 12})
    by_reference = talked(shop, wrong, rules=TAU2_RULES)
    assert "; the rules tau2-1.0.1 repeat it" in reason_under(
        shop, task("DB"), by_reference, DEFAULT_RULES
    )
    events = list(by_reference.events)
    events[2] = msgspec.structs.replace(events[2], content="of another version")
    by_nobody = msgspec.structs.replace(by_reference, events=tuple(events))
    assert reason_under(shop, task("DB"), by_nobody, TAU2_RULES).endswith(
        "no other rules repeat it, and those that end in -lenient go on all the same"
    )


def test_a_record_without_order_has_no_score(shop: DomainSuite) -> None:
    episode = talked(shop, DID)
    events = (*episode.events, episode.events[2])
    reward = score(shop, task("DB"), msgspec.structs.replace(episode, events=events)).reward
    assert isinstance(reward, Unscored)
    assert "follows no call" in reward.reason


def test_failing_calls_of_the_plan_are_skipped(shop: DomainSuite) -> None:
    failing = Action("1", "cancel_pending_order", {"order_id": "#S9", "reason": "x"})
    planned = task("DB", actions=(failing, MOVE_HOUSE))
    assert score(shop, planned, talked(shop, DID)).reward == Scored(1.0)


def test_the_expected_state_is_the_rules(shop: DomainSuite) -> None:
    both = shop.tasks[2]
    states = [
        Scorer(shop.factory(rules), rules, None).expected_state(both)
        for rules in (DEFAULT_RULES, TAU2_RULES)
    ]
    assert states[0] != states[1]


def test_a_score_names_rules_and_judge(shop: DomainSuite) -> None:
    scored = score(shop, task("DB"), talked(shop), RuleJudge(), TAU2_RULES)
    assert (scored.rules, scored.judge, scored.metric) == ("tau2-1.0.1", "rule-1", "reward-1")


def test_assertions_that_were_never_judged_are_not_recorded_as_met(shop: DomainSuite) -> None:
    aside = task("DB", assertions=("be kind",))
    scored = score(shop, aside, talked(shop, rules=TAU2_RULES), rules=TAU2_RULES)
    assert part(scored, "NL_ASSERTION").verdict != Scored(1.0)


def test_assertions_outside_the_basis_are_recorded_as_undecided(shop: DomainSuite) -> None:
    scored = score(shop, task("DB", assertions=("be kind",)), talked(shop))
    assert [entry.met for entry in part(scored, "NL_ASSERTION").evidence] == [None]


# Defects that are fixed


def test_an_early_end_earns_nothing_without_criteria_too(shop: DomainSuite) -> None:
    bare = Task("1", "suite", "digest", Scenario("x"))
    episode = talked(shop, ending="max_steps", rules=TAU2_RULES)
    assert score(shop, bare, episode, rules=TAU2_RULES).reward == Scored(0.0)


@pytest.mark.parametrize("verdicts", [(), (True,)])
def test_a_judge_that_answers_too_little_is_never_a_pass(
    shop: DomainSuite, verdicts: tuple[bool, ...]
) -> None:
    scored = score(shop, JUDGED, talked(shop, DID), Saying(*verdicts))
    assert isinstance(scored.reward, Unscored)


class LeavingOut:
    """A judge that answers the first assertions only."""

    name = "leaving-out"
    assumes = False
    costs = True

    def __init__(self, *answered: bool) -> None:
        self._answered = answered

    async def judge(
        self,
        assertions: Sequence[str],
        events: Sequence[Event],  # noqa: ARG002 - it does not look
        case: JudgeContext,  # noqa: ARG002 - it does not look
    ) -> Judgement:
        left = [
            AssertionVerdict(text, None, "left out", is_answered=False)
            for text in assertions[len(self._answered) :]
        ]
        pairs = zip(assertions, self._answered, strict=False)
        return Judgement((*(AssertionVerdict(text, met, "said") for text, met in pairs), *left))


@pytest.mark.parametrize(
    ("answered", "theirs"), [((), 1.0), ((True,), 1.0), ((False,), 0.0)], ids=str
)
def test_an_assertion_that_a_judge_left_out_is_undecided_and_in_the_reference_overlooked(
    shop: DomainSuite, answered: tuple[bool, ...], theirs: float
) -> None:
    both = task("NL_ASSERTION", assertions=("Agent is kind.", "Agent is quick."))
    ours = score(shop, both, talked(shop), LeavingOut(*answered))
    assert ours.reward == Unscored(
        f"NL_ASSERTION: judge failed: {len(answered)} of 2 assertions answered"
    )
    reference = score(shop, both, talked(shop), LeavingOut(*answered), TAU2_RULES)
    assert reference.reward == Scored(theirs)


def test_a_result_that_is_not_repeated_is_noted_where_replay_is_lenient(shop: DomainSuite) -> None:
    episode = talked(shop, DID)
    at = next(i for i, event in enumerate(episode.events) if isinstance(event, ToolResult))
    result = msgspec.structs.replace(episode.events[at], content="something else")
    events = (*episode.events[:at], result, *episode.events[at + 1 :])
    tampered = msgspec.structs.replace(episode, events=events)
    planned = task("DB", actions=(MOVE_HOUSE,))
    assert isinstance(score(shop, planned, tampered).reward, Unscored)
    lenient = score(shop, planned, tampered, rules=RULES["dragoman-2-lenient"])
    assert lenient.reward == Scored(1.0)
    assert lenient.note.startswith("not repeated: modify_user_address (a) answered 'something")


def test_an_early_end_that_does_not_replay_earns_nothing_and_stays_out_without_a_judge(
    shop: DomainSuite,
) -> None:
    planned = task("DB", "NL_ASSERTION", actions=(MOVE_HOUSE,), assertions=("Agent is kind.",))
    played = talked(shop, DID, ending="max_steps")
    reported = tuple(
        msgspec.structs.replace(event, content="otherwise")
        if isinstance(event, ToolResult)
        else event
        for event in played.events
    )
    episode = msgspec.structs.replace(played, events=reported)
    assert score(shop, planned, episode).reward == Scored(0.0, ("NL_ASSERTION",))
    assert score(shop, planned, episode, AssumeMet()).reward == Scored(0.0)


@pytest.mark.parametrize("ending", ["user_stop", "max_steps", "user_error"])
@pytest.mark.parametrize("rules", [DEFAULT_RULES, TAU2_RULES])
def test_simulated_users_are_checked_however_the_conversation_ended(
    shop: DomainSuite, ending: TerminationReason, rules: Rules
) -> None:
    played = talked(shop, ending=ending)
    user = Message("user", text_reply("How may I assist you today?"))
    episode = msgspec.structs.replace(played, events=(*played.events, user))
    scorer = Scorer(shop.factory(rules), rules, None, UserCheck())
    scored = asyncio.run(scorer.score(task("DB"), episode))
    assert "goal_kept" in scored.invalid
    unchecked = asyncio.run(Scorer(shop.factory(rules), rules, None).score(task("DB"), episode))
    assert unchecked == msgspec.structs.replace(scored, simulator=())


def test_nothing_is_said_of_the_user_where_infrastructure_ended_the_conversation(
    shop: DomainSuite,
) -> None:
    episode = Episode((Message("user", text_reply("How may I assist you today?")),), FAULT, 1, 0)
    scorer = Scorer(shop.factory(DEFAULT_RULES), DEFAULT_RULES, None, UserCheck())
    assert asyncio.run(scorer.score(task("DB"), episode)).simulator == ()


def test_a_user_is_checked_in_the_language_of_its_condition(shop: DomainSuite) -> None:
    words = Message("user", text_reply("ฉันต้องการความช่วยเหลือกับคำสั่งซื้อของฉัน"))
    episode = Episode((words,), Termination("max_steps"), 1, 0)
    scorer = Scorer(shop.factory(DEFAULT_RULES), DEFAULT_RULES, None, UserCheck())
    assert asyncio.run(scorer.score(task("DB"), episode, LocalizedValues("th"))).invalid == ()
    assert asyncio.run(scorer.score(task("DB"), episode)).invalid == ("own_language",)


def test_the_attempts_at_a_judge_that_broke_are_in_the_ledger(shop: DomainSuite) -> None:
    broken = ParticipantError("the judge's endpoint was cut")
    broken.usage = Usage("judge", "m", 0, faults={"cut": 8})
    scored = score(shop, JUDGED, talked(shop, DID), Saying(error=broken))
    assert isinstance(scored.reward, Unscored)
    assert scored.usage == broken.usage
