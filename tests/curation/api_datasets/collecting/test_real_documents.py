"""Real foreign documents and lists: each is collected, or refused with a right line."""

import re
from collections import Counter
from pathlib import Path

import pytest

from dragoman.core.apis.documents import ApiDocument
from dragoman.curation.api_datasets.ingestion.collect import ReadSourceFile, collect, read_source
from dragoman.curation.api_datasets.ingestion.dedup import merge_duplicates
from dragoman.curation.api_datasets.ingestion.entries import SourceFacts
from dragoman.curation.api_datasets.ingestion.sources import open_source
from dragoman.store.dataset import Dataset

pytestmark = pytest.mark.slow

PART = "a part for other documents to refer to: it has no paths of its own"
NO_PATHS = "no paths, so no operations"
UNUSABLE = "none of its operations can be used: "

REFUSED = {
    "broken_swagger-parser/invalid__newer-version.yaml": "swagger '3.0' is not read: make it OpenAPI 3.0, 3.1 or Swagger 2.0",
    "broken_swagger-parser/invalid__not-swagger.yaml": PART,
    "broken_swagger-parser/validate-schema__invalid__file-header-param.yaml": f"{UNUSABLE}POST /users/{{username}}/profile/image: the parameter 'image' has the type 'file', which JSON schema does not know",
    "broken_swagger-parser/validate-schema__invalid__invalid-param-type.yaml": f"{UNUSABLE}POST /users: the parameter 'user' has the type 'user', which JSON schema does not know",
    "broken_swagger-parser/validate-schema__invalid__invalid-schema-type.yaml": f"{UNUSABLE}POST /users: the parameter 'user' has the type 'user', which JSON schema does not know",
    "broken_swagger-parser/validate-spec__invalid__duplicate-path-params.yaml": f"{UNUSABLE}GET /users/{{username}}: the parameter 'foo' stands there twice",
    "broken_swagger-parser/validate-spec__invalid__multiple-operation-body-params.yaml": f"{UNUSABLE}PATCH /users/{{username}}: it has 2 bodies",
    "broken_swagger-parser/validate-spec__invalid__no-path-params.yaml": f"{UNUSABLE}GET /users/{{username}}/{{foo}}: two parameters are called 'username' (in path, in header), and 1 more",
    "broken_swagger-parser/validate-spec__invalid__path-placeholder-no-param.yaml": f"{UNUSABLE}GET /users/{{username}}/{{foo}}: two parameters are called 'foo' (in path, in body), and 1 more",
    "edge_readme/3.0-parameters-extreme.yaml": f"{UNUSABLE}POST /anything/all-param-types/{{id}}/{{id2}}: two parameters are called 'id' (in path, in body)",
    **{f"circular_swagger-parser/definitions/{name}.yaml": PART for name in ("child", "parent", "person", "pet")},
    "cn_coze/plugin_meta.yaml": "no API document: it has no openapi, swagger or paths, no tool_name, and is not a list of names with links",
    **{f"edge_oai/petstore-separate/{name}.json": PART for name in ("common/Error", "spec/NewPet", "spec/Pet", "spec/parameters")},
    **{f"it_pn-delivery/{name}.yaml": PART for name in ("parameters-notification-search", "remote-refs", "schemas-pn-notification", "schemas-pn-timeline-appio")},
}  # fmt: skip

OPERATIONS = {
    "apisguru/ca_holidays.en.yaml": 5,
    "apisguru/de_axesso.en.yaml": 4,
    "apisguru/de_db-fasta.en.yaml": 5,
    "apisguru/uk_parliament-search.en.yaml": 3,
    "ar_georef.es.json": 19,
    "ar_series-tiempo-v2.es.yml": 2,
    "ar_series-tiempo-v3.es.json": 6,
    "br_brasilapi/basic_info.pt.json": 23,
    "br_pix.pt.yaml": 51,
    "ca_bcdc.en.json": 22,
    "ca_bclaws-v2.en.json": 7,
    "ca_bclaws-v3.en.json": 7,
    "ca_geocoder.BROKEN.json": 17,
    "ca_news.en.yaml": 27,
    "cn_coze/bocha_search.zh.yaml": 1,
    "cn_coze/chestnut_sign.zh.yaml": 1,
    "cn_coze/gaode_map.zh.yaml": 9,
    "cn_coze/lark_calendar.zh.yaml": 6,
    "cn_coze/library_search.zh.yaml": 1,
    "cn_coze/sky_eye_check.zh.yaml": 5,
    "cn_coze/sohu_hot_news.zh.yaml": 1,
    "cn_coze/wolfram_alpha.zh.yaml": 2,
    "cn_coze/worth_buying.zh.yaml": 1,
    "co_api-colombia.en.json": 82,
    "demo_museum.en.yaml": 8,
    "eu_frankfurter-v2.en.json": 5,
    "fr_geo.fr.yml": 13,
    "jp_freee-invoice.ja.yml": 42,
    "it_pn-delivery/api-internal-b2b-pa.yaml": 2,
    "it_pn-delivery/api-private.yaml": 12,
    "jp_line-channel-access-token.en.yml": 8,
    "jp_line-liff.en.yml": 4,
    "jp_line-shop.en.yml": 1,
    "jp_line-webhook.en.yml": 1,
    "jp_sakura-secretmanager.ja.json": 9,
}
"""Of the real documents: of 424 operations, 12 take parameters that are described on another host."""

