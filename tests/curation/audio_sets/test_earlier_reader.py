"""Values read back as before the value matcher, for sets of that time: literals, by hand."""

import pytest

from dragoman.curation.audio_sets.value_readers import LegacyReader

READER = LegacyReader()


@pytest.mark.parametrize(
    ("value", "said", "how"),
    [
        ("final_report.pdf", "Move final_report.pdf, please.", "exactly"),
        ("final_report.pdf", "Move final underscore report dot P D F now.", "spelled"),
        ("final_report.pdf", "Move final underscore report dot pdf now.", "spelled"),
        ("document/temp", "into document slash temp", "spelled"),
        ("Liam Neeson", "get L-I-A-M N-E-E-S-O-N for me", "spelled"),
        ("Liam Neeson", "Um, get liam neeson, that's L-I-A-M N-E-E-S-O-N", "exactly"),
        ("USR003", "her id is U S R, zero zero three", "spelled"),
        ("michael_t@mail.com", "michael underscore T at mail dot com", "spelled"),
        ("94107", "the zip is nine four one, zero seven", "spelled"),
        ("5", "a height of five units", "in words"),
        ("1500", "change fifteen hundred dollars", "in words"),
        ("1940", "in nineteen forty", "in words"),
        ("0.05", "at five percent", "in words"),
        ("0.05", "at 5% a year", "in words"),
        ("-20", "b is minus twenty", "in words"),
        ("2000000", "a net income of $2 million", "in words"),
        ("2023-06-30", "on June thirtieth, twenty twenty three", "in words"),
        ("2023-06-30", "on 30 June 2023", "exactly"),
        ("Maroon 5", "play Maroon five", "spelled"),
    ],
)
def test_a_value_is_found_as_it_is_written_spelled_or_in_words(
    value: str, said: str, how: str
) -> None:
    assert READER.how_stated(value, said) == READER.how_said(value, said) == how


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("final_report.pdf", "Move final report dot P D F now."),
        ("final_report.pdf", "Move final underscore report."),
        ("final_report.pdf", "Move final underscore reports dot P D F."),
        ("finalreport", "the final report"),
        ("Liam", "get L-I-A-M-S for me"),
        ("SID12", "I D S I D one two"),
        ("5", "a height of twenty five units"),
        ("20", "twenty five"),
        ("1500", "fifteen"),
        ("-20", "b is twenty"),
        ("0", "CO2 of a car that goes 12,000 miles"),
        ("9410", "nine four one zero seven"),
        ("2023-06-30", "on June thirteenth, twenty twenty three"),
        ("", "nothing"),
        ("_", "final report"),
        ("x" * 5_000, "x " * 5_000),
    ],
)
def test_what_is_not_said_or_only_a_part_of_it_is_not_found(value: str, said: str) -> None:
    assert READER.how_stated(value, said) is None


def test_a_long_spelling_is_not_taken_for_what_ends_otherwise() -> None:
    assert READER.how_said("ab" * 190 + "c", "a b " * 300) is None
