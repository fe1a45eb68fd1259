"""What went wrong in runs, group by group: as a judge has it, and as the plan has it."""

from collections.abc import Mapping

import msgspec

from dragoman.analysis.errors.modes import ModeBoard
from dragoman.analysis.errors.reviewed import SideFigures
from dragoman.analysis.errors.twins import TagAgreement
from dragoman.core.tools import Role


class JudgedGroup(msgspec.Struct, frozen=True):
    """The errors that one judge named in the conversations of one group.

    Attributes:
        suite: Their suite.
        values: What they share, by axis.
        judge: Who judged, by which version of the rubric.
        sides: The figures of agent and user.
        twins: The judge against failure modes of calls.
        unscored: The reasons why conversations have no review, with how many have it.
    """

    suite: str
    values: Mapping[str, str]
    judge: str
    sides: tuple[SideFigures, ...]
    twins: tuple[TagAgreement, ...]
    unscored: Mapping[str, int]

    @property
    def label(self) -> str:
        """What the group is called."""
        return ", ".join(self.values.values())


class ModeGroup(msgspec.Struct, frozen=True):
    """The failure modes of the conversations of one group; `runs` has each example's folder."""

    suite: str
    values: Mapping[str, str]
    board: ModeBoard
    runs: tuple[str, ...]

    @property
    def label(self) -> str:
        """What the group is called."""
        return ", ".join(self.values.values())


class AuditRow(msgspec.Struct, frozen=True):
    """One word that a judge wrote as a tag, and what is made of it.

    Attributes:
        judge: Who wrote it.
        side: Of whose errors.
        written: The word.
        errors: How many errors have it.
        read_as: The tag under the rules asked for; what became of it otherwise.
        lenient: The same under the lenient rules.
        is_own: Whether it is a word of the taxonomy as it stands.
    """

    judge: str
    side: Role
    written: str
    errors: int
    read_as: str
    lenient: str
    is_own: bool


class ErrorBoard(msgspec.Struct, frozen=True):
    """What went wrong in runs, with labels and values of what it is made of."""

    judged: tuple[JudgedGroup, ...]
    modes: tuple[ModeGroup, ...]
    audit: tuple[AuditRow, ...]
    facts: tuple[tuple[str, str], ...]
