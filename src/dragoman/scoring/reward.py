"""Reward of one stored conversation: components, their product over the task's basis, reasons."""

from collections.abc import Callable, Sequence
from contextlib import suppress

import msgspec

from dragoman.core.episodes import (
    COMPLETE,
    Episode,
    Message,
    executed_calls,
    without_clarifications,
)
from dragoman.core.errors import DragomanError, JudgeError, ParticipantError, ReplayError
from dragoman.core.language.localized_values import ENGLISH_VALUES, LocalizedValues
from dragoman.core.protocols import (
    Check,
    EnvironmentFactory,
    Judge,
    JudgeContext,
    Judgement,
    LabelCheck,
    StateDelta,
    SynchronizedEnvironment,
)
from dragoman.core.replies import ToolCallReply
from dragoman.core.rules import CONVERSATION_RULES, Rules
from dragoman.core.scores import ComponentScore, Evidence, Score, Scored, Unscored, Verdict
from dragoman.core.tasks import Action, Criteria, Task
from dragoman.core.tools import ToolCall
from dragoman.core.usage import Usage
from dragoman.scoring.replay import replay
from dragoman.scoring.reward_components import (
    LocalizedCalls,
    action_component,
    assertion_component,
    communicate_component,
    state_component,
)
from dragoman.scoring.simulator_validity import UserCheck, scoring_name


