"""Plain columns on the terminal."""

from collections.abc import Sequence


def print_columns(rows: Sequence[Sequence[str]]) -> None:
    """Print rows with their columns below each other, after an empty line."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    print()
    for row in rows:
        print(
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        )
