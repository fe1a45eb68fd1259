"""What is in the files of a source: each is a document, a list of APIs, a part of one, or refused."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import PurePosixPath
from typing import NamedTuple

import msgspec

from dragoman.core.errors import DataError
from dragoman.curation.apis.collecting.catalogues.listed import read_listed
from dragoman.curation.apis.collecting.catalogues.markdown import read_markdown
from dragoman.curation.apis.collecting.entries import FoundEntry, ReadFile, StatedFacts
from dragoman.curation.apis.collecting.itc_form import is_itc, read_itc
from dragoman.curation.apis.collecting.openapi.fragments import is_head, is_part, joined
from dragoman.curation.apis.collecting.openapi.reading import form_of, read_openapi
from dragoman.curation.apis.collecting.source_files import SourceFolder, suffix_of
from dragoman.curation.apis.collecting.values import mapping, parsed
from dragoman.curation.apis.secrecy.configuration import configured
from dragoman.curation.apis.secrecy.fingerprints import fingerprints_of
from dragoman.curation.apis.secrecy.texts import without_secrets

_PAGES = frozenset((".md", ".markdown"))
_DATA = frozenset((".json", ".jsonl", ".yaml", ".yml"))
_SCHEMA_WORDS = frozenset(("components", "definitions", "$schema", "properties", "allOf", "items"))


class ReadSourceFile(msgspec.Struct, frozen=True):
    """What a file gave.

    Attributes:
        place: The file in its source.
        refused: Why nothing was read of it; "" where something was.
        entries: The APIs in it.
        remark: What is to be known of the file.
    """

    place: str
    refused: str = ""
    entries: tuple[FoundEntry, ...] = ()
    remark: str = ""


class _Parsed(NamedTuple):
    place: str
    value: object
    digest: str
    remark: str


def read_source(source: SourceFolder, facts: StatedFacts) -> Iterator[ReadSourceFile]:
    """Yield what each file of a source gives, folder by folder.

    Raises:
        UsageError: Where there are too many files.
    """
    for places in folders_of(source):
        yield from read_folder(places, source, facts)


def folders_of(source: SourceFolder) -> Iterator[tuple[str, ...]]:
    """Yield the places of a source's files, folder by folder.

    Raises:
        UsageError: Where there are too many files.
    """
    for _, places in groupby(source.places(), key=lambda place: str(PurePosixPath(place).parent)):
        yield tuple(places)


def read_folder(
    places: Sequence[str], source: SourceFolder, facts: StatedFacts
) -> Iterator[ReadSourceFile]:
    """Yield what the files of one folder give; fragments of a document wait for its head.

    Nothing that is yielded holds a credential that a document states.
    """
    for reading in _read_folder(places, source, facts):
        yield msgspec.structs.replace(
            reading,
            refused=without_secrets(reading.refused),
            remark=without_secrets(reading.remark),
            entries=tuple(map(_configured, reading.entries)),
        )


def _configured(entry: FoundEntry) -> FoundEntry:
    """Return an entry without what lets somebody in, whatever form its document is written in."""
    if entry.document is None:
        return msgspec.structs.replace(entry, remark=without_secrets(entry.remark))
    made = configured(entry.document)
    return msgspec.structs.replace(
        entry,
        document=made.document,
        remark=without_secrets(entry.remark, made.secrets),
        prints=tuple(sorted({*entry.prints, *fingerprints_of(made.secrets)})),
    )


def _read_folder(
    places: Sequence[str], source: SourceFolder, facts: StatedFacts
) -> Iterator[ReadSourceFile]:
    heads: list[_Parsed] = []
    fragments: list[_Parsed] = []
    for place in places:
        try:
            if suffix_of(place) not in _DATA:
                yield ReadSourceFile(place, entries=tuple(_read_page(place, source, facts)))
                continue
            content = source.read(place)
            value, remark = parsed(content, suffix_of(place))
            file = _Parsed(place, value, _digest(content), remark)
            form = form_of(value)
            if form == "fragment" or is_part(mapping(value)):
                fragments.append(file)
            elif form is not None and is_head(mapping(value)):
                heads.append(file)
            else:
                entries = tuple(_read_data(file, source, facts))
                yield ReadSourceFile(place, entries=entries, remark=remark)
        except DataError as error:
            yield ReadSourceFile(place, str(error))
    yield from _read_pieces(heads, fragments, source, facts)


def _read_page(place: str, source: SourceFolder, facts: StatedFacts) -> list[FoundEntry]:
    if suffix_of(place) not in _PAGES:
        raise DataError("no .json, .jsonl, .yaml, .yml or .md, packed with gzip or not")
    content = source.read(place)
    return read_markdown(content, ReadFile(place, _digest(content), facts))


def _read_data(file: _Parsed, source: SourceFolder, facts: StatedFacts) -> list[FoundEntry]:
    form = form_of(file.value)
    listed = ReadFile(file.place, file.digest, facts)
    if form is not None:
        return [read_openapi(mapping(file.value), form, listed, source)]
    if is_itc(file.value):
        return read_itc(file.value, listed)
    if "http_interactions" in mapping(file.value):
        raise DataError("a recording of answers, which describes no API: collect its document")
    if _SCHEMA_WORDS & mapping(file.value).keys() or _holds_parameters(mapping(file.value)):
        raise DataError("a part for other documents to refer to: it has no paths of its own")
    return read_listed(file.value, listed)


def _holds_parameters(value: Mapping[str, object]) -> bool:
    """Whether a file is a mapping of parameters by name, which other files refer to."""
    return bool(value) and all({"name", "in"} <= mapping(each).keys() for each in value.values())


def _read_pieces(
    heads: Sequence[_Parsed], fragments: Sequence[_Parsed], source: SourceFolder, facts: StatedFacts
) -> Iterator[ReadSourceFile]:
    """Yield documents that are kept in pieces: one head in a folder takes all fragments beside it."""
    if len(heads) == 1 and fragments:
        (head,) = heads
        pieces = [mapping(each.value) for each in fragments]
        whole = head._replace(value=joined(mapping(head.value), pieces))
        yield _read_alone(whole, source, facts, f"with {len(fragments)} fragments beside it")
        for each in fragments:
            yield ReadSourceFile(each.place, remark=f"a fragment of {head.place}")
        return
    for each in (*heads, *fragments):
        yield _read_alone(each, source, facts, each.remark)


def _read_alone(
    file: _Parsed, source: SourceFolder, facts: StatedFacts, remark: str
) -> ReadSourceFile:
    try:
        entries = tuple(_read_data(file, source, facts))
    except DataError as error:
        return ReadSourceFile(file.place, str(error))
    return ReadSourceFile(file.place, entries=entries, remark=remark)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
