"""Number words of seven languages read as numbers."""

from decimal import Decimal

import pytest

from dragoman.core.value_matching.value_reader import read

EN = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen"),
    *("eighteen", "nineteen"),
)
EN_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
ID = ("nol", "satu", "dua", "tiga", "empat", "lima", "enam", "tujuh", "delapan", "sembilan")
PT = (
    *("zero", "um", "dois", "três", "quatro", "cinco", "seis", "sete", "oito", "nove", "dez"),
    *("onze", "doze", "treze", "catorze", "quinze", "dezesseis", "dezessete", "dezoito"),
    "dezenove",
)
PT_TENS = ("vinte", "trinta", "quarenta", "cinquenta", "sessenta", "setenta", "oitenta", "noventa")
FIL = (
    *("sero", "isa", "dalawa", "tatlo", "apat", "lima", "anim", "pito", "walo", "siyam", "sampu"),
    *("labing-isa", "labindalawa", "labintatlo", "labing-apat", "labinlima", "labing-anim"),
    *("labimpito", "labingwalo", "labinsiyam"),
)
FIL_TENS = (
    *("dalawampu", "tatlumpu", "apatnapu", "limampu", "animnapu", "pitumpu", "walumpu"),
    "siyamnapu",
)
TH = ("ศูนย์", "หนึ่ง", "สอง", "สาม", "สี่", "ห้า", "หก", "เจ็ด", "แปด", "เก้า")
VI = ("không", "một", "hai", "ba", "bốn", "năm", "sáu", "bảy", "tám", "chín")
ZH = "零一二三四五六七八九"


def english(number: int) -> str:
    if number < 20:
        return EN[number]
    tens = EN_TENS[number // 10 - 2]
    return tens if number % 10 == 0 else f"{tens} {EN[number % 10]}"


def indonesian(number: int) -> str:
    if number < 10:
        return ID[number]
    if number < 20:
        return {10: "sepuluh", 11: "sebelas"}.get(number, f"{ID[number % 10]} belas")
    return f"{ID[number // 10]} puluh{f' {ID[number % 10]}' if number % 10 else ''}"


def portuguese(number: int) -> str:
    if number < 20:
        return PT[number]
    tens = PT_TENS[number // 10 - 2]
    return tens if number % 10 == 0 else f"{tens} e {PT[number % 10]}"


def filipino(number: int) -> str:
    if number < 20:
        return FIL[number]
    tens = FIL_TENS[number // 10 - 2]
    return tens if number % 10 == 0 else f"{tens}'t {FIL[number % 10]}"


def thai(number: int) -> str:
    if number < 10:
        return TH[number]
    tens = {1: "", 2: "ยี่"}.get(number // 10, TH[number // 10])
    units = {0: "", 1: "เอ็ด"}.get(number % 10, TH[number % 10])
    return f"{tens}สิบ{units}"


def vietnamese(number: int) -> str:
    if number < 10:
        return VI[number]
    units = {0: "", 5: "lăm"}.get(number % 10, VI[number % 10])
    if number < 20:
        return f"mười {units}".strip()
    units = "mốt" if number % 10 == 1 else units
    return f"{VI[number // 10]} mươi {units}".strip()


def chinese(number: int) -> str:
    if number < 10:
        return ZH[number]
    tens = "" if number < 20 else ZH[number // 10]
    return f"{tens}十{ZH[number % 10] if number % 10 else ''}"


SPOKEN = {
    "en": english,
    "fil": filipino,
    "id": indonesian,
    "pt": portuguese,
    "th": thai,
    "vi": vietnamese,
    "zh": chinese,
}


def numbers(text: str, language: str) -> list[Decimal]:
    found = read(text, language).items
    return [item.value for item in found if isinstance(item.value, Decimal)]


@pytest.mark.parametrize("language", SPOKEN)
def test_the_numbers_below_a_hundred_are_read(language: str) -> None:
    unit = "公斤" if language == "zh" else " kg"
    said = {number: f"{SPOKEN[language](number)}{unit}" for number in range(100)}
    assert {number: numbers(text, language) for number, text in said.items()} == {
        number: [number] for number in said
    }


LARGE = [
    ("en", "one hundred", "100"),
    ("en", "two hundred and five thousand", "205000"),
    ("en", "three point five million", "3500000"),
    ("en", "a hundred and one", "101"),
    ("en", "nineteen thousand four hundred", "19400"),
    ("fil", "isang daan", "100"),
    ("fil", "dalawang libo", "2000"),
    ("id", "seratus dua puluh lima ribu", "125000"),
    ("id", "dua juta", "2000000"),
    ("pt", "cem", "100"),
    ("pt", "dois mil e quinhentos", "2500"),
    ("th", "หนึ่งร้อย", "100"),
    ("th", "สองหมื่นห้าพัน", "25000"),
    ("vi", "một trăm", "100"),
    ("vi", "hai triệu rưỡi", "2500000"),
    ("vi", "hai nghìn không trăm linh năm", "2005"),
    ("zh", "一百", "100"),
    ("zh", "三千五", "3500"),
    ("zh", "两万五千", "25000"),
    ("zh", "一亿两千万", "120000000"),
]


@pytest.mark.parametrize(("language", "text", "number"), LARGE)
def test_large_numbers_are_read(language: str, text: str, number: str) -> None:
    assert numbers(text, language) == [Decimal(number)]


@pytest.mark.parametrize(
    ("language", "text", "number"),
    [
        ("en", "minus five", "-5"),
        ("en", "ninety eight point six", "98.6"),
        ("en", "point five", "0.5"),
        ("en", "-40", "-40"),
        ("id", "tiga koma lima", "3.5"),
        ("id", "1.250,5", "1250.5"),
        ("pt", "menos cinco", "-5"),
        ("th", "ลบห้า", "-5"),
        ("vi", "âm bảy", "-7"),
        ("zh", "负五", "-5"),
        ("zh", "三点一四", "3.14"),
        ("en", "1,250.5", "1250.5"),
        ("en", "5k", "5000"),
        ("de", "1.250,5", "1250.5"),
    ],
)
def test_signs_decimals_and_magnitudes_are_read(language: str, text: str, number: str) -> None:
    assert numbers(text, language) == [Decimal(number)]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "one another"),
        ("vi", "tôi không biết"),
        ("zh", "一起去"),
        ("th", "สามารถ"),
        ("en", "oh dear"),
    ],
)
def test_words_that_only_look_like_numbers_are_none(language: str, text: str) -> None:
    assert numbers(text, language) == []


def test_digits_that_are_said_one_by_one_stay_apart() -> None:
    assert numbers("nine one oh two double four", "en") == [9, 1, 0, 2, 44]
