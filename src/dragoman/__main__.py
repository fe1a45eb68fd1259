"""`python -m dragoman` is the command line."""

import signal


def main() -> None:
    """Load the command line and run it.

    An interrupt during loading ends the process without a traceback.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from dragoman.cli.main import main as run_command_line

    run_command_line()


if __name__ == "__main__":
    main()
