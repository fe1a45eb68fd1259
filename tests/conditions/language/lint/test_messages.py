from collections.abc import Callable

from dragoman.conditions.language.lint import text_checks
from dragoman.conditions.language.lint.assets import Found, LanguageAssets

Make = Callable[..., LanguageAssets]
Codes = Callable[[Found], list[tuple[str, str, int]]]


def template(localized: str, pattern: str = r"^Bill\ (?P<bill>.+)\ paid$") -> dict[str, object]:
    paid = {"pattern": pattern, "source": "Bill {bill} paid", "localized": localized}
    done = {"source": "Done", "localized": "Selesai"}
    return {"tool_returns.json": {"exact": {"done": done}, "templates": {"paid": paid}}}


def found(assets: LanguageAssets, codes: Codes) -> list[tuple[str, str, int]]:
    checks = (
        text_checks.lost_placeholders,
        text_checks.untranslated_messages,
        text_checks.wrong_patterns,
    )
    return [each for check in checks for each in codes(check(assets))]


def test_a_faithful_message_has_no_defect(make: Make, codes: Codes) -> None:
    assert found(make(template("Tagihan {bill} lunas")), codes) == []


def test_a_renamed_placeholder_is_lost(make: Make, codes: Codes) -> None:
    assert found(make(template("Tagihan {tagihan} lunas")), codes) == [
        ("placeholder-lost", "templates.paid", 1)
    ]


def test_a_message_that_is_as_in_english_is_told(make: Make, codes: Codes) -> None:
    assert found(make(template("Bill {bill} paid")), codes) == [
        ("untranslated-leaf", "templates.paid", 1)
    ]


def test_a_pattern_of_another_text_is_told(make: Make, codes: Codes) -> None:
    assert found(make(template("Tagihan {bill} lunas", "(a+)+$")), codes) == [
        ("message-pattern", "templates.paid", 1)
    ]
