"""Counts with their nouns, for messages."""


def format_count(count: int, noun: str, plural: str = "") -> str:
    """Return a count with its noun, in the plural where it is not 1.

    Args:
        count: The count.
        noun: The noun in the singular.
        plural: The noun in the plural; "" to append an s.
    """
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"
