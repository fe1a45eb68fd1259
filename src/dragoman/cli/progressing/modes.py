"""How much a command shows beside its results: `--quiet` and `--plain`, which every command takes."""

from contextvars import ContextVar
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from rich.console import Console

Mode = Literal["usual", "plain", "quiet"]

_MODE: ContextVar[Mode] = ContextVar("mode", default="usual")


def mode() -> Mode:
    """Return how much the command that runs is to show."""
    return _MODE.get()


def set_mode(chosen: Mode) -> None:
    """Have all that follows in this command show so much."""
    _MODE.set(chosen)


def console() -> "Console":
    """Return what tables and conversations are printed to: without colours where `--plain` is given."""
    from rich.console import Console

    return Console(color_system=None if mode() == "plain" else "auto")
