"""Command line of the realtime server: `python -m dragoman.testing.realtime --help`."""

import argparse
import asyncio
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from dragoman.core.audio import Audio
from dragoman.core.errors import DragomanError
from dragoman.testing.realtime.responses import RealtimeConfig
from dragoman.testing.realtime.server import RealtimeServer
from dragoman.testing.realtime.session import (
    Hear,
    Speak,
    SpeechBackend,
    hear_code,
    hear_recorded,
    speak_tone,
)
from dragoman.testing.recorded_runs import answers_from_run
from dragoman.testing.scripted_answers import Answerer
from dragoman.testing.server import load_script
from dragoman.testing.server_config import load_config

_EXAMPLE = """\
example:
  echo '{"rules": [{"reply": {"content": "Hello."}}]}' > script.json
  echo '{"responses": [{"kind": "dropped", "rate": 0.1}]}' > faults.json
  python -m dragoman.testing.realtime --script script.json --faults faults.json
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until interrupted; return the exit status, which is 2 for invalid arguments."""
    try:
        asyncio.run(_serve(_parser().parse_args(arguments)))
    except DragomanError as error:
        sys.stderr.write(f"dragoman.testing.realtime: {' '.join(str(error).split())}\n")
        return 2
    return 0


async def _serve(given: argparse.Namespace) -> None:
    faults = given.faults
    behaviour = RealtimeConfig() if faults is None else load_config(faults, RealtimeConfig)
    server = RealtimeServer(
        await _answerer(given),
        behaviour,
        voice=SpeechBackend(_speaker(given.speaker), _make_recognizer(given.hears)),
        port=given.port,
        log_file=given.log,
    )
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    async with server:
        sys.stdout.write(f"{server.url}\n")
        sys.stdout.flush()
        await stopped.wait()


async def _answerer(given: argparse.Namespace) -> Answerer:
    if given.replay is not None:
        return await answers_from_run(given.replay, "agent")
    return load_script(given.script)


def _speaker(name: str) -> Speak:
    """Return the speech function: an embedded voice, or a tone if no voice is named."""
    if not name:
        return speak_tone
    from dragoman.models.realtime_protocol import resample_for_realtime
    from dragoman.speech.embedded.espeak_library import find_voice
    from dragoman.speech.embedded.synthesizer import EspeakSynthesizer
    from dragoman.speech.embedded.worker_pool import SpeechWorkerPool

    voice = find_voice(name)
    synthesizer = EspeakSynthesizer(voice, SpeechWorkerPool(1))

    async def speak(text: str) -> Audio:
        return resample_for_realtime((await synthesizer.speak(text, voice.language, 0)).audio)

    return speak


def _make_recognizer(folder: Path | None) -> Hear:
    """Return the hearing function.

    With a set, it recognizes the set's audio; otherwise it decodes or describes any audio.
    """
    if folder is None:
        return hear_code
    from dragoman.store.audio_set import AudioSet

    return hear_recorded(AudioSet(folder))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m dragoman.testing.realtime",
        description="A local server of realtime sessions that answers from a script or a run and "
        "misbehaves on demand. Prints its address and serves until interrupted.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--script", type=Path, metavar="FILE", help="rules or conversations, JSON")
    source.add_argument(
        "--replay", type=Path, metavar="RUN", help="a run's folder, whose agent's replies to give"
    )
    parser.add_argument("--faults", type=Path, metavar="FILE", help="how to behave, JSON")
    parser.add_argument("--speaker", default="", metavar="VOICE", help="an embedded voice [a tone]")
    parser.add_argument(
        "--hears", type=Path, metavar="SET", help="an audio set, whose messages it knows by sound"
    )
    parser.add_argument("--port", type=int, default=0, help="port to listen on; 0 is any free [0]")
    parser.add_argument("--log", type=Path, metavar="FILE", help="append a line per start and end")
    return parser


if __name__ == "__main__":
    sys.exit(main())
