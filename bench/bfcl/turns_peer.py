"""The published BFCL package judging multi-turn conversations.

The script runs in an interpreter that has the package, and imports nothing of ours. For each line
on standard input that names a category, it judges the conversations of that category once, in fresh
worlds, and prints the CPU seconds. The conversations are gold's calls. After `more`, each turn
begins with one more call, to a function that does not exist; after `look`, with a read-only call.
"""

import gc
import importlib
import sys
import time
from collections.abc import Sequence
from typing import Any

from bfcl_eval.constants.executable_backend_config import (  # type: ignore[import-not-found]
    CLASS_FILE_PATH_MAPPING,
)
from bfcl_eval.eval_checker.multi_turn_eval import (  # type: ignore[import-not-found]
    multi_turn_utils,
)
from bfcl_eval.eval_checker.multi_turn_eval.multi_turn_checker import (  # type: ignore[import-not-found]
    multi_turn_checker,
)
from bfcl_eval.utils import (  # type: ignore[import-not-found]
    load_dataset_entry,
    load_ground_truth_entry,
)
from looks import LOOKS  # type: ignore[import-not-found]

Cases = list[tuple[dict[str, Any], list[list[str]]]]


def main(categories: Sequence[str]) -> None:
    cases = {category: _cases(category) for category in categories}
    for name in {name for each in cases.values() for name in _classes(each)}:
        importlib.import_module(CLASS_FILE_PATH_MAPPING[name])
    gc.collect()
    gc.freeze()
    print("ready", flush=True)
    for line in sys.stdin:
        category, _, more = line.strip().partition(" ")
        print("took", *_judged(cases[category], more), flush=True)
        _forget_environments()


def _cases(category: str) -> Cases:
    answers = [answer["ground_truth"] for answer in load_ground_truth_entry(category)]
    return list(zip(load_dataset_entry(category), answers, strict=True))


def _classes(cases: Cases) -> set[str]:
    return {name for entry, _ in cases for name in entry["involved_classes"]}


def _judged(cases: Cases, more: str) -> tuple[float, int]:
    """Return the CPU seconds of judging, and how many conversations pass."""
    given = [
        [[[*_first(entry, more), *turn]] if turn else [] for turn in answer]
        for entry, answer in cases
    ]
    passed = 0
    start = time.process_time()
    for (entry, answer), calls in zip(cases, given, strict=True):
        category = entry["id"].rpartition("_")[0]
        passed += multi_turn_checker(calls, answer, entry, category, "gold")["valid"]
    return time.process_time() - start, passed


def _first(entry: dict[str, Any], more: str) -> tuple[str, ...]:
    """Return the additional calls at the start of each turn."""
    match more:
        case "more":
            return ("nothing()",)
        case "look":
            return (f"{LOOKS[entry['involved_classes'][0]]}()",)
        case _:
            return ()


def _forget_environments() -> None:
    """Forget the worlds of the last round: the package keeps them by name.

    The next round needs fresh worlds.
    """
    kept = vars(multi_turn_utils)
    for name in [name for name in kept if name.endswith("_instance")]:
        del kept[name]


if __name__ == "__main__":
    main(sys.argv[1:])
