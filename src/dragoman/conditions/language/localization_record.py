"""Record of a localization: which files and texts one condition of a run really used."""

import msgspec

from dragoman.core.content_keys import content_key
from dragoman.core.tools import Role


class LocalizationRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a condition really used: saved with a run and part of the keys of its cells.

    Attributes:
        tools: The language of each tool, by side; a side whose tools are English is absent.
        assets: The SHA-256 of each file that was used, by `DOMAIN/LANGUAGE/FILE`.
        shown: Hashes of the tools as they are shown, by side.
        tool_texts: Hashes of our own texts of refusals and messages, by language.
        view_rules: The name of the rules that tools are shown and called by.
        greeting: The agent's first words; "" for the benchmark's own.
        localization_instructions: Version and hash of what the sides are told; "" where nothing.
        instructions: What they are told, by side.
        habits: The hash of the language's habits in numbers and dates; "" where English is spoken.
        detector: The label that language detection gives to what is spoken; "" in English.
        relatives: Labels of languages that it takes for it.
        phrases: The name of what participants that need no model say and understand; "" for
            English.
        notes: What stays English although its surface is in the language, and why.
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
        """The content hash of what can change a reward, or a conversation beside its phrases."""
        seen = msgspec.structs.replace(self, detector="", relatives=(), phrases="", notes=())
        return content_key(seen)

    @property
    def identity(self) -> str:
        """The content key of what can change a conversation or its reward."""
        return content_key(self.digest, self.phrases) if self.phrases else self.digest
