"""Format sensitivity: a sample of entries, each asked in every prompt format."""

from collections.abc import Mapping

import msgspec

from dragoman.benchmarks.bfcl.entries.lines import Read
from dragoman.benchmarks.bfcl.entries.single import SINGLE_TURN, UNANSWERED, Entry, load_entries
from dragoman.benchmarks.bfcl.prompts.prompting import FORMATS, PromptFormat
from dragoman.core.errors import DataError
from dragoman.core.texts.decoding import UNREADABLE

CATEGORY = "format_sensitivity"

_SAMPLE = f"BFCL_v4_{CATEGORY}.json"


def load_variations(read: Read) -> tuple[Entry, ...]:
    """Return all entries of the sample in all formats: for each entry one format after the other.

    Raises:
        DataError: Where the sample is unreadable or names an entry that does not exist.
    """
    entries = [entry for names in _sampled(read) for entry in names]
    pairs = ((entry, form) for entry in entries for form in FORMATS)
    return tuple(_variation(number, *pair) for number, pair in enumerate(pairs))


def _sampled(read: Read) -> list[list[Entry]]:
    return [_named(category, ids, read) for category, ids in _sample(read).items()]


def _sample(read: Read) -> Mapping[str, frozenset[str]]:
    try:
        sample = msgspec.json.decode(read(_SAMPLE), type=dict[str, frozenset[str]])
    except UNREADABLE as error:
        raise _refusal(str(error)) from error
    for category in sample:
        if category not in SINGLE_TURN or category in UNANSWERED:
            raise _refusal(f"{category!r:.50} is no category with expected calls")
    return sample


def _named(category: str, ids: frozenset[str], read: Read) -> list[Entry]:
    """Return the named entries in the order of the category, not in that of the sample."""
    found = [entry for entry in load_entries(category, read) if entry.task.id in ids]
    missing = ids.difference(entry.task.id for entry in found)
    if missing:
        raise _refusal(f"{min(missing)!r:.50} is no entry of {category}")
    return found


def _variation(number: int, entry: Entry, form: PromptFormat) -> Entry:
    identity = f"{CATEGORY}_{number}:{form.name}:{entry.task.id}"
    replace = msgspec.structs.replace
    return replace(
        entry,
        task=replace(entry.task, id=identity, suite=f"bfcl:{CATEGORY}"),
        question=replace(entry.question, id=identity),
        prompt_format=form,
    )


def _refusal(why: str) -> DataError:
    return DataError(f"{_SAMPLE}: {why}; run `dragoman data pull bfcl` again")
