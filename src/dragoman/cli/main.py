"""The command line as a whole: its groups of commands, and how it ends."""

import os
import signal
import sys
from typing import Annotated

import typer

from dragoman.cli.commands import (
    calling_apis,
    curating,
    data,
    drawing,
    exchanging,
    finetuning,
    judging,
    keeping,
    reading,
    reviewing,
    running,
    setting_up,
    speaking,
    suites,
    translating,
    viewing,
    worlds,
)
from dragoman.cli.commands.declaring import group
from dragoman.core.errors import DragomanError, UsageError

app = group("How good is a tool-calling agent when its user does not type English?", completes=True)
for part in (
    running,
    setting_up,
    reading,
    drawing,
    viewing,
    suites,
    translating,
    speaking,
    judging,
    exchanging,
    keeping,
    finetuning,
):
    app.add_typer(part.app)
curating.app.add_typer(calling_apis.app)
app.add_typer(curating.app, name="curate")
app.add_typer(reviewing.app, name="review")
app.add_typer(worlds.app, name="world")
app.add_typer(data.data, name="data")
app.add_typer(data.cache, name="cache")
app.add_typer(translating.memory, name="memory")


def main() -> None:
    """Run the command line; a user's mistake is one line, exit status 2 (usage) or 1 (the rest)."""
    from dragoman.cli.output import INTERRUPTED, print_error, take_any_text

    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    take_any_text()
    try:
        app()
        sys.stdout.flush()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except UsageError as error:
        print_error(str(error))
        sys.exit(2)
    except DragomanError as error:
        print_error(str(error))
        sys.exit(1)
    except BrokenPipeError:
        # Whoever read the output has seen enough.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        where = error.filename or "the output"
        print_error(f"{where}: {error.strerror or error}")
        sys.stdout = None
        sys.exit(1)


@app.callback(invoke_without_command=True)
def _options(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        from dragoman.core.version import VERSION

        print(f"dragoman {VERSION}")
        raise typer.Exit
    from dragoman.cli.warned import show_warnings

    show_warnings()
