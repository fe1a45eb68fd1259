"""Output of `dragoman heard` for a transcript."""

import unicodedata
from collections import Counter
from collections.abc import Callable
from subprocess import CompletedProcess
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.cli.transcript_explanation import TranscriptQuestion, _aligned_units
from dragoman.scoring.speech_accuracy import AlignmentCounts, character_edits, word_edits

Cli = Callable[..., CompletedProcess[str]]
Refused = Callable[..., str]
RunJson = Callable[..., Any]


def value_of(explanation: dict[str, Any], at: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = explanation["values"][at]
    return found


def test_a_code_that_is_spelled_is_heard_as_it_is_written(run_json: RunJson) -> None:
    said, heard = "my number is k v one five five zero", "my number is KV1550."

    explanation = run_json("heard", said, heard, "--value", "KV1550")

    assert explanation == {
        "language": "en",
        "raw": heard,
        "normalized": heard,
        "scoring": {"said": "my number is k v 1 5 5 0", "heard": "my number is k v 1 5 5 0"},
        "word_error_rate": 0.0,
        "character_error_rate": 0.0,
        "alignment": [
            {"said": unit, "heard": unit, "kind": "hit"}
            for unit in ("my", "number", "is", "k", "v", "1", "5", "5", "0")
        ],
        "values": [
            {
                "value": "KV1550",
                "type": "code",
                "stated": True,
                "form": "exact",
                "start": 13,
                "end": 19,
                "stated_in_said": True,
            }
        ],
        "versions": {
            "normalizer": "dragoman-itn-2",
            "scoring": "dragoman-speech-2",
            "matcher": "dragoman-values-1",
        },
    }


def test_an_amount_is_the_same_in_figures_and_in_words(run_json: RunJson) -> None:
    heard = "it costs five thousand dollars"

    explanation = run_json("heard", "It costs $5,000", heard, "--value", "$5000")

    assert explanation["word_error_rate"] == 0.0
    found = value_of(explanation)
    assert (found["stated"], found["form"], found["type"]) == (True, "words", "money")
    assert heard[found["start"] : found["end"]] == "five thousand dollars"


def test_another_amount_is_an_error_and_not_the_value(run_json: RunJson) -> None:
    heard = "it costs five hundred dollars"

    explanation = run_json("heard", "It costs $5,000", heard, "--value", "$5000")

    assert explanation["word_error_rate"] == pytest.approx(1 / 7)
    assert value_of(explanation) == {
        "value": "$5000",
        "type": "money",
        "stated": False,
        "form": None,
        "start": None,
        "end": None,
        "stated_in_said": True,
    }


def test_values_are_looked_for_in_their_order_and_never_inside_a_token(run_json: RunJson) -> None:
    explanation = run_json("heard", "room 25", "room 25", "--value", "5", "--value", "25")

    assert [each["value"] for each in explanation["values"]] == ["5", "25"]
    assert [each["stated"] for each in explanation["values"]] == [False, True]
    assert [each["stated_in_said"] for each in explanation["values"]] == [False, True]


@pytest.mark.parametrize(
    ("language", "said", "heard", "value"),
    [
        ("vi-VN", "tôi cần hai mươi lăm vé", "tôi cần 25 vé", "25"),
        ("id", "saya mau dua puluh lima tiket", "saya mau 25 tiket", "25"),
        ("fil", "gusto ko ng dalawampu't limang tiket", "gusto ko ng 25 tiket", "25"),
        ("pt-BR", "são vinte e cinco reais", "são R$ 25,00", "R$ 25"),
    ],
)
def test_number_words_of_a_spaced_language_are_their_figures(
    run_json: RunJson, language: str, said: str, heard: str, value: str
) -> None:
    explanation = run_json("heard", said, heard, "--language", language, "--value", value)

    assert explanation["word_error_rate"] == 0.0
    assert explanation["character_error_rate"] == 0.0
    assert value_of(explanation)["stated"]
    assert value_of(explanation)["stated_in_said"]


@pytest.mark.parametrize(
    ("language", "said", "heard", "rate"),
    [
        ("th", "ราคาห้าพันบาท", "ราคา 5,000 บาท", 0.0),
        ("th", "ห้องแปด", "ห้องเจ็ด", 1 / 4),
        ("cmn-Hans", "我要二十五张票", "我要25张票", 0.0),
        ("zh", "我要二十五张票", "我要二十七张票", 1 / 6),
    ],
)
def test_only_characters_are_counted_where_words_have_no_spaces(
    run_json: RunJson, language: str, said: str, heard: str, rate: float
) -> None:
    explanation = run_json("heard", said, heard, "--language", language)

    assert explanation["word_error_rate"] is None
    assert explanation["word_error_reason"] == f"{language} is written without spaces between words"
    assert explanation["character_error_rate"] == pytest.approx(rate)


def test_a_mark_stands_with_its_letter_in_the_alignment(run_json: RunJson) -> None:
    explanation = run_json("heard", "ต่อ", "ตอ", "--language", "th")

    assert explanation["alignment"] == [
        {"said": "ต่", "heard": "ต", "kind": "substitution"},
        {"said": "อ", "heard": "อ", "kind": "hit"},
    ]


def test_nothing_heard_is_all_lost(run_json: RunJson) -> None:
    explanation = run_json("heard", "two words", "")

    assert explanation["word_error_rate"] == 1.0
    assert [each["kind"] for each in explanation["alignment"]] == ["deletion", "deletion"]
    assert explanation["alignment"][1] == {"said": "words", "heard": None, "kind": "deletion"}


def test_nothing_said_has_no_rate(run_json: RunJson) -> None:
    explanation = run_json("heard", "", "hello")

    assert explanation["word_error_rate"] is None
    assert explanation["character_error_rate"] is None
    assert explanation["word_error_reason"] == "no word was said"
    assert explanation["character_error_reason"] == "no character was said"
    assert explanation["alignment"] == [{"said": None, "heard": "hello", "kind": "insertion"}]


def test_places_are_those_of_the_transcript_as_it_was_given(run_json: RunJson) -> None:
    heard = unicodedata.normalize("NFD", "tôi cần đặt hai mươi lăm vé")

    explanation = run_json("heard", "25", heard, "--language", "vi", "--value", "25")

    found = value_of(explanation)
    assert explanation["raw"] == heard
    stated = unicodedata.normalize("NFC", heard[found["start"] : found["end"]])
    assert stated == "hai mươi lăm"


def test_what_is_too_long_to_align_has_no_rate(run_json: RunJson) -> None:
    explanation = run_json("heard", "one " * 2_001, "one")

    assert explanation["word_error_rate"] is None
    assert explanation["alignment"] == []


TEXTS = st.text(st.sampled_from("ab 15,$.-'é\u0301ต่อ我五 five ")) | st.text(max_size=20)


@given(TEXTS, TEXTS, st.sampled_from(["en", "vi", "th", "zh", "pt", "de"]))
def test_the_alignment_sums_to_the_counts(said: str, heard: str, language: str) -> None:
    units = _aligned_units(TranscriptQuestion(said, heard, language, ()))

    count = character_edits if language in {"th", "zh"} else word_edits
    edits = count(said, heard, language)
    kinds = Counter(unit.kind for unit in units)
    if isinstance(edits, AlignmentCounts):
        counted = (edits.hits, edits.substitutions, edits.deletions, edits.insertions)
        names = ("hit", "substitution", "deletion", "insertion")
        assert tuple(kinds[name] for name in names) == counted  # type: ignore[index]
    else:
        assert set(kinds) <= {"insertion"}


@pytest.mark.parametrize("tag", ["x y", "", "english", "e", "en-", "\x1b[31m"])
def test_a_language_that_is_no_tag_gets_one_line(refused: Refused, tag: str) -> None:
    line = refused("heard", "a", "b", "--language", tag, status=2)

    assert "no language tag; write one such as en or pt-BR" in line


@pytest.mark.parametrize("tag", ["sw", "zh_TW", "sr-Latn-RS", "yue", "EN"])
def test_any_tag_is_taken(run_json: RunJson, tag: str) -> None:
    assert run_json("heard", "a", "b", "--language", tag)["character_error_rate"] == 1.0


def test_what_is_too_long_gets_one_line(refused: Refused) -> None:
    assert "HEARD: 20,001 characters" in refused("heard", "a", "b" * 20_001, status=2)
    assert "SAID: 20,001 characters" in refused("heard", "a" * 20_001, "b", status=2)


def test_an_empty_value_gets_one_line(refused: Refused) -> None:
    assert "--value: it is empty" in refused("heard", "a", "b", "--value", " ", status=2)


def test_the_terminal_shows_units_below_each_other_with_their_errors(dragoman: Cli) -> None:
    said, heard = (
        "well it costs $5,000 and i want it",
        "it costs five hundred dollars and we want it now",
    )

    shown = dragoman("heard", said, heard, "--value", "$5,000", "--value", "want", "--plain").stdout

    assert shown == (
        "raw         it costs five hundred dollars and we want it now\n"
        "normalized  it costs $500 and we want it now\n"
        "\n"
        "said        well  it  costs  5  0  0  0  dollar  and  i   want  it\n"
        "heard             it  costs  5     0  0  dollar  and  we  want  it  now\n"
        "            -                   -                     ~             +\n"
        "\n"
        "~ 1 substitution, - 2 deletions, + 1 insertion\n"
        "word error rate 33.3 % (4 of 12)\n"
        "character error rate 32.3 % (10 of 31)\n"
        "\n"
        "value   type   said  heard  form   as recognized\n"
        "────────────────────────────────────────────────\n"
        "$5,000  money  yes   no\n"
        "want    text   yes   yes    exact  want\n"
    )


def test_no_line_is_wider_than_the_terminal(dragoman: Cli) -> None:
    said = "please send twenty five of them to the address that i gave you yesterday " * 4

    shown = dragoman("heard", said, said.replace("send", "sent"), "--plain", COLUMNS="60").stdout

    assert max(map(len, shown.splitlines())) <= 60
    assert shown.count("~") == 5


def test_what_acts_on_a_terminal_is_written_out(dragoman: Cli) -> None:
    shown = dragoman("heard", "a", "\x1b[31m b [bold]c[/]", "--value", "\x1b[31m").stdout

    assert "\x1b" not in shown
    assert "[bold]c[/]" in shown


def test_a_language_without_number_words_is_said_in_one_line(dragoman: Cli) -> None:
    other = dragoman("heard", "tano", "5", "--language", "sw").stdout
    known = dragoman("heard", "lima", "5", "--language", "ms").stdout

    assert other.splitlines()[0] == "number words are not parsed in sw, only digits"
    assert "number words" not in known


def test_languages_are_completed(dragoman: Cli) -> None:
    words = "dragoman\nheard\na\nb\n--language\nf"

    done = dragoman(_DRAGOMAN_COMPLETE="complete_bash", COMP_WORDS=words, COMP_CWORD="5")

    assert done.stdout.split() == ["fil"]
