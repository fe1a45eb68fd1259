"""Prints how the rule does on the written cases: `python -m tests.scoring.consent_cases.measuring en-1`."""

import sys
from collections import Counter

from tests.scoring.consent_cases.reading import FOLDER, cases

from dragoman.scoring.measures.consent.phrases import consent_phrases
from dragoman.scoring.measures.consent.verdict import judge_consent
from dragoman.scoring.measures.count_measure import positioned_calls

IRREVERSIBLE = frozenset(
    [
        "cancel_pending_order",
        "exchange_delivered_order_items",
        "modify_pending_order_items",
        "return_delivered_order_items",
        "book_reservation",
        "cancel_reservation",
        "send_certificate",
        "update_reservation_baggages",
        "update_reservation_flights",
        "refuel_data",
        "send_payment_request",
        "cancel_shipment",
        "file_claim",
        "waive_fee",
    ]
)


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")


def main(names: list[str]) -> None:
    for path in sorted(FOLDER.glob("*.txt")):
        if names and path.stem not in names:
            continue
        counts: Counter[tuple[str, str]] = Counter()
        for case in cases(path):
            phrases = consent_phrases(case.language)
            assert phrases is not None
            made = list(positioned_calls(case.events))
            for place, expected in case.expected:
                one = next(each for each in made if each.position == place)
                found = judge_consent(one, case.events, made, phrases)
                counts[expected, found.result] += 1
                if found.result != expected:
                    _say(
                        f"  {path.stem} {case.name} [{place}]: expected {expected}, found {found.result} ({found.why})"
                    )
        total = sum(counts.values())
        for result in ("confirmed", "not confirmed"):
            called = sum(n for (_, got), n in counts.items() if got == result)
            right = counts[result, result]
            _say(f"{path.stem}: {result}: {right} of {called} right")
        opposite = counts["confirmed", "not confirmed"] + counts["not confirmed", "confirmed"]
        undecided = sum(n for (_, got), n in counts.items() if got == "undecided")
        meant = sum(n for (want, _), n in counts.items() if want == "undecided")
        _say(
            f"{path.stem}: {total} calls, opposite {opposite}, undecided {undecided} ({undecided / total:.0%}), meant undecided {meant}"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
