"""Rule sets: every choice in which a reference and Dragoman differ is a named value.

A rule set is part of a cell's key (environments and terminations depend on it) and of a score's
key. Its name carries its version: a changed value needs a new name.
"""

from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar

import msgspec

from dragoman.core.errors import UsageError


class RuleSet(msgspec.Struct, frozen=True):
    """One set of choices; each further field names the behavior that it switches on.

    Attributes:
        name: The name in results and keys.
    """

    name: str


RuleSetType = TypeVar("RuleSetType", bound=RuleSet)


class RuleSets(Mapping[str, RuleSetType], Generic[RuleSetType]):
    """The rule sets of one kind by name, in the order of lists."""

    def __init__(self, kind: str, *sets: RuleSetType) -> None:
        """Store rule sets; `kind` is their name in error messages, such as `rules`."""
        self._kind = kind
        self._sets = {rules.name: rules for rules in sets}

    def __getitem__(self, name: str) -> RuleSetType:
        return self._sets[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._sets)

    def __len__(self) -> int:
        return len(self._sets)

    def find(self, name: str, owner: str = "") -> RuleSetType:
        """Return the set of that name.

        Args:
            name: The name as the user wrote it.
            owner: The owner of these sets, such as a suite's name, if other owners have more sets.

        Raises:
            UsageError: If the name does not exist; the message lists the existing ones.
        """
        if name not in self._sets:
            none = f"{owner} has no {self._kind}" if owner else f"unknown {self._kind}"
            raise UsageError(f"{none} {name!r}: choose one of {', '.join(self._sets)}")
        return self._sets[name]


class Rules(RuleSet, frozen=True, omit_defaults=True):
    """One rule set; each field names the behavior that it switches on.

    Attributes:
        arguments_are_validated: A call that breaks its tool's schema is answered with an error
            before the tool runs; otherwise the tool's own checks handle wrong types.
        each_item_keeps_its_variant: A modified order item takes price and options of its own
            new variant; otherwise every item takes those of the last pair.
        money_is_rounded: Amounts that a tool computes are stored in whole cents.
        absent_arguments_must_match: Without a list of compared arguments, those of plan and call
            together are compared; otherwise only those that the call happens to carry.
        stop_outranks_limits: A stop on the step that reaches a limit still counts as a stop.
        bad_reply_is_the_speakers: A reply without words or calls ends the conversation as that
            speaker's error; otherwise it is an infrastructure fault. With the rule, a limit that is
            reached mostly by consecutive calls of the user, with no word to the agent, is also the
            user's error; otherwise it counts against the agent.
        nothing_to_judge_passes: A basis that judges nothing earns 1; otherwise it is Unscored.
        numbers_match_whole: A required phrase that is a number is compared as a number, not as a
            run of characters in another number.
        plan_is_synchronized: The calls of the reference plan keep a world's databases synchronized,
            as the calls of a conversation do; otherwise each call changes only what it writes
            itself.
        replay_must_repeat: A stored result that a fresh world does not repeat makes the episode
            Unscored; otherwise the score notes it.
        planned_side_must_call: ACTION requires a call from the side that the plan names; otherwise
            a call of either side counts, even of a tool that the caller does not have.
        words_must_be_delivered: COMMUNICATE counts only words that reached the user; otherwise it
            also counts words in messages with tool calls, which the protocol delivers to nobody.
        stop_beside_calls_counts: A stop token in a message that also calls tools ends the
            conversation after the calls; otherwise it is ignored.
        judge_must_answer_all: An assertion that a judge's reply omits is undecided; otherwise only
            the answered assertions decide, and an empty answer passes.
        initial_data_keep_their_side: A task's own data go into the database of their side;
            otherwise a domain with two databases cannot be set up with them.
        faults_leave_figures: Conversations that infrastructure ended are excluded from
            denominators, as in figures of the reference; such figures are shown next to Dragoman's
            own.
        guidelines_are_the_references: Simulated users follow the reference's guidelines.
        phone_answers_in_records: The user's tools of telecom answer with records; otherwise with
            sentences.
        near_stop_tokens_count: A stop token that the user wrote almost correctly (`### STOP###`,
            lower case, in brackets) counts as the intended token; otherwise it is words for the
            agent.
        silence_is_the_users: An empty reply of the user is asked for once more, and a second one
            ends the conversation as the user's error; otherwise only a reply of spaces or without
            characters ends it, and signs alone go to the agent.
        calls_are_read_in_any_syntax: Calls in an answer of thought and action are parsed in any
            known syntax; otherwise only in the answer's own form, strictly or leniently.
        equal_plans_count: Calls that form another plan of the task are right, and an argument may
            be omitted or given if its value is the tool's declared default; otherwise only gold
            calls are right.
    """

    arguments_are_validated: bool
    each_item_keeps_its_variant: bool
    money_is_rounded: bool
    absent_arguments_must_match: bool
    stop_outranks_limits: bool
    bad_reply_is_the_speakers: bool
    nothing_to_judge_passes: bool
    numbers_match_whole: bool
    plan_is_synchronized: bool
    replay_must_repeat: bool
    planned_side_must_call: bool
    words_must_be_delivered: bool
    stop_beside_calls_counts: bool
    judge_must_answer_all: bool
    initial_data_keep_their_side: bool
    faults_leave_figures: bool
    guidelines_are_the_references: bool
    phone_answers_in_records: bool = False
    near_stop_tokens_count: bool = False
    silence_is_the_users: bool = False
    calls_are_read_in_any_syntax: bool = False
    equal_plans_count: bool = False


