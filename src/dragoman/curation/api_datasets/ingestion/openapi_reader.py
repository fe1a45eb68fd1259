"""OpenAPI 3.0, 3.1 and Swagger 2.0 documents, whole or in fragments, as API documents.

Fragments are the files of a project that keeps a document in pieces and joins them with a program
instead of references.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Literal
from urllib.parse import urlsplit

from dragoman.core.apis.documents import ApiDocument, DocumentOrigin
from dragoman.core.errors import DataError
from dragoman.core.texts.counts import format_count
from dragoman.curation.api_datasets.credential_detection import fingerprints_of, redact_secrets
from dragoman.curation.api_datasets.credential_removal import (
    describe_configuration,
    remove_credentials,
    stated_texts,
)
from dragoman.curation.api_datasets.ingestion.entries import (
    FoundEntry,
    ReadFile,
    SkippedEntry,
    with_id,
)
from dragoman.curation.api_datasets.ingestion.openapi_operations import (
    ReadOperation,
    SecuritySchemes,
    authentication_of,
    read_operations,
    secrets_of_servers,
    server_of,
)
from dragoman.curation.api_datasets.ingestion.openapi_schemas import References
from dragoman.curation.api_datasets.ingestion.sources import SourceFolder, is_address
from dragoman.curation.api_datasets.ingestion.untrusted_values import (
    as_mapping,
    as_one_line,
    as_text,
    first_text,
)


def is_fragment_head(document: Mapping[str, object]) -> bool:
    """Return whether a document describes an API but leaves its operations to fragments."""
    return "info" in document and not as_mapping(document.get("paths"))


def is_fragment(document: Mapping[str, object]) -> bool:
    """Return whether a file holds only components, for fragments in the same folder."""
    return "components" in document and document.keys() <= {"components", "tags"}


def join_fragments(
    head: Mapping[str, object], fragments: Sequence[Mapping[str, object]]
) -> dict[str, object]:
    """Return one document: a head with the paths and components of fragments.

    The first definition is kept.
    """
    paths: dict[str, object] = {}
    parts: dict[str, dict[str, object]] = {}
    for each in (head, *fragments):
        for path, item in as_mapping(each.get("paths")).items():
            paths[path] = {**as_mapping(item), **as_mapping(paths.get(path))}
        for kind, named in as_mapping(each.get("components")).items():
            parts[kind] = {**as_mapping(named), **parts.get(kind, {})}
    return {**head, "paths": paths, "components": parts}


OpenApiForm = Literal["openapi-3.0", "openapi-3.1", "swagger-2.0", "fragment"]
_VERSION = re.compile(r"(\d+)\.(\d+)")
_FORMS: Mapping[tuple[str, str], OpenApiForm] = {
    ("openapi", "3.0"): "openapi-3.0",
    ("openapi", "3.1"): "openapi-3.1",
    ("swagger", "2.0"): "swagger-2.0",
}


def openapi_version(value: object) -> OpenApiForm | None:
    """Return the OpenAPI version of a value; None if it is not an OpenAPI document.

    Raises:
        DataError: If the version is not supported.
    """
    document = as_mapping(value)
    for key in ("openapi", "swagger"):
        if key in document:
            said = as_text(document[key], 40)
            version = _VERSION.match(said)
            form = _FORMS.get((key, version[0])) if version else None
            if form is None:
                raise DataError(
                    f"{key} {said!r} is not read: make it OpenAPI 3.0, 3.1 or Swagger 2.0"
                )
            return form
    return "fragment" if isinstance(document.get("paths"), dict) else None


def read_openapi(
    document: Mapping[str, object],
    form: OpenApiForm,
    file: ReadFile,
    source: SourceFolder,
) -> FoundEntry:
    """Return the API that a document describes.

    Args:
        document: The parsed document.
        form: The result of `openapi_version`.
        file: The file.
        source: Reads the files that it refers to.

    Raises:
        DataError: If none of its operations can be used.
    """
    place, facts = file.place, file.facts
    references = References(source, place, document)
    schemes = SecuritySchemes(document, references, place)
    read = read_operations(document, place, references, schemes)
    operations = tuple(each.operation for each in read if each.operation is not None)
    remarks = [each.remark for each in read if each.remark]
    if not operations:
        raise DataError(_no_operations(document, remarks))
    stated = [said for each in read for said in stated_texts(list(each.stated))]
    stated += stated_texts(list(schemes.stated()))
    stated += secrets_of_servers(document, *(each.raw for each in read))
    info = as_mapping(document.get("info"))
    found = ApiDocument(
        "",
        as_one_line(info.get("title")) or _stem(place),
        first_text(info, "description", "summary"),
        _home(document, info),
        first_text(info, "x-country") or facts.country,
        operations,
        first_text(info, "x-language") or facts.language,
        category=first_text(info, "x-category"),
        authentication=authentication_of(
            document, [each.raw for each in read if each.operation], references, place
        ),
        origins=(
            DocumentOrigin(facts.source, place, form, file.digest, _licence(info) or facts.licence),
        ),
    )
    # An id is made of name and address, without credentials.
    made = remove_credentials(found, stated)
    remark = _remark(read, remarks, references.addresses, made.document)
    return FoundEntry(
        place,
        with_id(made.document, place),
        redact_secrets(remark, made.secrets),
        tuple(
            SkippedEntry(
                redact_secrets(each.place, made.secrets),
                redact_secrets(each.remark.removeprefix(f"{each.place}: "), made.secrets),
            )
            for each in read
            if each.operation is None
        ),
        fingerprints_of(made.secrets),
    )


def _no_operations(document: Mapping[str, object], remarks: Sequence[str]) -> str:
    if remarks:
        more = f", and {len(remarks) - 1} more" if len(remarks) > 1 else ""
        return f"none of its operations can be used: {remarks[0]}{more}"
    if as_mapping(document.get("webhooks")):
        return "webhooks only, which others call: nothing in it can be asked"
    return "no paths, so no operations"


def _remark(
    read: Sequence[ReadOperation],
    remarks: Sequence[str],
    addresses: Sequence[str],
    document: ApiDocument,
) -> str:
    """Return a one-line remark on a document.

    It has the omitted parts, the open parts, and the hosts that were requested.
    """
    left_out = [each.remark for each in read if each.operation is None]
    said = []
    if addresses:
        hosts = sorted({as_one_line(urlsplit(each).netloc, 100) for each in addresses})
        said.append(f"with {format_count(len(addresses), 'file')} of {', '.join(hosts[:3])}")
    if left_out:
        said.append(f"{len(left_out)} of {len(read)} excluded: {left_out[0]}")
    if len(remarks) > len(left_out):
        open_ones = [each.remark for each in read if each.operation is not None and each.remark]
        said.append(f"{len(open_ones)} with parts left open: {open_ones[0]}")
    if any(each.operation and not is_address(each.operation.url) for each in read):
        said.append("no server is named: addresses have no host")
    if reported := describe_configuration(document):
        said.append(reported)
    return "; ".join(said)


def _home(document: Mapping[str, object], info: Mapping[str, object]) -> str:
    for said in (document.get("externalDocs"), info.get("contact")):
        url = first_text(as_mapping(said), "url")
        if url.startswith(("https://", "http://")):
            return url
    return server_of(document)


def _licence(info: Mapping[str, object]) -> str:
    return first_text(as_mapping(info.get("license")), "identifier", "name", "url")


def _stem(place: str) -> str:
    return PurePosixPath(place.removesuffix(".gz")).stem
