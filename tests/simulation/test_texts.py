import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.language.phrasebook import Phrasebook
from dragoman.simulation.phrasebooks import shipped_phrasebook
from dragoman.simulation.slot_filling import count_shared_words, rank_documents, word_stems
from dragoman.simulation.text_segmentation import (
    candidate_spans,
    grapheme_clusters,
    join_spelled_ids,
    join_split_value,
    separate_latin_words,
)
from dragoman.simulation.value_extraction import extract_value


def book(language: str) -> Phrasebook:
    found = shipped_phrasebook(language)
    assert found is not None
    return found


ENGLISH, VIETNAMESE, THAI, CHINESE = map(book, ("en", "vi", "th", "zh"))


def test_a_sign_has_its_marks_with_it() -> None:
    assert grapheme_clusters("ที่น้ำ") == ["ที่", "น้", "ำ"]
    assert grapheme_clusters("王B7") == ["王", "B", "7"]


@given(st.text(max_size=30))
def test_signs_together_are_the_text(text: str) -> None:
    assert "".join(grapheme_clusters(text)) == text


def test_where_no_spaces_are_written_stretches_are_as_many_signs() -> None:
    assert candidate_spans("名字是王小明。", "李大", "", CHINESE) == [
        "名字",
        "字是",
        "是王",
        "王小",
        "小明",
    ]
    assert candidate_spans("คือดีมาก", "ดี", "", THAI) == ["คื", "อ", "ดี", "ม", "า", "ก"]


def test_a_latin_word_is_one_sign_among_those_of_other_scripts() -> None:
    found = candidate_spans("运单号是KD274188065,谢谢", "KD1", ".,", CHINESE)
    assert "KD274188065" in found


@pytest.mark.parametrize(
    ("phrases", "value", "heard", "expected"),
    [
        (VIETNAMESE, "KD274188065", "mã là k d 2 7 4 1 8 8 0 6 5 dạ", "KD274188065"),
        (VIETNAMESE, "KL-4830", "mã là k l 4 8 3 0 dạ", "KL-4830"),
        (VIETNAMESE, "+44 7700 900102", "là 4 4 7 7 0 0 9 0 0 1 0 2 dạ", "+44 7700 900102"),
        (VIETNAMESE, "KL-4830", "mã là k l 4 8 2 0 dạ", "kl4820"),
        (VIETNAMESE, "kim chỉ", "từ bảo mật là chim chỉ dạ", "chim chỉ"),
        (THAI, "ศุภชัย มั่นเจริญ", "ชื่อคือศุภชัยมั่นเจริญค่ะ", "ศุภชัย มั่นเจริญ"),
        (THAI, "ส้มโอ", "คำลับคือนมโอ", "นมโอ"),
        (THAI, "KL-4830", "รหัสคือ k l 4 8 3 0 คำลับ", "KL-4830"),
        (CHINESE, "章文杰", "我是张文杰的包裹", "张文杰"),
        (CHINESE, "KL-4830", "邮编是 kl4830", "KL-4830"),
        (CHINESE, "章文杰", "", ""),
    ],
)
def test_a_value_is_what_was_heard_in_its_place(
    phrases: Phrasebook, value: str, heard: str, expected: str
) -> None:
    assert extract_value(value, heard, phrases) == expected


def test_english_ids_are_not_drawn_together_again() -> None:
    assert join_split_value("k d 2 7", "KD27", ENGLISH) == []
    assert join_split_value("k d 2 7", "Kilo", VIETNAMESE) == []
    assert "kd27" in join_split_value("là k d 2 7", "KD27", VIETNAMESE)


@pytest.mark.parametrize(
    ("heard", "expected"),
    [
        ("mã là k d 2 7 4 dạ", "mã là KD274 dạ"),
        ("运单号是 kd274 吧", "运单号是 KD274 吧"),
        ("b2.pike@example.com", "b2.pike@example.com"),
        ("a 5", "a 5"),
    ],
)
def test_ids_are_written_as_ids_are(heard: str, expected: str) -> None:
    assert join_spelled_ids(heard, VIETNAMESE) == expected
    assert join_spelled_ids(heard, ENGLISH) == heard


def test_latin_words_are_set_apart_where_no_spaces_are_written() -> None:
    assert separate_latin_words("邮编是83702吗", CHINESE) == "邮编是 83702 吗"
    assert separate_latin_words("zip83702", ENGLISH) == "zip83702"


def test_texts_without_spaces_are_compared_by_pairs_of_signs() -> None:
    assert word_stems("取消运单", CHINESE) == ["取消", "消运", "运单"]
    assert count_shared_words("我要取消运单", "取消一个运单", CHINESE) == 2
    tools = {"cancel": "取消运单", "track": "查询包裹位置"}
    assert rank_documents("包裹在什么位置", tools, CHINESE)[0][0] == "track"
    assert rank_documents("ขอยกเลิกพัสดุ", {"a": "ติดตามพัสดุ", "b": "ยกเลิกการส่ง"}, THAI)[0][0] == "b"
