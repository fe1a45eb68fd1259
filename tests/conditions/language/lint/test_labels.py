from collections.abc import Callable

import msgspec

from dragoman.conditions.language.artifacts import Schema
from dragoman.conditions.language.lint import artifact_checks
from dragoman.conditions.language.lint.assets import Found, LanguageAssets

Make = Callable[..., LanguageAssets]
Codes = Callable[[Found], list[tuple[str, str, int]]]


def schema(**sets: dict[str, str]) -> dict[str, object]:
    return {
        "kind": "schema",
        "source_file": "data_model.py",
        "models": {},
        "value_sets": {
            key: {
                "kind": "enum",
                "values": [
                    {"canonical": value, "localized": label} for value, label in each.items()
                ],
            }
            for key, each in sets.items()
        },
    }


def files(**sets: dict[str, str]) -> dict[str, object]:
    return {"data_model.json": schema(**sets)}


def test_a_label_that_is_the_value_is_told(make: Make, codes: Codes) -> None:
    assets = make(files(Method={"paypal": "paypal", "gift_card": "kartu hadiah"}))
    assert codes(artifact_checks.untranslated_labels(assets)) == [
        ("label-equals-canonical", "value_sets.Method", 1)
    ]


def test_one_label_for_two_values_of_a_domain_is_a_collision(make: Make, codes: Codes) -> None:
    assets = make(files(Sim={"active": "aktif"}, Line={"open": "aktif"}))
    assert codes(artifact_checks.colliding_labels(assets)) == [
        ("label-collision", "data_model.json", 1)
    ]


def test_labels_that_differ_in_case_only_collide_when_case_is_folded(
    make: Make, codes: Codes
) -> None:
    assets = make(files(Sim={"active": "aktif"}, Line={"Active": "Aktif", "Closed": "tutup"}))
    assert codes(artifact_checks.colliding_labels(assets)) == [
        ("case-fold-collision", "data_model.json", 1)
    ]


def test_labels_of_both_sides_are_of_one_domain(make: Make, codes: Codes) -> None:
    assets = make(
        {
            **files(Line={"Active": "Aktif"}),
            "user_data_model.json": schema(Sim={"active": "aktif"}),
        }
    )
    assert codes(artifact_checks.colliding_labels(assets)) == [
        ("case-fold-collision", "data_model.json", 1)
    ]


def test_a_value_with_two_labels_is_told(make: Make, codes: Codes) -> None:
    assets = make(files(Signal={"poor": "lemah", "good": "baik"}, Speed={"poor": "buruk"}))
    assert codes(artifact_checks.varying_labels(assets)) == [
        ("one-canonical-two-labels", "data_model.json", 1)
    ]


def test_a_set_without_a_way_back_is_told(make: Make, codes: Codes) -> None:
    assets = make(files(Line={"Active": "Aktif", "On": "aktif"}, Sim={"active": "aktif"}))
    assert codes(artifact_checks.ambiguous_sets(assets)) == [
        ("ambiguous-value-set", "value_sets.Line", 1)
    ]


def test_values_that_are_not_the_english_ones_are_told(make: Make, codes: Codes) -> None:
    assets = make(files(Line={"Active": "Aktif"}))
    for values, expected in (({"Active": "x"}, 0), ({"Active": "x", "Closed": "y"}, 1)):
        english = msgspec.convert(schema(Line=values), Schema)
        assets.english = msgspec.structs.replace(assets.english, schemas={"agent": english})
        assert len(codes(artifact_checks.differing_schemas(assets))) == expected
