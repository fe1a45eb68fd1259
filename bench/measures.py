"""Cost of deterministic measures of stored conversations."""

import tempfile
from pathlib import Path

from bench.measuring import measured

from dragoman import run
from dragoman.runs.runner import MeasureRequest, score

MEASURES = (
    *("reward", "critical", "safety", "effort", "recovery", "questions"),
    *("hearing", "values", "timing", "clarity", "clarifications"),
)
TRIALS = 5
ROUND = 1_000


def print_measures() -> None:
    """Print the CPU time of each measure, and of all, for 1,000 conversations with errors.

    The conversations are those of courier: `careful` reads back and asks again, users of the
    persona `hard` correct themselves, and 15 % of words are misrecognized.
    """
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run"
        run(
            "courier",
            "careful",
            voices=("simulated:15",),
            personas=("hard",),
            trials=TRIALS,
            out=out,
        )
        spent = {name: _seconds(out, name) for name in MEASURES}
        together = _seconds(out, *MEASURES)
    print(f"s CPU to measure {ROUND:,} stored conversations: {together:.1f}; alone:")
    for name, seconds in spent.items():
        print(f"  {name:<16} {seconds:.2f}")


def _seconds(folder: Path, *names: str) -> float:
    count = 0

    def on_done() -> None:
        nonlocal count
        count += 1

    with measured() as spent:
        score(folder, MeasureRequest(measures=names, anew=True), on_done)
        cpu = spent()[1]
    return ROUND * cpu / count if count else 0.0
