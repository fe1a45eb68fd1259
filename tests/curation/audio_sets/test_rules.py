"""Rewriting by rules: one phenomenon at a time, at a rate of one."""

import importlib.resources

import msgspec
import pytest

from dragoman.core.errors import UsageError
from dragoman.curation.audio_sets.messages import StatedValue
from dragoman.curation.audio_sets.rule_based_rewriting import (
    Inserted,
    Phenomena,
    phenomena_of,
    rewrite_text,
)

NEVER = Inserted(0, ())
SILENT = Phenomena(
    "test",
    {},
    0,
    frozenset({"find", "the"}),
    frozenset({"the"}),
    frozenset({"and/or"}),
    *[NEVER] * 6,
)
LIAM = StatedValue("name", "Liam Neeson")


def said(text: str, *values: StatedValue, **changes: object) -> str:
    return rewrite_text(text, values, msgspec.structs.replace(SILENT, **changes), 1).said


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("number", "take 20 of 25", "take twenty of twenty five"),
        ("sign", "take -20 of 25", "take minus twenty of 25"),
        ("number", "in 1940", "in nineteen forty"),
        ("number", "a 7-day trip, 5% off", "a seven-day trip, five percent off"),
        ("number", "440Abc and 20th", "440Abc and 20th"),
        ("quantity", "440Hz and 20ft", "four hundred forty hertz and twenty feet"),
        ("quantity", "at 5 m/s^2", "at five meters per second squared"),
        ("formula", "of 2x^2 + 3x - 5", "of two x squared plus three x minus five"),
        ("range", "5-10 of 3", "five to ten of 3"),
        ("tag", "with #RoadTrip", "with hashtag road trip"),
        ("sign", "ticket #7423", "ticket seven four, two three"),
        ("number", "0.5A and 3", "0.5A and three"),
        ("number", "on 2026-05-05 at 3", "on 2026-05-05 at three"),
        ("amount", "pay $1000, then $2 million", "pay one thousand dollars, then $2 million"),
        ("date", "on 2026-05-05", "on May fifth, twenty twenty six"),
        ("time", "at 15:30", "at three thirty P M"),
        ("file", "open final_report.pdf", "open final underscore report dot P D F"),
        ("path", "in document/temp and/or here", "in document slash temp and/or here"),
        ("code", "I am USR003", "I am U S R, zero zero three"),
        ("code", "with passWord1", "with passWord1"),
    ],
)
def test_values_are_put_in_words_unless_that_would_lose_something(
    kind: str, text: str, expected: str
) -> None:
    assert said(text, worded={kind: 1.0}) == expected


def test_names_that_calls_need_are_spelled_after_they_are_said() -> None:
    spelling = Inserted(1, ("that's {word}",))
    text = "Find Liam Neeson and Tom Ford."
    assert said(text, LIAM, spelling=spelling) == (
        "Find Liam Neeson, that's L-I-A-M N-E-E-S-O-N, and Tom Ford."
    )


def test_fillers_stand_before_sentences_which_lose_their_capital_only_in_known_words() -> None:
    text = "Find it. Tom knows."
    assert said(text, filler_first=Inserted(1, ("Um,",))) == "Um, find it. Um, Tom knows."


def test_a_false_start_comes_before_all_else() -> None:
    text = "Find it. Tom knows."
    assert said(text, false_start=Inserted(1, ("Can you, no.",))) == f"Can you, no. {text}"


@pytest.mark.parametrize(
    ("phenomenon", "inserted", "expected"),
    [
        (
            "filler",
            Inserted(1, ("uh,",), frozenset({"to"})),
            "Move this, uh, to the second, uh, to it",
        ),
        (
            "correction",
            Inserted(1, ("{word}, no, {word}",), frozenset({"the"})),
            "Move this to the, no, the second, to it",
        ),
        (
            "hesitation",
            Inserted(1, ("{word}, {word}",), frozenset({"this"})),
            "Move this, this to the second, to it",
        ),
    ],
)
def test_words_are_said_around_words_of_the_table(
    phenomenon: str, inserted: Inserted, expected: str
) -> None:
    assert said("Move this to the second, to it", **{phenomenon: inserted}) == expected


