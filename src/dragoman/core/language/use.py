"""In which languages the sides of a conversation spoke: a record per turn and per conversation."""

import msgspec

from dragoman.core.scores import Scored, Unscored, Verdict
from dragoman.core.tools import Role


class TurnLanguage(msgspec.Struct, frozen=True, omit_defaults=True):
    """The language of one turn.

    Attributes:
        position: Its place among the events of the conversation, from 0; tool results count.
        verdict: 1 in the expected language, 0 in another, or Unscored with the reason.
        detected: The detector's label; None where it was not asked or found none.
        probability: What the detector gives for that label, 0 to 1 but for rounding.
    """

    position: int
    verdict: Verdict
    detected: str | None = None
    probability: float | None = None


class LanguageUse(msgspec.Struct, frozen=True):
    """The languages of everything that one side said in one conversation.

    `rules` names the definition; `expected` is the label of the language that it had to speak.
    """

    rules: str
    by: Role
    expected: str
    turns: tuple[TurnLanguage, ...]

    @property
    def scored(self) -> tuple[TurnLanguage, ...]:
        """The turns that count."""
        return tuple(turn for turn in self.turns if isinstance(turn.verdict, Scored))

    @property
    def wrong(self) -> tuple[TurnLanguage, ...]:
        """The turns that were in another language."""
        return tuple(turn for turn in self.turns if turn.verdict == Scored(0.0))

    @property
    def verdict(self) -> Verdict:
        """The share of correct turns among those that count."""
        count = len(self.scored)
        if not count:
            return Unscored(f"no turn of the {self.by} tells its language")
        return Scored((count - len(self.wrong)) / count)
