"""Catalogues of APIs in Markdown and JSON, and the source's own form."""

import gzip
import json
from collections.abc import Callable

import pytest

from dragoman.core.apis.documents import ApiDocument, ApiParameter, Operation
from dragoman.curation.api_datasets.ingestion.collect import ReadSourceFile

Read = Callable[..., dict[str, ReadSourceFile]]


def documents(reading: ReadSourceFile) -> list[ApiDocument]:
    return [entry.document for entry in reading.entries if entry.document is not None]


def test_a_table_gives_an_api_a_row_under_its_heading(read: Read) -> None:
    page = """
# List

### Animals
| API | Description | Auth | HTTPS | CORS |
|---|---|---|---|---|
| [Cat Facts](https://cats.example/?a=1&utm_source=Github&utm_medium=x) | Daily *cat* facts | No | Yes | No | |
| [Dogs](https://dogs.example/) | Dogs | `apiKey` | Yes | No | new |

### Weather
API | 설명 | 인증
---|---|---
[날씨](https://weather.example/kr) | 날씨 정보 | ✕
"""
    found = documents(read({"a.md": page}, country="South Korea")["a.md"])
    assert [
        (one.tool_name, one.home_url, one.tool_description, one.authentication, one.category)
        for one in found
    ] == [
        ("Cat Facts", "https://cats.example/?a=1", "Daily cat facts", "", "Animals"),
        ("Dogs", "https://dogs.example/", "Dogs", "apiKey", "Animals"),
        ("날씨", "https://weather.example/kr", "날씨 정보", "", "Weather"),
    ]
    assert {one.country for one in found} == {"South Korea"}
    assert [one.origins[0].place for one in found] == ["a.md#1", "a.md#2", "a.md#3"]
    assert {one.origins[0].form for one in found} == {"catalogue"}


def test_names_may_stand_in_one_column_and_links_in_another(read: Read) -> None:
    page = """
### Cuaca
| Nama API | Pengembang | Dokumentasi | Status | Deskripsi | Autentikasi |
|---|---|---|---|---|---|
| BMKG | [Dev](https://dev.example) | [Link](https://bmkg.example/api) | ❎ | Cuaca | `false` |
| Hujan | Dev | [Link](https://hujan.example) | ✅ | Hujan | OTP |
"""
    reading = read({"a.md": page})["a.md"]
    assert [(one.tool_name, one.home_url, one.authentication) for one in documents(reading)] == [
        ("BMKG", "https://bmkg.example/api", ""),
        ("Hujan", "https://hujan.example", "OTP"),
    ]
    assert [entry.remark for entry in reading.entries] == [
        "the list says that it did not work",
        "",
    ]


def test_columns_without_known_words_are_told_by_what_stands_in_them(read: Read) -> None:
    page = """
| # | Huduma | Maelezo |
|---|---|---|
| 1 | [Pesa](https://pesa.example/ke) | Kutuma pesa kwa simu |
| 2 | [Hali](https://hali.example/ke) | Hali ya hewa ya leo |
"""
    assert [
        (one.tool_name, one.tool_description) for one in documents(read({"a.md": page})["a.md"])
    ] == [("Pesa", "Kutuma pesa kwa simu"), ("Hali", "Hali ya hewa ya leo")]


def test_two_links_a_row_and_html_leave_the_first_link_of_the_name(read: Read) -> None:
    page = (
        "| API | Description | Call this API |\n|:--|:--|:--|\n"
        '| [IP](https://ip.example/?utm_campaign=a ) | <b>Where</b> | [<img src="https://x.example/b.svg">](https://run.example/1) |\n'
    )
    (found,) = documents(read({"a.md": page})["a.md"])
    assert (found.tool_name, found.home_url, found.tool_description) == (
        *("IP", "https://ip.example/"),
        "Where",
    )


def test_a_heading_that_is_a_languages_name_is_the_language_of_what_follows(read: Read) -> None:
    row = "| API | DESC |\n|--|--|\n| [A](https://a.example) | {} |\n"
    page = f"### English:\n\n{row.format('Bank')}\n### Türkçe:\n\n{row.format('Banka')}"
    found = documents(read({"a.md": page})["a.md"])
    assert [(one.language, one.category) for one in found] == [("en", ""), ("tr", "")]


LIST = """
## Índice
- [Gobierno](#gobierno)

### Gobierno
- [Mercado](http://mercado.example/): Compras del Estado
- [Lobby](https://lobby.example/docs) La plataforma, ver [más](https://otra.example)
- ~[Regiones](http://regiones.example/): Regiones~ [DEPRECATED]
- ~~[Comunas](http://comunas.example/)~~
- ver también [esto](https://esto.example)
"""


