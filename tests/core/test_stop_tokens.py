"""Stop tokens that are written exactly, almost right, and words that only look like them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.stop_tokens import (
    MAX_WRITTEN,
    OUT_OF_SCOPE,
    STOP,
    STOP_TOKENS,
    TRANSFER,
    NormalizedStopTokens,
    has_stop,
    normalize_stop_tokens,
)

MEANT = [
    ("### STOP###", STOP),
    ("###STOP ###", STOP),
    ("###stop###", STOP),
    ("### Stop", STOP),
    ("# # # STOP # # #", STOP),
    ("##STOP##", STOP),
    ("##STOP###", STOP),
    ("###STOP#", STOP),
    ("#STOP#", STOP),
    ("**###STOP###**", STOP),
    ("###**STOP**###", STOP),
    ("**### STOP ###**", STOP),
    ("###STOP###.", STOP),
    ("###STOP!###", STOP),
    ("###-STOP-###", STOP),
    ("###S T O P###", STOP),
    ("###\nSTOP\n###", STOP),
    ("###STOP", STOP),
    ("`###STOP`", STOP),
    ("STOP###", STOP),
    ('"### STOP ###"', STOP),
    ("```\n###STOP###\n```", STOP),
    ("```\n### STOP ###\n```", STOP),
    ("\\#\\#\\#STOP\\#\\#\\#", STOP),
    ("#\u200b##STOP###", STOP),
    ("\uff03\uff03\uff03STOP\uff03\uff03\uff03", STOP),
    ("\uff03\uff03\uff03\uff33\uff34\uff2f\uff30\uff03\uff03\uff03", STOP),
    ("<STOP>", STOP),
    ("<stop>", STOP),
    ("<|STOP|>", STOP),
    ("<###STOP###>", STOP),
    ("[STOP]", STOP),
    ("[[STOP]]", STOP),
    ("{STOP}", STOP),
    ("### TRANSFER ###", TRANSFER),
    ("###transfer###", TRANSFER),
    ("<TRANSFER>", TRANSFER),
    ("###TRANSFER", TRANSFER),
    ("###OUT OF SCOPE###", OUT_OF_SCOPE),
    ("###OUT_OF_SCOPE###", OUT_OF_SCOPE),
    ("###Out-of-scope###", OUT_OF_SCOPE),
    ("### OUT-OF-SCOPE", OUT_OF_SCOPE),
    ("[OUT OF SCOPE]", OUT_OF_SCOPE),
]

BESIDE_WORDS = [
    ("Thanks, bye. ### STOP###", "Thanks, bye. ###STOP###", "### STOP###"),
    ("Thank you, bye### STOP###", "Thank you, bye###STOP###", "### STOP###"),
    ("Thanks. ###STOP", "Thanks. ###STOP###", "###STOP"),
    ("Thanks, goodbye.\n\n### STOP", "Thanks, goodbye.\n\n###STOP###", "### STOP"),
    ("ok thanks STOP###", "ok thanks ###STOP###", "STOP###"),
    ("goodbyeSTOP###", "goodbye###STOP###", "STOP###"),
    ("Bye. [STOP]", "Bye. ###STOP###", "[STOP]"),
    ("Bye.\n<STOP>", "Bye.\n###STOP###", "<STOP>"),
    ("Thanks! **###STOP###**", "Thanks! ###STOP###", "**###STOP###**"),
    ("Thanks!\n```\n### STOP ###\n```", "Thanks!\n###STOP###", "```\n### STOP ###\n```"),
    ("谢谢。\uff03\uff03\uff03STOP", "谢谢。###STOP###", "\uff03\uff03\uff03STOP"),
    ("Cảm ơn bạn ### transfer ###", "Cảm ơn bạn ###TRANSFER###", "### transfer ###"),
]

WORDS = [
    "please stop",
    "STOP!",
    "STOP",
    "**STOP**",
    "(stop)",
    "# STOP",
    "#STOP",
    "#stop it now",
    "I want the #stop# sign",
    "STOP #4",
    "bus stop #12, bus stop ##",
    "I pressed [STOP] and nothing happened",
    "I pressed [STOP]",
    "Press <stop> now",
    "[stop]",
    "- [ ] STOP",
    "the <b>STOP</b> sign",
    '{"STOP": 1}',
    "### Stop the order\nplease",
    "### STOP\nPlease do not go on",
    "### TRANSFER of funds",
    "## Transfer details\n- a",
    "Transfer #12345 ##",
    "###STOPPING",
    "order ###STOP123###",
    "Is it STOP# 12?",
    "### ORDER ### STOP me",
    "I want a transfer.",
    "That is out of scope.",
    "My order is #W123. STOP",
    "###END###",
]


@pytest.mark.parametrize("token", STOP_TOKENS)
@pytest.mark.parametrize("around", ["{}", "Thank you. {}", "{} Bye.", "Bye.{}", "a\n{}\nb"])
def test_an_exact_token_stays_as_it_is_and_is_not_noted(token: str, around: str) -> None:
    words = around.format(token)
    assert normalize_stop_tokens(words) == NormalizedStopTokens(words)


@pytest.mark.parametrize(("written", "token"), MEANT)
def test_a_token_that_was_written_almost_right_is_the_token(written: str, token: str) -> None:
    assert normalize_stop_tokens(written) == NormalizedStopTokens(token, written)


@pytest.mark.parametrize(("written", "text", "noted"), BESIDE_WORDS)
def test_words_beside_a_token_stay_and_the_token_is_exact(
    written: str, text: str, noted: str
) -> None:
    assert normalize_stop_tokens(written) == NormalizedStopTokens(text, noted)


@pytest.mark.parametrize("words", WORDS)
def test_words_of_ordinary_language_end_nothing(words: str) -> None:
    assert normalize_stop_tokens(words) == NormalizedStopTokens(words)


def test_what_is_noted_has_a_bound() -> None:
    found = normalize_stop_tokens(f"###{' ' * 30}STOP{' ' * 30}###")
    assert (found.text, len(found.written)) == (STOP, MAX_WRITTEN)


def test_in_very_long_words_the_end_is_looked_at() -> None:
    found = normalize_stop_tokens("a " * 50_000 + "### STOP###")
    assert found.written == "### STOP###"
    assert found.text.endswith("a ###STOP###")


@given(st.text(st.sampled_from("stopSTOP transferTRANSFER.!?,-\n'\"*_`()Aa1é是ไ"), max_size=60))
def test_without_number_signs_and_brackets_nothing_is_a_token(words: str) -> None:
    assert normalize_stop_tokens(words) == NormalizedStopTokens(words)


@given(
    st.text(
        st.sampled_from('#\uff03 STOPtransferoutofscope<>[]{}|*_`.!\\\n\u200b"-/a1'), max_size=60
    )
)
def test_reading_twice_is_reading_once_and_a_note_means_a_stop(words: str) -> None:
    found = normalize_stop_tokens(words)
    assert normalize_stop_tokens(found.text).text == found.text
    assert has_stop(found.text) or not found.written
    assert not has_stop(words) or has_stop(found.text)


@given(
    st.sampled_from(STOP_TOKENS),
    st.text(st.sampled_from(" \t*_`.\u200b"), max_size=4),
    st.text(st.sampled_from(" \t*_`.\u200b"), max_size=4),
    st.sampled_from((str.upper, str.lower, str.title)),
    st.sampled_from(("", "Thanks a lot. ", "好的\uff0c谢谢。")),
)
def test_any_spaces_case_and_markup_between_signs_and_word_are_the_token(
    token: str, left: str, right: str, case: type[str], before: str
) -> None:
    word = re.sub("#", "", token)
    found = normalize_stop_tokens(f"{before}###{left}{case(word)}{right}###")
    assert token in found.text
