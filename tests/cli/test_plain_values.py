"""Values of the command line have the same types and messages with and without pydantic."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import pytest
import typer
from typer.main import get_command

from dragoman.cli.plain_values import PlainCommand


def _given(words: Sequence[str], kind: type) -> tuple[object, str]:
    """Return the values that a command gets for its words, and the message of a refusal."""
    seen: list[object] = []
    app = typer.Typer(rich_markup_mode=None, add_completion=False)

    def take(  # noqa: PLR0913, PLR0917 - a parameter of each type
        folders: Annotated[list[Path], typer.Argument()],
        name: str | None = None,
        trial: int = 0,
        port: Annotated[int, typer.Option(min=0, max=65535)] = 0,
        share: float | None = None,
        only: Annotated[list[str] | None, typer.Option()] = None,
        loud: bool = False,
    ) -> None:
        seen.extend([folders, name, trial, port, share, only, loud])

    app.command(cls=kind)(take)
    try:
        get_command(app).main(list(words), "dragoman", standalone_mode=False)
    except Exception as error:  # noqa: BLE001 - typer's own classes are private
        return None, str(getattr(error, "message", error))
    return seen, ""


@pytest.mark.parametrize(
    "words",
    [
        ("a", "b"),
        (),
        ("a", "--name", "x", "--trial", "3", "--port", "80", "--share", "0.5", "--loud"),
        ("a", "--only", "x", "--only", "y"),
        ("a", "--trial", "-1", "--share", "2"),
        ("a", "--trial", "1.0", "--share", "1e-3"),
        ("a", "--trial", "1_000"),
        ("a", "--trial", " 7 "),
        ("a", "--trial", "three"),
        ("a", "--port", "65536"),
        ("a", "--share", "much"),
        ("a", "--share", "nan"),
        ("a", "--name", ""),
    ],
)
def test_a_command_gets_what_typer_itself_gives_it(words: tuple[str, ...]) -> None:
    assert repr(_given(words, PlainCommand)) == repr(_given(words, typer.core.TyperCommand))
