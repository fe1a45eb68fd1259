"""One API that was found more than once is one document."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.apis.documents import ApiDocument, DocumentOrigin, Operation
from dragoman.curation.api_datasets.ingestion.dedup import (
    DuplicateMatch,
    find_duplicates,
    fingerprint_document,
    merge_documents,
    name_similarity,
    site_of,
)

HOST = "https://api.law.example"


def origin(place: str, form: str = "openapi-3.0") -> DocumentOrigin:
    return msgspec.convert({"source": "s", "place": place, "form": form}, DocumentOrigin)


def served(name: str, *paths: str, host: str = HOST) -> ApiDocument:
    return ApiDocument(
        "x",
        name,
        api_list=tuple(Operation(path, host + path) for path in paths),
        origins=(origin(name),),
    )


def listed(name: str, url: str) -> ApiDocument:
    return ApiDocument("x", name, home_url=url, origins=(origin(name, "catalogue"),))


def near_duplicates(**documents: ApiDocument) -> list[DuplicateMatch]:
    return find_duplicates(fingerprint_document(name, each) for name, each in documents.items())


def test_the_same_operations_are_one_api_whatever_it_is_called() -> None:
    old = served("Laws", "/acts", "/acts/{id}")
    new = served("Registry", "/acts", "/acts/{actId}", "/search")
    same = served("Statutes", "/acts/{number}/", "/acts")
    assert near_duplicates(a=old, b=same) == [
        DuplicateMatch("b", "a", "exact: the same operations as a")
    ]
    assert near_duplicates(a=old, b=new) == []


def test_versions_of_an_api_are_one_api() -> None:
    paths = ("acts", "acts/{id}", "search", "titles")
    old = served("Laws", *(f"/v1/{path}" for path in paths))
    new = served("Statutes", *(f"/v2.0/{path}" for path in paths), "/v2.0/new")
    assert near_duplicates(old=old, new=new) == [
        DuplicateMatch("old", "new", "near: 4 of 5 operations shared with new")
    ]


def test_a_part_of_an_api_is_its_near_duplicate_where_names_are_alike() -> None:
    whole = served("API Series de Tiempo", "/a", "/b", "/c", "/d", "/e", "/f")
    part = served("Series de Tiempo", "/a", "/b")
    other = served("Laws", "/a", "/b")
    assert near_duplicates(whole=whole, part=part) == [
        DuplicateMatch("part", "whole", "near: a name like that, and 2 of 2 operations, of whole")
    ]
    assert near_duplicates(whole=whole, other=other) == []


def test_one_entry_in_two_lists_is_one_api() -> None:
    one = listed("Cat Facts", "https://www.cats.example/api/")
    two = listed("cat facts", "http://cats.example/api#readme")
    assert near_duplicates(a=one, b=two) == [
        DuplicateMatch("b", "a", "exact: the name and the page of a")
    ]


def test_names_that_are_alike_on_one_page_are_one_api_and_others_are_not() -> None:
    page = "https://data.example/kr"
    assert near_duplicates(
        a=listed("Weather Forecast", page),
        b=listed("Weather Forecasts API", page),
        c=listed("Bus Arrivals", page),
    ) == [DuplicateMatch("b", "a", "near: the page of, and a name like that of, a")]


def test_one_name_on_one_site_is_one_api_but_not_on_a_site_of_many() -> None:
    assert near_duplicates(
        a=listed("Kuveyt", "https://developer.kuveyt.com.tr/"),
        b=listed("Kuveyt", "https://www.kuveyt.com.tr/api"),
        c=listed("Quran", "https://github.com/one/quran"),
        d=listed("Quran", "https://github.com/two/quran"),
    ) == [DuplicateMatch("b", "a", "near: the name and the site of a")]


def test_an_entry_of_a_list_goes_into_the_document_of_that_api() -> None:
    document = served("Laws", "/acts")
    entry = listed("Laws", "https://www.law.example/about")
    assert near_duplicates(entry=entry, document=document) == [
        DuplicateMatch("entry", "document", "near: the name and the site of document")
    ]


def test_two_documents_of_one_name_and_site_with_other_operations_stay_two() -> None:
    assert near_duplicates(a=served("Delivery", "/a", "/b"), b=served("Delivery", "/c", "/d")) == []


def test_small_differences_do_not_chain_two_apis_that_are_not_alike() -> None:
    page = "https://a.example/"
    names = ("weather today", "weather today now", "today now", "now here")
    found = near_duplicates(**{name: listed(name, page) for name in names})
    kept = set(names) - {near_duplicate.found for near_duplicate in found}
    assert all(
        name_similarity(
            near_duplicate.found.replace(" ", "-"), near_duplicate.kept.replace(" ", "-")
        )
        >= 0.6
        for near_duplicate in found
    )
    assert "now here" in kept


POOL = [
    served("Laws", "/v1/a", "/v1/b"),
    served("Laws API", "/v2/a", "/v2/b", "/v2/c"),
    served("Statutes", "/v1/a", "/v1/b"),
    listed("Laws", "https://law.example/"),
    listed("Law", "https://law.example/"),
    listed("Laws", "https://docs.law.example/x"),
    listed("Cats", "https://cats.example/"),
    listed("Cats", "http://www.cats.example"),
    listed("Cats!", "http://www.cats.example"),
]


@given(st.permutations(range(len(POOL))))
def test_the_order_of_what_is_found_changes_nothing(order: list[int]) -> None:
    prints = [fingerprint_document(str(at), POOL[at]) for at in order]
    usual = [fingerprint_document(str(at), each) for at, each in enumerate(POOL)]
    assert find_duplicates(prints) == find_duplicates(usual)


def test_what_only_a_near_duplicate_says_is_kept() -> None:
    kept = served("Laws", "/v2/a")
    near_duplicate = msgspec.structs.replace(
        served("Old laws", "/v1/a", "/v1/b"),
        tool_description="Gesetze",
        language="de",
        country="Austria",
        category="Government",
    )
    whole = merge_documents(kept, [near_duplicate])
    assert [each.url for each in whole.api_list] == [f"{HOST}/v2/a", f"{HOST}/v1/b"]
    assert (whole.tool_name, whole.tool_description, whole.language, whole.country) == (
        *("Laws", "Gesetze", "de"),
        "Austria",
    )
    assert whole.origins == (*kept.origins, *near_duplicate.origins)


def test_what_a_document_says_stands_against_its_near_duplicates() -> None:
    kept = msgspec.structs.replace(served("Laws", "/a"), country="Canada", tool_description="Acts")
    near_duplicate = msgspec.structs.replace(
        listed("Laws", "https://law.example"),
        country="Austria",
        tool_description="Gesetze",
        language="de",
        authentication="apiKey",
    )
    whole = merge_documents(kept, [near_duplicate])
    assert (whole.country, whole.language, whole.authentication) == ("Canada", "", "")


def test_sites_are_told_by_their_hosts() -> None:
    assert site_of("developer.kuveyt.com.tr") == "kuveyt.com.tr"
    assert site_of("api.law.example:8080") == "law.example"
    assert site_of("api.ibm.com") == "ibm.com"
    assert site_of("me.github.io") == ""
    assert site_of("127.0.0.1:8790") == "127.0.0.1:8790"
    assert site_of("") == ""


def test_a_category_of_a_list_gives_way_to_those_of_operations() -> None:
    entry = msgspec.structs.replace(listed("Laws", "https://law.example"), category="Location")
    own = msgspec.structs.replace(
        served("Laws"), api_list=(Operation("a", f"{HOST}/a", category="Weather"),)
    )
    assert merge_documents(own, [entry]).category == ""
    assert merge_documents(served("Laws", "/a"), [entry]).category == "Location"
