"""Counts of recognized speech: words as a whole, and values by arrival or by type."""

from dragoman.core.replies import AudioRef, Stage
from dragoman.curation.audio_sets.card import CountingRules, SpokenLine, speech_counts
from dragoman.curation.audio_sets.messages import StatedValue, UserMessage, recover_values
from dragoman.curation.audio_sets.rewrite import SetLine, SpokenMessage
from dragoman.curation.audio_sets.value_readers import MatchedReader
from dragoman.scoring.speech_accuracy import NORMALIZATION
from dragoman.store.audio_set_format import MessageWhitelist, SpeechLine, TranscriptLine

RULES = CountingRules("en", MatchedReader("en"), NORMALIZATION)


def message(
    said: str, words: str, *values: str, text: str = "", seconds: float = 1.0
) -> SpokenLine:
    """Return a message that is heard by one recognizer."""
    stated = tuple(StatedValue(f"value_{at}", value) for at, value in enumerate(values))
    user = UserMessage("suite", "task", 0, 0, said, stated, 0)
    spoken = SpokenMessage(user, said, "rules", {}, recover_values(stated, said, RULES.reader))
    stage = Stage("synthesis", "espeak-ng:us", 1, {"speaker": "us"})
    audio = AudioRef("0" * 64, seconds, 16_000) if said else None
    return SpokenLine(
        SetLine(spoken, MessageWhitelist({})),
        SpeechLine("task", 0, 0, said, audio, (stage,) if said else ()),
        {"ear": TranscriptLine("task", 0, 0, words, text or words, "0")},
    )


def test_the_word_error_rate_is_of_all_words_and_not_a_mean_of_messages() -> None:
    lines = [
        message(
            "one two three four five six seven eight nine",
            "one two three four five six seven eight nine",
        ),
        message("Yes!", "no"),
        message("", ""),
    ]
    counts = speech_counts(lines, RULES)
    recognizer = counts.recognizers["ear"]
    assert (
        recognizer.words,
        recognizer.word_errors,
        recognizer.word_error_rate,
        recognizer.uncounted,
    ) == (10, 1, 0.1, 1)
    assert (counts.seconds, counts.voices) == (2.0, {"us": 2})


def test_where_nothing_was_said_there_is_no_rate() -> None:
    recognizer = speech_counts([message("", "")], RULES).recognizers["ear"]
    assert (recognizer.word_error_rate, recognizer.uncounted) == (None, 1)


def test_values_are_heard_somehow_or_lost_as_what_they_are() -> None:
    said = "Ann Holt pays twenty five dollars on May fifth for K L nine two three, PlayList and final underscore report dot P D F"
    values = ("Ann Holt", "$25", "2026-05-05", "KL923", "PlayList", "final_report.pdf", "Ann Bolt")
    line = message(
        said,
        said.lower(),
        *values,
        text="ann hold pays $25 on may fifth for kl923 playlist and final underscore report dot p d f",
    )
    counts = speech_counts([line], RULES)
    recognizer = counts.recognizers["ear"]
    assert recognizer.values == 7
    assert recognizer.heard == {"exactly": 2, "spelled": 1}
    assert recognizer.lost_by_kind == {"case": 1, "date": 1, "name": 2}
    assert (
        recognizer.lost
        == sum(recognizer.lost_by_kind.values())
        == recognizer.values - sum(recognizer.heard.values())
    )
    assert counts.unsaid == 2


def test_capitals_that_anybody_would_guess_need_not_be_heard() -> None:
    values = ("Liam Neeson", "KL923", "report", "iPhone")
    recognizer = speech_counts(
        [message("liam neeson", "x", *values, text="liam neeson kl923 report iPhone")], RULES
    )
    assert recognizer.recognizers["ear"].heard == {"exactly": 4}
