"""Cost of an audio set: entries per minute, and the CPU time of its stages."""

import os
import shutil
import tempfile
import time
from pathlib import Path

from bench.voice.throughput import spent_cpu

from dragoman.core.errors import DataError
from dragoman.curation.audio_sets.build import AudioSetBuilder, AudioSetRequest
from dragoman.curation.audio_sets.engines import AudioRequest

SUITE = "bfcl:multiple"
"""A category of 200 entries, each with one message."""

RECOGNIZERS = ("mixed", "simulated:15")


def print_audio_set() -> None:
    if not Path("/proc/self/stat").exists():
        print("an audio set is not measured: no /proc here")
        return
    folder = Path(tempfile.mkdtemp(prefix="dragoman-bench-"))
    try:
        _measured(folder)
    except DataError as error:
        print(f"an audio set is not measured: {error}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _measured(folder: Path) -> None:
    request = AudioSetRequest((SUITE,), "rules", folder / "set", AudioRequest(asr=RECOGNIZERS))
    speaking = AudioSetBuilder(request)
    marks: dict[str, tuple[float, float]] = {}

    def on_done(stage: str, _: int) -> None:
        marks[stage] = time.monotonic(), spent_cpu()

    last = start, cpu = time.monotonic(), spent_cpu()
    card = speaking.run(on_done)
    wall = time.monotonic() - start
    entries, cores = len(speaking.messages), os.cpu_count() or 1
    print(f"audio set of {SUITE}, {entries} entries, {card.seconds:,.0f} s of audio")
    for stage, mark in marks.items():
        own_wall, own_cpu = mark[0] - last[0], mark[1] - last[1]
        print(f"  {stage:<12} {own_wall:>7.1f} s, {own_cpu:>7.1f} s of CPU")
        last = mark
    stages = last[1] - cpu
    print(
        f"  {60 * entries / wall:,.0f} entries/min; its stages' {stages:,.1f} s of CPU, with all "
        f"{cores} cores busy: {60 * entries * cores / stages:,.0f} entries/min"
    )


if __name__ == "__main__":
    print_audio_set()