def test_nothing_is_said_inside_a_value() -> None:
    value = StatedValue("content", "off to the sea")
    text = "Post 'off to the sea' to all"
    filler = Inserted(1, ("uh,",), frozenset({"to", "the"}))
    assert said(text, value, filler=filler, unquoted=1.0) == "Post off to the sea, uh, to all"


@pytest.mark.parametrize(
    ("kind", "text", "value", "counted"),
    [
        ("formula", "the slope of x^2 + 1", "x^2 + 1", "formula as typed"),
        ("tag", "tweet with #RoadTrip", "#RoadTrip", "tag as typed"),
        ("code", "send {'a': 1}", "b", "code as typed"),
        ("code", "with passWord1", "b", "code as typed"),
    ],
)
def test_what_a_call_needs_with_its_signs_and_code_stay_typed_and_are_counted(
    kind: str, text: str, value: str, counted: str
) -> None:
    rules = msgspec.structs.replace(SILENT, worded={kind: 1.0})
    made = rewrite_text(text, (StatedValue("value", value),), rules, 1)
    assert (made.said, made.phenomena) == (text, (counted,))


def test_a_number_of_a_formula_that_a_call_needs_is_said_in_it() -> None:
    assert said("of 3x^2 + 1", StatedValue("a", "3"), worded={"formula": 1.0}) == (
        "of three x squared plus one"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"Say 'I\'ll update you soon.'updating him", "Say I'll update you soon. updating him"),
        (r"It is:\n\nThe **end**", "It is: The end"),
        ("the list [1, 2] and <name>", "the list 1, 2 and name"),
        ("of x = data['a']", "of x equals data a"),
        ("flows=[2, 3], `['-v', 'p']`", "flows equals 2, 3, -v, p"),
    ],
)
def test_escapes_brackets_and_marks_are_left_out(text: str, expected: str) -> None:
    assert said(text, unquoted=1.0, worded={"tag": 1.0}) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I go.", "Um, I go."),
        ("I'm Tom.", "Um, I'm Tom."),
        ("Tom goes.", "Um, Tom goes."),
        ("IBM goes.", "Um, IBM goes."),
        ("Invest the rest.", "Um, invest the rest."),
        ("Apples and apples.", "Um, apples and apples."),
    ],
)
def test_after_a_filler_only_names_acronyms_and_i_keep_their_capital(
    text: str, expected: str
) -> None:
    assert said(text, filler_first=Inserted(1, ("Um,",))) == expected


def test_no_filler_stands_after_a_title() -> None:
    assert said("See Mr. Gates.", filler_first=Inserted(1, ("Um,",))) == "Um, See Mr. Gates."


def test_a_name_with_a_common_word_or_inside_a_longer_one_is_not_spelled() -> None:
    spelling = Inserted(1, ("that's {word}",))
    values = [StatedValue("hotel", "The Plaza"), StatedValue("place", "Old Park")]
    text = "At The Plaza in Old Park."
    assert said(text, *values, StatedValue("town", "Old"), spelling=spelling) == (
        "At The Plaza in Old Park, that's O-L-D P-A-R-K."
    )


def test_the_same_text_seed_and_rules_give_the_same_words_and_another_seed_others() -> None:
    text = (
        "Please move the file to the folder, and send the report to my boss with the numbers of May. "
        * 3
    )
    english = phenomena_of("en")
    versions = [rewrite_text(text, (), english, seed).said for seed in (1, 1, 2)]
    assert versions[0] == versions[1] != versions[2]


def test_a_language_without_a_file_is_refused_with_those_that_have_one() -> None:
    with pytest.raises(UsageError, match="no rules rewrite 'xx' as speech; there are some for en"):
        phenomena_of("xx")


def test_every_file_of_phenomena_is_read_strictly_and_says_something_at_every_rate() -> None:
    folder = importlib.resources.files("dragoman.curation.audio_sets") / "languages"
    for file in folder.iterdir():
        rules = phenomena_of(file.name.removesuffix(".toml"))
        inserted = (*rules.inside.values(), rules.false_start, rules.filler_first, rules.spelling)
        assert all(each.words for each in inserted if each.rate)
