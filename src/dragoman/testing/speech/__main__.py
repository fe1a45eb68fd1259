"""Command line of the speech server: `python -m dragoman.testing.speech --help`."""

import argparse
import asyncio
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from dragoman.core.errors import DragomanError
from dragoman.testing.server_config import ServerConfig, load_config
from dragoman.testing.speech.server import PATHS, CodedSpeaker, Speaker, SpeechServer

_EXAMPLE = """\
example:
  python -m dragoman.testing.speech courier
  dragoman speak courier --out set --voice telephone --speaker us \\
    --asr 'deepgram/nova-3?smart_format=true&base_url=http://127.0.0.1:PORT/v1'
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until interrupted; return the exit status, which is 2 for invalid arguments."""
    try:
        asyncio.run(_serve(_parser().parse_args(arguments)))
    except DragomanError as error:
        sys.stderr.write(f"dragoman.testing.speech: {' '.join(str(error).split())}\n")
        return 2
    return 0


async def _serve(given: argparse.Namespace) -> None:
    faults = given.faults
    behaviour = ServerConfig() if faults is None else load_config(faults, ServerConfig)
    server = SpeechServer(_speaker(given), behaviour, port=given.port, log_file=given.log)
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    async with server:
        for protocol in PATHS:
            sys.stdout.write(f"{protocol} {server.url(protocol)}\n")
        sys.stdout.flush()
        await stopped.wait()


def _speaker(given: argparse.Namespace) -> Speaker:
    if given.coded:
        return CodedSpeaker()
    from dragoman.registry.suites import load_suite
    from dragoman.testing.speech.embedded_speaker import EmbeddedSpeaker

    return EmbeddedSpeaker([load_suite(name) for name in given.suites])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m dragoman.testing.speech",
        description="A local server that speaks and recognizes English by the protocols of "
        "providers, "
        "with the embedded engines. Prints the address of each protocol and serves until "
        "interrupted.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "suites",
        nargs="*",
        metavar="SUITE",
        help="a suite whose words the recognizer expects [English in general]",
    )
    parser.add_argument(
        "--coded",
        action="store_true",
        help="speak in a code that no line may change, without engines",
    )
    parser.add_argument("--faults", type=Path, metavar="FILE", help="how to behave, JSON")
    parser.add_argument("--port", type=int, default=0, help="port to listen on; 0 is any free [0]")
    parser.add_argument("--log", type=Path, metavar="FILE", help="append a line per start and end")
    return parser


if __name__ == "__main__":
    sys.exit(main())
