"""What is translated: the smallest texts of an artifact, and where they go back to.

The steps between hand on these records alone. Discovery finds artifacts, an artifact yields segments,
masking hides what must stay, a translator answers, checks look at what came back, and the artifact
is written anew with the translations at the addresses of their segments.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol, get_args

import msgspec

from dragoman.conditions.language.artifacts import SourceHash
from dragoman.conditions.language.lint.assets import EnglishAssets
from dragoman.core.errors import UsageError

Component = Literal["schema", "tools", "messages", "database", "policy", "tasks", "functions"]
"""What a file is for; `schema` is translated before all others, whose glossary it gives."""

COMPONENTS: tuple[Component, ...] = get_args(Component)

Mode = Literal["label", "text"]
"""`label`: a value's stand-alone label. `text`: prose, names, messages, whole documents."""


class Segment(msgspec.Struct, frozen=True):
    """One text to translate.

    Attributes:
        address: Its place, `FILE::PLACE`, unique in a domain: `tasks.json::3/ticket`. The steps of a
            place are joined by `/`; `~1` and `~0` stand for `/` and `~` in a step.
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
