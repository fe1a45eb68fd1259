import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.curation.translation.glossary import NO_GLOSSARY, Glossary
from dragoman.curation.translation.placeholders import (
    DoNotTranslate,
    Masked,
    PlaceholderFault,
    mask,
    placeholder,
    placeholders_in,
    restore,
)
from dragoman.curation.translation.segments import Component, Segment

COMPONENTS: tuple[Component, ...] = ("tasks", "tools")

PIECES = [
    *(
        "⟦1⟧",
        "【2】",
        "[[3]]",
        "⟦",
        "⟧",
        "[[",
        "]]",
        "1",
        "⟦ 12",
        "###STOP###",
        "{line_id}",
        "`",
        "'",
    ),
    *("#W1234567", "mia_garcia_4516", "pending", "'pending'", "basic_economy", "status", "x@y.org"),
    *("\n", " ", "待", "ก", "**", '"', "12345", "Args:", "    reason: "),
]


def masked(
    text: str,
    do_not_translate: DoNotTranslate,
    glossary: Glossary = NO_GLOSSARY,
    component: Component = "tasks",
) -> Masked:
    return mask(Segment("a::b", component, text, "text", "shop/text"), do_not_translate, glossary)


@given(text=st.text(max_size=60) | st.lists(st.sampled_from(PIECES)).map("".join))
def test_every_text_comes_back_as_it_was(do_not_translate: DoNotTranslate, text: str) -> None:
    for component in COMPONENTS:
        given_out = masked(text, do_not_translate, component=component)
        back = restore(given_out, given_out.text)

        assert back.text == text
        assert back.faults == ()


@given(text=st.lists(st.sampled_from(PIECES)).map("".join))
def test_a_masked_text_has_no_placeholder_but_its_own(
    do_not_translate: DoNotTranslate, text: str
) -> None:
    given_out = masked(text, do_not_translate)

    found = [each.number for each in placeholders_in(given_out.text)]
    counts = {number: found.count(number) for number in found}

    assert counts == {at: slot.count for at, slot in enumerate(given_out.slots, 1)}


@pytest.mark.parametrize(
    ("source", "hidden"),
    [
        ("Order #W1234567 of mia_garcia_4516", ["#W1234567", "mia_garcia_4516"]),
        ("an unseen #W0000000, HAT999 or Z9Q1A0", ["#W0000000", "HAT999", "Z9Q1A0"]),
        ("pay with credit_card_7815826.", ["credit_card_7815826"]),
        ("mail mia@example.com, see https://a.org/b?c=1.", ["mia@example.com", "https://a.org/b?c=1"]),
        ("call 555-999-0000 or zip 76165", ["555-999-0000", "76165"]),
        ("at https://{host}/v1/{id}, or (www.a.org).", ["https://{host}/v1/{id}", "www.a.org"]),
        ("say ###STOP### now", ["###STOP###"]),
        ("Line {line_id} is off", ["{line_id}"]),
        ("move to 123 Elm Street, Austin", ["123 Elm Street", "Austin"]),
        ("Austin? Not Austin. Austin", ["Austin"]),
        ("You are Mia Garcia, and Mia is tired", ["Mia Garcia"]),
        ("run `check_status()` first", ["`check_status()`"]),
        ("the status is pending", ["pending"]),
        ("it is 'no longer needed'", ["no longer needed"]),
        ("a pending matter, good and active", []),
        ("the user wants 12 of 1,500 pieces", []),
        ('in "celsius", at "home"', ["celsius"]),
        ("use calculate(1+1), then calculate", ["calculate"]),
    ],
)  # fmt: skip
def test_what_must_stay_is_hidden_and_nothing_else(
    do_not_translate: DoNotTranslate, source: str, hidden: list[str]
) -> None:
    assert [slot.source for slot in masked(source, do_not_translate).slots] == hidden


def test_headings_parameters_and_quoted_literals_of_tool_texts_stay(
    do_not_translate: DoNotTranslate,
) -> None:
    text = "Calls off an order.\n\nArgs:\n    reason: Why, such as 'no longer needed' or 'sfo'.\n"

    slots = masked(text, do_not_translate, component="tools").slots

    assert [slot.source for slot in slots] == ["Args:", "reason", "no longer needed", "sfo"]


