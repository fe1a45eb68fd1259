"""A list of APIs in Markdown as people keep them: some are gone, some stand elsewhere under another name."""

import msgspec

from dragoman.benchmarks.itc.world.reading import world_data
from dragoman.core.errors import DataError

CATALOGUE = "catalogue.md"


class ListedApi(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line of the list.

    Attributes:
        path: What it links to.
        same_as: The API that it is; "" for one that answers no more.
    """

    name: str
    about: str
    category: str
    country: str
    path: str
    same_as: str = ""


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
            f"| [{entry.name}]({origin}{entry.path}) | {entry.about} | {entry.country} | No |"
            for entry in listed.entry
            if entry.category == category
        ]
    return "\n".join([*lines, ""]).encode()
