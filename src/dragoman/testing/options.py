"""The command line of the model server: what it answers from and how it behaves."""

import argparse
from collections.abc import Sequence
from pathlib import Path

import msgspec

from dragoman.core.errors import UsageError
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.core.tools import Role
from dragoman.testing.answers import Answerer, Rule, RuleAnswers
from dragoman.testing.behaviour import Behaviour, load_behaviour
from dragoman.testing.recorded_episodes import answers_from_run
from dragoman.testing.shows.curating import CuratingAnswers, CuratingMistakes
from dragoman.testing.shows.translating import Mistakes, TranslatingAnswers
from dragoman.testing.speech.recordings import RecordedAnswers, RecordedConversation

_EXAMPLE = """\
example:
  echo '{"rules": [{"reply": {"content": "Hello."}}]}' > script.json
  echo '{"faults": {"transport": [{"kind": "rate_limited", "rate": 0.2}]}}' > faults.json
  python -m dragoman.testing.server --script script.json --faults faults.json --seed 7
"""


class Script(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file of answers: rules, recorded conversations, or the mistakes of made-up work."""

    rules: tuple[Rule, ...] = ()
    conversations: tuple[RecordedConversation, ...] = ()
    translations: Mistakes | None = None
    curating: CuratingMistakes | None = None


class Options(msgspec.Struct, frozen=True):
    """What was asked on the command line."""

    script: Path | None
    run: Path | None
    side: Role
    behaviour: Behaviour
    port: int
    log: Path | None


def read_options(arguments: Sequence[str] | None) -> Options:
    """Parse a command line; None takes the process's own.

    Raises:
        UsageError: For a file of faults that cannot be read.
    """
    given = _parser().parse_args(arguments)
    behaviour = Behaviour() if given.faults is None else load_behaviour(given.faults, Behaviour)
    if given.seed is not None:
        behaviour = msgspec.structs.replace(behaviour, seed=given.seed)
    return Options(given.script, given.replay, given.side, behaviour, given.port, given.log)


async def load_answerer(options: Options) -> Answerer:
    """Return what answers, from the script or the run that was named.

    Raises:
        UsageError: For a script that cannot be read or says neither or both.
        StoreError: For a folder that holds no readable run.
    """
    if options.run is not None:
        return await answers_from_run(options.run, options.side)
    if options.script is None:
        raise UsageError("nothing to answer from: name --script or --replay")
    return load_script(options.script, options.behaviour.seed)


def load_script(path: Path, seed: int = 0) -> Answerer:
    """Return what a script file answers; the seed draws the mistakes of made-up work.

    Raises:
        UsageError: Where the file cannot be read, or is no script.
    """
    try:
        script = msgspec.json.decode(path.read_bytes(), type=Script)
    except OSError as error:
        raise UsageError(f"script {path}: {error.strerror}") from error
    except DECODING_ERRORS as error:
        raise UsageError(f"script {path}: {error}") from error
    told = (script.rules, script.conversations, script.translations, script.curating)
    if sum(map(bool, told)) != 1:
        raise UsageError(f"script {path}: it holds rules, conversations, translations or curating")
    if script.translations:
        return TranslatingAnswers(script.translations, seed)
    if script.curating:
        return CuratingAnswers(script.curating, seed)
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
        "--side", choices=("agent", "user"), default="agent", help="whose replies of RUN [agent]"
    )
    parser.add_argument("--faults", type=Path, metavar="FILE", help="how to behave, JSON")
    parser.add_argument("--seed", type=int, metavar="N", help="draws the faults [the file's, or 0]")
    parser.add_argument("--port", type=int, default=0, help="where to listen; 0 is any free [0]")
    parser.add_argument("--log", type=Path, metavar="FILE", help="append a line per start and end")
    return parser
