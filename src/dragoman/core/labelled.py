"""Conversations that people labelled, and what is known of a suite without its data."""

from collections.abc import Mapping, Sequence

import msgspec

from dragoman.core.episodes import Episode
from dragoman.core.tasks import Scenario, Stakes, Task
from dragoman.core.tools import ToolKind


class LabelledRecord(msgspec.Struct, frozen=True):
    """One conversation of a file with labels; its labels are in the record that `episode.source` keeps."""

    id: str
    task: Task
    episode: Episode


class LabelledRecords(msgspec.Struct, frozen=True):
    """A file's conversations, and the name of the domain that they are of."""

    domain: str
    records: Sequence[LabelledRecord]


class DomainFacts(msgspec.Struct, frozen=True):
    """What measures need to know of a domain that needs none of its data.

    Attributes:
        kinds: What each tool does.
        stakes: What can go badly wrong.
        scenarios: Its scenarios by task, where they come with the program.
    """

    kinds: Mapping[str, ToolKind]
    stakes: Stakes
    scenarios: Mapping[str, Scenario] = {}
