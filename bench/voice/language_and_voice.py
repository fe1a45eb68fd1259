"""Cost of language and voice on courier, and their interaction.

The conditions are text, language alone, voice alone, and both:

    python -m bench.voice.language_and_voice --asr whisper/FOLDER --languages vi,id,zh --out FOLDER

Embedded voices speak and the named recognizer listens; nothing is downloaded.
"""

import argparse
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from dragoman.analysis.intervals import Interval
from dragoman.analysis.significance import TaskMeans, interaction
from dragoman.api import run
from dragoman.core.conditions import TEXT
from dragoman.core.scores import Scored
from dragoman.dataframes.results import chosen_scoring, outcomes
from dragoman.experiments.failure_attribution import attribute_failures
from dragoman.store.run_store import open_run

Cell = tuple[str, str]
"""The language, and `text` or the channel."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--asr", required=True)
    parser.add_argument("--languages", default="vi,id,zh")
    parser.add_argument("--line", default="telephone")
    parser.add_argument("--agent", default="literal")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--limit", type=int)
    given = parser.parse_args()
    languages = given.languages.split(",")
    if not given.out.exists():
        run(
            "courier",
            given.agent,
            languages=["en", *languages],
            scenarios=["domain"],
            voices=[TEXT, given.line],
            asr=[given.asr],
            limit=given.limit,
            out=given.out,
            concurrency=4,
        )
    print_table(given.out, languages, given.line)
    print_attribution(given.out)


def print_table(folder: Path, languages: list[str], line: str) -> None:
    means = task_means(folder)
    hearing = recognition_counts(folder)
    print(
        "| language | input | pass^1 | to English text | word errors | character errors | values heard |"
    )
    print("|---|---|--:|--:|--:|--:|--:|")
    for language in ["en", *languages]:
        for way in (TEXT, line):
            own = means[language, way]
            base = means["en", TEXT]
            shared = own.keys() & base.keys()
            gap = sum(own[t] - base[t] for t in shared) / len(shared)
            counts = hearing.get((language, way), {})
            print(
                f"| {language} | {way} | {share(sum(own.values()), len(own))} | {gap * 100:+.1f} "
                f"| {share(counts.get('word errors', 0), counts.get('words', 0))} "
                f"| {share(counts.get('character errors', 0), counts.get('characters', 0))} "
                f"| {share(counts.get('values heard', 0), counts.get('values', 0))} |"
            )
    print()
    print("| language | language alone | voice alone | both | interaction, 95 % interval | tasks |")
    print("|---|--:|--:|--:|--:|--:|")
    for language in languages:
        cells = [means["en", TEXT], means[language, TEXT], means["en", line], means[language, line]]
        neither, first, second, both = cells
        effect = interaction(neither, first, second, both)
        tasks = set.intersection(*(set(cell) for cell in cells))
        alone = [sum(c[t] - cells[0][t] for t in tasks) / len(tasks) * 100 for c in cells[1:]]
        value = "-" if effect.value is None else f"{effect.value * 100:+.1f}"
        print(
            f"| {language} | {alone[0]:+.1f} | {alone[1]:+.1f} | {alone[2]:+.1f} "
            f"| {value} {interval(effect.interval)} | {effect.tasks} |"
        )


def task_means(folder: Path) -> dict[Cell, TaskMeans]:
    scores: defaultdict[Cell, defaultdict[str, list[float]]] = defaultdict(
        lambda: defaultdict(list)
    )
    with open_run(folder, write=False) as store:
        for row in outcomes(store, *chosen_scoring(store, None, None), heads_only=True):
            if row.score is not None and isinstance(row.score.reward, Scored):
                cell = (row.condition.language, row.condition.voice)
                scores[cell][row.task].append(row.score.reward.value)
    return {
        cell: {task: sum(values) / len(values) for task, values in of_cell.items()}
        for cell, of_cell in scores.items()
    }


def recognition_counts(folder: Path) -> dict[Cell, Mapping[str, float]]:
    counts: defaultdict[Cell, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
    with open_run(folder, write=False) as store:
        measured = store.measured()
        for cell in store.cells():
            for entry in measured.get(cell.key, ()):
                if entry.measure == "hearing":
                    for name, count in entry.counts.items():
                        counts[cell.condition.language, cell.condition.voice][name] += count
    return dict(counts)


def print_attribution(folder: Path) -> None:
    print()
    print("| condition | lost by | conversations |")
    print("|---|---|--:|")
    found: defaultdict[tuple[str, str], int] = defaultdict(int)
    for row in attribute_failures(folder, lambda: None):
        found[row.condition, row.failure_source] += 1
    for (condition, failure_source), count in sorted(found.items()):
        print(f"| {condition} | {failure_source} | {count} |")


def share(part: float, whole: float) -> str:
    return f"{part / whole * 100:.1f} %" if whole else "-"


def interval(found: Interval | None) -> str:
    return "" if found is None else f"[{found.low * 100:+.1f}, {found.high * 100:+.1f}]"


if __name__ == "__main__":
    main()
