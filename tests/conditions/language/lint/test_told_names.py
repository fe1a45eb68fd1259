"""Names that are value sets: labels for all of them, and tasks that say them letter by letter."""

from collections.abc import Callable

import msgspec

from dragoman.conditions.language.lint import artifact_checks, text_checks
from dragoman.conditions.language.lint.assets import Found, LanguageAssets
from dragoman.core.language.translated_domains import DomainDeclarations, SpokenTexts

Make = Callable[..., LanguageAssets]
Codes = Callable[[Found], list[tuple[str, str, int]]]

DECLARED = DomainDeclarations(
    names=frozenset({"PersonName", "Email", "Place"}),
    arguments={"find": {"name": "PersonName", "mail": "Email", "town": "Place"}},
    databases={"agent": "Office"},
    models={"Office": {"places": "List[Place]"}},
    messages=SpokenTexts(
        texts=("Error: {refusal}", "nothing in {town}", "{number} is here"),
        values={"town": "Place"},
        nested=frozenset({"refusal"}),
    ),
    numbers_follow_language=True,
)
SETS = {
    "PersonName": {"Ann Holt": "Ani Hasan"},
    "Email": {"ann@example.com": "ani@example.com"},
    "Place": {"Pennick": "Pelangi", "Pennick Market": "Pasar Pelangi", "counter": "loket"},
}
SAID = "You are Ann Holt, ann@example.com. Go to Pennick Market at the counter; pay 4.50."
TOLD = "Anda Ani Hasan, ani@example.com. Pergi ke Pasar Pelangi; bayar 4,50."
MESSAGES = {
    "Error: {refusal}": "Kesalahan: {refusal}",
    "nothing in {town}": "{town} kosong",
    "{number} is here": "{number} di sini",
}


def task(known: str, name: str, **fact: object) -> dict[str, object]:
    facts = [{"name": "name", "value": name, "keywords": ["name"], **fact}]
    return {"id": "t", "scenario": {"instructions": {"known_info": known}, "facts": facts}}


def assets_of(
    make: Make,
    known: str = TOLD,
    name: str = "Ani Hasan",
    sets: dict[str, dict[str, str]] = SETS,
    said: dict[str, str] = MESSAGES,
    **fact: object,
) -> LanguageAssets:
    value_sets = {
        key: {
            "kind": "literal",
            "values": [{"canonical": value, "localized": label} for value, label in each.items()],
        }
        for key, each in sets.items()
    }
    templates = {
        key: {"pattern": "", "source": key, "localized": text} for key, text in said.items()
    }
    schema = {"kind": "schema", "source_file": "x", "models": {}, "value_sets": value_sets}
    made = make(
        {
            "data_model.json": schema,
            "tasks.json": [task(known, name, **fact)],
            "tool_returns.json": {"templates": templates},
        },
        {
            "tasks.json": [task(SAID, "Ann Holt")],
            "office.json": {"places": ["Pennick", "Pennick Market", "counter", "17"]},
        },
    )
    made.english = msgspec.structs.replace(
        made.english, declared=DECLARED, databases={"agent": "office.json"}
    )
    return made


def found(assets: LanguageAssets, codes: Codes) -> list[tuple[str, str, int]]:
    checks = (
        artifact_checks.missing_names,
        artifact_checks.changed_facts,
        artifact_checks.lost_names,
        artifact_checks.unstated_facts,
        text_checks.changed_leaves,
        text_checks.lost_identifiers_of_tasks,
        text_checks.lost_numbers_of_tasks,
        text_checks.missing_messages,
        text_checks.ambiguous_messages,
    )
    return [each for check in checks for each in codes(check(assets))]


def test_a_faithful_translation_has_no_defect(make: Make, codes: Codes) -> None:
    assert found(assets_of(make), codes) == []
    assert found(assets_of(make, keywords=["nama", "siapa"]), codes) == []


def test_a_name_that_is_said_otherwise_is_lost(make: Make) -> None:
    known = TOLD.replace("Pasar Pelangi", "pasar di Pelangi")
    (lost,) = artifact_checks.lost_names(assets_of(make, known))
    assert lost.what == "'Pennick Market' is not said as Pasar Pelangi"
    assert (lost.code, lost.place) == ("name-lost", "t.known_info")


def test_a_fact_that_is_a_name_is_its_label_and_stands_in_the_instructions(
    make: Make, codes: Codes
) -> None:
    assert found(assets_of(make, name="Ani"), codes) == [("name-lost", "t.name", 1)]
    other = assets_of(make, TOLD.replace("Ani Hasan", "Ani H."))
    assert found(other, codes) == [("name-lost", "t.known_info", 1), ("fact-untold", "t.name", 1)]
    assert found(assets_of(make, keywords=[]), codes) == [("fact-untold", "t.name", 1)]


def test_what_is_no_text_of_a_task_may_not_change(make: Make, codes: Codes) -> None:
    assert found(assets_of(make, extra="x"), codes) == [
        ("fixed-leaf-changed", "t.scenario.facts.0", 1)
    ]


def test_a_text_of_the_database_without_a_label_is_missing(make: Make) -> None:
    fewer = {**SETS, "Place": {"Pennick": "Pelangi", "Pennick Market": "Pasar Pelangi"}}
    (missing,) = artifact_checks.missing_names(assets_of(make, sets=fewer))
    assert missing.what == "'counter' of the database is not one of its values"
    without = {key: each for key, each in SETS.items() if key != "Email"}
    (missing,) = artifact_checks.missing_names(assets_of(make, sets=without))
    assert missing.what == "value set Email is missing"


def test_a_sentence_that_is_missing_or_reads_like_another_is_told(make: Make, codes: Codes) -> None:
    fewer = {key: text for key, text in MESSAGES.items() if "here" not in key}
    assert found(assets_of(make, said=fewer), codes) == [
        ("message-missing", "tool_returns.json", 1)
    ]
    alike = {**MESSAGES, "{number} is here": "{number} kosong"}
    assert ("message-ambiguous", "tool_returns.json", 1) in found(
        assets_of(make, said=alike), codes
    )
