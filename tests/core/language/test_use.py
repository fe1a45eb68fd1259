import msgspec

from dragoman.core.language.correctness import LanguageUse, TurnLanguage
from dragoman.core.scores import Scored, Unscored

RIGHT = TurnLanguage(0, Scored(1.0), "th", 0.9)
WRONG = TurnLanguage(2, Scored(0.0), "en", 0.8)
SHORT = TurnLanguage(4, Unscored("shorter than 5 characters"))


def test_a_conversation_scores_the_share_of_correct_turns_among_those_that_count() -> None:
    use = LanguageUse("rules", "user", "th", (RIGHT, WRONG, SHORT, RIGHT))
    assert use.verdict == Scored(2 / 3)
    assert use.scored == (RIGHT, WRONG, RIGHT)
    assert use.wrong == (WRONG,)


def test_a_side_that_said_nothing_that_counts_is_unscored() -> None:
    use = LanguageUse("rules", "user", "th", (SHORT,))
    assert use.verdict == Unscored("no turn of the user tells its language")


def test_a_record_survives_being_written_and_read() -> None:
    use = LanguageUse("rules", "agent", "th", (RIGHT, WRONG, SHORT))
    assert msgspec.json.decode(msgspec.json.encode(use), type=LanguageUse) == use
