"""Record of a localization: which files and texts one condition of a run really used."""

import msgspec

from dragoman.core.content_keys import content_key
from dragoman.core.tools import Role


class LocalizationRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """Record of the files and texts that a condition used.

    A run saves the record, and it is part of the keys of the run's cells.

    Attributes:
        tools: The language of each tool, by side; a side whose tools are English is absent.
        assets: The SHA-256 of each file that was used, by `DOMAIN/LANGUAGE/FILE`.
        shown: Hashes of the tools as they are shown, by side.
        tool_texts: Hashes of Dragoman's own texts of refusals and messages, by language.
        view_rules: Name of the rules by which tools are shown and called.
        greeting: The agent's first words; "" for the benchmark's own.
        localization_instructions: Version and hash of the language instructions of the sides; "" if
            there are none.
        instructions: Language instructions by side.
        habits: Hash of the language's number and date formats; "" if English is spoken.
        detector: The label that language detection gives to what is spoken; "" in English.
        relatives: Labels of languages that detection confuses with it.
        phrases: Name of the phrasebook of participants without a model; "" for English.
        notes: Texts that stay English although their surface is in the language, with the reasons.
    """

    tools: dict[Role, dict[str, str]] = {}
    assets: dict[str, str] = {}
    shown: dict[Role, str] = {}
    tool_texts: dict[str, str] = {}
    view_rules: str = ""
    greeting: str = ""
    localization_instructions: str = msgspec.field(default="", name="directives")
    instructions: dict[Role, str] = msgspec.field(default_factory=dict, name="directive")
    habits: str = ""
    detector: str = ""
    relatives: tuple[str, ...] = ()
    phrases: str = ""
    notes: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """Content hash of everything that can change a reward or conversation, except phrases."""
        seen = msgspec.structs.replace(self, detector="", relatives=(), phrases="", notes=())
        return content_key(seen)

    @property
    def identity(self) -> str:
        """The content key of what can change a conversation or its reward."""
        return content_key(self.digest, self.phrases) if self.phrases else self.digest
