"""The published BFCL package judging gold conversations: `PYTHON bfcl_turns_peer.py CATEGORY`.

Imports nothing of ours; prints conversations per second of CPU.
"""

import sys
import time

from bfcl_eval.eval_checker.multi_turn_eval.multi_turn_checker import (  # type: ignore[import-not-found]
    multi_turn_checker,
)
from bfcl_eval.utils import (  # type: ignore[import-not-found]
    load_dataset_entry,
    load_ground_truth_entry,
)


def main() -> None:
    category = sys.argv[1]
    entries = load_dataset_entry(category)
    answers = [answer["ground_truth"] for answer in load_ground_truth_entry(category)]
    start = time.process_time()
    for entry, answer in zip(entries, answers, strict=True):
        given = [[turn] if turn else [] for turn in answer]
        assert multi_turn_checker(given, answer, entry, category, "gold")["valid"], entry["id"]
    print(len(entries) / (time.process_time() - start))


if __name__ == "__main__":
    main()
