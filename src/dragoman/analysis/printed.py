"""Rows of results as somebody printed them: figures, and what they are said to rest on."""

from typing import Literal

import msgspec

Kind = Literal[
    "infeasible",
    "duplicate",
    "missing trials",
    "rho",
    "mixed routes",
    "incomplete",
    "unchecked",
]


class PrintedCell(msgspec.Struct, frozen=True):
    """One row of a table of results; what a table does not say is empty or None.

    Attributes:
        place: Where it stands in its table, as "row 12".
        suite: The suite or domain.
        condition: The condition or scenario.
        language: The language, where the condition does not name it.
        agent: The agent's model, whoever served it.
        trials: Trials per task.
        figures: pass^k by k.
        rho: rho^q by q.
        tasks: How many tasks the figures are the mean of.
        left_out: How many tasks the table says it left out.
        simulations: How many conversations it claims.
        route: Who served the agent's model, as the table names it.
        user: The simulated user's model, as the table names it.
        source: The run or file that the row was computed from.
    """

    place: str
    suite: str
    condition: str
    language: str
    agent: str
    trials: int
    figures: dict[int, float]
    rho: dict[int, float] = {}
    tasks: int | None = None
    left_out: int | None = None
    simulations: int | None = None
    route: str = ""
    user: str = ""
    source: str = ""

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What makes it this cell and no other."""
        return (self.suite, self.condition, self.language, self.agent)

    @property
    def name(self) -> str:
        """The key for people."""
        return ", ".join(part for part in self.key if part)


class RowFinding(msgspec.Struct, frozen=True):
    """Something about rows that a reader should know.

    Attributes:
        kind: Its class.
        rows: The places of the rows it is about.
        cells: Their names, in the same order.
        what: What was found, in words.
    """

    kind: Kind
    rows: tuple[str, ...]
    cells: tuple[str, ...]
    what: str


def finding(kind: Kind, cells: list[PrintedCell], what: str) -> RowFinding:
    """Make a finding about rows."""
    return RowFinding(
        kind, tuple(cell.place for cell in cells), tuple(cell.name for cell in cells), what
    )
