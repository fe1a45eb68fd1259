"""From a conversation of several turns to its verdict, beside the reference's."""

from collections.abc import Sequence
from contextlib import suppress

import msgspec

from dragoman.benchmarks.bfcl.checking.against_reference import against_reference
from dragoman.benchmarks.bfcl.entries.turns import MultiTurnEntry
from dragoman.benchmarks.bfcl.rules import BFCL_V4, DEFAULT_RULES, BfclRules
from dragoman.benchmarks.bfcl.turns.as_written import imported_turns, read_again
from dragoman.benchmarks.bfcl.turns.checks import Course, check_turns
from dragoman.benchmarks.bfcl.turns.records import TurnRecord
from dragoman.benchmarks.bfcl.turns.running import Expectations, played_turns, turns_begun
from dragoman.benchmarks.bfcl.verdicts import CallJudgement
from dragoman.core.episodes import Episode
from dragoman.core.errors import ReplayError


def judge_conversation(
    entry: MultiTurnEntry, expected: Expectations, episode: Episode, rules: BfclRules
) -> CallJudgement:
    """Return the verdict on a conversation; its calls are executed again in a fresh world.

    Args:
        entry: What was played.
        expected: What the entries of its suite expect.
        episode: What happened.
        rules: The rule set.

    Raises:
        ReplayError: Where calls do not return what they returned then.
    """
    begun = turns_begun(episode.events)
    course = Course(begun, len(entry.gold), episode.ending.reason == "turns_done")
    records = [] if begun > len(entry.gold) else _records(entry, expected, episode)
    return against_reference(lambda tried: check_turns(course, records, tried), rules)


def _records(
    entry: MultiTurnEntry, expected: Expectations, episode: Episode
) -> Sequence[TurnRecord]:
    if episode.source is not msgspec.UNSET:
        return expected.compare(entry, imported_turns(entry, episode.events))
    try:
        return expected.compare(entry, played_turns(episode.events, len(entry.gold)))
    except ReplayError:
        # Values that a record cannot carry stand in the text that they were read from.
        for rules in (BFCL_V4, DEFAULT_RULES):
            again = read_again(entry, episode.events, rules)
            with suppress(ReplayError):
                return expected.compare(entry, played_turns(again, len(entry.gold)))
        raise
