from collections.abc import Callable

from dragoman.conditions.language.lint.assets import MEANINGS, LanguageAssets
from dragoman.conditions.language.lint.linter import lint

Make = Callable[..., LanguageAssets]

SCHEMA = {"kind": "schema", "source_file": "data_model.py", "models": {}, "value_sets": {}}
MANIFEST = {
    "assets": {
        name: {"output_file": name} for name in ("data_model.json", "tools.json", "tasks.json")
    }
}
WHOLE = {
    "data_model.json": SCHEMA,
    "tools.json": {},
    "tasks.json": [],
    "translation_manifest.json": MANIFEST,
}


def test_whole_artifacts_have_no_defect(make: Make) -> None:
    assert lint(make(WHOLE, {"tasks.json": []})) == ()


def test_a_damaged_file_is_one_defect_and_the_other_checks_go_on(make: Make) -> None:
    found = lint(make({**WHOLE, "data_model.json": "{", "stray.json": "{}"}, {"tasks.json": []}))
    assert sorted(each.code for each in found) == ["stray-file", "unreadable"]
    (damaged,) = (each for each in found if each.code == "unreadable")
    assert "data_model.json: " in damaged.what


def test_endless_nesting_is_a_defect_and_no_crash(make: Make) -> None:
    deep = '{"a":' * 500 + '{"name": "x"}' + "}" * 500
    found = lint(make({**WHOLE, "db.json": deep}, {"tasks.json": [], "db.json": deep}))
    assert {each.code for each in found} == {"unreadable", "stray-file"}


def test_every_code_has_a_meaning(make: Make) -> None:
    assert {each.code for each in lint(make())} <= set(MEANINGS)
    assert all(meaning for meaning in MEANINGS.values())
