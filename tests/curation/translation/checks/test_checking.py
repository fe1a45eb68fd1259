from pathlib import Path

import pytest

from dragoman.conditions.language.languages import find_language
from dragoman.curation.translation.glossary import Glossary
from dragoman.curation.translation.placeholders import DoNotTranslate, mask, restore
from dragoman.curation.translation.qa_issues import MEANINGS, QaIssue, TranslationCriteria
from dragoman.curation.translation.quality import placeholder_issues, run_qa_checks
from dragoman.curation.translation.segments import Component, Segment
from dragoman.scoring.language_detection import Detection


class _Told:
    """A detector with a fixed answer."""

    labels = frozenset({"id", "ms", "es", "en"})

    def __init__(self, label: str, probability: float) -> None:
        self._answer = Detection(label, probability)

    def detect(self, text: str) -> Detection | None:  # noqa: ARG002 - as the protocol names it
        return self._answer


def found(
    source: str,
    target: str,
    criteria: TranslationCriteria,
    component: Component = "tasks",
) -> list[tuple[str, str]]:
    segment = Segment("tasks.json::1/ticket", component, source, "text", "shop/text")
    return [(each.code, each.what) for each in run_qa_checks(segment, target, criteria)]


@pytest.mark.parametrize(
    ("source", "target", "code", "expected"),
    [
        ("Return HAT001.", " ", "vi", ["empty", "id-lost"]),
        ("Return HAT001.", "Trả lại.", "vi", ["id-lost"]),
        ("Return HAT001.", "Trả lại HAT001.\x00", "vi", ["hidden-character"]),
        ("Return HAT001.", "\u202eTrả lại HAT001.\ufeff", "vi", ["hidden-character"] * 2),
        ("Return\x07 HAT001.", "Trả lại\x07 HAT001.", "vi", []),
        ("Return HAT001.", "ส่งคืน\u200b HAT001", "th", []),
        ("Return HAT001.", "Trả lại HAT002.", "vi", ["id-lost", "id-invented"]),
        ("Pay with credit_card_12.", "จ่ายด้วย บัตรเครดิต_12", "th", ["id-lost"]),
        ("Swap HAT001 for HAT002.", "Đổi HAT002 lấy HAT001.", "vi", ["id-swapped"]),
        ("From HAT001 to HAT002.", "从 HAT001 到 HAT002。", "zh", []),
        ("Write to a.b@c.org now.", "Viết cho a.c@c.org.", "vi", ["address-lost", "id-invented"]),
        ("Call 555-123-2002.", "Gọi 555-123-2003.", "vi", ["address-lost", "id-invented"]),
        ("Say ###STOP### then.", "Nói ###DỪNG### đi.", "vi", ["marker-lost"]),
        ("Line {a} of {b}.", "Dòng {a} của {a}.", "vi", ["template-lost", "template-lost"]),
        ("Use `get_it()` here.", "Dùng get_it() ở đây.", "vi", ["code-lost", "code-span-lost"]),
        ("Use get_order here.", "Dùng lấy_đơn ở đây.", "vi", ["identifier-lost"]),
        ("Move to 123 Elm Street.", "Chuyển đến phố Elm 123.", "vi", ["name-lost"]),
        ("The total is $8,276.23.", "Tổng cộng là $8.276,23.", "vi", ["number-rewritten"]),
        ("The total is $8,276.23.", "Tổng cộng là $8.276,32.", "vi", ["number-lost"]),
        ("They wait for two or 2 days.", "รอสองวัน", "th", ["number-rewritten"]),
        ("At 2:30 PM on day 12.", "Lúc 14:30 ngày 12.", "vi", ["number-rewritten"]),
        ("Pay 20,000 in 3 parts.", "分3次支付2万。", "zh", ["number-rewritten"]),
        ("Wait 12 days.", "รอ ๑๒ วัน", "th", ["number-rewritten"]),
        ("# One\ntwo", "Một\nhai", "vi", ["heading-lost"]),
        ("- one\n- two", "- một và hai", "vi", ["list-item-lost", "line-breaks"]),
        (" One two. ", "Một hai.", "vi", ["outer-space"]),
        ("Here it is.", "Bản dịch: Đây là nó.", "vi", ["wrapped"]),
        ("Here it is.", "```\nĐây.\n```", "vi", ["line-breaks", "wrapped"]),
        ("Here it is.", "“Đây.”", "vi", ["wrapped"]),
        ("It was sent.", "Nó đã đã được gửi.", "vi", ["repeated-word"]),
        ("He insists.", "Anh ấy khăng khăng.", "vi", []),
        ("Buy, buy it.", "Mua mua nó.", "vi", ["repeated-word"]),
        ("An order is here.", "订单 在这里。", "zh", ["space-between-han"]),
        ("Water Bottle", "Water Bottle", "id", ["copied"]),
        ("4G", "4G", "id", []),
        ("The user has to wait for the parcel.", "The user must wait.", "id", ["residual-english"]),
        ("Your user id is wrong today.", "user ของคุณผิด", "th", ["residual-english"]),
        ("Set {'color': 'blue'} now.", "Đặt {'color': 'blue'} ngay.", "vi", []),
        ("Wait for the parcel.", "Ждите посылку.", "vi", ["wrong-script"]),
        ("Wait for the parcel.", "Tunggu paketnya sebentar.", "th", ["wrong-script"]),
        (
            "Wait for the parcel until it comes, and then tell the customer about it.",
            "Chờ.",
            "vi",
            ["length-ratio"],
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_is_found_and_nothing_else(  # noqa: PLR0913, PLR0917 - a table's columns
    do_not_translate: DoNotTranslate,
    no_glossary: Glossary,
    source: str,
    target: str,
    code: str,
    expected: list[str],
) -> None:
    assert [
        each
        for each, _ in found(
            source, target, TranslationCriteria(find_language(code), do_not_translate, no_glossary)
        )
    ] == expected


def test_quoted_ids_and_literals_of_tool_texts_are_kept(
    do_not_translate: DoNotTranslate, no_glossary: Glossary
) -> None:
    source = "An id such as 'gift_card_0000000', on 'SFO'."

    assert found(source, "Id như 'thẻ_0000000', ở 'SGN'.", TranslationCriteria(find_language("vi"), do_not_translate, no_glossary), "tools") == [
        ("id-lost", "gift_card_0000000 is not repeated"),
        ("literal-lost", "SFO is not repeated"),
    ]  # fmt: skip


def test_a_quoted_value_has_its_label_or_stays(
    do_not_translate: DoNotTranslate, thai: Glossary
) -> None:
    source = "It is 'pending' now."

    assert (
        found(
            source,
            "ตอนนี้ 'รอดำเนินการ'",
            TranslationCriteria(find_language("th"), do_not_translate, thai),
        )
        == []
    )
    assert (
        found(
            source,
            "ตอนนี้ 'pending'",
            TranslationCriteria(find_language("th"), do_not_translate, thai),
        )
        == []
    )
    assert found(
        source, "ตอนนี้ 'ค้างอยู่'", TranslationCriteria(find_language("th"), do_not_translate, thai)
    ) == [("label-missing", "'pending' is not called 'รอดำเนินการ'")]


def test_a_value_in_the_place_of_another_is_found(
    do_not_translate: DoNotTranslate, swapping: Glossary
) -> None:
    source = "Paid with a gift card, at once by gift card."

    assert found(
        source,
        "Dibayar dengan kartu kredit, langsung.",
        TranslationCriteria(find_language("id"), do_not_translate, swapping),
    ) == [("value-swapped", "source: names 'credit_card' and not 'gift_card'")]


@pytest.mark.parametrize(
    ("label", "expected"), [("es", ["wrong-language"]), ("ms", []), ("en", []), ("id", [])]
)
def test_a_detector_tells_other_languages_of_the_script(
    do_not_translate: DoNotTranslate, no_glossary: Glossary, label: str, expected: list[str]
) -> None:
    source = "The parcel comes on the day after tomorrow, in the morning."
    target = "Paketnya datang lusa pada pagi hari, jadi harap menunggu di rumah."

    reported = found(
        source,
        target,
        TranslationCriteria(find_language("id"), do_not_translate, no_glossary, _Told(label, 0.9)),
    )

    assert [code for code, _ in reported] == expected


def test_a_language_that_is_not_listed_is_checked_for_all_that_needs_no_list(
    do_not_translate: DoNotTranslate, no_glossary: Glossary, lisbon: str
) -> None:
    assert found("Return HAT001 in 3 days.", "Devolva em três dias.", TranslationCriteria(find_language(lisbon), do_not_translate, no_glossary)) == [
        ("id-lost", "HAT001 is not repeated"),
        ("number-rewritten", "3 is written as a word"),
    ]  # fmt: skip


def test_faults_of_placeholders_are_anomalies(do_not_translate: DoNotTranslate) -> None:
    segment = Segment("a::b", "tasks", "From HAT001 to HAT002.", "text", "shop/text")

    faults = restore(mask(segment, do_not_translate), "Từ ⟦1⟧ ⟦1⟧ ⟦9⟧.").faults

    assert placeholder_issues(segment, faults) == (
        QaIssue("placeholder-doubled", "a::b", "⟦1⟧ ('HAT001'): 2 for 1", "refuse"),
        QaIssue("placeholder-lost", "a::b", "⟦2⟧ ('HAT002'): 0 for 1", "refuse"),
        QaIssue("placeholder-invented", "a::b", "⟦9⟧ was not given", "refuse"),
    )


def test_every_code_has_a_severity_a_weight_and_a_line() -> None:
    assert all(0 < each.weight < 1 and each.what for each in MEANINGS.values())
    assert {each.severity for each in MEANINGS.values()} == {"refuse", "flag"}


def test_the_documents_say_of_every_code_what_the_table_says() -> None:
    guide = Path(__file__).resolve().parents[4] / "docs" / "how_to" / "translate.md"
    rows = {line for line in guide.read_text("utf-8").splitlines() if line.startswith("| `")}

    assert {
        f"| `{code}` | {each.severity} | {each.weight:g} | {each.what} |"
        for code, each in MEANINGS.items()
    } <= rows


def test_a_long_run_of_digits_is_looked_through_once(
    do_not_translate: DoNotTranslate, no_glossary: Glossary
) -> None:
    criteria = TranslationCriteria(find_language("vi"), do_not_translate, no_glossary)

    codes = {code for code, _ in found("It costs 3 in 12 shops.", "1" * 20_000, criteria)}

    assert "number-lost" in codes
