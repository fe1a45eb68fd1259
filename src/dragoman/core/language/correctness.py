"""Language correctness: rules that decide if a turn is in its language, and results.

A definition is a value that is passed in, and its name is in every result.
"""

import msgspec

from dragoman.core.rules import RuleSet, RuleSets
from dragoman.core.scores import Scored, Unscored, Verdict
from dragoman.core.tools import Role

MIN_CHARACTERS = 5
"""Least length of a turn for language detection, in characters.

White space around the turn does not count.
"""

FAMILIES = (
    frozenset({"id", "ms"}),
    frozenset({"tl", "bcl", "ceb", "ilo", "pam", "war"}),
    frozenset({"zh", "wuu", "yue"}),
)
"""Languages that a detector confuses with each other, by its labels."""


class LanguageRules(RuleSet, frozen=True):
    """One definition of language correctness; each field names the behavior it switches on.

    Attributes:
        opaque_is_stripped: Ids, quoted values, code, JSON, numbers and symbols are removed before
            detection; a turn that consists only of them is Unscored.
        capitals_are_lowered: A text in capital letters only is lowercased before detection.
        harness_turns_count: Turns that the benchmark wrote (the greeting, a task's history) are
            judged too.
        words_must_be_delivered: Words in messages with tool calls, which reach nobody, are not
            judged.
        least_probability: Probability below which a language counts as undetected.
        undetected_is_wrong: A turn without a detected language is wrong; otherwise it is Unscored.
        tolerated: Families of labels that count as equal.
    """

    opaque_is_stripped: bool
    capitals_are_lowered: bool
    harness_turns_count: bool
    words_must_be_delivered: bool
    least_probability: float
    undetected_is_wrong: bool
    tolerated: tuple[frozenset[str], ...] = ()

    def accepts(self, expected: str, detected: str) -> bool:
        """Return whether a detected label is that of the expected language, or of its family."""
        return expected == detected or any(
            expected in family and detected in family for family in self.tolerated
        )


DEFAULT_LANGUAGE_RULES = LanguageRules(
    name="dragoman-language-1",
    opaque_is_stripped=True,
    capitals_are_lowered=True,
    harness_turns_count=False,
    words_must_be_delivered=True,
    least_probability=0.2,
    undetected_is_wrong=False,
)

SEATAU_LANGUAGE_RULES = LanguageRules(
    name="seatau-1d6f92a",
    opaque_is_stripped=False,
    capitals_are_lowered=False,
    harness_turns_count=True,
    words_must_be_delivered=False,
    least_probability=0.0,
    undetected_is_wrong=True,
)


def tolerant_rules(rules: LanguageRules) -> LanguageRules:
    """Return a definition that also accepts languages of the expected one's family."""
    return msgspec.structs.replace(rules, name=f"{rules.name}-tolerant", tolerated=FAMILIES)


LANGUAGE_RULES = RuleSets(
    "definition of language correctness",
    DEFAULT_LANGUAGE_RULES,
    tolerant_rules(DEFAULT_LANGUAGE_RULES),
    SEATAU_LANGUAGE_RULES,
    tolerant_rules(SEATAU_LANGUAGE_RULES),
)


class TurnLanguage(msgspec.Struct, frozen=True, omit_defaults=True):
    """The language of one turn.

    Attributes:
        position: The position among the events of the conversation, from 0; tool results count.
        verdict: 1 in the expected language, 0 in another, or Unscored with the reason.
        detected: The detector's label; None if the detector was not asked or found no language.
        probability: The detector's probability of that label, 0 to 1 except for rounding.
    """

    position: int
    verdict: Verdict
    detected: str | None = None
    probability: float | None = None


class LanguageUse(msgspec.Struct, frozen=True):
    """The languages of all turns of one side in one conversation.

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
