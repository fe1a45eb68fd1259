"""Segments (smallest translatable texts of an artifact) and translation units.

The steps exchange only these records. Discovery finds artifacts, an artifact yields segments,
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
"""The purpose of a file.

`schema` is translated first, since it gives the glossary for the others.
"""

COMPONENTS: tuple[Component, ...] = get_args(Component)

Mode = Literal["label", "text"]
"""`label`: a value's separate label. `text`: prose, names, messages, whole documents."""


class Segment(msgspec.Struct, frozen=True):
    """One text to translate.

    Attributes:
        address: Its place, `FILE::PLACE`, unique in a domain: `tasks.json::3/ticket`. The steps of
            a place are joined by `/`; `~1` and `~0` stand for `/` and `~` in a step.
        component: The component of its file.
        source: The text; lines that only wrap are joined.
        mode: Whether it is a label or prose.
        context: The context that distinguishes its meaning from that of an equal text: one source
            in one context has one translation. `retail/label/CancelReason`, `retail/name`,
            `retail/text`.
        kept: Terms that stay literally in this text, in addition to the domain's terms, the longest
            first.
    """

    address: str
    component: Component
    source: str
    mode: Mode
    context: str
    kept: tuple[str, ...] = ()


class Artifact(Protocol):
    """A translatable file of a domain."""

    @property
    def name(self) -> str:
        """The name of the translated file, `tools.json`."""
        ...

    @property
    def component(self) -> Component:
        """The component of the file."""
        ...

    @property
    def sources(self) -> Sequence[SourceHash]:
        """The files that it is made from."""
        ...

    @property
    def segments(self) -> Sequence[Segment]:
        """Its texts, in their order; empty if the file is copied unchanged."""
        ...

    def written(self, texts: Mapping[str, str]) -> bytes:
        """Return the file with translations at the places of its segments.

        Args:
            texts: Translations by the address of their segment; absent ones stay English.
        """
        ...

    def translations(self, content: bytes, where: str) -> dict[str, str]:
        """Return a translated file's texts at the places of the segments, by their address.

        A segment is absent if the file does not have its place.

        Args:
            content: The translated file.
            where: The file, for messages.

        Raises:
            DataError: If the file is damaged.
        """
        ...


class TranslatableDomain(msgspec.Struct, frozen=True):
    """The translatable files of a domain.

    Attributes:
        domain: The name of its folder.
        artifacts: Its files, the schemas first.
        english: The English side, the source of the files.
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
    """Return the listed components, in the order of `COMPONENTS`.

    An entry may list several, separated by commas.

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
        """The first of the segments."""
        return self.segments[0]


class BatchLimits(msgspec.Struct, frozen=True):
    """The most texts in one request, and the most characters of them.

    A longer text is requested alone.
    """

    texts: int = 24
    characters: int = 12_000


def units_of(segments: Iterable[Segment], source: str, target: str) -> tuple[Unit, ...]:
    """Return the distinct texts of segments, in the order of their first places.

    Args:
        segments: The segments.
        source: The code of their language.
        target: The code of the target language.
    """
    found: dict[SourceText, list[Segment]] = {}
    for segment in segments:
        key = SourceText(source, target, segment.context, segment.source)
        found.setdefault(key, []).append(segment)
    return tuple(Unit(key, tuple(places)) for key, places in found.items())


def batches_of(units: Sequence[Unit], limits: BatchLimits) -> list[tuple[Unit, ...]]:
    """Return units in batches; labels and prose are never in the same batch."""
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