class Scorer:
    """Scores conversations of one suite under one rule set and one judge.

    The state that a task's reference plan leads to is computed once and reused over trials and
    conditions.
    """

    def __init__(  # noqa: PLR0913 - everything that a verdict depends on
        self,
        factory: EnvironmentFactory,
        rules: Rules,
        judge: Judge | None,
        users: UserCheck | None = None,
        check: Check | None = None,
        *,
        environments: Callable[[Rules], EnvironmentFactory] | None = None,
    ) -> None:
        """Prepare scoring.

        Args:
            factory: Makes worlds.
            rules: The rule set.
            judge: Decides assertions; None leaves them unscored.
            users: Checks simulated users; None if there are none.
            check: The suite's own way of judging; None if tasks' criteria say it all.
            environments: Makes the factory of another rule set, which may repeat a conversation
                that these rules do not; None for not to look for one.
        """
        self._factory = factory
        self._rules = rules
        self._judge = judge
        self._users = users
        self._check = check
        self._environments = environments
        self._others = tuple(
            each
            for each in CONVERSATION_RULES.values()
            if each.replay_must_repeat and each.name != rules.name
        )
        self._expected: dict[str, StateDelta] = {}
        self.judge_name = scoring_name(judge, users)

    async def score(
        self,
        task: Task,
        episode: Episode,
        wording: LocalizedValues = ENGLISH_VALUES,
        draw: str = "",
    ) -> Score:
        """Score one conversation; clarification questions have no influence.

        Args:
            task: The task of the conversation.
            episode: The conversation.
            wording: The localized values of the conversation's languages.
            draw: Key that separates verdicts on this trial from those on other trials.
        """
        case = JudgeContext(task.id, draw)
        episode = without_clarifications(episode)
        score = await self._rewarded(task, episode, case, wording)
        if self._users is None or episode.is_fault:
            return score
        checked = await self._users.check(task, episode, wording.language, case)
        return msgspec.structs.replace(
            score, simulator=checked.evidence, simulator_usage=checked.usage
        )

    async def _rewarded(
        self, task: Task, episode: Episode, case: JudgeContext, wording: LocalizedValues
    ) -> Score:
        criteria = task.criteria
        unjudged = self._without_judging(criteria, episode)
        if unjudged is not None or criteria is None:
            return unjudged or self.broken("no criteria")
        try:
            components, differing = self._components(task, criteria, episode, wording)
        except ReplayError as error:
            return await self._not_repeated(task, criteria, episode, case, error)
        usage = None
        if self._check is None or criteria.assertions:
            judged, usage = await self._assertions(criteria, episode, case)
            components = (*components, judged)
        if self._rules.nothing_to_judge_passes:
            components = tuple(map(_passing, components))
        reward, note = self._reward(components, episode)
        note = "; ".join(filter(None, (note, *(f"not repeated: {line}" for line in differing))))
        return Score(self._rules.name, self.judge_name, reward, components, note=note, usage=usage)

    def broken(self, what: str) -> Score:
        """Return the score of a conversation whose scoring broke."""
        return self._without_components(Unscored(f"scoring broke: {what}"))

    def expected_state(self, task: Task) -> StateDelta:
        """Return the state that the task's reference plan leads to.

        Failing calls of the plan are skipped.
        """
        expected = self._expected.get(task.digest)
        if expected is None:
            environment = self._factory(task)
            replay(list(executed_calls(task.history)), environment)
            if not self._rules.plan_is_synchronized and isinstance(
                environment, SynchronizedEnvironment
            ):
                environment = environment.unsynchronized()
            for action in _plan(task):
                environment.call(ToolCall(action.id, action.name, action.arguments, action.by))
            expected = self._expected[task.digest] = environment.delta()
        return expected

    def _without_judging(self, criteria: Criteria | None, episode: Episode) -> Score | None:
        """Return the score if it is determined without checking the components."""
        reason = episode.ending.reason
        if episode.is_fault:
            what = "infrastructure" if reason == "infrastructure_error" else "the code raised"
            return self._without_components(Unscored(f"{what}: {episode.ending.detail}"))
        if reason == "user_error" and self._rules.bad_reply_is_the_speakers:
            detail = f"the user simulator failed: {episode.ending.detail}"
            return self._without_components(Unscored(detail))
        if criteria is not None:
            return None
        if reason not in COMPLETE:
            return self._without_components(Scored(0.0), f"ended early: {reason}")
        passes = self._rules.nothing_to_judge_passes
        return self._without_components(
            Scored(1.0) if passes else Unscored("the task has no criteria")
        )

    async def _not_repeated(
        self,
        task: Task,
        criteria: Criteria,
        episode: Episode,
        case: JudgeContext,
        error: ReplayError,
    ) -> Score:
        """Return the score of a conversation that does not replay.

        Conversations that ended early earn 0 nevertheless.
        """
        if episode.ending.reason in COMPLETE:
            return self._without_components(
                Unscored(f"replay: {error}{self._repeated_by(task, episode)}")
            )
        judged, _ = await self._assertions(criteria, episode, case)
        return self._without_components(*self._reward((judged,), episode))

    def _repeated_by(self, task: Task, episode: Episode) -> str:
        """Return which other rules repeat what was recorded, as the end of a reason."""
        if self._check is not None or self._environments is None:
            return ""
        try:
            executed = list(executed_calls(episode.events))
        except ReplayError:
            # Calls and results do not go together, whatever the rules.
            return ""
        for rules in self._others:
            with suppress(DragomanError):
                environment = self._environments(rules)(task)
                if not replay(executed, environment, in_cents=rules.money_is_rounded):
                    # Conversations of one run are mostly repeated by the same rules.
                    self._others = (rules, *(each for each in self._others if each != rules))
                    return f"; the rules {rules.name} repeat it"
        return "; no other rules repeat it, and those that end in -lenient go on all the same"

    def _components(
        self, task: Task, criteria: Criteria, episode: Episode, wording: LocalizedValues
    ) -> tuple[tuple[ComponentScore, ...], tuple[str, ...]]:
        """Return what needs no judge, and a line for each result that was not repeated."""
        if self._check is not None:
            return _run_check(self._check, task, episode, wording), ()
        environment = self._factory(task)
        executed = list(executed_calls(episode.events))
        differing = replay(executed, environment, in_cents=self._rules.money_is_rounded)
        if differing and self._rules.replay_must_repeat:
            raise ReplayError(differing[0])
        calls = [call for call, _ in executed if not call.malformed]
        components = (
            state_component(criteria, environment, self.expected_state(task)),
            assertion_component(criteria, environment),
            action_component(
                criteria,
                calls,
                environment,
                self._rules,
                _collect_localized_calls(episode, wording),
            ),
            communicate_component(criteria, episode.events, self._rules, wording),
        )
        return components, differing

    async def _assertions(
        self, criteria: Criteria, episode: Episode, case: JudgeContext
    ) -> tuple[ComponentScore, Usage | None]:
        in_basis = "NL_ASSERTION" in criteria.reward_basis
        if not criteria.assertions:
            return ComponentScore("NL_ASSERTION", in_basis, None), None
        reason = self._why_not_judged(in_basis, episode)
        if self._judge is None or reason:
            return _undecided_component(reason, criteria, in_basis), None
        try:
            judgement = await self._judge.judge(criteria.assertions, episode.events, case)
        except (JudgeError, ParticipantError) as error:
            return _undecided_component(f"judge failed: {error}", criteria, in_basis), error.usage
        answered = tuple(verdict.assertion for verdict in judgement.verdicts)
        if answered != criteria.assertions:
            reason = f"judge failed: {len(answered)} answers that do not fit the assertions"
            return _undecided_component(reason, criteria, in_basis), judgement.usage
        evidence = tuple(
            Evidence(verdict.assertion, verdict.met, verdict.why) for verdict in judgement.verdicts
        )
        verdict = self._judged(judgement, evidence)
        component = ComponentScore(
            "NL_ASSERTION", in_basis, verdict, evidence, assumed=self._judge.assumes
        )
        return component, judgement.usage

    def _judged(self, judgement: Judgement, evidence: Sequence[Evidence]) -> Verdict:
        pairs = zip(judgement.verdicts, evidence, strict=True)
        answered = [entry for verdict, entry in pairs if verdict.is_answered]
        if self._rules.judge_must_answer_all and len(answered) < len(evidence):
            return Unscored(f"judge failed: {len(answered)} of {len(evidence)} assertions answered")
        return _conjunction(answered)

    def _why_not_judged(self, in_basis: bool, episode: Episode) -> str:
        """Return why assertions are not put to the judge; "" if they are."""
        if self._judge is None:
            return "no judge: choose one with --judge"
        if self._judge.costs and not in_basis:
            return "not judged: outside the basis"
        if self._judge.costs and episode.ending.reason not in COMPLETE:
            return "not judged: the conversation ended early"
        return ""

    def _reward(
        self, components: Sequence[ComponentScore], episode: Episode
    ) -> tuple[Verdict, str]:
        verdict = _product(components)
        if self._check is not None or episode.ending.reason in COMPLETE:
            return verdict, ""
        # A judge that costs was spared, not at a loss: it would have decided.
        spared = self._judge is not None and self._judge.costs
        undecided = () if spared else _find_undecided_components(components)
        return Scored(0.0, undecided), f"ended early: {episode.ending.reason}"

    def _without_components(self, reward: Verdict, note: str = "") -> Score:
        return Score(self._rules.name, self.judge_name, reward, (), note=note)


