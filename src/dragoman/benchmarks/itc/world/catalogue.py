"""What others say of the world: a list in Markdown as people keep them, and descriptions of what is gone.

Four entries of the list are pages of documents that are there; the other six are described in the form of
International Tool Calling too, and nobody answers for them.
"""

import msgspec

from dragoman.benchmarks.itc.world.reading import world_data
from dragoman.core.errors import DataError

CATALOGUE, GONE = "catalogue.md", "gone.json"


class GoneApi(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An operation that is described and not served; its parameter is a required text."""

    name: str
    url: str
    parameter: str
    example: str


class ListedApi(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line of the list; `gone` is None where it is the page of a document that is there."""

    name: str
    about: str
    category: str
    country: str
    page: str
    gone: GoneApi | None = None


class ListedApis(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole list."""

    title: str
    about: str
    entry: tuple[ListedApi, ...]


def listed_apis() -> ListedApis:
    """Read the list.

    Raises:
        DataError: Where the file does not have the form of one.
    """
    try:
        content = (world_data() / "catalogue.toml").read_bytes()
        return msgspec.toml.decode(content, type=ListedApis)
    except msgspec.DecodeError as error:
        raise DataError(f"catalogue.toml of the bundled world: {error}") from error


def written_catalogue(origin: str) -> bytes:
    """Return the list as Markdown, a table for each category.

    Args:
        origin: Scheme, host and port of the links.
    """
    listed = listed_apis()
    lines = [f"# {listed.title}", "", listed.about]
    for category in sorted({entry.category for entry in listed.entry}):
        lines += ["", f"## {category}", "", "| API | Description | Country | Auth |"]
        lines += ["|---|---|---|---|"]
        lines += [
            f"| [{entry.name}]({origin}{entry.page}) | {entry.about} | {entry.country} | No |"
            for entry in listed.entry
            if entry.category == category
        ]
    return "\n".join([*lines, ""]).encode()


def written_gone(origin: str) -> bytes:
    """Return what is gone in the form of International Tool Calling.

    Args:
        origin: Scheme, host and port of the addresses.
    """
    tools = [
        {
            "tool_name": entry.name,
            "tool_description": entry.about,
            "home_url": origin + entry.page,
            "country": entry.country,
            "api_list": [_gone_operation(entry, entry.gone, origin)],
        }
        for entry in listed_apis().entry
        if entry.gone is not None
    ]
    return msgspec.json.format(msgspec.json.encode(tools), indent=2) + b"\n"


def _gone_operation(entry: ListedApi, gone: GoneApi, origin: str) -> dict[str, object]:
    return {
        "name": gone.name,
        "url": origin + gone.url,
        "description": entry.about,
        "method": "GET",
        "category": entry.category,
        "required_parameters": [
            {
                "name": gone.parameter,
                "type": "string",
                "description": "",
                "example": gone.example,
            }
        ],
        "optional_parameters": [],
        "statuscode": "200",
        "schema": {},
    }
