"""Cost of speech: utterances per minute and core by stage, busy cores, and memory.

The times are those of the workers and of their forked children, as Linux counts them.
"""

import asyncio
import os
import time
from pathlib import Path

from dragoman.composition.setup import Setup, build_setup
from dragoman.conditions.voice.audio_effects.presets import apply_effects, find_effects
from dragoman.conditions.voice.layer import LiveVoice
from dragoman.config.run_config import RunConfig
from dragoman.core.protocols import Suite
from dragoman.core.replies import TextReply
from dragoman.runs.conversation_player import Player
from dragoman.runs.plan import plan_cells

LINE = "telephone"
SAMPLE = 20
_TICKS = os.sysconf("SC_CLK_TCK")


def print_voice_throughput() -> None:
    if not Path("/proc/self/stat").exists():
        print("speech is not measured: no /proc here")
        return
    asyncio.run(_measured())


async def _measured() -> None:
    cores = os.cpu_count() or 1
    config = RunConfig("courier:easy", ("literal",), voices=(LINE,), cache=False)
    setup = build_setup(config)
    try:
        await _stages(setup)
        await _whole_run(setup, cores)
    finally:
        await setup.close()


async def _stages(setup: Setup) -> None:
    assert setup.voices is not None
    (voiced,) = setup.voices.conditions.values()
    assert isinstance(voiced, LiveVoice)
    path = voiced.users[0]
    assert path.listener is not None
    assert not isinstance(path.listener, str)
    texts = _texts(setup.suite)
    speaker, listener = path.speaker, path.listener
    said = [(await speaker.speak(text, "en", 1)).audio for text in texts]
    lines = find_effects(LINE)
    arrived = [apply_effects(audio, lines, 1)[0] for audio in said]
    await listener.transcribe(arrived[0], "en")  # makes the language model
    print(f"speech, {len(texts)} utterances of {sum(a.seconds for a in said) / len(said):.1f} s")

    async def speak() -> None:
        for text in texts:
            await speaker.speak(text, "en", 1)

    async def carry() -> None:
        for audio in said:
            apply_effects(audio, lines, 1)

    async def hear() -> None:
        for audio in arrived:
            await listener.transcribe(audio, "en")

    for name, work in (("synthesis", speak), (f"line {LINE}", carry), ("recognition", hear)):
        before = spent_cpu()
        await work()
        spent = (spent_cpu() - before) / len(texts)
        print(f"  {name:<16} {60 / spent:>8,.0f} utterances/min and core ({spent * 1000:.0f} ms)")


async def _whole_run(setup: Setup, cores: int) -> None:
    player, cells = Player(setup), plan_cells(setup)
    before, start = spent_cpu(), time.monotonic()
    played = await asyncio.gather(*(player.converse(cell) for cell in cells))
    wall, cpu = time.monotonic() - start, spent_cpu() - before
    spoken = sum(
        isinstance(getattr(event, "reply", None), TextReply)
        for episode in played
        for event in episode.events
    )
    print(
        f"  {len(cells)} conversations, {spoken} utterances in {wall:.1f} s: {60 * spoken / wall:,.0f}/min; "
        f"{cpu / wall / cores:.0%} of {cores} cores busy"
    )
    peaks = [_peak(pid) for pid in _workers()]
    print(f"  {len(peaks)} workers, {max(peaks):,.0f} MB each at most")


def _texts(suite: Suite) -> list[str]:
    facts = (fact for task in suite.tasks for fact in task.scenario.facts)
    return [f"The {fact.name} is {fact.value}." for fact in facts][:SAMPLE]


def spent_cpu() -> float:
    """Return the CPU seconds of this process, its workers and their children so far."""
    return time.process_time() + sum(map(_spent, _workers()))


def _spent(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / _TICKS


def _peak(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def _workers() -> list[int]:
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    return [int(pid) for pid in children if _is_worker(int(pid))]


def _is_worker(pid: int) -> bool:
    return b"speech.embedded.worker" in Path(f"/proc/{pid}/cmdline").read_bytes()


if __name__ == "__main__":
    print_voice_throughput()