MADE_UP = ("broken_", "circular_", "edge_", "fuzz_")


@pytest.fixture(scope="module")
def openapi(data_folder: Path) -> dict[str, ReadSourceFile]:
    source = open_source(data_folder / "itc" / "openapi")
    return {each.place: each for each in read_source(source, SourceFacts("openapi"))}


@pytest.fixture(scope="module")
def lists(data_folder: Path) -> dict[str, ReadSourceFile]:
    source = open_source(data_folder / "itc" / "catalogues")
    return {each.place: each for each in read_source(source, SourceFacts("lists"))}


def documents(reading: ReadSourceFile) -> list[ApiDocument]:
    return [entry.document for entry in reading.entries if entry.document is not None]


def test_what_is_refused_is_refused_with_the_right_line(openapi: dict[str, ReadSourceFile]) -> None:
    assert len(openapi) == 96
    refused = {place: each.refused for place, each in openapi.items() if each.refused}
    for place in [name for name in refused if name.startswith("fuzz_")]:
        assert refused.pop(place) == NO_PATHS
    elsewhere = refused.pop("it_pn-delivery/api-external-b2b-appio.yaml")
    assert elsewhere.startswith(UNUSABLE)
    assert "it is on another host, asked only with --fetch-refs" in elsewhere
    assert "the reference https://raw.githubusercontent.com/pagopa/pn-auth-fleet/" in elsewhere
    assert refused == REFUSED


def test_all_operations_of_real_documents_are_read(openapi: dict[str, ReadSourceFile]) -> None:
    found = {
        place: len(document.api_list)
        for place, each in openapi.items()
        if not place.startswith(MADE_UP)
        for document in documents(each)
    }
    assert found == OPERATIONS


def test_what_is_left_out_of_a_real_document_or_open_in_it_is_said(
    openapi: dict[str, ReadSourceFile],
) -> None:
    said = {
        place: re.sub(r"https:\S+", "URL", entry.remark.partition(";")[0])
        for place, each in openapi.items()
        if not place.startswith(MADE_UP)
        for entry in each.entries
        if entry.remark and not entry.remark.startswith("configuration")
    }
    assert said == {
        "ar_georef.es.json": "1 with parts left open: POST /direcciones: its body requires 'localidades' and does not describe it",
        "br_pix.pt.yaml": "2 with parts left open: POST /rec: its body requires 'idRec' and does not describe it",
        "it_pn-delivery/api-internal-b2b-pa.yaml": "8 of 10 excluded: POST /delivery/attachments/preload: the reference URL it is on another host, asked only with --fetch-refs",
        "it_pn-delivery/api-private.yaml": "2 with parts left open: POST /delivery-private/notifications/qr-code/decode: the reference api-internal-b2b-appio.yaml#/components/schemas/UserInfo: no such file",
    }
    assert openapi["ca_geocoder.BROKEN.json"].remark.endswith("read as YAML")


def test_what_callers_of_real_documents_configure_is_said_and_is_no_parameter(
    openapi: dict[str, ReadSourceFile],
) -> None:
    found = {
        place: sorted({each.name for one in document.api_list for each in one.configuration})
        for place, each in openapi.items()
        if not place.startswith(MADE_UP)
        for document in documents(each)
    }
    assert {place: names for place, names in found.items() if names} == {
        "apisguru/de_db-fasta.en.yaml": ["Authorization"],
        "br_pix.pt.yaml": ["Authorization", "chave", "pixUrlAccessToken", "recUrlAccessToken"],
        "ca_bcdc.en.json": ["Authorization", "ckan_api_key"],
        "ca_geocoder.BROKEN.json": ["apikey"],
        "cn_coze/gaode_map.zh.yaml": ["sig"],
        "demo_museum.en.yaml": ["Authorization"],
        "jp_freee-invoice.ja.yml": ["Authorization"],
        "jp_line-channel-access-token.en.yml": ["access_token", "client_id", "client_secret"],
        "jp_line-liff.en.yml": ["Authorization"],
        "jp_line-shop.en.yml": ["Authorization"],
        "jp_sakura-secretmanager.ja.json": ["Authorization", "Secret"],
    }


