import logging

import pytest

from dragoman.cli.output import print_error, show_warnings

HOSTILE = "refused: \x1b[2J\x1b]0;owned\x07 \u202eevil\nsecond line"
SHOWN = "refused: \\x1b[2J\\x1b]0;owned\\x07 \\u202eevil second line"


def test_an_error_is_one_line_and_nothing_in_it_acts_on_the_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_error(HOSTILE)
    assert capsys.readouterr().err == f"dragoman: {SHOWN}\n"


def test_a_warning_is_one_line_and_nothing_in_it_acts_on_the_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    show_warnings()
    assert logging.lastResort is not None
    record = logging.makeLogRecord({"msg": "%s", "args": (HOSTILE,), "levelno": logging.WARNING})
    logging.lastResort.handle(record)
    assert capsys.readouterr().err == f"{SHOWN}\n"
