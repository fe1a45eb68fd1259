"""What calls need beside parameters."""

from collections.abc import Iterable, Iterator, Mapping

from dragoman.core.apis.documents import ConfiguredParameter
from dragoman.core.errors import DataError
from dragoman.curation.apis.collecting.openapi.references import References
from dragoman.curation.apis.collecting.values import first_text, mapping, sequence, text

_DESCRIBING = frozenset(("type", "name", "in", "scheme", "description", "flows", "bearerFormat"))


class SecuritySchemes:
    """The security schemes of a document.

    Args:
        document: The document.
        references: Follow those to schemes that stand elsewhere.
        file: The document's place.
    """

    def __init__(self, document: Mapping[str, object], references: References, file: str) -> None:
        self._all = document.get("security")
        self._schemes = {
            name: _followed(scheme, references, file) for name, scheme in _schemes(document).items()
        }

    def configuration_of(self, operation: Mapping[str, object]) -> tuple[ConfiguredParameter, ...]:
        """Return what the schemes that an operation names have callers send.

        It is required where each of the ways in is, and this one has no other beside it.
        """
        ways = [mapping(way) for way in sequence(operation.get("security", self._all))]
        found: dict[tuple[str, str], ConfiguredParameter] = {}
        for name in dict.fromkeys(name for way in ways for name in way):
            required = all(name in way for way in ways)
            one = _configured(self._schemes.get(name, {}), required=required)
            if one is not None:
                found.setdefault((one.place, one.name.casefold()), one)
        return tuple(found[key] for key in sorted(found))

    @property
    def names(self) -> Mapping[tuple[str, str], ConfiguredParameter]:
        """What any scheme has callers send, by place and name: a key of one operation is one in all."""
        found = (_configured(each, required=False) for each in self._schemes.values())
        return {(one.place, one.name.casefold()): one for one in found if one is not None}

    def stated(self) -> Iterator[object]:
        """Yield what schemes state beside what they are: examples, defaults, and what authors add."""
        for scheme in self._schemes.values():
            yield from (value for key, value in scheme.items() if key not in _DESCRIBING)


def _configured(scheme: Mapping[str, object], *, required: bool) -> ConfiguredParameter | None:
    kind = first_text(scheme, "type").lower()
    name, travels_in = text(scheme.get("name"), 200), first_text(scheme, "in")
    if kind == "apikey" and name:
        if travels_in == "query":
            return ConfiguredParameter(name, "query", required=required)
        if travels_in == "cookie":
            return ConfiguredParameter(name, "cookie", required=required)
        return ConfiguredParameter(name, required=required)
    said = first_text(scheme, "scheme").lower() if kind == "http" else kind
    if kind in {"http", "basic"}:
        return ConfiguredParameter("Authorization", scheme=said, required=required)
    if kind in {"oauth2", "openidconnect"}:
        return ConfiguredParameter("Authorization", scheme="bearer", required=required)
    return None


def _followed(scheme: object, references: References, file: str) -> Mapping[str, object]:
    try:
        return mapping(references.followed(scheme, file).value)
    except DataError:
        return {}


def _schemes(document: Mapping[str, object]) -> Mapping[str, object]:
    return mapping(document.get("securityDefinitions")) or mapping(
        mapping(document.get("components")).get("securitySchemes")
    )


def authentication_of(
    document: Mapping[str, object],
    operations: Iterable[Mapping[str, object]],
    references: References,
    file: str,
) -> str:
    """Return the kinds of authentication that a document's operations ask for, joined by commas.

    Of several ways in, the first counts; where one of them is none at all, nothing is needed.
    """
    schemes = _schemes(document)
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
