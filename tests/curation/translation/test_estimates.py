from dragoman.conditions.language.languages import find_language
from dragoman.curation.translation.estimates import estimated, explained
from dragoman.curation.translation.translators.chat import size_of
from dragoman.curation.translation.translators.protocol import Item, Request

ASKED = Request("text", "English", "Thai", {"a": Item("x" * 2_000), "b": Item("y" * 1_000)})


def test_what_is_sent_counts_the_prompt_and_what_comes_back_the_language() -> None:
    thai = estimated([ASKED, ASKED], find_language("th"), "some/model")
    assert (thai.purpose, thai.model, thai.calls) == ("translation", "some/model", 2)
    assert thai.input_tokens == -(-size_of(ASKED) * 2 // 4)
    # 3,000 characters, two a token, and 10 tokens around each text; twice.
    assert thai.output_tokens == 2 * (1_500 + 20)
    chinese = estimated([ASKED], find_language("zh"), "some/model")
    assert chinese.output_tokens == 1_000 + 20


def test_nothing_to_send_takes_nothing() -> None:
    nothing = estimated([], find_language("vi"), "some/model")
    assert (nothing.calls, nothing.input_tokens, nothing.output_tokens) == (0, 0, 0)


def test_how_tokens_are_estimated_is_said_in_words() -> None:
    assert explained(find_language("vi")) == (
        "4 characters sent are a token; Vietnamese has 1.1 characters for one of English, 3 a token"
    )