def test_a_list_gives_an_api_for_each_item_that_begins_with_a_link(read: Read) -> None:
    reading = read({"a.md": LIST})["a.md"]
    assert [
        (one.tool_name, one.home_url, one.tool_description, one.category)
        for one in documents(reading)
    ] == [
        ("Mercado", "http://mercado.example/", "Compras del Estado", "Gobierno"),
        ("Lobby", "https://lobby.example/docs", "La plataforma, ver más", "Gobierno"),
    ]
    assert [entry.remark for entry in reading.entries if entry.document is None] == [
        "Regiones: struck out by the list's authors",
        "Comunas: struck out by the list's authors",
    ]


def test_beside_tables_lists_are_only_text(read: Read) -> None:
    page = f"{LIST}\n| API | Description |\n|--|--|\n| [A](https://a.example) | B |\n"
    assert [one.tool_name for one in documents(read({"a.md": page})["a.md"])] == ["A"]


@pytest.mark.parametrize(
    "page",
    ["", "# Text\n\nwithout lists", "- [in](#here)\n", "| file | bytes |\n|--|--|\n| a | 1 |\n"],
)
def test_a_page_without_apis_is_refused(read: Read, page: str) -> None:
    refused = read({"a.md": page})["a.md"].refused
    assert refused == "a page without a table or a list of links to APIs"


def test_a_row_without_a_link_is_left_out(read: Read) -> None:
    page = "| API | Link |\n|--|--|\n| A | https://a.example |\n| B | soon |\n"
    assert [entry.remark for entry in read({"a.md": page})["a.md"].entries] == [
        "",
        "B: no link to a page of it",
    ]


def test_packed_pages_are_read(read: Read) -> None:
    page = gzip.compress(b"| API | x |\n|--|--|\n| [A](https://a.example) | B |\n", mtime=0)
    assert len(documents(read({"a.md.gz": page})["a.md.gz"])) == 1


def test_a_list_in_json_is_a_catalogue(read: Read) -> None:
    content = json.dumps(
        {
            "categoryName": "Buku",
            "apis": [
                {
                    "apiName": "Bukuacak",
                    "documentationUrl": "https://buku.example/api",
                    "description": "Buku",
                    "authentication": False,
                    "developer": {"name": "S"},
                }
            ],
        }
    )
    (found,) = documents(read({"a.json": content}, language="id")["a.json"])
    assert (found.tool_name, found.category, found.authentication, found.language) == (
        *("Bukuacak", "Buku", "", "id"),
    )


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ('{"apis": []}', "an empty list of APIs"),
        (
            '[{"url": "https://a.example", "api_name": "A", "status_code": 200}]',
            "a report of checks",
        ),
        ('[{"id": 1}]', "no API document"),
        ("3", "no API document"),
        ("{", "no JSON"),
    ],
)
def test_what_is_no_list_of_apis_is_refused(read: Read, content: str, why: str) -> None:
    assert read({"a.json": content})["a.json"].refused.startswith(why)


def test_a_file_of_another_kind_is_refused(read: Read) -> None:
    assert read({"LICENSE": "x"})["LICENSE"].refused.startswith("no .json, .jsonl, .yaml, .yml")


TOOL = {
    "tool_name": "Google Translate",
    "tool_description": "Translates",
    "home_url": "https://translate.example/",
    "country": "Global",
    "api_list": [
        {
            "name": "translate1",
            "url": "https://translate.example/",
            "description": "Of text",
            "method": "GET",
            "category": "Utilities",
            "required_parameters": [{"name": "text", "type": "STRING", "description": "Content"}],
            "optional_parameters": [{"name": "n", "type": "float", "default": 1}],
            "statuscode": "200",
            "schema": {},
        }
    ],
}


def test_the_form_of_international_tool_calling_is_read(read: Read) -> None:
    (found,) = documents(read({"a.json": json.dumps(TOOL)})["a.json"])
    assert (found.tool_name, found.country, found.origins[0].form) == (
        *("Google Translate", "Global"),
        "itc",
    )
    assert found.api_list == (
        Operation(
            "translate1",
            "https://translate.example/",
            "Of text",
            "GET",
            "Utilities",
            (ApiParameter("text", "string", "Content"),),
            (ApiParameter("n", "number", default=1),),
            "200",
        ),
    )


def test_many_tools_may_stand_in_a_list_or_one_a_line(read: Read) -> None:
    other = {**TOOL, "tool_name": "Other", "api_list": [{"name": "a"}]}
    found = read(
        {
            "a.json": json.dumps([TOOL, other]),
            "b.jsonl": f"{json.dumps(TOOL)}\n{json.dumps(TOOL)}\n",
        }
    )
    assert [entry.remark for entry in found["a.json"].entries] == [
        "",
        "Other: 1 excluded: a: no name or no address",
    ]
    assert len(documents(found["b.jsonl"])) == 2
