"""Simulated hearing errors: their number, their kinds, and that they repeat."""

import gzip
import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.conditions.voice.asr_error_simulation.simulator import ErrorSimulator
from dragoman.conditions.voice.asr_error_simulation.token_errors import (
    align_errors,
    error_units,
    tokenize_speech,
)
from dragoman.conditions.voice.asr_error_simulation.vocabulary import build_lexicon
from dragoman.core.errors import UsageError
from dragoman.core.texts.alignment import distance

ORDER = "i want to return the order W two three seven eight one five six to my gift card"


@pytest.fixture(scope="module")
def simulator() -> ErrorSimulator:
    return ErrorSimulator()


SENTENCES = Path(__file__).resolve().parents[4] / "bench" / "voice"


def held_to_target(texts: list[str], language: str, target: float) -> None:
    """Hold 200 utterances to an error rate that is counted from the texts alone."""
    simulator, lexicon = ErrorSimulator(), build_lexicon(language)
    errors = units = 0.0
    for seed, text in enumerate((texts * (200 // len(texts) + 1))[:200]):
        heard = simulator.simulate(text, language, target, seed).text
        said, again = (
            error_units([token.text for token in tokenize_speech(one, lexicon)], language)
            for one in (text, heard)
        )
        errors += distance(said, again)
        units += len(said)
    assert errors / units == pytest.approx(target, rel=0.1)


TARGETS = [
    pytest.param(0.05, marks=pytest.mark.nightly),
    0.15,
    pytest.param(0.3, marks=pytest.mark.nightly),
]


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("language", "name"),
    [
        ("en", "held_out_lines.txt"),
        ("tl", "filipino_sentences.txt"),
        ("zh", "chinese_sentences.txt"),
    ],
)
def test_the_rate_over_200_utterances_of_ours_is_within_a_tenth_of_the_target(
    language: str, name: str, target: float
) -> None:
    lines = (SENTENCES / name).read_text("utf-8").splitlines()
    held_to_target(
        [line.partition(": ")[2] or line for line in lines if line[0] != "#"], language, target
    )


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("language", ["vi", "id", "th"])
def test_the_rate_over_200_sentences_of_seataubench_is_within_a_tenth_of_the_target(
    language: str, target: float, data_folder: Path
) -> None:
    packed = data_folder / "seataubench" / "retail" / language / "tasks.json.gz"
    tasks = json.loads(gzip.decompress(packed.read_bytes()))
    reported = (task["user_scenario"]["instructions"]["reason_for_call"] for task in tasks)
    parts = (part.strip() for text in reported for part in re.split(r"(?<=[.!?])\s+|\n+", text))
    held_to_target([part for part in parts if part][:200], language, target)


@settings(max_examples=settings().max_examples // 5)
@given(st.text(max_size=60), st.floats(0, 1), st.integers(0, 9))
def test_any_text_is_misrecognized_the_same_way_again(text: str, target: float, seed: int) -> None:
    first = ErrorSimulator().simulate(text, "vi", target, seed)
    assert first == ErrorSimulator().simulate(text, "vi", target, seed)
    assert first.errors <= max(first.units, 1)


def test_without_errors_only_case_and_punctuation_are_lost(simulator: ErrorSimulator) -> None:
    heard = simulator.simulate("Gusto kong magbayad, hindi ang gift card.", "tl", 0.0, 1)
    assert heard.text == "gusto kong magbayad hindi ang gift card"
    assert (heard.edits, heard.errors, heard.units) == ((), 0, 7)


def test_another_seed_draws_other_errors(simulator: ErrorSimulator) -> None:
    texts = {simulator.simulate(ORDER, "en", 0.4, seed).text for seed in range(8)}
    assert len(texts) > 1


def test_spelled_letters_and_digits_are_not_spared(simulator: ErrorSimulator) -> None:
    kinds = {
        edit.kind for seed in range(40) for edit in simulator.simulate(ORDER, "en", 0.5, seed).edits
    }
    assert {"letter", "digit"} <= kinds


def test_figures_are_heard_as_figures(simulator: ErrorSimulator) -> None:
    heard = [simulator.simulate("1.786", "vi", 1.0, seed).text for seed in range(40)]
    changed = [text for text in heard if len(text) == len("1.786") and text != "1.786"]
    assert changed
    assert all(text[1] == "." and text.replace(".", "").isdecimal() for text in changed)


def test_edits_tell_how_the_heard_text_came_about(simulator: ErrorSimulator) -> None:
    lexicon = build_lexicon("en")
    for seed in range(20):
        heard = simulator.simulate(ORDER, "en", 0.3, seed)
        words = [token.text for token in tokenize_speech(ORDER, lexicon)]
        for edit in reversed(heard.edits):
            assert tuple(words[edit.at : edit.at + len(edit.said)]) == edit.said
            words[edit.at : edit.at + len(edit.said)] = edit.heard
        assert " ".join(words) == heard.text


def test_a_wrong_rate_is_refused(simulator: ErrorSimulator) -> None:
    with pytest.raises(UsageError, match="give 0 to 1"):
        simulator.simulate("hello", "en", 1.5, 1)


def test_words_of_a_suite_change_the_identity(simulator: ErrorSimulator) -> None:
    suite = ErrorSimulator({"en": ["The Zorbletron plan costs more."]})
    assert simulator.identity("en") == simulator.identity("en-US")
    assert simulator.identity("en") != suite.identity("en")


@pytest.mark.parametrize(
    ("said_words", "heard", "kinds"),
    [
        ("i went to town", "i went two town", ["homophone"]),
        ("my booking is late", "my book in is late", ["split"]),
        ("the message is here", "the messages here", ["merge"]),
        ("code B four", "code p four", ["letter"]),
        ("take five now", "take nine now", ["digit"]),
        ("the order", "order", ["deletion"]),
        ("order", "the order", ["insertion"]),
        ("display it", "displays it", ["near"]),
        ("all is well", "all is well", []),
    ],
)
def test_errors_are_recognized_by_kind(said_words: str, heard: str, kinds: list[str]) -> None:
    lexicon = build_lexicon("en")
    edits = align_errors(tokenize_speech(said_words, lexicon), heard.split(), lexicon)
    assert [edit.kind for edit in edits] == kinds
