"""Measures the cost of a run with models that answer at once: `make bench`.

Sections can be chosen by name. Every model-driven conversation takes the same path as a real one:
prompts, histories, decoding of completion bodies, tools of both sides, scoring with strict replay,
and storage. The scripted models yield to the event loop at every call, so conversations really run
concurrently.
"""

import resource
import subprocess
import sys
from collections.abc import Callable, Sequence

from bench.bfcl.checks import print_bfcl
from bench.bfcl.turns import print_bfcl_turns
from bench.client import print_client
from bench.curating.answers import print_answers
from bench.curating.collecting import print_collecting
from bench.curating.filtering import print_filtering
from bench.intervals import print_intervals
from bench.languages import print_languages
from bench.looking import print_looking
from bench.masking import print_masking
from bench.measures import print_measures
from bench.measuring import pace
from bench.recorded_figures import copied_output, record_section
from bench.reporting import print_reporting
from bench.scripted import gold_episodes
from bench.spreading.workers import print_workers
from bench.storage import print_storage
from bench.throughput import USUAL, print_breakdown, print_throughput, print_whole_set
from bench.viewing import print_viewing
from bench.voice.audio_set import print_audio_set
from bench.voice.effects import print_voice_effects
from bench.voice.hearing import print_recognition
from bench.voice.throughput import print_voice_throughput
from bench.wire import print_wire

from dragoman.core.errors import DataError
from dragoman.core.protocols import Suite
from dragoman.registry.suites import load_suite

DOMAINS = ("tau2:airline", "tau2:retail", "tau2:telecom")
WHOLE_SET = "tau2:telecom:full"
SAMPLE = "sample:shop"
CONVERSATIONS = 1_140

Section = Callable[[list[Suite]], None]


def main(chosen: Sequence[str]) -> None:
    unknown = [name for name in chosen if name not in SECTIONS]
    if unknown:
        sys.exit(f"no section {', '.join(unknown)}; there are: {', '.join(SECTIONS)}")
    nanoseconds = pace()
    print(
        f"Python {sys.version.split()[0]}, a round of plain Python takes {nanoseconds:.0f} ns here"
    )
    suites = _suites()
    for name in chosen or SECTIONS:
        print(f"== {name}", flush=True)
        with copied_output() as copy:
            SECTIONS[name](suites)
        record_section(name, copy.getvalue().splitlines(), nanoseconds)


def _loop(suites: list[Suite]) -> None:
    for suite in suites:
        print(f"{suite.name}, {len(suite.tasks)} tasks")
        gold = gold_episodes(suite)
        for concurrency, count in ((1, CONVERSATIONS), (USUAL, CONVERSATIONS), (1_000, 2_280)):
            print_throughput(suite, gold, concurrency, count)
        print_breakdown(suite, gold)
        if suite.name != SAMPLE:
            print_languages(suite)
            print_masking(suite)
    if suites[0].name != SAMPLE:
        print_whole_set(WHOLE_SET)


def _memory(suites: list[Suite]) -> None:
    for suite in suites:
        _print_memory(suite.name)


def _storage(suites: list[Suite]) -> None:
    print_storage(gold_episodes(suites[0]))


def _reporting(suites: list[Suite]) -> None:
    print_reporting(suites[0], gold_episodes(suites[0]))


def _voice(_: list[Suite]) -> None:
    print_voice_effects()
    print_voice_throughput()
    print_audio_set()


def _recognition(_: list[Suite]) -> None:
    print_recognition()


def _measures(_: list[Suite]) -> None:
    print_measures()


def _intervals(suites: list[Suite]) -> None:
    print_intervals(suites[0], gold_episodes(suites[0]))


def _curating(_: list[Suite]) -> None:
    print_collecting()
    print_answers()
    print_filtering()


def _looking(_: list[Suite]) -> None:
    print_looking()


def _viewing(_: list[Suite]) -> None:
    print_viewing()


def _start_up(_: list[Suite]) -> None:
    _print_start_up()


def _bfcl(_: list[Suite]) -> None:
    print_bfcl()
    print_bfcl_turns()


def _wire(suites: list[Suite]) -> None:
    print_client()
    if suites[0].name != SAMPLE:
        print_wire()


def _workers(suites: list[Suite]) -> None:
    if suites[0].name != SAMPLE:
        print_workers()


SECTIONS: dict[str, Section] = {
    "loop": _loop,
    "memory": _memory,
    "storage": _storage,
    "reporting": _reporting,
    "intervals": _intervals,
    "voice": _voice,
    "hearing": _recognition,
    "measures": _measures,
    "curating": _curating,
    "looking": _looking,
    "viewing": _viewing,
    "start-up": _start_up,
    "bfcl": _bfcl,
    "wire": _wire,
    "workers": _workers,
}
"""In the order in which they are measured where none is named."""


def _suites() -> list[Suite]:
    try:
        return [load_suite(name) for name in DOMAINS]
    except DataError as error:
        print(f"{error}; measuring the sample instead", file=sys.stderr)
        return [load_suite(SAMPLE)]


def _print_memory(name: str) -> None:
    words = [sys.executable, "-m", "bench.memory", name]
    print(subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout, end="")


def _print_start_up() -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    runs = 5
    for _ in range(runs):
        subprocess.run(
            [sys.executable, "-m", "dragoman", "--help"], check=True, stdout=subprocess.DEVNULL
        )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"start-up CPU of --help: {cpu / runs:.3f} s")


if __name__ == "__main__":
    main(sys.argv[1:])
