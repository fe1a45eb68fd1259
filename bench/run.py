"""Measures what a run costs, with models that answer at once: `make bench`.

Every model-driven conversation goes the whole way that a real one does: prompts, histories, decoding
of completion bodies, tools of both sides, scoring with strict replay, and storage. The scripted models
yield to the event loop at every call, so conversations really run side by side.
"""

import resource
import subprocess
import sys

from bench.bfcl.checks import print_bfcl
from bench.bfcl.turns import print_bfcl_turns
from bench.curating.answers import print_answers
from bench.curating.collecting import print_collecting
from bench.curating.filtering import print_filtering
from bench.languages import print_languages
from bench.masking import print_masking
from bench.measures import print_measures
from bench.reporting import print_reporting
from bench.scripted import gold_episodes
from bench.storage import print_storage
from bench.throughput import USUAL, print_breakdown, print_throughput, print_whole_set
from bench.viewing import print_viewing
from bench.voice.audio_set import print_audio_set
from bench.voice.effects import print_voice_effects
from bench.voice.throughput import print_voice_throughput
from bench.wire import print_wire

from dragoman.core.errors import DataError
from dragoman.core.protocols import Suite
from dragoman.wiring.suites import load_suite

DOMAINS = ("tau2:airline", "tau2:retail", "tau2:telecom")
WHOLE_SET = "tau2:telecom:full"
SAMPLE = "sample:shop"
CONVERSATIONS = 1_140


def main() -> None:
    print(f"Python {sys.version.split()[0]}")
    suites = _suites()
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
    for suite in suites:
        _print_memory(suite.name)
    print_storage(gold_episodes(suites[0]))
    print_reporting(suites[0], gold_episodes(suites[0]))
    print_voice_effects()
    print_voice_throughput()
    print_audio_set()
    print_measures()
    print_collecting()
    print_answers()
    print_filtering()
    print_viewing()
    _print_start_up()
    print_bfcl()
    print_bfcl_turns()
    if suites[0].name != SAMPLE:
        print_wire()


def _suites() -> list[Suite]:
    try:
        return [load_suite(name) for name in DOMAINS]
    except DataError as error:
        print(f"{error}; measuring the sample instead", file=sys.stderr)
        return [load_suite(SAMPLE)]


def _print_memory(name: str) -> None:
    sys.stdout.flush()
    subprocess.run([sys.executable, "-m", "bench.memory", name], check=True)


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
    main()
