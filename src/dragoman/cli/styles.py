"""Options that some leaderboard styles take, and how a choice of styles is worded."""

from collections.abc import Callable, Iterable

from dragoman.core.errors import UsageError
from dragoman.report.capabilities import LeaderboardStyle


def require_options(
    given: Iterable[str],
    style: LeaderboardStyle | None,
    choices: Callable[[], Iterable[LeaderboardStyle]],
) -> None:
    """Refuse options that a style does not take.

    Args:
        given: The names of the options.
        style: The style; None for none.
        choices: Returns the styles that can be named instead.

    Raises:
        UsageError: For the first of them.
    """
    for option in given:
        if style is None or option not in style.options:
            taking = one_of(each.name for each in choices() if option in each.options)
            raise UsageError(f"--{option} goes with --style {taking}")


def one_of(names: Iterable[str]) -> str:
    """Return names as a choice: `a, b or c`."""
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last
