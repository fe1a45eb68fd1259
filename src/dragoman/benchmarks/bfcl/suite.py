"""What may follow `bfcl:` in a suite's name, and how it is loaded."""

from collections.abc import Mapping

import msgspec

from dragoman.benchmarks.bfcl.agentic.entries import AGENTIC, load_agentic
from dragoman.benchmarks.bfcl.agentic.outside import reach_of, setting_of
from dragoman.benchmarks.bfcl.agentic.suite import AgenticSuite
from dragoman.benchmarks.bfcl.agentic.texts import read_agentic_texts
from dragoman.benchmarks.bfcl.entries.format_sensitivity import CATEGORY as FORMATS
from dragoman.benchmarks.bfcl.entries.format_sensitivity import load_variations
from dragoman.benchmarks.bfcl.entries.lines import Read
from dragoman.benchmarks.bfcl.entries.single import SINGLE_TURN, load_entries
from dragoman.benchmarks.bfcl.entries.turns import (
    LONG_CONTEXT,
    MULTI_TURN,
    load_long_texts,
    load_multi_turn,
)
from dragoman.benchmarks.bfcl.prompts.texts import read_texts
from dragoman.benchmarks.bfcl.single.suite import SingleTurnSuite
from dragoman.benchmarks.bfcl.turns.suite import MultiTurnSuite
from dragoman.benchmarks.bfcl.upstream import PROMPTS
from dragoman.core.errors import UsageError
from dragoman.core.keys import content_key
from dragoman.core.protocols import Provenance

GROUPS: Mapping[str, tuple[str, ...]] = {
    "non_live": tuple(name for name in SINGLE_TURN if not name.startswith("live_")),
    "live": tuple(name for name in SINGLE_TURN if name.startswith("live_")),
    "single_turn": SINGLE_TURN,
}
"""Suites of several categories."""

TURN_GROUPS: Mapping[str, tuple[str, ...]] = {"multi_turn": MULTI_TURN}
"""Suites of several categories with several turns."""

NAMES = (*SINGLE_TURN, FORMATS, *GROUPS, *MULTI_TURN, *TURN_GROUPS, *AGENTIC)
"""What may follow `bfcl:`."""


BfclSuite = SingleTurnSuite | MultiTurnSuite | AgenticSuite


def load_suite(
    category: str, read: Read, source: Provenance, *, is_english: bool = True
) -> BfclSuite:
    """Load a category, a group of categories or the variations of format sensitivity.

    Args:
        category: What stands behind `bfcl:` in the suite's name.
        read: Returns a file of the data by its short name.
        source: Where the data come from; its digest is made here.
        is_english: Whether the functions are as upstream has them, and not in another language.

    Raises:
        UsageError: Where there is no such category.
        DataError: Where data are missing or damaged.
    """
    if category not in NAMES:
        raise UsageError(f"unknown suite 'bfcl:{category}': bfcl has {', '.join(NAMES)}")
    prompts = read(PROMPTS)
    texts = read_texts(prompts).for_functions(are_english=is_english)
    # A task's own digest covers its record, so that it is the same in a group of categories.
    digest = content_key(source.source, prompts.decode("utf-8", "replace"))
    provenance = msgspec.structs.replace(source, digest=digest)
    name = f"bfcl:{category}"
    if category in AGENTIC:
        return AgenticSuite(
            load_agentic(category, read),
            texts,
            read_agentic_texts(prompts),
            lambda outside: setting_of(category, reach_of(outside)),
            provenance,
        )
    turns = TURN_GROUPS.get(category, (category,) if category in MULTI_TURN else ())
    if turns:
        long = load_long_texts(read) if LONG_CONTEXT in turns else None
        conversations = [each for kind in turns for each in load_multi_turn(kind, read, texts)]
        return MultiTurnSuite(name, conversations, texts, long, provenance)
    if category == FORMATS:
        return SingleTurnSuite(name, load_variations(read), texts, provenance)
    kinds = GROUPS.get(category, (category,))
    entries = [entry for kind in kinds for entry in load_entries(kind, read)]
    return SingleTurnSuite(name, entries, texts, provenance)