DRAGOMAN_1 = Rules(
    name="dragoman-1",
    arguments_are_validated=True,
    each_item_keeps_its_variant=True,
    money_is_rounded=True,
    absent_arguments_must_match=True,
    stop_outranks_limits=True,
    bad_reply_is_the_speakers=True,
    nothing_to_judge_passes=False,
    numbers_match_whole=True,
    plan_is_synchronized=True,
    replay_must_repeat=True,
    planned_side_must_call=True,
    words_must_be_delivered=True,
    stop_beside_calls_counts=True,
    judge_must_answer_all=True,
    initial_data_keep_their_side=True,
    faults_leave_figures=False,
    guidelines_are_the_references=False,
    phone_answers_in_records=False,
)

DEFAULT_RULES = msgspec.structs.replace(
    DRAGOMAN_1, name="dragoman-2", near_stop_tokens_count=True, silence_is_the_users=True
)
"""The rule set of runs that name none, unless their benchmark has newer rules."""

OUR_RULES = (DEFAULT_RULES, DRAGOMAN_1)
"""The versions of Dragoman's own rules, the newest first."""

UNNAMED_RULES = DRAGOMAN_1.name
"""The rules of runs whose record names none: only one version existed then."""

TAU2_RULES = Rules(
    name="tau2-1.0.1",
    arguments_are_validated=False,
    each_item_keeps_its_variant=False,
    money_is_rounded=False,
    absent_arguments_must_match=False,
    stop_outranks_limits=False,
    bad_reply_is_the_speakers=False,
    nothing_to_judge_passes=True,
    numbers_match_whole=False,
    plan_is_synchronized=False,
    replay_must_repeat=True,
    planned_side_must_call=False,
    words_must_be_delivered=False,
    stop_beside_calls_counts=False,
    judge_must_answer_all=False,
    initial_data_keep_their_side=False,
    faults_leave_figures=True,
    guidelines_are_the_references=True,
    phone_answers_in_records=False,
)


def lenient_rules(rules: Rules) -> Rules:
    """Return a rule set that only notes a stored result that is not repeated.

    The reference grades stored trajectories again in this way.
    """
    return msgspec.structs.replace(rules, name=f"{rules.name}-lenient", replay_must_repeat=False)


def rules_with_record_answers(rules: Rules) -> Rules:
    """Return a rule set whose phone answers with records, which translation needs."""
    return msgspec.structs.replace(
        rules, name=f"{rules.name}-records", phone_answers_in_records=True
    )


SEATAU_RULES = msgspec.structs.replace(rules_with_record_answers(TAU2_RULES), name="seatau")
"""The rules of the fork that SEATauBench was measured with: tau2-bench, with records."""

BFCL_RULES = msgspec.structs.replace(DRAGOMAN_1, name="bfcl-v4")
"""The rules of BFCL.

BFCL's suites are judged by rules of their own. In its conversations, which have no simulated user,
these rules do not differ from `DRAGOMAN_1`.
"""

ITC_RULES = msgspec.structs.replace(
    DEFAULT_RULES, name="itc-2", calls_are_read_in_any_syntax=True, equal_plans_count=True
)
"""The newest rules of International Tool Calling's suites.

The first ones were Dragoman's own.
"""

CONVERSATION_RULES = RuleSets(
    "rules",
    *OUR_RULES,
    TAU2_RULES,
    *map(lenient_rules, OUR_RULES),
    lenient_rules(TAU2_RULES),
    *map(rules_with_record_answers, OUR_RULES),
    SEATAU_RULES,
)
"""The rule sets of suites whose conversations change a world."""

RULES = RuleSets("rules", *CONVERSATION_RULES.values(), BFCL_RULES, ITC_RULES)
"""Every rule set that a run can have."""
