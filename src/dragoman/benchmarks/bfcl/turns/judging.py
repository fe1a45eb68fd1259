"""From a conversation of several turns to its verdict, beside the reference's."""

from dragoman.benchmarks.bfcl.checking.against_reference import against_reference
from dragoman.benchmarks.bfcl.entries.turns import MultiTurnEntry
from dragoman.benchmarks.bfcl.rules import BfclRules
from dragoman.benchmarks.bfcl.turns.checks import Course, check_turns
from dragoman.benchmarks.bfcl.turns.running import Expectations, played_turns
from dragoman.benchmarks.bfcl.verdicts import CallJudgement
from dragoman.core.episodes import Episode


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
    played = played_turns(episode.events, len(entry.gold))
    course = Course(len(played), len(entry.gold), episode.ending.reason == "turns_done")
    records = expected.compare(entry, played)
    return against_reference(lambda tried: check_turns(course, records, tried), rules)
