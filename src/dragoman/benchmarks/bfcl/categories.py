"""Categories of BFCL: load a suite by its name, from a folder or from downloaded data.

`leaderboard` says which categories make which aggregate, and how many tasks they have.
"""

import functools
import importlib.resources
import tomllib
from collections.abc import Mapping
from pathlib import Path

import msgspec

from dragoman.benchmarks.bfcl.agentic_entries import AGENTIC, load_agentic, read_agentic_texts
from dragoman.benchmarks.bfcl.agentic_suite import AgenticSuite, agent_setting, connect_services
from dragoman.benchmarks.bfcl.entry_files import Read
from dragoman.benchmarks.bfcl.multi_turn_entries import (
    LONG_CONTEXT,
    MULTI_TURN,
    load_long_texts,
    load_multi_turn,
)
from dragoman.benchmarks.bfcl.multi_turn_suite import MultiTurnSuite
from dragoman.benchmarks.bfcl.prompts import read_prompt_texts
from dragoman.benchmarks.bfcl.single_turn_entries import CATEGORY as FORMATS
from dragoman.benchmarks.bfcl.single_turn_entries import (
    SINGLE_TURN,
    load_entries,
    load_format_variations,
)
from dragoman.benchmarks.bfcl.single_turn_suite import SingleTurnSuite
from dragoman.benchmarks.bfcl.upstream_data import (
    HINT,
    PROMPTS,
    adopt_texts,
    bfcl_source,
    derive_texts,
)
from dragoman.benchmarks.downloads.pinned_data import PinnedData, open_file
from dragoman.core.content_keys import content_key
from dragoman.core.errors import UsageError
from dragoman.core.leaderboard import Leaderboard
from dragoman.core.protocols import Provenance


@functools.cache
def leaderboard() -> Leaderboard:
    """Return the pinned version's leaderboard."""
    file = importlib.resources.files("dragoman.benchmarks.bfcl") / "leaderboard.toml"
    return msgspec.convert(tomllib.loads(file.read_text("utf-8")), Leaderboard)


GROUPS: Mapping[str, tuple[str, ...]] = {
    "non_live": tuple(name for name in SINGLE_TURN if not name.startswith("live_")),
    "live": tuple(name for name in SINGLE_TURN if name.startswith("live_")),
    "single_turn": SINGLE_TURN,
}
"""Suites of several categories."""

TURN_GROUPS: Mapping[str, tuple[str, ...]] = {"multi_turn": MULTI_TURN}
"""Suites of several categories with several turns."""

NAMES = (*SINGLE_TURN, FORMATS, *GROUPS, *MULTI_TURN, *TURN_GROUPS, *AGENTIC)
"""The names that may follow `bfcl:`."""


BfclSuite = SingleTurnSuite | MultiTurnSuite | AgenticSuite


def load_suite(
    category: str, read: Read, source: Provenance, *, is_english: bool = True
) -> BfclSuite:
    """Load a category, a group of categories or the variations of format sensitivity.

    Args:
        category: The part of the suite's name after `bfcl:`.
        read: Returns a file of the data by its short name.
        source: The origin of the data; this function computes its digest.
        is_english: Whether the functions are as upstream has them, and not in another language.

    Raises:
        UsageError: If the category does not exist.
        DataError: If data are missing or damaged.
    """
    if category not in NAMES:
        raise UsageError(f"unknown suite 'bfcl:{category}': bfcl has {', '.join(NAMES)}")
    prompts = read(PROMPTS)
    texts = read_prompt_texts(prompts).for_functions(are_english=is_english)
    # A task's own digest covers its record, so that it is the same in a group of categories.
    digest = content_key(source.source, prompts.decode("utf-8", "replace"))
    provenance = msgspec.structs.replace(source, digest=digest)
    name = f"bfcl:{category}"
    if category in AGENTIC:
        return AgenticSuite(
            load_agentic(category, read),
            texts,
            read_agentic_texts(prompts),
            lambda outside: agent_setting(category, connect_services(outside)),
            provenance,
        )
    turns = TURN_GROUPS.get(category, (category,) if category in MULTI_TURN else ())
    if turns:
        long = load_long_texts(read) if LONG_CONTEXT in turns else None
        conversations = [each for kind in turns for each in load_multi_turn(kind, read, texts)]
        return MultiTurnSuite(name, conversations, texts, long, provenance)
    if category == FORMATS:
        return SingleTurnSuite(name, load_format_variations(read), texts, provenance)
    kinds = GROUPS.get(category, (category,))
    entries = [entry for kind in kinds for entry in load_entries(kind, read)]
    return SingleTurnSuite(name, entries, texts, provenance)


def load_downloaded_suite(category: str, folder: Path) -> BfclSuite:
    """Load a suite by its name after `bfcl:` from the folder of pulled data.

    Args:
        category: The part of the suite's name after `bfcl:`.
        folder: The folder of pulled data.

    Raises:
        UsageError: If the category does not exist.
        DataError: If a file is missing or damaged; the message names the command that helps.
    """
    source = bfcl_source()
    provenance = Provenance(f"BFCL {source.commit}", source.licence, source.notice, "")
    return load_suite(category, lambda name: read_downloaded_file(folder, name), provenance)


def source_folder(folder: Path) -> Path:
    """Return where the pinned files lie under the folder of pulled data."""
    return folder / "bfcl" / bfcl_source().commit


def read_downloaded_file(folder: Path, name: str) -> bytes:
    """Return a pulled file by its short name from the folder of pulled data.

    Raises:
        DataError: If the file is missing or damaged; the message names the command that helps.
    """
    return open_file(source_folder(folder), bfcl_source(), name, HINT)


BFCL_DATA = PinnedData(bfcl_source, source_folder, derive_texts, adopt_texts)
