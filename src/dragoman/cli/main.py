"""The entry point of the `dragoman` command: runs it and turns errors into exit statuses."""

import os
import signal
import sys

from dragoman.cli.commands.tree import command_line
from dragoman.core.errors import DragomanError, UsageError


def main() -> None:
    """Run the command line; a user's mistake is one line, exit status 2 (usage) or 1 (the rest)."""
    from dragoman.cli.output import INTERRUPTED, escape_unprintable, print_error

    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    escape_unprintable()
    try:
        command_line(sys.argv[1:])()
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
