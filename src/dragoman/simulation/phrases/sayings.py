"""Whether what a persona says beside its facts could be taken for an answer."""

from collections.abc import Iterator

from dragoman.core.language.phrasebook import Phrasebook
from dragoman.core.personas import Sayings

_KINDS = ("agreed", "refused", "spelled")
_SLOT = "{facts}"


def misleading(sayings: Sayings, book: Phrasebook) -> list[str]:
    """Return which sayings sound like a yes, a no or something spelled, or state a fact."""
    return list(_misleading(sayings, book))


def _misleading(sayings: Sayings, book: Phrasebook) -> Iterator[str]:
    for saying in (sayings.slip, sayings.repeat):
        if saying.count(_SLOT) != 1 or "{" in saying.replace(_SLOT, ""):
            yield f"{saying!r}: {_SLOT} must stand in it once, and no other slot"
    said = (
        *sayings.vague,
        *sayings.asks_back,
        *sayings.openings,
        *sayings.asides,
        sayings.slip.replace(_SLOT, ""),
        sayings.repeat.replace(_SLOT, ""),
    )
    for saying in said:
        for kind in _KINDS:
            found = getattr(book.hears, kind).search(saying)
            if found:
                yield f"{saying!r} is taken for hears.{kind}, by {found.group()!r}"
        if any(pattern.search(saying) for pattern in book.hears.stated):
            yield f"{saying!r} is taken for a fact"
