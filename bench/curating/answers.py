"""Cost of scoring 20,000 stored answers to tasks over web APIs, and of their board."""

import functools
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
from bench.measuring import measured, peak, print_module

from dragoman import run
from dragoman.core.tasks import Action, Task
from dragoman.papers.itc.summary import summarize_api_runs
from dragoman.registry.suites import load_suite
from dragoman.runs.runner import MeasureRequest, score

SUITE = "itc:world"
ANSWERS = 20_000
TARGET_S = 60.0
MEASURES = ("reward", "calls", "thoughts")
AGENT = "bench.curating.answers:answer?calls=thought-action"

_THOUGHTS = (
    "The request names what the function needs, so I call it with these values.",
    "La petición dice todo lo que la función necesita, así que la llamo con estos valores.",
)


def print_answers() -> None:
    """Measure in a separate process, because its memory is a result too."""
    print_module("bench.curating.answers")


def answer(messages: list[dict[str, object]], tools: object) -> str:
    """Answer in the required form: mostly right, otherwise with one of several mistakes."""
    del tools
    query = str(messages[1]["content"])
    task = _tasks().get(query)
    is_first = len(messages) == 2
    actions = task.criteria.actions or () if task and task.criteria and is_first else ()
    kind = next(_numbers()) % 8
    calls = [] if kind == 1 else [_call(each, is_wrong=kind == 2) for each in actions]
    calls += calls[:1] if kind == 3 else []
    written = msgspec.json.encode(
        {"Thought": _THOUGHTS[kind % 2], "Action": f"[{', '.join(calls)}]"}
    )
    return f"Sure! {written.decode()}" if kind == 4 else written.decode()


def main() -> None:
    trials = -(-ANSWERS // len(_tasks()))
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run"
        run(SUITE, AGENT, trials=trials, out=out)
        before = peak()
        with measured() as spent:
            asked = MeasureRequest(measures=MEASURES, anew=True, trust=True)
            score(out, asked, lambda: None)
            wall = spent()[0]
        scored = peak()
        with measured() as spent:
            found = summarize_api_runs([out], None, None, "macro")
            board_wall = spent()[0]
    reported = found.summary.groups[0].conversations
    print(
        f"{reported:,} stored answers: {wall:.1f} s to score (target {TARGET_S:.0f}), peak "
        f"{scored / 1e6:.0f} MB ({before / 1e6:.0f} MB after they were played); "
        f"{board_wall:.1f} s for a board of {len(found.summary.groups)} groups, peak {peak() / 1e6:.0f} MB"
    )


@functools.cache
def _tasks() -> Mapping[str, Task]:
    return {task.wanted: task for task in load_suite(SUITE).tasks}


@functools.cache
def _numbers() -> Iterator[int]:
    return iter(range(1 << 40))


def _call(action: Action, *, is_wrong: bool) -> str:
    values = {**action.arguments, **({"extra": 1} if is_wrong else {})}
    given = ", ".join(f"{name}={value!r}" for name, value in values.items())
    return f"{action.name}({given})"


if __name__ == "__main__":
    main()