def _run_check(
    check: Check, task: Task, episode: Episode, wording: LocalizedValues
) -> tuple[ComponentScore, ...]:
    if wording.meant is not None and isinstance(check, LabelCheck):
        return check.components_meant(task, episode, wording.meant)
    return check.components(task, episode)


def _collect_localized_calls(episode: Episode, wording: LocalizedValues) -> LocalizedCalls | None:
    """Return the calls that could be read, as they were written; None if tools are English."""
    if wording.plan is None:
        return None
    calls = tuple(
        call
        for event in episode.events
        if isinstance(event, Message) and isinstance(event.reply, ToolCallReply)
        for call in event.reply.calls
        if not call.malformed
    )
    return LocalizedCalls(calls, wording.plan)


def _plan(task: Task) -> Sequence[Action]:
    return () if task.criteria is None else task.criteria.actions or ()


def _passing(part: ComponentScore) -> ComponentScore:
    if part.verdict is not None:
        return part
    return ComponentScore(part.component, part.in_basis, Scored(1.0), part.evidence)


def _undecided_component(reason: str, criteria: Criteria, in_basis: bool) -> ComponentScore:
    evidence = tuple(Evidence(assertion, None, reason) for assertion in criteria.assertions)
    return ComponentScore("NL_ASSERTION", in_basis, Unscored(reason), evidence)


def _conjunction(evidence: Sequence[Evidence]) -> Verdict:
    open_questions = tuple(entry.subject for entry in evidence if entry.met is None)
    if any(entry.met is False for entry in evidence):
        return Scored(0.0, open_questions)
    if open_questions:
        return Unscored(
            f"the judge left {len(open_questions)} of {len(evidence)} assertions undecided"
        )
    return Scored(1.0)


def _product(components: Sequence[ComponentScore]) -> Verdict:
    factors = [part for part in components if part.in_basis and part.verdict is not None]
    if not factors:
        return Unscored("nothing to judge")
    unjudged = _find_undecided_components(factors)
    value = 1.0
    for part in factors:
        if isinstance(part.verdict, Scored):
            value *= part.verdict.value
    if value == 0 or not unjudged:
        return Scored(value, unjudged)
    reasons = [part.verdict.reason for part in factors if isinstance(part.verdict, Unscored)]
    return Unscored(f"{', '.join(unjudged)}: {'; '.join(reasons)}")


def _find_undecided_components(components: Sequence[ComponentScore]) -> tuple[str, ...]:
    return tuple(
        part.component
        for part in components
        if part.in_basis
        and (
            isinstance(part.verdict, Unscored)
            or (part.verdict is not None and part.verdict.undecided)
        )
    )
