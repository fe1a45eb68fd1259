"""What a translator is asked, and what it answers."""

from collections.abc import Mapping
from typing import Protocol

import msgspec

from dragoman.core.errors import DragomanError
from dragoman.core.usage import Usage
from dragoman.curation.translation.segments import Mode


class Item(msgspec.Struct, frozen=True):
    """One text of a request.

    Attributes:
        text: What is to be translated, with placeholders for what must stay.
        terms: Labels that values have in the target language already, by value.
        placeholders: Those that the text has, where they are to be named.
        taken: Words that a label must not be, for other values have them.
    """

    text: str
    terms: Mapping[str, str] = {}
    placeholders: tuple[str, ...] = ()
    taken: tuple[str, ...] = ()


class Request(msgspec.Struct, frozen=True):
    """Texts that are asked for together.

    Attributes:
        mode: Whether they are labels or prose.
        source_language: The English name of the language that they are in.
        target_language: The English name of the language that they are to be in.
        items: The texts by id.
        attempt: How often the same was asked before: another draw of the same question.
    """

    mode: Mode
    source_language: str
    target_language: str
    items: Mapping[str, Item]
    attempt: int = 0


class Reply(msgspec.Struct, frozen=True):
    """What came back: texts by id, only of what was asked, each only once.

    Attributes:
        texts: Translations by id; what is absent was not answered, or more than once.
        odd: What else was wrong, in words: ids that were not asked for, ids that came twice.
        usage: What it consumed; None where nothing was asked.
    """

    texts: Mapping[str, str]
    odd: tuple[str, ...] = ()
    usage: Usage | None = None


class UnusableReply(DragomanError):  # noqa: N818 - says what came back
    """A reply that is not the JSON that was asked for; `usage` is what it consumed."""

    def __init__(self, reason: str, usage: Usage | None = None) -> None:
        super().__init__(reason)
        self.usage = usage


class Translator(Protocol):
    """Translates texts."""

    @property
    def name(self) -> str:
        """The model's name, as in manifests and prices."""
        ...

    @property
    def version(self) -> str:
        """The name and content of its prompts; "" where there are none."""
        ...

    @property
    def is_model(self) -> bool:
        """Whether it may answer otherwise when it is asked again, and what it says is worth keeping."""
        ...

    async def translate(self, request: Request) -> Reply:
        """Return what could be had.

        Raises:
            UnusableReply: Where the reply cannot be read.
            ParticipantError: Where no reply could be had.
            RunHalted: Where nothing will be had any more.
        """
        ...
