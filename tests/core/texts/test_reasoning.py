"""A model's reasoning is taken out of its words, in the markup of every family of models."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.texts.model_output import separate_reasoning


@pytest.mark.parametrize(
    ("text", "words", "reasoning"),
    [
        ("<think>Where is it?</think>In Kloster.", "In Kloster.", "Where is it?"),
        ("<think>\nWhere?\n</think>\n\nIn Kloster.", "In Kloster.", "Where?"),
        ("Where is it?</think>\n\nIn Kloster.", "In Kloster.", "Where is it?"),
        ("<think></think>In Kloster.", "In Kloster.", ""),
        ("<think/>In Kloster.", "In Kloster.", ""),
        ("<THINK>a</THINK>b", "b", "a"),
        ('<think type="deep">a</think>b', "b", "a"),
        ("<thinking>a</thinking>b", "b", "a"),
        ("<thought>a</thought>b", "b", "a"),
        ("<reasoning>a</reasoning>b", "b", "a"),
        ("<seed:think>a</seed:think>b", "b", "a"),
        ("<longcat_think>a</longcat_think>b", "b", "a"),
        ("<|think|>a<|/think|>b", "b", "a"),
        ("<|inner_prefix|>a<|inner_suffix|>b", "b", "a"),
        ("<think>a</thinking>b", "b", "a"),
        ("&lt;think&gt;a&lt;/think&gt;b", "b", "a"),
        ("[THINK]a[/THINK]b", "b", "a"),
        ("◁think▷a◁/think▷b", "b", "a"),
        ("<|START_THINKING|>a<|END_THINKING|><|START_RESPONSE|>b<|END_RESPONSE|>", "b", "a"),
        ("<|begin_of_thought|>a<|end_of_thought|><|begin_of_solution|>b", "b", "a"),
        ("<unused94>thought\na<unused95>b", "b", "thought\na"),
        ("<|channel>thought\na<channel|>b", "b", "a"),
        ("<think>a</think><answer>b</answer>", "b", "a"),
        ("Here is my thought process:\na\nHere is my response:\nb", "b", "a"),
        (
            "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b<|return|>",
            "b",
            "a",
        ),
        (
            "analysisThey ask where it is.assistantfinalIn Kloster.",
            "In Kloster.",
            "They ask where it is.",
        ),
        ("<think>a</think>\nb\n<think>c</think>\nd", "b\nd", "a\n\nc"),
        ("b <think>a</think> d", "b d", "a"),
        ("<think>a </think> is what ends it</think>b", "b", "a\n\nis what ends it"),
        ("<think>a</think>b</think>", "b", "a"),
    ],
)
def test_reasoning_is_no_words(text: str, words: str, reasoning: str) -> None:
    found = separate_reasoning(text)
    assert (found.words, found.reasoning) == (words, reasoning)


@pytest.mark.parametrize(
    "text", ["<think>and so on", "so it is</think>", "\n<think>\na\n</think>\n"]
)
def test_reasoning_without_an_answer_leaves_no_words(text: str) -> None:
    found = separate_reasoning(text)
    assert found.words == ""
    assert found.reasoning
    assert found.start == len(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "In Kloster.",
        "  In Kloster.\n",
        "Write <b>bold</b>, 3 < 4 and 5 > 4.",
        "The `<think>` tag opens it, and `</think>` closes it.",
        "Put a <think> tag there.",
        "analysis of the parcel shows that it is in Kloster",
        "I think it is in Kloster [THIN ICE]",
        "<thinker>a</thinker>",
    ],
)
def test_a_text_without_reasoning_is_as_it_was(text: str) -> None:
    assert separate_reasoning(text) == (text, "", 0)


def test_a_call_that_harmony_left_in_the_text_stays_there() -> None:
    call = '<|channel|>commentary to=functions.track <|constrain|>json<|message|>{"id": 1}'
    found = separate_reasoning(
        f"<|channel|>analysis<|message|>a<|end|><|start|>assistant{call}<|call|>"
    )
    assert found.reasoning == "a"
    assert found.words.endswith(call)


_PIECES = st.sampled_from(
    [
        "<think>",
        "</think>",
        "[THINK]",
        "[/THINK]",
        "<|channel|>analysis<|message|>",
        "<|end|>",
        "a b",
        "\n",
    ]
)


@given(st.lists(_PIECES, max_size=12).map("".join) | st.text(max_size=80))
def test_any_text_parts_into_words_and_reasoning_that_stand_in_it(text: str) -> None:
    found = separate_reasoning(text)
    assert 0 <= found.start <= len(text)
    assert all(word in text for word in (*found.words.split(), *found.reasoning.split()))


@given(st.text(alphabet="abc \n", min_size=1, max_size=40), st.text(alphabet="abc .", max_size=40))
def test_what_stands_between_the_tags_is_the_reasoning(reasoning: str, words: str) -> None:
    found = separate_reasoning(f"<think>{reasoning}</think>{words}")
    assert (found.words, found.reasoning) == (words.strip(), reasoning.strip())


@pytest.mark.parametrize(
    "piece",
    [
        "<think>",
        "x<think>",
        "a</think>",
        "<think>a</think>b",
        "[THINK]",
        "<|channel|>analysis<|message|>",
        "<answer>",
    ],
)
def test_any_number_of_tags_is_read_in_one_pass(piece: str) -> None:
    found = separate_reasoning(piece * 20_000)
    assert len(found.words) + len(found.reasoning) <= 30_000 * len(piece)
