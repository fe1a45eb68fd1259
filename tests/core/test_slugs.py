"""Names of any script become ids that keep the marks of their letters."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.apis.documents import ApiDocument
from dragoman.core.texts.characters import slugify, truncate_slug, word_runs
from dragoman.curation.api_datasets.ingestion.entries import with_id


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("मंडी भाव", "मंडी-भाव"),
        ("ค่าฝุ่น PM2.5", "ค่าฝุ่น-pm2-5"),
        ("Đổi ngày âm lịch", "đổi-ngày-âm-lịch"),
        ("Recherche d'adresse", "recherche-d-adresse"),
        ("İstanbul İlçeleri", "i̇stanbul-i̇lçeleri"),
        ("مواعيد القطارات", "مواعيد-القطارات"),
        ("می\N{ZERO WIDTH NON-JOINER}خواهم", "میخواهم"),
        ("তথ্য_সেবা", "তথ্য-সেবা"),
        ("☀️ Weather 1️⃣", "weather-1"),
        ("தமிழ் வானிலை", "தமிழ்-வானிலை"),
        ("--- ", ""),
        ("\u0301e", "e"),
    ],
)
def test_a_name_is_a_slug_with_its_marks(name: str, slug: str) -> None:
    assert slugify(name) == slug


@given(st.text())
def test_a_slug_is_the_same_for_each_form_of_a_name_and_is_its_own(name: str) -> None:
    slug = slugify(name)
    assert slugify(unicodedata.normalize("NFD", name)) == slug
    assert slugify(unicodedata.normalize("NFC", name)) == slug
    assert "--" not in slug
    assert slug == slug.strip("-")


def test_a_name_in_two_forms_is_one_document() -> None:
    ids = {
        with_id(ApiDocument("", unicodedata.normalize(form, "Giá xăng dầu")), "place").id
        for form in ("NFC", "NFD", "NFKD")
    }
    assert len(ids) == 1


def test_two_names_that_differ_in_marks_alone_have_two_ids() -> None:
    ids = {with_id(ApiDocument("", name), "place").id for name in ("कल", "काल", "किल")}
    assert len({each.rpartition("-")[0] for each in ids}) == 3


def test_what_is_cut_off_is_cut_between_letters() -> None:
    assert truncate_slug("ค่าฝุ่น", 2) == "ค่า"[:2]
    assert truncate_slug("กก่", 2) == "ก"
    assert truncate_slug("abc-def", 4) == "abc"
    assert truncate_slug("ab", 60) == "ab"


def test_words_of_a_path_keep_their_marks() -> None:
    assert word_runs("/ค้นหา/{จังหวัด}/by_name") == ["ค้นหา", "จังหวัด", "by_name"]
