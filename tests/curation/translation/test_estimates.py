from dragoman.conditions.language.languages import find_language
from dragoman.curation.translation.translators import (
    Item,
    Request,
    estimate_usage,
    explain_estimates,
    request_size,
)

ASKED = Request("text", "English", "Thai", {"a": Item("x" * 2_000), "b": Item("y" * 1_000)})


def test_what_is_sent_counts_the_prompt_and_what_comes_back_the_language() -> None:
    thai = estimate_usage([ASKED, ASKED], find_language("th"), "some/model")
    assert (thai.purpose, thai.model, thai.calls) == ("translation", "some/model", 2)
    assert thai.input_tokens == -(-request_size(ASKED) * 2 // 4)
    # 3,000 characters, two a token, and 10 tokens around each text; twice.
    assert thai.output_tokens == 2 * (1_500 + 20)
    chinese = estimate_usage([ASKED], find_language("zh"), "some/model")
    assert chinese.output_tokens == 1_000 + 20


def test_nothing_to_send_takes_nothing() -> None:
    nothing = estimate_usage([], find_language("vi"), "some/model")
    assert (nothing.calls, nothing.input_tokens, nothing.output_tokens) == (0, 0, 0)


def test_how_tokens_are_estimated_is_said_in_words() -> None:
    assert explain_estimates(find_language("vi")) == (
        "4 characters sent are a token; Vietnamese has 1.1 characters for one of English, 3 a token"
    )
