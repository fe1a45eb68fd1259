from collections.abc import Callable

import pytest

from dragoman.conditions.language.lint import text_checks
from dragoman.conditions.language.lint.assets import Found, LanguageAssets
from dragoman.core.tools import Toolset, ToolSpec

Make = Callable[..., LanguageAssets]
Codes = Callable[[Found], list[tuple[str, str, int]]]

REASON = "Why, which is 'no longer needed' or 'ordered by mistake'."
METHOD = "Such as 'gift_card_0000000' or 'credit_card_0000000'."
TOOLS = Toolset(
    (
        ToolSpec(
            "cancel_pending_order",
            "Cancels. Refunds go to the gift card if paid with a gift card.",
            {
                "properties": {
                    "reason": {"description": REASON, "type": "string"},
                    "method": {"description": METHOD, "type": "string"},
                }
            },
        ),
    )
)
MODEL = {
    "kind": "schema",
    "source_file": "data_model.py",
    "models": {
        "RetailDB": {"fields": {"users": {"annotation": "List[PaymentMethod]"}}},
        "CreditCard": {"fields": {"source": {"annotation": "str", "value_set": "Card"}}},
        "Paypal": {"fields": {}},
        "GiftCard": {"fields": {"source": {"annotation": "str", "value_set": "Gift"}}},
    },
    "value_sets": {
        "CancelReason": {
            "kind": "literal",
            "values": [
                {"canonical": "no longer needed", "localized": "tidak lagi diperlukan"},
                {"canonical": "ordered by mistake", "localized": "salah pesan"},
            ],
        },
        "Card": {
            "kind": "literal",
            "values": [{"canonical": "credit_card", "localized": "kartu kredit"}],
        },
        "Gift": {
            "kind": "literal",
            "values": [{"canonical": "gift_card", "localized": "kartu hadiah"}],
        },
    },
}
GOOD = (
    "Membatalkan. Dana ke kartu hadiah jika dibayar dengan kartu hadiah.\n\nArgs:\n"
    "    reason: Alasan, 'no longer needed' atau 'ordered by mistake'.\n"
    "    method: Misalnya 'gift_card_0000000' atau 'credit_card_0000000'.\n"
)
CHECKS = (
    text_checks.missing_tools,
    text_checks.restructured_docstrings,
    text_checks.corrupted_identifiers,
    text_checks.replaced_literals,
    text_checks.unrestricted_labels,
    text_checks.unaccepted_labels,
    text_checks.swapped_values,
)


def docstring(make: Make, text: str) -> LanguageAssets:
    return make(
        {"tools.json": {"cancel_pending_order": text}, "data_model.json": MODEL}, tools=TOOLS
    )


def found(assets: LanguageAssets, codes: Codes) -> dict[str, int]:
    return {code: count for check in CHECKS for code, _, count in codes(check(assets))}


def test_a_faithful_docstring_has_no_defect(make: Make, codes: Codes) -> None:
    assert found(docstring(make, GOOD), codes) == {}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "'gift_card_0000000'",
            "'kartu hadiah_0000000'",
            {"identifier-lost": 1, "literal-replaced": 1},
        ),
        (
            "'no longer needed' atau 'ordered by mistake'",
            "'tidak lagi diperlukan' atau 'salah pesan'",
            {"literal-replaced": 2, "plain-string-enum": 1},
        ),
        (
            "'ordered by mistake'",
            "'keliru'",
            {"literal-replaced": 1, "label-outside-value-set": 1},
        ),
        ("    reason:", "    alasan:", {"docstring-structure": 1}),
    ],
)
def test_what_a_docstring_lost_is_found(
    make: Make, codes: Codes, old: str, new: str, expected: dict[str, int]
) -> None:
    assert old in GOOD
    assert found(docstring(make, GOOD.replace(old, new)), codes) == expected


def test_a_tool_without_a_text_and_a_text_without_a_tool_are_told(make: Make, codes: Codes) -> None:
    assets = make({"tools.json": {"other": "x"}}, tools=TOOLS)
    assert codes(text_checks.missing_tools(assets)) == [
        ("tool-missing", "cancel_pending_order", 1),
        ("tool-missing", "other", 1),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ke kartu hadiah jika dibayar dengan kartu hadiah.", []),
        ("Ke kartu hadiah jika dibayar dengan kartu kredit.", [("value-swapped", "refund", 1)]),
        ("Ke saldo jika dibayar dengan itu.", []),
    ],
)
def test_another_value_of_a_field_in_place_of_one_is_told(
    make: Make, codes: Codes, text: str, expected: list[tuple[str, str, int]]
) -> None:
    refund = ToolSpec("refund", "To the gift card if paid with a gift card.", {"properties": {}})
    assets = make(
        {"tools.json": {"refund": text}, "data_model.json": MODEL}, tools=Toolset((refund,))
    )
    assert codes(text_checks.swapped_values(assets)) == expected
