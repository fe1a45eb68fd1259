"""Parts of language models: counts, the generic model, pronunciations, suites' texts."""

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.conditions.voice.pocketsphinx_data import (
    Bigrams,
    dictionary_lines,
    ipa_to_arpabet,
    pocketsphinx_model_folder,
    read_bigrams,
    read_dictionary,
)
from dragoman.core.errors import DataError
from dragoman.speech.embedded.espeak_library import SpeechLibrary, accents, pronunciations
from dragoman.speech.embedded.interpolated_model import interpolate_models
from dragoman.speech.embedded.language_model import tokenize_spoken_form
from dragoman.speech.embedded.ngrams import (
    END,
    START,
    CountedSentences,
    GenericNgrams,
    common_words,
)
from dragoman.speech.embedded.training_sentences import record_sentences, text_sentences

SENTENCES = st.lists(
    st.tuples(
        st.integers(1, 3), st.lists(st.sampled_from("abcde"), min_size=1, max_size=6).map(tuple)
    ),
    min_size=1,
    max_size=12,
)


@pytest.fixture(scope="module")
def bigrams() -> Bigrams:
    return read_bigrams(pocketsphinx_model_folder() / "en-us.lm.bin")


def test_the_reader_gives_what_the_engine_itself_says_of_words_and_pairs(bigrams: Bigrams) -> None:
    from pocketsphinx import Config, LogMath, NGramModel

    scale = LogMath()
    engine = NGramModel(Config(), scale, str(pocketsphinx_model_folder() / "en-us.lm.bin"))
    for word in ("the", "refund", "zulu"):
        reported = scale.log_to_ln(engine.prob([word]))
        assert bigrams.single[bigrams.words.index(word)] == pytest.approx(reported, abs=1e-3)
    listed = {
        (bigrams.words[first], bigrams.words[second]): pair
        for first, second, pair in zip(
            bigrams.first[::9_999], bigrams.second[::9_999], bigrams.pair[::9_999], strict=True
        )
    }
    assert len(listed) == 206
    for (first, second), value in listed.items():
        reported = scale.log_to_ln(engine.prob([second, first]))
        assert value == pytest.approx(reported, abs=1e-3), (first, second)


def test_a_file_of_another_form_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.bin"
    other.write_bytes(b"Trie Language Model\x02 and so on")
    with pytest.raises(DataError, match="not a binary trigram model"):
        read_bigrams(other)


@given(SENTENCES)
def test_after_any_history_the_probabilities_of_all_words_add_up_to_one(
    sentences: list[tuple[int, tuple[str, ...]]],
) -> None:
    counted = CountedSentences(sentences)
    words = (*counted.words, END)
    assert math.isclose(sum(counted.word(word) for word in words), 1.0)
    for first in (START, *counted.words):
        assert math.isclose(sum(counted.after(first, word) for word in words), 1.0)
        assert math.isclose(sum(counted.after_two(START, first, word) for word in words), 1.0)


@given(SENTENCES, st.floats(0.1, 0.9))
def test_a_mixture_never_gives_more_than_one_after_a_history(
    sentences: list[tuple[int, tuple[str, ...]]], share: float
) -> None:
    generic = GenericNgrams(
        words={"a": 0.3, "x": 0.4, "y": 0.2, END: 0.1},
        backoffs={"a": 0.5, "x": 0.4, "y": 1.0},
        pairs={("a", "x"): 0.5, ("x", "y"): 0.6},
    )
    counted = CountedSentences(sentences)
    mixture = interpolate_models(counted, generic, share, counted.words | {"a", "x", "y"})
    assert math.isclose(sum(mixture.words.values()), 1.0)
    for first, left in mixture.word_backoffs.items():
        listed = {word: p for (one, word), p in mixture.pairs.items() if one == first}
        rest = sum(p for word, p in mixture.words.items() if word not in listed)
        assert sum(listed.values()) + left * rest == pytest.approx(1.0, abs=0.03)


def test_phonemes_become_the_phones_of_the_dictionary() -> None:
    assert ipa_to_arpabet("kəvˈɑːtʃ") == "K AH V AA CH"  # noqa: RUF001 - IPA
    assert ipa_to_arpabet("(en)hˈaʊs(vi)") == "HH AW S"  # noqa: RUF001 - IPA
    assert ipa_to_arpabet("七") == ""


def test_a_dictionary_is_read_as_it_is_written(tmp_path: Path) -> None:
    file = tmp_path / "known.dict"
    lines = ["read R EH D\n", "read(2) R IY D\n", "route R UW T\n"]
    file.write_text("".join(lines), "utf-8")
    ways = {word: read_dictionary(file)[word] for word in ("route", "read")}
    assert ways == {"read": ("R EH D", "R IY D"), "route": ("R UW T",)}
    assert list(dictionary_lines(ways)) == lines


def test_words_have_the_ways_of_all_accents_that_the_voices_have() -> None:
    ways = pronunciations(["four", "oh", "'"], SpeechLibrary(), accents())
    assert accents()[0] == "en-us"
    assert {"F AO R", "F AO", "F OW R"} <= set(ways["four"])
    assert ways["oh"] == ("OW",)
    assert ways["'"] == ()


def test_frequent_words_come_first_and_have_a_pronunciation(bigrams: Bigrams) -> None:
    words = common_words(bigrams, {"refund", "the", "zulu", "a.m."})
    assert words == ("the", "refund", "zulu")


def test_a_policy_becomes_sentences_as_they_are_said() -> None:
    made = text_sentences("policy", "# Bags\n\n- A bag is **$20**. Ask first!\n- A bag is **$20**.")
    assert made.source == "policy"
    assert [tokenize_spoken_form(sentence) for sentence in made.sentences] == [
        ("bags",),
        ("a", "bag", "is", "twenty", "dollars"),
        ("ask", "first"),
    ]


def test_records_give_their_names_and_values() -> None:
    made = record_sentences("database", {"first_name": "Yara", "tags": ["blue", 3, None]})
    assert made.sentences == ("first name", "Yara", "tags", "blue")


def test_records_that_are_too_deep_are_not_read_to_the_end() -> None:
    deep: object = "bottom"
    for _ in range(40):
        deep = [deep]
    assert record_sentences("database", [deep, "top"]).sentences == ("top",)
