"""Tables whose columns stand in groups, as papers print them: in a terminal each heading names its groups."""

import msgspec

from dragoman.report.fitting import TextTable

BEST = " *"
"""Stands behind the best value of a row where nothing can be bold."""


class GroupedTable(msgspec.Struct, frozen=True):
    """A table of texts under headings of several levels; a cell may have several lines.

    Attributes:
        title: What stands above it.
        keys: The headings of the first columns, which say what a row is of.
        columns: Of every further column its headings, the widest group first; all as many.
        rows: Its cells, as many in each row as there are keys and columns.
        note: What stands below it.
        best: Cells that are set off as the best of their group, by row and column from 0.
    """

    title: str
    keys: tuple[str, ...]
    columns: tuple[tuple[str, ...], ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    best: frozenset[tuple[int, int]] = frozenset()

    @property
    def levels(self) -> tuple[tuple[tuple[str, int], ...], ...]:
        """Each level's headings with how many columns they are over."""
        depth = len(self.columns[0]) if self.columns else 0
        return tuple(self._level(at) for at in range(depth))

    def flat(self) -> TextTable:
        """Return it with one heading for each column; headings that all columns share are left out."""
        depth = len(self.columns[0]) if self.columns else 0
        telling = [at for at in range(depth) if len({column[at] for column in self.columns}) > 1]
        kept = telling or list(range(depth))
        headings = (", ".join(column[at] for at in kept if column[at]) for column in self.columns)
        rows = (
            tuple(_marked(text, (row, at) in self.best) for at, text in enumerate(cells))
            for row, cells in enumerate(self.rows)
        )
        return TextTable(
            (*self.keys, *headings), tuple(rows), self.title, self.note, keys=len(self.keys)
        )

    def _level(self, at: int) -> tuple[tuple[str, int], ...]:
        """Return runs of columns that share this heading and all above it."""
        found: list[tuple[tuple[str, ...], int]] = []
        for column in self.columns:
            path = column[: at + 1]
            if found and found[-1][0] == path:
                found[-1] = (path, found[-1][1] + 1)
            else:
                found.append((path, 1))
        return tuple((path[-1], width) for path, width in found)


def _marked(text: str, is_best: bool) -> str:
    first, *rest = text.split("\n")
    return "\n".join((first + BEST, *rest)) if is_best else text
