"""What calls need beside parameters."""

from collections.abc import Iterable, Mapping

from dragoman.core.errors import DataError
from dragoman.curation.apis.collecting.openapi.references import References
from dragoman.curation.apis.collecting.values import first_text, mapping, sequence, text


def authentication_of(
    document: Mapping[str, object],
    operations: Iterable[Mapping[str, object]],
    references: References,
    file: str,
) -> str:
    """Return the kinds of authentication that a document's operations ask for, joined by commas.

    Of several ways in, the first counts; where one of them is none at all, nothing is needed.
    """
    schemes = mapping(document.get("securityDefinitions")) or mapping(
        mapping(document.get("components")).get("securitySchemes")
    )
    kinds: set[str] = set()
    for operation in operations:
        ways = sequence(operation.get("security", document.get("security")))
        if ways and all(mapping(way) for way in ways):
            for name in mapping(ways[0]):
                kinds.add(_kind(schemes.get(name), references, file) or text(name, 60))
    return ", ".join(sorted(kinds))


def _kind(scheme: object, references: References, file: str) -> str:
    try:
        raw = mapping(references.followed(scheme, file).value)
    except DataError:
        return ""
    kind = first_text(raw, "type")
    return (first_text(raw, "scheme") or kind).lower() if kind == "http" else kind
