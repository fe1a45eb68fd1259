from collections.abc import Callable

import pytest

from dragoman.conditions.language.lint import text_checks
from dragoman.conditions.language.lint.assets import Found, LanguageAssets

Make = Callable[..., LanguageAssets]
Codes = Callable[[Found], list[tuple[str, str, int]]]

REASON = "Return order #W1234567 of mei_lee_42 for 1,250.50 dollars."


def task(name: str, reason: str, **instructions: str) -> dict[str, object]:
    return {
        "id": name,
        "user_scenario": {"instructions": {"reason_for_call": reason, **instructions}},
        "evaluation_criteria": {"actions": [{"name": "return"}], "nl_assertions": []},
    }


def pair(make: Make, *reasons: tuple[str, str]) -> LanguageAssets:
    return make(
        {"tasks.json": [task(str(at), new) for at, (_, new) in enumerate(reasons)]},
        {"tasks.json": [task(str(at), old) for at, (old, _) in enumerate(reasons)]},
    )


def test_a_faithful_translation_has_no_defect(make: Make, codes: Codes) -> None:
    assets = pair(make, (REASON, "Kembalikan pesanan #W1234567 milik mei_lee_42, 1,250.50 dolar."))
    for check in (
        text_checks.changed_leaves,
        text_checks.untranslated_texts,
        text_checks.lost_identifiers_of_tasks,
        text_checks.lost_numbers_of_tasks,
        text_checks.varying_texts,
        text_checks.latin_texts,
    ):
        assert codes(check(assets)) == []


def test_lost_identifiers_and_rewritten_numbers_are_told_apart(make: Make) -> None:
    assets = pair(make, (REASON, "Kembalikan pesanan #W1234567 milik mei lee, 1.250,50 dolar."))
    place = "0.user_scenario.instructions.reason_for_call"
    (lost,) = text_checks.lost_identifiers_of_tasks(assets)
    assert (lost.place, lost.what) == (place, "mei_lee_42 is not repeated")
    numbers = [each.what for each in text_checks.lost_numbers_of_tasks(assets)]
    assert numbers == ["42 is not repeated", "1,250.50 is written 1.250,50"]


def test_a_text_that_is_as_in_english_is_told_unless_it_has_no_letters(
    make: Make, codes: Codes
) -> None:
    assets = pair(make, (REASON, REASON), (".", "."))
    assert codes(text_checks.untranslated_texts(assets)) == [
        ("untranslated-leaf", "0.user_scenario.instructions.reason_for_call", 1)
    ]


def test_one_text_with_two_translations_is_told_once(make: Make, codes: Codes) -> None:
    assets = pair(make, ("Be polite.", "Sopanlah."), ("Be polite.", "Santun."), ("Go.", "Pergi."))
    assert [code for code, _, _ in codes(text_checks.varying_texts(assets))] == [
        "one-text-two-translations"
    ]


def test_what_is_no_text_must_stay_and_every_task_must_be_there(make: Make, codes: Codes) -> None:
    changed = {**task("0", "Pergi."), "evaluation_criteria": {"actions": [], "nl_assertions": []}}
    assets = make({"tasks.json": [changed]}, {"tasks.json": [task("0", "Go."), task("1", "Come.")]})
    assert codes(text_checks.changed_leaves(assets)) == [
        ("fixed-leaf-changed", "0.evaluation_criteria.actions", 1),
        ("fixed-leaf-changed", "1", 1),
    ]


@pytest.mark.parametrize(
    ("known", "expected"),
    [("Anda Mei", 0), ("คุณคือ user", 0), ("Mohamed Hernandez user ของ hernandez_5188", 1)],
)
def test_known_facts_in_latin_letters_are_told_where_the_language_has_another_script(
    make: Make, codes: Codes, known: str, expected: int
) -> None:
    thai = "คืนคำสั่งซื้อของลูกค้าที่อยู่ในประเทศไทยและขอเงินคืนเข้าบัญชีเดิมโดยเร็วที่สุดเท่าที่จะทำได้"
    reason = known if known.isascii() else thai
    assets = make(
        {"tasks.json": [task("0", reason, known_info=known)]},
        {"tasks.json": [task("0", "Return it.", known_info="You are Mei.")]},
    )
    assert len(codes(text_checks.latin_texts(assets))) == expected


def test_without_tasks_on_either_side_there_is_nothing_to_find(make: Make) -> None:
    assert list(text_checks.untranslated_texts(make({}, {"tasks.json": [task("0", "Go.")]}))) == []
