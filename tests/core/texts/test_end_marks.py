"""A reply ends at the end-of-turn mark of its chat template."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.texts.model_output import strip_end_of_turn


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("In Kloster.<|im_end|>", "In Kloster."),
        ("In Kloster.</s>", "In Kloster."),
        ("In Kloster. <|eot_id|>\n", "In Kloster."),
        ("In Kloster.<end_of_turn>\n<eos>", "In Kloster."),
        ("In Kloster.<\uff5cend\u2581of\u2581sentence\uff5c>", "In Kloster."),
        ("In Kloster.<|im_end|>\n<|im_start|>user\nThanks.<|im_end|>", "In Kloster."),
        ("In Kloster.<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nThanks.", "In Kloster."),
        ("In Kloster.<end_of_turn>\n<start_of_turn>user\nThanks.", "In Kloster."),
        ("[f(a=1)]</s>", "[f(a=1)]"),
        ("<|im_end|>", ""),
    ],
)
def test_a_mark_ends_the_reply(text: str, words: str) -> None:
    assert strip_end_of_turn(text) == words


@pytest.mark.parametrize(
    "text",
    [
        "In Kloster.",
        "  In Kloster. \n",
        "The mark <|im_end|> ends a turn.",
        "<s>struck</s> is struck",
        "[f(a=1)]",
        "<|start|>assistant<|channel|>commentary to=functions.f<|message|>{}<|end|>",
    ],
)
def test_words_without_such_a_mark_are_as_they_came(text: str) -> None:
    assert strip_end_of_turn(text) == text


@given(
    st.lists(
        st.sampled_from(["<|im_end|>", "</s>", "<|im_start|>", "a", " ", "\n"]), max_size=40
    ).map("".join)
)
def test_what_is_left_is_the_beginning(text: str) -> None:
    assert text.startswith(strip_end_of_turn(text))
