import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.scoring.measures.language_use import (
    has_letters,
    lower_capitals,
    natural_language_text,
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Đơn hàng #W2378156 đã hủy.", "Đơn hàng đã hủy."),
        ("คำสั่งซื้อ#W2378156และ#W5199551", "คำสั่งซื้อ และ"),
        ("Kartu credit_card_9513926 ya", "Kartu ya"),
        ("mail yusuf.rossi@example.com ok", "mail ok"),
        ("see https://example.com/a now", "see now"),
        ("C:\\temp here", "here"),
        ("bay JFK - LAX ngày 2024-05-20", "bay - ngày"),
        ("giá $1,234.56 hay 54 USD", "giá hay"),
        ("ราคา ๑๒๓ บาท", "ราคา บาท"),
        ("status: {'a': {'b': [1, 2]}} xong", "status: xong"),
        ("{a} giữa {b} cuối }{", "giữa cuối }{"),
        ("run ```\nprint('x')\n``` nhé", "run nhé"),
        ("run `get_order` nhé", "run nhé"),
        ("dở ```print('x')", "dở"),
        ('chọn "gift card" nhé', "chọn nhé"),
        ("chọn “gift card” và «hộp» 「箱」 nhé", "chọn và nhé"),
        ("it's 'pending' isn't it", "it's isn't it"),
        ("tạm biệt ###STOP###", "tạm biệt"),
        ("**Xin chào** 😀 ✔ bạn", "Xin chào bạn"),
        ("ABCD EFG hij", "ABCD hij"),
    ],
)
def test_what_belongs_to_no_language_is_taken_out(text: str, words: str) -> None:
    assert natural_language_text(text) == words


def test_a_long_quotation_is_speech() -> None:
    said = (
        '"Xin chào, tôi muốn hủy đơn hàng của tôi và nhận lại tiền vào thẻ của tôi ngay hôm nay."'
    )
    assert natural_language_text(said) == said


def test_a_marker_that_holds_a_whole_sentence_is_speech() -> None:
    said = "Anda baru saja pindah dari Florida ke Phoenix."
    assert said in f"###{said}###"
    assert said.rstrip(".") in natural_language_text(f"###{said}###")


@pytest.mark.parametrize(
    "text",
    [
        "#W2378156, #W5199551",
        "ORD JFK LAX",
        "555-123-2002",
        "{}",
        "✔✔✔✔✔",
        "😀😀",
        "...",
        "",
        "\u200b",
    ],
)
def test_of_ids_and_symbols_alone_no_letter_is_left(text: str) -> None:
    assert not has_letters(natural_language_text(text))


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    ["{" * 1_000_000, "{}" * 500_000, "`" * 1_000_000, "x" * 1_000_000, "'\"#" * 300_000],
    ids=["opened", "pairs", "ticks", "word", "quotes"],
)
def test_long_texts_are_bounded_work(text: str) -> None:
    assert len(natural_language_text(text)) <= len(text)


@given(st.text(st.characters(exclude_categories=[])))
def test_any_text_is_left_no_longer_and_in_one_line(text: str) -> None:
    words = natural_language_text(text)
    assert len(words) <= len(text)
    assert words == " ".join(words.split())
    assert not any(map(str.isdigit, words))


@given(st.text("กขคabcñ đ.,?", min_size=1))
def test_a_text_without_anything_opaque_stays_as_it_is(text: str) -> None:
    assert natural_language_text(text) == " ".join(text.split())


@pytest.mark.parametrize(
    ("text", "lowered"),
    [("BẠN LÀ AI?", "bạn là ai?"), ("Bạn LÀ AI?", "Bạn LÀ AI?"), ("คุณ", "คุณ"), ("คุณ OK", "คุณ ok")],
)
def test_only_texts_in_capitals_alone_are_lowered(text: str, lowered: str) -> None:
    assert lower_capitals(text) == lowered