def test_real_documents_keep_their_licences_and_have_whole_addresses(
    openapi: dict[str, ReadSourceFile],
) -> None:
    for place in ("br_pix.pt.yaml", "eu_frankfurter-v2.en.json", "ca_bclaws-v3.en.json"):
        (document,) = documents(openapi[place])
        assert document.origins[0].licence, place
    (pix,) = documents(openapi["br_pix.pt.yaml"])
    assert pix.authentication == "oauth2"
    (freee,) = documents(openapi["jp_freee-invoice.ja.yml"])
    assert all(each.url.startswith("https://api.freee.co.jp/iv/") for each in freee.api_list)
    assert all("{" not in each.url.partition("/iv/")[0] for each in freee.api_list)
    (colombia,) = documents(openapi["co_api-colombia.en.json"])
    assert len({each.name for each in colombia.api_list}) == 82


def test_real_lists_are_read_row_by_row(lists: dict[str, ReadSourceFile]) -> None:
    assert {
        place: (len(documents(each)), len(each.entries))
        for place, each in lists.items()
        if place.endswith((".md", ".md.gz"))
    } == {
        "chile.es.md": (44, 59),
        "indonesia.id.md": (151, 151),
        "public-apis-4Kr.ko.md": (270, 270),
        "public-apis-cn-availability.en.md.gz": (1_431, 1_431),
        "public-apis.en.md": (1_706, 1_706),
        "turkish.en-tr.md": (72, 72),
    }
    struck = [entry.remark for entry in lists["chile.es.md"].entries if entry.document is None]
    assert len(struck) == 15
    assert all(remark.endswith("struck out by the list's authors") for remark in struck)


def test_rows_that_sponsors_paid_for_stand_apart(lists: dict[str, ReadSourceFile]) -> None:
    for place, rows, sponsored in (
        ("public-apis.en.md", 1_695, 11),
        ("public-apis-cn-availability.en.md.gz", 1_426, 5),
    ):
        by = Counter(each.category == "APILayer APIs" for each in documents(lists[place]))
        assert by == {False: rows, True: sponsored}
    english = documents(lists["public-apis.en.md"])
    assert len({each.category for each in english} - {"APILayer APIs"}) == 51
    assert not [each.home_url for each in english if "utm_" in each.home_url]
    assert len({each.category for each in documents(lists["public-apis-4Kr.ko.md"])}) == 36


def test_what_a_list_says_of_availability_is_a_remark(lists: dict[str, ReadSourceFile]) -> None:
    remarks = Counter(
        entry.remark for entry in lists["public-apis-cn-availability.en.md.gz"].entries
    )
    assert remarks == {"": 1_310, "the list says that it did not work": 121}


def test_a_list_in_markdown_and_in_json_is_one_list(lists: dict[str, ReadSourceFile]) -> None:
    in_json = [
        (each.tool_name, each.home_url, each.category)
        for place, reading in lists.items()
        if place.startswith("indonesia_json/")
        for each in documents(reading)
    ]
    in_markdown = [
        (each.tool_name, each.home_url, each.category)
        for each in documents(lists["indonesia.id.md"])
    ]
    assert len(in_markdown) == 151
    assert sorted(name for name, _, _ in in_json) == sorted(name for name, _, _ in in_markdown)


def test_one_list_in_two_languages_keeps_the_language_of_each_row(
    lists: dict[str, ReadSourceFile],
) -> None:
    languages = Counter(each.language for each in documents(lists["turkish.en-tr.md"]))
    assert languages == {"en": 21, "tr": 51}


def test_what_is_no_list_of_apis_is_refused(lists: dict[str, ReadSourceFile]) -> None:
    refused = {place: each.refused for place, each in lists.items() if each.refused}
    assert refused.pop("indonesia_json/forum.id.json") == "an empty list of APIs"
    assert len(refused) == 3
    assert {why.partition(",")[0] for why in refused.values()} == {"a report of checks of links"}


@pytest.mark.nightly
def test_real_near_duplicates_are_merged(data_folder: Path, tmp_path: Path) -> None:
    with Dataset(tmp_path) as dataset:
        for name in ("openapi", "catalogues"):
            collect(
                dataset, open_source(data_folder / "itc" / name), SourceFacts(name), is_named=False
            )
        merged = merge_duplicates(dataset)
        reasons = {
            line.name: line.reason for line in dataset.ledger("merge") if line.verdict == "merged"
        }
    assert reasons["openapi/ca_bclaws-v2.en.json"] == (
        "exact: the same operations as openapi/ca_bclaws-v3.en.json"
    )
    assert reasons["openapi/ar_series-tiempo-v2.es.yml"] == (
        "near: a name like that, and 2 of 2 operations, of openapi/ar_series-tiempo-v3.es.json"
    )
    assert merged.documents + merged.exact + merged.near == 60 + 3_825
    real = [name for name in reasons if name.startswith("openapi/") and "broken" not in name]
    assert len(real) == 2
    indonesian = [name for name in reasons if name.startswith("catalogues/indonesia")]
    assert len(indonesian) >= 151
