"""The source's Tables 14 to 16 counted by our definitions, and its Figure 5 made of them again."""

import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from dragoman.analysis.judged_errors import Gravest, gravest
from dragoman.core.measures import ErrorReview, JudgedError, Severity
from dragoman.core.tools import Role

CONVERSATIONS = {"airline": 150, "retail": 342, "telecom": 342}

# Agent critical, minor, correct; user critical, minor, correct.
ENGLISH: dict[str, tuple[int, ...]] = {
    "airline": (81, 22, 47, 38, 48, 64),
    "retail": (98, 70, 174, 79, 135, 128),
    "telecom": (110, 113, 119, 50, 130, 162),
}
PRINTED: dict[tuple[str, str], dict[str, tuple[int, ...]]] = {
    ("English", "L2 Interaction"): ENGLISH,
    ("English", "L2 Domain"): ENGLISH,
    ("Vietnamese", "L2 Interaction"): {
        "airline": (93, 25, 32, 43, 48, 59),
        "retail": (109, 78, 155, 96, 103, 143),
        "telecom": (101, 116, 125, 52, 146, 144),
    },
    ("Thai", "L2 Interaction"): {
        "airline": (105, 14, 31, 42, 45, 63),
        "retail": (125, 73, 144, 94, 124, 124),
        "telecom": (125, 90, 127, 59, 133, 150),
    },
    ("Indonesian", "L2 Interaction"): {
        "airline": (88, 18, 44, 36, 49, 65),
        "retail": (117, 65, 160, 86, 121, 135),
        "telecom": (122, 100, 120, 60, 136, 146),
    },
    ("Chinese", "L2 Interaction"): {
        "airline": (90, 18, 42, 44, 51, 55),
        "retail": (109, 73, 160, 81, 126, 135),
        "telecom": (95, 76, 171, 60, 129, 153),
    },
    ("Filipino", "L2 Interaction"): {
        "airline": (94, 18, 38, 53, 36, 61),
        "retail": (103, 88, 151, 105, 129, 108),
        "telecom": (91, 88, 163, 62, 141, 139),
    },
    ("Vietnamese", "L2 Domain"): {
        "airline": (83, 27, 40, 43, 41, 66),
        "retail": (112, 93, 137, 90, 122, 130),
        "telecom": (125, 71, 146, 54, 112, 176),
    },
    ("Thai", "L2 Domain"): {
        "airline": (97, 17, 36, 55, 30, 65),
        "retail": (180, 60, 102, 127, 91, 124),
        "telecom": (133, 85, 124, 64, 105, 173),
    },
    ("Indonesian", "L2 Domain"): {
        "airline": (92, 24, 34, 42, 39, 69),
        "retail": (124, 76, 142, 93, 122, 127),
        "telecom": (139, 81, 122, 59, 120, 163),
    },
    ("Chinese", "L2 Domain"): {
        "airline": (103, 15, 32, 40, 48, 62),
        "retail": (131, 84, 127, 101, 113, 128),
        "telecom": (103, 86, 153, 45, 128, 169),
    },
    ("Filipino", "L2 Domain"): {
        "airline": (101, 17, 32, 50, 47, 53),
        "retail": (131, 74, 137, 123, 118, 101),
        "telecom": (131, 89, 122, 64, 130, 148),
    },
}
COLUMNS = (
    *("agent_critical", "agent_minor", "agent_correct"),
    *("user_critical", "user_minor", "user_correct"),
)
GRAVEST: dict[Role, tuple[Severity, Severity]] = {
    "agent": ("critical", "minor"),
    "user": ("critical_hindered", "minor"),
}


LEVELS: tuple[Gravest, ...] = ("critical", "minor", "correct")
SIDES: tuple[Role, ...] = ("agent", "user")


def reviews(counts: tuple[int, ...], conversations: int) -> Iterator[ErrorReview]:
    """Yield conversations with these gravest errors; one with both counts by the graver one."""
    for number in range(conversations):
        errors: list[JudgedError] = []
        for side, (critical, minor) in zip(SIDES, (counts[:2], counts[3:5]), strict=True):
            if number < critical:
                errors += [JudgedError(side, each) for each in GRAVEST[side]]
            elif number < critical + minor:
                errors.append(JudgedError(side, "minor"))
        yield ErrorReview(tuple(errors))


def counted(counts: tuple[int, ...], conversations: int) -> tuple[int, ...]:
    found = list(reviews(counts, conversations))
    by_side = [Counter(gravest(review, side) for review in found) for side in SIDES]
    return tuple(of_side[level] for of_side in by_side for level in LEVELS)


def test_each_row_sums_to_all_conversations_and_is_counted_as_printed() -> None:
    for printed in PRINTED.values():
        for domain, counts in printed.items():
            assert counted(counts, CONVERSATIONS[domain]) == counts


def test_figure_5_is_the_mean_over_domains_of_these_shares(data_folder: Path) -> None:
    path = data_folder / "seataubench" / "analyses" / "error_breakdown.csv"
    if not path.is_file():
        pytest.skip(f"{path} is absent: nothing to compare with")
    with path.open(encoding="utf-8", newline="") as file:
        rows = {(row["language"], row["setting"]): row for row in csv.DictReader(file)}
    assert rows.keys() == PRINTED.keys()
    for place, printed in PRINTED.items():
        of_domains = [
            [
                100 * count / CONVERSATIONS[domain]
                for count in counted(counts, CONVERSATIONS[domain])
            ]
            for domain, counts in printed.items()
        ]
        for name, column in zip(COLUMNS, zip(*of_domains, strict=True), strict=True):
            mean = sum(column) / len(column)
            assert mean == pytest.approx(float(rows[place][name]), abs=0.0051), (place, name)
