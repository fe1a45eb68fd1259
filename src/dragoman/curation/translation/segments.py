"""Segments (the smallest translatable texts of an artifact) and distinct translation units.

The steps exchange these records only. Discovery finds artifacts, an artifact yields segments,
masking hides do-not-translate spans, a translator answers, QA checks inspect the answer, and the
artifact is written again with translations at the addresses of their segments.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, Protocol, get_args

import msgspec

from dragoman.conditions.language.artifacts import SourceHash
from dragoman.conditions.language.lint.assets import EnglishAssets
from dragoman.core.errors import UsageError
from dragoman.store.translation_memory import SourceText

Component = Literal["schema", "tools", "messages", "database", "policy", "tasks", "functions"]
"""What a file is for; `schema` is translated before all others, whose glossary it gives."""

COMPONENTS: tuple[Component, ...] = get_args(Component)

Mode = Literal["label", "text"]
"""`label`: a value's stand-alone label. `text`: prose, names, messages, whole documents."""


class Segment(msgspec.Struct, frozen=True):
    """One text to translate.

    Attributes:
        address: Its place, `FILE::PLACE`, unique in a domain: `tasks.json::3/ticket`. The steps of
            a place are joined by `/`; `~1` and `~0` stand for `/` and `~` in a step.
        component: What its file is for.
        source: The text, as it stands; lines that only wrap are joined.
        mode: Whether it is a label or prose.
        context: What tells its meaning apart from that of an equal text: one source in one context
            has one translation. `retail/label/CancelReason`, `retail/name`, `retail/text`.
        kept: What of it stays to the letter, beside what the domain's data show, the longest first.
    """

    address: str
    component: Component
    source: str
    mode: Mode
    context: str
    kept: tuple[str, ...] = ()


class Artifact(Protocol):
    """One file of a domain that can be had in another language."""

    @property
    def name(self) -> str:
        """The name of the translated file, `tools.json`."""
        ...

    @property
    def component(self) -> Component:
        """What it is for."""
        ...

    @property
    def sources(self) -> Sequence[SourceHash]:
        """The files that it is made from."""
        ...

    @property
    def segments(self) -> Sequence[Segment]:
        """Its texts, in their order; none where it is copied as it is."""
        ...

    def written(self, texts: Mapping[str, str]) -> bytes:
        """Return the file with translations in the places of its segments.

        Args:
            texts: Translations by the address of their segment; what is absent stays English.
        """
        ...

    def translations(self, content: bytes, where: str) -> dict[str, str]:
        """Return what a translated file has in the places of the segments, by their address.

        A segment whose place the file does not have is absent.

        Args:
            content: The translated file.
            where: The file, for messages.

        Raises:
            DataError: Where the file is damaged.
        """
        ...


class TranslatableDomain(msgspec.Struct, frozen=True):
    """All of a domain that can be had in another language.

    Attributes:
        domain: The name of its folder.
        artifacts: Its files, the schemas first.
        english: The English side that they are made from.
    """

    domain: str
    artifacts: tuple[Artifact, ...]
    english: EnglishAssets

    @property
    def segments(self) -> tuple[Segment, ...]:
        """The texts of all files, in their order."""
        return tuple(segment for artifact in self.artifacts for segment in artifact.segments)


def address_of(file: str, place: Sequence[str | int]) -> str:
    """Return the address of a place in a file."""
    steps = (str(step).replace("~", "~0").replace("/", "~1") for step in place)
    return f"{file}::{'/'.join(steps)}"


def components_of(listed: Sequence[str]) -> tuple[Component, ...]:
    """Return the components that are listed, several in one text by commas, in the order of all.

    Raises:
        UsageError: For a component that does not exist.
    """
    names = [name.strip() for entry in listed for name in entry.split(",")]
    unknown = [name for name in names if name not in COMPONENTS]
    if unknown:
        raise UsageError(
            f"--components {unknown[0]}: there is none of that name: choose {', '.join(COMPONENTS)}"
        )
    return tuple(name for name in COMPONENTS if name in names)


class Unit(msgspec.Struct, frozen=True):
    """A text in a context, with the segments that have it."""

    source: SourceText
    segments: tuple[Segment, ...]

    @property
    def segment(self) -> Segment:
        """The first of them."""
        return self.segments[0]


class BatchLimits(msgspec.Struct, frozen=True):
    """How much is asked for at once: so many texts, and so many characters of them.

    A text that is longer than that is asked for alone.
    """

    texts: int = 24
    characters: int = 12_000


def units_of(segments: Iterable[Segment], source: str, target: str) -> tuple[Unit, ...]:
    """Return the distinct texts of segments, in the order of their first places.

    Args:
        segments: The segments.
        source: The code of their language.
        target: The code of the language that they are to be in.
    """
    found: dict[SourceText, list[Segment]] = {}
    for segment in segments:
        key = SourceText(source, target, segment.context, segment.source)
        found.setdefault(key, []).append(segment)
    return tuple(Unit(key, tuple(places)) for key, places in found.items())


def batches_of(units: Sequence[Unit], limits: BatchLimits) -> list[tuple[Unit, ...]]:
    """Return units in batches; labels and prose are never asked for together."""
    batches: list[list[Unit]] = []
    characters = 0
    for unit in sorted(units, key=lambda each: each.segment.mode != "label"):
        characters += len(unit.source.text)
        if (
            not batches
            or batches[-1][0].segment.mode != unit.segment.mode
            or len(batches[-1]) >= limits.texts
            or characters > limits.characters
        ):
            batches.append([])
            characters = len(unit.source.text)
        batches[-1].append(unit)
    return [tuple(batch) for batch in batches]
