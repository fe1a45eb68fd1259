"""Progress where no terminal shows a bar."""

import io
import sys

import pytest

from dragoman.cli.output import PLAIN_EVERY_S, progress


@pytest.mark.parametrize(("total", "of"), [(114, " of 114"), (None, "")])
def test_without_a_terminal_a_line_now_and_then_says_how_far_it_is(
    monkeypatch: pytest.MonkeyPatch, total: int | None, of: str
) -> None:
    errors = io.StringIO()
    monkeypatch.setattr(sys, "stderr", errors)
    times = iter([0.0, 1.0, PLAIN_EVERY_S, PLAIN_EVERY_S + 1, 2 * PLAIN_EVERY_S])

    with progress("conversations", total, clock=lambda: next(times)) as advance:
        for _ in range(4):
            advance()

    assert errors.getvalue().splitlines() == [
        f"conversations: 2{of} after 30 s",
        f"conversations: 4{of} after 60 s",
    ]
