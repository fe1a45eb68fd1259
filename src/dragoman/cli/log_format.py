"""A log format for the terminal: each warning is one line without secrets or control codes.

It is a module of its own because help is printed without importing `logging`.
"""

import logging

from dragoman.cli.output import one_line


def show_warnings() -> None:
    """Show log warnings in the form of errors: one visible line each."""
    if logging.lastResort is not None:
        logging.lastResort.setFormatter(_OneLine())


class _OneLine(logging.Formatter):
    """Formatter that makes one line of a record, with keys redacted and control codes escaped."""

    def format(self, record: logging.LogRecord) -> str:
        from dragoman.config.environment import redact_environment

        return one_line(redact_environment(super().format(record)))
