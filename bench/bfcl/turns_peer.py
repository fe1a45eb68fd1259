"""The published BFCL package judging conversations of several turns, in an interpreter that has it.

Imports nothing of ours. After every line on standard input that names a category it judges that
category's conversations once, in fresh worlds, and prints the seconds of CPU that it took. They are
gold's calls; behind `more` each turn begins with one more, which leads nowhere.
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

Cases = list[tuple[dict[str, Any], list[list[str]]]]


def main(categories: Sequence[str]) -> None:
    cases = {category: _cases(category) for category in categories}
    for name in {name for each in cases.values() for name in _classes(each)}:
        importlib.import_module(CLASS_FILE_PATH_MAPPING[name])
    gc.collect()
    gc.freeze()
    print("ready", flush=True)
    for line in sys.stdin:
        category, *more = line.split()
        print("took", *_judged(cases[category], ["nothing()"] * len(more)), flush=True)
        _forget_worlds()


def _cases(category: str) -> Cases:
    answers = [answer["ground_truth"] for answer in load_ground_truth_entry(category)]
    return list(zip(load_dataset_entry(category), answers, strict=True))


def _classes(cases: Cases) -> set[str]:
    return {name for entry, _ in cases for name in entry["involved_classes"]}


def _judged(cases: Cases, more: list[str]) -> tuple[float, int]:
    """Return the seconds of CPU that judging takes, and how many pass."""
    given = [[[[*more, *turn]] if turn else [] for turn in answer] for _, answer in cases]
    passed = 0
    start = time.process_time()
    for (entry, answer), calls in zip(cases, given, strict=True):
        category = entry["id"].rpartition("_")[0]
        passed += multi_turn_checker(calls, answer, entry, category, "gold")["valid"]
    return time.process_time() - start, passed


def _forget_worlds() -> None:
    """Forget the worlds of the last round, which the package keeps by name: the next needs fresh ones."""
    kept = vars(multi_turn_utils)
    for name in [name for name in kept if name.endswith("_instance")]:
        del kept[name]


if __name__ == "__main__":
    main(sys.argv[1:])
