"""How the progress of a download is shown: commands choose it, code that uses the library may."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from contextvars import ContextVar

Progress = Callable[[str, int, int], None]
"""Takes the file at hand, the bytes so far and the bytes in total."""

ShowsProgress = Callable[[str], AbstractContextManager[Progress]]
"""Takes a line that says what is downloaded, and yields what shows the line and then progress."""

SHOWN_BY: ContextVar[ShowsProgress | None] = ContextVar("SHOWN_BY", default=None)
"""What shows the progress of downloads in this context; None where nobody chose."""
