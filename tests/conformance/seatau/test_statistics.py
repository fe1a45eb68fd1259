"""The source's Tables 3 to 6, counted again from the data: what is right there, and what is not."""

from collections.abc import Callable
from pathlib import Path

import pytest

from dragoman.conditions.language.artifacts import AssetFolder
from dragoman.conditions.language.database_names import decode_database
from dragoman.curation.translation.segments import TranslatableDomain
from dragoman.curation.translation.statistics import DomainStatistics, statistics_in, statistics_of

Of = Callable[[str], TranslatableDomain]
Statistics = dict[str, DomainStatistics]
DOMAINS = ("airline", "retail", "telecom")
LANGUAGES = ("vi", "th", "id", "tl", "zh")


@pytest.fixture(scope="module")
def counted(translatable_of: Of) -> Statistics:
    return {domain: statistics_of(translatable_of(domain)) for domain in DOMAINS}


def test_table_3_is_right_files_of_each_language_and_of_all(counted: Statistics) -> None:
    files = {domain: found.instances.files for domain, found in counted.items()}
    assert files == {"airline": 5, "retail": 5, "telecom": 13}
    assert sum(files.values()) * len(LANGUAGES) == 115


def test_table_4_is_right_in_policies_and_messages(counted: Statistics) -> None:
    found = {
        domain: (each.instances.policies * 5, each.instances.messages * 5)
        for domain, each in counted.items()
    }
    assert found == {"airline": (5, 0), "retail": (5, 0), "telecom": (25, 60)}


def test_table_4_counts_docstrings_of_one_language_beside_figures_of_five(
    counted: Statistics,
) -> None:
    printed = {"airline": 14, "retail": 16, "telecom": 43}
    found = {domain: each.instances.docstrings for domain, each in counted.items()}
    assert found == printed
    assert {domain: count * 5 for domain, count in found.items()} == {
        "airline": 70,
        "retail": 80,
        "telecom": 215,
    }


def test_table_4_counts_the_tasks_that_are_played_and_telecom_translates_2285(
    counted: Statistics,
) -> None:
    played = {domain: each.splits["base"] * 5 for domain, each in counted.items()}
    assert played == {"airline": 250, "retail": 570, "telecom": 570}
    translated = {domain: each.instances.tasks for domain, each in counted.items()}
    assert translated == {"airline": 50, "retail": 114, "telecom": 2_285}


def test_table_5_is_right_and_telecoms_51_values_are_43_different_ones(
    counted: Statistics,
) -> None:
    found = {
        domain: tuple(
            sum(getattr(schema, name) for schema in each.schemas)
            for name in ("models", "value_sets", "values")
        )
        for domain, each in counted.items()
    }
    assert found == {"airline": (23, 15, 21), "retail": (15, 6, 14), "telecom": (18, 12, 51)}
    distinct = {domain: each.distinct_values for domain, each in counted.items()}
    assert distinct == {"airline": 19, "retail": 14, "telecom": 43}
    by_file = {each.file: each for each in counted["telecom"].schemas}
    assert by_file["data_model.json"].distinct == 19
    assert by_file["user_data_model.json"].distinct == 24


def test_table_6_is_right_but_for_telecoms_devices(counted: Statistics) -> None:
    found = {
        domain: {each.collection: each.records for each in statistics.collections}
        for domain, statistics in counted.items()
    }
    assert found == {
        "airline": {"flights": 300, "users": 500, "reservations": 2_000},
        "retail": {"products": 50, "users": 500, "orders": 1_000},
        "telecom": {
            "plans": 5,
            "devices": 9,
            "lines": 9,
            "customers": 4,
            "bills": 6,
            "device": 1,
        },
    }


def test_the_29_devices_of_table_6_are_9_and_the_fields_of_the_users_phone(
    translatable_of: Of,
) -> None:
    phone = decode_database(translatable_of("telecom").english.files["user_db.toml"], "user_db")
    assert 9 + len(phone["device"]) == 29


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("code", LANGUAGES)
def test_a_language_has_what_english_has_but_for_files_that_could_not_be_had(
    translatable_of: Of, counted: Statistics, data_folder: Path, domain: str, code: str
) -> None:
    folder = AssetFolder(data_folder / "seataubench" / domain / code)
    found = statistics_in(translatable_of(domain), folder, code)
    absent = domain == "telecom" or (domain == "airline" and code in {"vi", "th", "zh"})
    english = counted[domain].instances
    assert found.instances.files == english.files - absent
    assert found.instances.docstrings == english.docstrings
    assert found.instances.policies == english.policies
    assert found.instances.messages == english.messages
    assert found.instances.tasks == (0 if domain == "telecom" else english.tasks)
    assert found.translated + sum(found.left.values()) == counted[domain].segments
