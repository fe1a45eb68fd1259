"""Cost of a report on 20,000 conversations: time, memory, and size of the page."""

import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from bench.scripted import Gold, gold_episodes

from dragoman.config.run_config import RunConfig
from dragoman.core.conditions import PLAIN, Condition
from dragoman.core.content_keys import content_key
from dragoman.core.episodes import Episode, Message
from dragoman.core.protocols import Provenance, Suite
from dragoman.core.replies import TextReply, text_reply
from dragoman.core.scores import ComponentScore, Score, Scored
from dragoman.registry.suites import load_suite
from dragoman.runs.manifest import Manifest
from dragoman.store.conversation_writes import StoredEpisode
from dragoman.store.run_plan import NewRun, StoredCell
from dragoman.store.run_store import create_run

CONVERSATIONS = 20_000
TASKS = 100
AGENTS = ("agent-a", "agent-b", "agent-c", "agent-d")
LANGUAGES = ("en", "th", "vi", "id", "zh")
MOST_SECONDS = 60
MOST_MEGABYTES = 25
WORDS = 40
"""Words that each message has of its own: two models never say the same."""


def print_reporting(suite: Suite, gold: Gold) -> None:
    """Store a run of 20,000 conversations, and write its report in a separate process."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "run"
        write_run(folder, suite, gold)
        stored = (folder / "run.sqlite").stat().st_size / 1e6
        command = [sys.executable, "-m", "dragoman", "report", str(folder)]
        began, before = time.perf_counter(), _children()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        seconds, spent = time.perf_counter() - began, _children() - before
        size = (folder / "report.html").stat().st_size / 1e6
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(
        f"report of {CONVERSATIONS:,} conversations ({stored:.0f} MB stored): {seconds:.1f} s by the clock "
        f"(at most {MOST_SECONDS}), {spent:.1f} s of CPU, {size:.1f} MB (at most {MOST_MEGABYTES}), "
        f"peak of all children {peak:.0f} MiB"
    )


def write_run(folder: Path, suite: Suite, gold: Gold, conversations: int = CONVERSATIONS) -> None:
    """Write a run like that of a grid of four agents in five languages; half of it fails."""
    tasks = {task.id: task for task in suite.tasks if task.id in gold}
    names = list(tasks)[:TASKS]
    trials = conversations // (len(names) * len(AGENTS) * len(LANGUAGES))
    cells = tuple(
        StoredCell(
            content_key((language, agent, task, trial)),
            *(suite.name, _condition(language)),
            agent,
            task,
            trial,
        )
        for language in LANGUAGES
        for agent in AGENTS
        for trial in range(trials)
        for task in names
    )
    manifest = Manifest(
        *("0", "3", 0.0, RunConfig(suite.name, AGENTS, trials=trials, languages=LANGUAGES)),
        *("none", "", Provenance("bench", "none", "", "")),
    )
    with create_run(folder, NewRun(msgspec.json.encode(manifest), cells, tasks)) as store:
        store.put(_played(cells, [gold[cell.task] for cell in cells]))


def _condition(language: str) -> Condition:
    if language == "en":
        return PLAIN
    return PLAIN.with_axes(language=language, scenario="domain")


def _played(cells: Sequence[StoredCell], episodes: Sequence[Episode]) -> Iterator[StoredEpisode]:
    draw = random.Random(0)  # noqa: S311 - words, no secret
    words = sorted({word for episode in episodes[:TASKS] for word in _words(episode)})
    for cell, episode in zip(cells, episodes, strict=True):
        value = float(draw.random() < 0.5)
        part = ComponentScore("DB", True, Scored(value))
        score = Score("dragoman-1", "none", Scored(value), (part,))
        yield StoredEpisode(cell.key, 0, _in_own_words(episode, words, draw), score)


def _words(episode: Episode) -> Iterator[str]:
    for event in episode.events:
        if isinstance(event, Message) and isinstance(event.reply, TextReply):
            yield from event.reply.utterance.intended.split()


def _in_own_words(episode: Episode, words: Sequence[str], draw: random.Random) -> Episode:
    events = tuple(
        Message(
            event.by, text_reply(" ".join(draw.choices(words, k=WORDS))), event.scripted, event.turn
        )
        if isinstance(event, Message) and isinstance(event.reply, TextReply)
        else event
        for event in episode.events
    )
    return msgspec.structs.replace(episode, events=events)


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    suite = load_suite("tau2:retail")
    print_reporting(suite, gold_episodes(suite))


if __name__ == "__main__":
    main()
