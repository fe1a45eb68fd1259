"""The cell of the grid that a conversation runs under."""

from collections.abc import Mapping
from typing import Literal, get_args

import msgspec
from msgspec import UNSET, UnsetType

Surface = Literal["conversation", "greeting", "tools", "policy", "database", "tasks"]
"""What can be in another language: what is said, the first words, the tools, what the agent must
follow, the names in the database, and what the user is told."""

SURFACES: tuple[Surface, ...] = get_args(Surface)

SCENARIOS: Mapping[str, tuple[Surface, ...]] = {
    "interaction": ("conversation", "greeting"),
    "tools": ("tools",),
    "domain": SURFACES,
}
"""The combinations that have a name; `english` is that without any."""

ENGLISH = "en"
TEXT = "text"
"""The voice of conditions in which nobody speaks."""

RELEASED_SEED = 42
"""The seed by which SEATauBench dealt its tools to languages."""


class Localized(msgspec.Struct, frozen=True):
    """Which surfaces are in which language.

    Attributes:
        languages: One language; several share the tools, the first has those that none else has.
        surfaces: The surfaces, in the order of `SURFACES`.
        seed: Deals the tools to several languages.
    """

    languages: tuple[str, ...]
    surfaces: tuple[Surface, ...]
    seed: int = RELEASED_SEED

    @property
    def is_shared(self) -> bool:
        """Whether tools alone are in another language, as in the scenario `tools`."""
        return self.surfaces == SCENARIOS["tools"]

    @property
    def scenario(self) -> str:
        """The name of this combination of surfaces, or the surfaces joined by `+`."""
        named = (name for name, surfaces in SCENARIOS.items() if surfaces == self.surfaces)
        return next(named, "+".join(self.surfaces))

    @property
    def label(self) -> str:
        """Languages and surfaces in one word, for example `th:domain` or `en+th+vi:tools`."""
        dealt = f"@{self.seed}" if self.seed != RELEASED_SEED and len(self.languages) > 1 else ""
        return f"{'+'.join(self.languages)}:{self.scenario}{dealt}"


class Condition(msgspec.Struct, frozen=True):
    """Language, voice and persona of one cell; the defaults are plain English text.

    `language` is the one that is spoken. `localized` is unset where everything is English.
    """

    language: str = ENGLISH
    voice: str = TEXT
    persona: str = "none"
    localized: Localized | UnsetType = UNSET

    @property
    def is_localized(self) -> bool:
        """Whether anything is in another language than English."""
        return self.localized is not UNSET

    @property
    def label(self) -> str:
        """The short name of the condition in tables, for example `th:domain/text/none`."""
        place = self.language if self.localized is UNSET else self.localized.label
        return f"{place}/{self.voice}/{self.persona}"
