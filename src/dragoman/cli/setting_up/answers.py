"""Answers of a person at the terminal."""

import sys

from dragoman.core.errors import UsageError


def typed(question: str) -> str:
    """Return what is typed behind a question, which goes to standard error.

    Raises:
        UsageError: Where there is no more input.
    """
    print(question, end="", file=sys.stderr, flush=True)
    line = sys.stdin.readline()
    if not line:
        print(file=sys.stderr)
        raise UsageError("the input ended: answer by options, or take the defaults with --yes")
    return line
