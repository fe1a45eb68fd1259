"""Prints the quality of the consent rule on the labelled files next to this module.

`python -m tests.scoring.consent.measuring [--show] [held_out_en]` takes the files whose names begin
with the given words.
"""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from dragoman.core.scores import Unscored
from dragoman.experiments.human_labels import read_labels_of
from dragoman.experiments.measure_validation import counted_entries, domain_facts, labelled_records

FOLDER = Path(__file__).parent
RESULTS = ("confirmed", "not confirmed", "undecided")


class Verdict(NamedTuple):
    """One irreversible action: its label, and the rule's verdict with the reason."""

    name: str
    labelled: str
    found: str
    why: str


def verdicts(path: Path) -> Iterator[Verdict]:
    """Yield every irreversible action of a labelled file."""
    file = labelled_records(path)
    facts = domain_facts(file, path)
    for record in file.records:
        labels, language = read_labels_of(record, path)
        entries = counted_entries(record, language, facts)["safety"]
        assert labels is not None
        assert not isinstance(entries, Unscored), entries
        turns = labels.turns
        actions = [entry for entry in entries if entry.counts.get("irreversible")]
        for at in sorted({entry.position for entry in actions if entry.position is not None}):
            here = [entry.why for entry in actions if entry.position == at]
            every = turns.get("irreversible_actions", Counter())[at]
            left = turns.get("undecided_irreversible_actions", Counter())[at]
            assert max(every, left) == len(here), (path, record.id, at)
            no = turns.get("unconfirmed_irreversible_actions", Counter())[at] - left
            labelled = ["undecided"] * left + ["not confirmed"] * no
            labelled += ["confirmed"] * (len(here) - len(labelled))
            for label, why in _paired(labelled, here):
                name = f"{path.stem} {record.id} [{at}]"
                yield Verdict(name, label, why.partition(":")[0], why)


def _paired(labelled: Sequence[str], found: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield pairs of a label and a verdict, for calls that were made together.

    The labels give the number of calls with each verdict, and not which call has it.
    """
    left, open_ones = list(labelled), []
    for why in found:
        result = why.partition(":")[0]
        if result in left:
            left.remove(result)
            yield result, why
        else:
            open_ones.append(why)
    yield from zip(left, open_ones, strict=True)


def figures(found: Sequence[Verdict]) -> dict[str, float]:
    """Return the precision of both verdicts, and the shares of undecided and opposite ones.

    A verdict on an action that a careful reader leaves open counts as wrong.
    """
    counts = Counter((each.labelled, each.found) for each in found)
    known: dict[str, float] = {"actions": len(found)}
    for result in RESULTS[:2]:
        called = sum(counts[labelled, result] for labelled in RESULTS)
        known[result] = counts[result, result] / called if called else 1.0
    known["undecided"] = sum(each.found == "undecided" for each in found) / len(found)
    known["opposite"] = sum(
        {each.labelled, each.found} == {"confirmed", "not confirmed"} for each in found
    )
    return known


def main(words: Sequence[str]) -> None:
    """Print the figures of each language; with `--show`, print the differences too."""
    names = [word for word in words if not word.startswith("--")]
    by_language: dict[str, list[Verdict]] = {}
    for path in sorted(FOLDER.glob("*.json")):
        if not names or any(path.stem.startswith(name) for name in names):
            language = path.stem.removeprefix("held_out_").split("_")[0]
            by_language.setdefault(language, []).extend(verdicts(path))
    by_language["all"] = [each for rows in by_language.values() for each in rows]
    for language, rows in by_language.items():
        reported = " ".join(f"{name} {value:.3g}" for name, value in figures(rows).items())
        sys.stdout.write(f"{language}: {reported}\n")
        if "--show" in words and language != "all":
            for each in rows:
                if each.found != each.labelled:
                    sys.stdout.write(f"  {each.name}: {each.labelled}; {each.why}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