def test_a_quoted_value_comes_back_as_its_label(
    do_not_translate: DoNotTranslate, thai: Glossary
) -> None:
    given_out = masked("Order #W1234567 is 'pending'.", do_not_translate, thai)

    assert given_out.text == "Order ⟦1⟧ is '⟦2⟧'."
    assert restore(given_out, "คำสั่งซื้อ⟦1⟧มีสถานะ'⟦2⟧'").text == ("คำสั่งซื้อ#W1234567มีสถานะ'รอดำเนินการ'")


def test_a_value_among_words_is_left_to_the_translator_when_it_has_a_label(
    do_not_translate: DoNotTranslate, thai: Glossary
) -> None:
    assert masked("the status is pending", do_not_translate, thai).slots == ()


def test_texts_that_differ_in_ids_alone_are_one_request_with_ids_of_their_own(
    do_not_translate: DoNotTranslate,
) -> None:
    first = masked("Return #W1234567.", do_not_translate)
    second = masked("Return #W7654321.", do_not_translate)

    assert first.text == second.text
    assert restore(first, "Trả ⟦1⟧.").text == "Trả #W1234567."
    assert restore(second, "Trả ⟦1⟧.").text == "Trả #W7654321."


@pytest.mark.parametrize(
    "form", ["⟦ 1 ⟧", "【1】", "〚1〛", "[[1]]", "⟦\uff11⟧", "⟦๑⟧", "\uff3b\uff3b1\uff3d\uff3d"]
)
def test_a_placeholder_is_read_in_the_forms_that_models_give_it(
    do_not_translate: DoNotTranslate, form: str
) -> None:
    assert (
        restore(masked("Return HAT001.", do_not_translate), f"退回{form}。").text == "退回HAT001。"
    )


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        ("Trả.", PlaceholderFault("placeholder-lost", "⟦1⟧", "HAT001", 1, 0)),
        ("Trả ⟦1⟧ ⟦1⟧.", PlaceholderFault("placeholder-doubled", "⟦1⟧", "HAT001", 1, 2)),
        ("Trả ⟦1⟧ ⟦7⟧.", PlaceholderFault("placeholder-invented", "⟦7⟧", "", 0, 1)),
    ],
)
def test_a_placeholder_that_is_lost_doubled_or_invented_is_named(
    do_not_translate: DoNotTranslate, answer: str, fault: PlaceholderFault
) -> None:
    assert restore(masked("Return HAT001.", do_not_translate), answer).faults == (fault,)


def test_no_space_is_left_between_a_chinese_label_and_chinese_text(
    do_not_translate: DoNotTranslate, chinese: Glossary
) -> None:
    given_out = masked("Order #W1234567 is 'pending'.", do_not_translate, chinese)

    assert restore(given_out, "订单 ⟦1⟧ 为 ⟦2⟧ 状态。").text == "订单 #W1234567 为待处理状态。"


def test_a_label_is_translated_whole(do_not_translate: DoNotTranslate) -> None:
    label = Segment("a::b", "schema", "basic_economy", "label", "shop/label/Cabin")

    assert mask(label, do_not_translate) == Masked("basic_economy", ())


@pytest.mark.parametrize(
    ("source", "has_words"), [("HAT001, #W1234567.", False), ("HAT001 is late", True)]
)
def test_what_has_no_words_beside_what_stays_needs_no_translation(
    do_not_translate: DoNotTranslate, source: str, has_words: bool
) -> None:
    assert masked(source, do_not_translate).has_words is has_words


def test_the_placeholder_has_no_letter() -> None:
    assert placeholder(12) == "⟦12⟧"


@pytest.mark.parametrize("piece", ["1", "a-", "a_", "⟦1", "'", "**", "{a", "http://", "a(", "Ab "])
def test_a_text_that_repeats_itself_takes_no_time(
    do_not_translate: DoNotTranslate, piece: str
) -> None:
    text = piece * 5_000

    assert restore(masked(text, do_not_translate), masked(text, do_not_translate).text).text == text
