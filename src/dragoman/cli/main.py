"""The entry point of the `dragoman` command: runs it and turns errors into exit statuses."""

import gc
import os
import signal
import sys

from dragoman.cli.commands.tree import command_line
from dragoman.core.errors import DragomanError, UsageError

GC_THRESHOLDS = (200_000, 20, 100)
"""Thresholds of the garbage collector for a command.

Tables and lists of a large run are millions of live objects without cycles. At the default
thresholds the collector traverses them again and again: 20 to 35 % of the CPU of an export.
"""


def main() -> None:
    """Run the command line; an error is one line, with exit status 2 (usage) or 1 (others)."""
    from dragoman.cli.output import INTERRUPTED, escape_unprintable, print_error

    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    escape_unprintable()
    thresholds = gc.get_threshold()
    gc.set_threshold(*GC_THRESHOLDS)
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
        # The reader of the output, such as `head`, has closed it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        where = error.filename or "the output"
        print_error(f"{where}: {error.strerror or error}")
        sys.stdout = None
        sys.exit(1)
    finally:
        gc.set_threshold(*thresholds)
