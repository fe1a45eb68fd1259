"""The page of all commands is that of the command line."""

from pathlib import Path

from dragoman.cli.reference import page

WRITTEN = Path(__file__).resolve().parents[3] / "docs" / "reference" / "commands.md"


def test_the_page_of_commands_is_that_of_the_command_line() -> None:
    assert WRITTEN.read_text("utf-8") == page(), (
        "python -m dragoman.cli.reference > docs/reference/commands.md"
    )
