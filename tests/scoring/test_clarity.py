import pytest

from dragoman.core.scores import Evidence
from dragoman.scoring.measures.clarity import clarity_findings


def finding(reply: str, subject: str, language: str = "en") -> Evidence:
    return next(one for one in clarity_findings(reply, language) if one.subject == subject)


@pytest.mark.parametrize(
    ("subject", "clear", "unclear", "shown"),
    [
        ("acronyms_spelled", "Your U S B stick is OK at 3 PM.", "Your USB stick is here.", "USB"),
        ("acronyms_spelled", "Order W two three.", "Order W2378156.", "W2378156"),
        (
            "numbers_chunked",
            "It is 415, 555, 01 82, since 2024.",
            "It is 4155550182.",
            "4155550182",
        ),
        ("numbers_chunked", "It is $12500 or 12,500 points.", "The code is 83702.", "83702"),
        ("no_marks", "Two things. First, the hat.", "**Two** things", "**"),
        ("no_marks", "It costs 3 - 4 dollars.", "Here:\n- a hat\n- a coat", "-"),
        ("no_marks", "Say it again.", "See https://example.com", "https://"),
    ],
)
def test_a_rule_names_its_first_breach(subject: str, clear: str, unclear: str, shown: str) -> None:
    assert finding(clear, subject) == Evidence(subject, True)
    assert finding(unclear, subject) == Evidence(subject, False, shown)


def test_a_long_sentence_is_counted_in_words() -> None:
    sentence = "I have " + "very " * 24 + "good news"
    found = finding(f"Yes. {sentence}. Bye.", "sentences_short")
    assert found.met is False
    assert found.why.startswith("28 words: I have very")
    assert finding("Yes. I see. " * 20, "sentences_short").met is True


def test_sentences_are_not_counted_in_words_where_none_are_written() -> None:
    found = finding("ได้เลยครับ", "sentences_short", "th")
    assert found == Evidence("sentences_short", None, "words are not counted in th")


def test_a_reply_in_another_language_is_found() -> None:
    english = "I have found your order and it will be with you on the day that you asked for."
    assert finding(english, "language_mirrored", "vi").why == "reads as English"
    assert finding(english, "language_mirrored", "en").met is True
    assert finding("OK.", "language_mirrored", "vi").why == "too short to tell its language"
    assert finding(english, "language_mirrored", "xx").why == "nothing is known of xx"


@pytest.mark.parametrize(
    ("reply", "why"), [("  ", "nothing was said"), ("a" * 20_001, "longer than 20000 characters")]
)
def test_what_cannot_be_checked_is_undecided(reply: str, why: str) -> None:
    found = clarity_findings(reply, "en")
    assert len(found) == 5
    assert {(one.met, one.why) for one in found} == {(None, why)}
