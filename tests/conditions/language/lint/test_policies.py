from collections.abc import Callable

import pytest

from dragoman.conditions.language.lint import text_checks
from dragoman.conditions.language.lint.assets import Found, LanguageAssets

Make = Callable[..., LanguageAssets]
Codes = Callable[[Found], list[tuple[str, str, int]]]

MODEL = {
    "kind": "schema",
    "source_file": "data_model.py",
    "models": {},
    "value_sets": {
        "Mode": {
            "kind": "enum",
            "values": [
                {"canonical": "4g_only", "localized": "4g_only"},
                {"canonical": "3g_only", "localized": "hanya 3G"},
            ],
        }
    },
}
ENGLISH = (
    "# Modes\n* Wait 5 days.\n"
    'Call `set_mode(mode: str)` with `"4g_only"` or `"3g_only"`.\n'
    'If "storage" is denied, call `grant(permission="storage")`.\n'
)
GOOD = (
    "# Mode\n* Tunggu 5 hari.\n"
    'Panggil `set_mode(mode: str)` dengan `"4g_only"` atau `"hanya 3G"`.\n'
    'Jika "storage" ditolak, panggil `grant(permission="storage")`.\n'
)
CHECKS = (
    text_checks.lost_parts,
    text_checks.lost_numbers_of_policies,
    text_checks.unaccepted_values,
    text_checks.translated_arguments,
    text_checks.spaces_between_han,
)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("", "", []),
        ("* Tunggu", "Tunggu", ["list-item-lost"]),
        ("# Mode", "Mode", ["heading-lost"]),
        ("5 hari", "lima hari", ["number-lost"]),
        ('`"4g_only"`', '`"hanya 4G"`', ["label-outside-value-set"]),
        ('`"4g_only"`', "`\u201chanya 4G\u201d`", ["label-outside-value-set"]),
        ('`"4g_only"`', "4g_only", ["code-span-lost"]),
        ('"storage" ditolak', '"penyimpanan" ditolak', ["argument-translated"]),
        ('"storage" ditolak', "\u201cstorage\u201d ditolak", []),
        ("Tunggu", "\u7b49 \u5f85", ["space-between-han"]),
    ],
)
def test_what_a_policy_lost_is_found(
    make: Make, codes: Codes, old: str, new: str, expected: list[str]
) -> None:
    files = {"policy.md": GOOD.replace(old, new, 1), "data_model.json": MODEL}
    assets = make(files, {"policy.md": ENGLISH})
    assert [code for check in CHECKS for code, _, _ in codes(check(assets))] == expected
