"""Where the documents behind tasks come from, and under which licences: for cards, rows and a file of their own."""

import re
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from dragoman.core.apis.documents import ApiDocument
from dragoman.curation.apis.rows import DatasetRow

SEVERAL = "several"
"""What stands for a licence where there are several, or one that has no short name."""

_HUB: Mapping[str, str] = {
    re.sub(r"[^a-z0-9]+", "", name): name
    for name in (
        "apache-2.0", "mit", "bsd-2-clause", "bsd-3-clause", "isc", "unlicense", "cc0-1.0",
        "cc-by-3.0", "cc-by-4.0", "cc-by-sa-3.0", "cc-by-sa-4.0", "cc-by-nc-4.0", "cc-by-nc-sa-4.0",
        "cc-by-nd-4.0", "cc-by-nc-nd-4.0", "odc-by", "odbl", "pddl", "gpl-2.0", "gpl-3.0",
        "lgpl-2.1", "lgpl-3.0", "agpl-3.0", "mpl-2.0", "eupl-1.1", "eupl-1.2", "etalab-2.0",
    )
}  # fmt: skip
"""The licences that the Hugging Face hub knows by name, by their letters and digits."""

_SPOKEN = {
    "apache20license": "apache20",
    "apachelicense20": "apache20",
    "apachelicenseversion20": "apache20",
    "apache2": "apache20",
    "themitlicense": "mit",
    "mitlicense": "mit",
    "creativecommonsattribution40international": "ccby40",
    "creativecommonszerov10universal": "cc010",
    "cc0": "cc010",
}


class DocumentSource(msgspec.Struct, frozen=True):
    """One origin of one document: `licence` is "" where none is stated; `tasks` offer it."""

    document: str
    name: str
    home_url: str
    source: str
    place: str
    form: str
    licence: str
    sha256: str
    tasks: int


def documents_of(row: DatasetRow) -> tuple[ApiDocument, ...]:
    """Return the documents whose words stand in a row: those of all operations that it offers."""
    return tuple({each.document.id: each.document for each in row.tools.values()}.values())


def licences_of(documents: Iterable[ApiDocument]) -> tuple[str, ...]:
    """Return the licences that documents state, each once."""
    stated = {origin.licence for each in documents for origin in each.origins}
    return tuple(sorted(stated - {""}))


def sources_of(documents: Iterable[ApiDocument]) -> tuple[str, ...]:
    """Return the sources that documents were found in, each once."""
    return tuple(sorted({origin.source for each in documents for origin in each.origins}))


def document_sources(rows: Sequence[DatasetRow]) -> list[DocumentSource]:
    """Return where the documents of all rows come from."""
    found: dict[str, ApiDocument] = {}
    counts: dict[str, int] = {}
    for row in rows:
        for each in documents_of(row):
            found[each.id] = each
            counts[each.id] = counts.get(each.id, 0) + 1
    return [
        DocumentSource(
            name,
            found[name].tool_name,
            found[name].home_url,
            origin.source,
            origin.place,
            origin.form,
            origin.licence,
            origin.sha256,
            counts[name],
        )
        for name in sorted(found)
        for origin in found[name].origins
    ]


def hub_licence(rows: Sequence[DatasetRow]) -> tuple[str, ...]:
    """Return the lines by which the Hugging Face hub learns the licence of rows.

    It is one licence only where every document states it. Nothing is made up: where none states any it
    is unknown, and where they differ, or some state none, the card's table has them.
    """
    documents = {each.id: each for row in rows for each in documents_of(row)}.values()
    stated = {origin.licence for each in documents for origin in each.origins}
    stated |= {"" for each in documents if not each.origins}
    if stated <= {""}:
        return ("license: unknown",)
    known = {_hub_name(each) for each in stated}
    if len(known) == 1 and (name := known.pop()):
        return (f"license: {name}",)
    return ("license: other", f"license_name: {SEVERAL}", "license_link: README.md")


def _hub_name(licence: str) -> str:
    plain = re.sub(r"[^a-z0-9]+", "", licence.casefold())
    return _HUB.get(_SPOKEN.get(plain, plain), "")
