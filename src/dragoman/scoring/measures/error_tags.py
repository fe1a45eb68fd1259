"""Error taxonomy: normalization of the tags and severities that a judge writes.

Judges misspell tags, invent some and write severities among them. Observed variants are mapped by
`error_tags.toml`; other words are not guessed.
"""

import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

import msgspec

from dragoman.core.measures import Severity
from dragoman.core.rules import RuleSet, RuleSets
from dragoman.core.scores import Unscored
from dragoman.core.tools import Role

_MAX_SHOWN = 60
_OTHER = "other"


class TagRules(RuleSet, frozen=True):
    """Rules for tags outside the taxonomy.

    Attributes:
        variants_are_read: Whether observed variants of a tag are read as that tag, and observed
            words among tags that are not tags are discarded; otherwise both are Unscored.
        unknown_is_other: Whether any other word that is not a tag of the side counts as `other`,
            with a warning; otherwise it is Unscored.
    """

    variants_are_read: bool
    unknown_is_other: bool


DEFAULT_TAG_RULES = TagRules(
    "dragoman-error-tags-2", variants_are_read=False, unknown_is_other=False
)
LENIENT_TAG_RULES = TagRules(
    "dragoman-error-tags-2-lenient", variants_are_read=True, unknown_is_other=False
)
SEATAU_TAG_RULES = TagRules("seatau-1d6f92a", variants_are_read=True, unknown_is_other=True)
TAG_RULES = RuleSets("rules of error tags", DEFAULT_TAG_RULES, LENIENT_TAG_RULES, SEATAU_TAG_RULES)


class ErrorTag(msgspec.Struct, frozen=True, omit_defaults=True):
    """A tag of the taxonomy; `warning` is set if an unknown word counts as `other`."""

    name: str
    warning: str = ""


class DiscardedWord(msgspec.Struct, frozen=True):
    """A word among the tags that is none, as a severity."""

    word: str


class ErrorTags(msgspec.Struct, frozen=True):
    """The tags of one error: each once, in their order, and what became of the rest."""

    names: tuple[str, ...]
    discarded: tuple[str, ...]
    unscored: tuple[str, ...]
    warnings: tuple[str, ...]


class ErrorTaxonomy(msgspec.Struct, frozen=True):
    """The tags and severities of each side, and what is read as which.

    Severities are ordered from the least to the gravest.
    """

    tags: dict[Role, tuple[str, ...]]
    severities: dict[Role, tuple[Severity, ...]]
    discarded: frozenset[str]
    variants: dict[str, str]


@cache
def error_taxonomy() -> ErrorTaxonomy:
    """Return the table next to this module."""
    table = tomllib.loads((files("dragoman.scoring") / "error_tags.toml").read_text("utf-8"))
    sides = table["sides"]
    return msgspec.convert(
        {
            "tags": {"agent": sorted(sides["both"] + sides["agent"]), "user": sides["both"]},
            "severities": table["severities"],
            "discarded": table["discarded"]["words"],
            "variants": {
                variant: tag for tag, variants in table["variants"].items() for variant in variants
            },
        },
        ErrorTaxonomy,
    )


def normalize_tags(written: Sequence[object], side: Role, rules: TagRules) -> ErrorTags:
    """Return the tags that a judge gave one error of a side, in the words of the taxonomy."""
    read = [normalize_tag(entry, side, rules) for entry in written]
    tags = [entry for entry in read if isinstance(entry, ErrorTag)]
    return ErrorTags(
        names=tuple(dict.fromkeys(tag.name for tag in tags)),
        discarded=tuple(entry.word for entry in read if isinstance(entry, DiscardedWord)),
        unscored=tuple(entry.reason for entry in read if isinstance(entry, Unscored)),
        warnings=tuple(tag.warning for tag in tags if tag.warning),
    )


def normalize_tag(
    written: object, side: Role, rules: TagRules
) -> ErrorTag | DiscardedWord | Unscored:
    """Return the tag that one word among a judge's tags stands for.

    Args:
        written: The word as the judge wrote it, of any type.
        side: Side whose error is tagged: some tags belong only to the agent.
        rules: Rules for words that are not tags of that side.
    """
    known = error_taxonomy()
    key = _key(written) if isinstance(written, str) else ""
    if rules.variants_are_read and key in known.discarded:
        return DiscardedWord(key)
    name = known.variants.get(key, key) if rules.variants_are_read else key
    if name in known.tags[side]:
        return ErrorTag(name)
    why = _why_unknown(written, name, side)
    return ErrorTag(_OTHER, why) if rules.unknown_is_other else Unscored(why)


def normalize_severity(written: object, side: Role) -> Severity | Unscored:
    """Return how grave an error is, in the words for that side."""
    if isinstance(written, str):
        key = _key(written)
        for severity in error_taxonomy().severities[side]:
            if key == severity:
                return severity
    return Unscored(f"{_format_truncated(written)} is not a severity of the {side}")


def _key(written: str) -> str:
    return written.strip().lower().replace(" ", "_").replace("-", "_")


def _why_unknown(written: object, name: str, side: Role) -> str:
    if name in error_taxonomy().tags["agent"]:
        return f"{_format_truncated(written)} is a tag of the agent, not of the {side}"
    return f"{_format_truncated(written)} is not a tag of the {side}"


def _format_truncated(written: object) -> str:
    if not isinstance(written, str):
        return f"a value of type {type(written).__name__}"
    return repr(written[:_MAX_SHOWN]) + "…" * (len(written) > _MAX_SHOWN)
