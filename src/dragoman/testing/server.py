"""A local model server that answers from a script or from recordings, with faults on demand.

In a test, use `with ModelServer(answerer, behaviour) as server:` and send requests to `server.url`;
as a separate process, use `python -m dragoman.testing.server --help`. It listens on the loopback
address only.
"""

import argparse
import asyncio
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from dragoman.core.errors import DragomanError, UsageError
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.core.tools import Role
from dragoman.testing.fake_curation_llm import CurationMistakes, FakeCurationLlm
from dragoman.testing.fake_translation_llm import FakeTranslationLlm, TranslationMistakes
from dragoman.testing.local_server import LocalServer
from dragoman.testing.openai_api import Endpoint
from dragoman.testing.recorded_runs import answers_from_run
from dragoman.testing.request_log import RequestLog
from dragoman.testing.scripted_answers import (
    Answerer,
    NotifiedOfEnds,
    RecordedAnswers,
    RecordedConversation,
    Rule,
    RuleAnswers,
)
from dragoman.testing.server_config import ServerConfig, load_config

_EXAMPLE = """\
example:
  echo '{"rules": [{"reply": {"content": "Hello."}}]}' > script.json
  echo '{"faults": {"transport": [{"kind": "rate_limited", "rate": 0.2}]}}' > faults.json
  python -m dragoman.testing.server --script script.json --faults faults.json --seed 7
"""


class Script(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file of answers: rules, recorded conversations, or mistakes of the fake LLMs."""

    rules: tuple[Rule, ...] = ()
    conversations: tuple[RecordedConversation, ...] = ()
    translations: TranslationMistakes | None = None
    curating: CurationMistakes | None = None


class Options(msgspec.Struct, frozen=True):
    """Options of the command line."""

    script: Path | None
    run: Path | None
    side: Role
    behaviour: ServerConfig
    port: int
    log: Path | None


def read_options(arguments: Sequence[str] | None) -> Options:
    """Parse a command line; None takes the process's own.

    Raises:
        UsageError: For a file of faults that cannot be read.
    """
    given = _parser().parse_args(arguments)
    behaviour = ServerConfig() if given.faults is None else load_config(given.faults, ServerConfig)
    if given.seed is not None:
        behaviour = msgspec.structs.replace(behaviour, seed=given.seed)
    return Options(given.script, given.replay, given.side, behaviour, given.port, given.log)


async def load_answerer(options: Options) -> Answerer:
    """Return the answerer, from the named script or run.

    Raises:
        UsageError: For an unreadable script, or if neither or both are given.
        StoreError: For a folder without a readable run.
    """
    if options.run is not None:
        return await answers_from_run(options.run, options.side)
    if options.script is None:
        raise UsageError("nothing to answer from: name --script or --replay")
    return load_script(options.script, options.behaviour.seed)


def load_script(path: Path, seed: int = 0) -> Answerer:
    """Return the answerer of a script file; the seed draws the mistakes of the fake LLMs.

    Raises:
        UsageError: If the file cannot be read, or is not a script.
    """
    try:
        script = msgspec.json.decode(path.read_bytes(), type=Script)
    except OSError as error:
        raise UsageError(f"script {path}: {error.strerror}") from error
    except DECODING_ERRORS as error:
        raise UsageError(f"script {path}: {error}") from error
    reported = (script.rules, script.conversations, script.translations, script.curating)
    if sum(map(bool, reported)) != 1:
        raise UsageError(f"script {path}: it holds rules, conversations, translations or curating")
    if script.translations:
        return FakeTranslationLlm(script.translations, seed)
    if script.curating:
        return FakeCurationLlm(script.curating, seed)
    if script.conversations:
        return RecordedAnswers(script.conversations)
    try:
        return RuleAnswers(script.rules)
    except UsageError as error:
        raise UsageError(f"script {path}: {error}") from error


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m dragoman.testing.server",
        description="A local model server that answers from a script and misbehaves on demand. "
        "Prints its address and serves until interrupted.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument(
        "--script",
        type=Path,
        metavar="FILE",
        help="rules, conversations, translations or curating, JSON",
    )
    source.add_argument(
        "--replay", type=Path, metavar="RUN", help="a run's folder, whose conversations to replay"
    )
    parser.add_argument(
        "--side",
        choices=("agent", "user"),
        default="agent",
        help="side whose replies of RUN are given [agent]",
    )
    parser.add_argument("--faults", type=Path, metavar="FILE", help="how to behave, JSON")
    parser.add_argument("--seed", type=int, metavar="N", help="draws the faults [the file's, or 0]")
    parser.add_argument("--port", type=int, default=0, help="port to listen on; 0 is any free [0]")
    parser.add_argument("--log", type=Path, metavar="FILE", help="append a line per start and end")
    return parser


class ModelServer(LocalServer):
    """An OpenAI-compatible endpoint as a context manager: `with` uses a thread, `async with` none.

    It can be entered once.
    """

    def __init__(
        self,
        answerer: Answerer,
        behaviour: ServerConfig | None = None,
        *,
        port: int = 0,
        log_file: Path | None = None,
    ) -> None:
        """Prepare a server, which starts when it is entered.

        Args:
            answerer: Function that gives the replies.
            behaviour: Faults of the server; none by default.
            port: Port to listen on; 0 takes a free port.
            log_file: A file that gets a line whenever a request starts or ends.

        Raises:
            UsageError: If the log file cannot be written.
        """
        behaviour = behaviour or ServerConfig()
        on_end = answerer.ended if isinstance(answerer, NotifiedOfEnds) else None
        endpoint = Endpoint(answerer, behaviour, RequestLog(log_file, on_end))
        outages = behaviour.capacity.outages
        super().__init__(endpoint.application(), endpoint.exchange, outages, port)

    @property
    def url(self) -> str:
        """The base address for clients."""
        return f"{self.origin}/v1"


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until interrupted; return the exit status, which is 2 for invalid arguments."""
    try:
        asyncio.run(_serve(read_options(arguments)))
    except DragomanError as error:
        sys.stderr.write(f"dragoman.testing.server: {' '.join(str(error).split())}\n")
        return 2
    return 0


async def _serve(options: Options) -> None:
    answerer = await load_answerer(options)
    server = ModelServer(answerer, options.behaviour, port=options.port, log_file=options.log)
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    async with server:
        sys.stdout.write(f"{server.url}\n")
        sys.stdout.flush()
        await stopped.wait()


if __name__ == "__main__":
    sys.exit(main())
