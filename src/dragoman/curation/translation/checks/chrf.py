"""How alike two texts of one language are: the F-score of their character n-grams, chrF.

Popovic, "chrF: character n-gram F-score for automatic MT evaluation", WMT 2015, with its usual
settings: n-grams of one to six characters without white space, recall counting twice.
"""

from collections import Counter

_LONGEST = 6
_BETA = 2


def chrf(reference: str, text: str) -> float:
    """Return the likeness of a text to a reference, from 0 to 1; two texts of nothing are alike."""
    wanted, given = "".join(reference.split()), "".join(text.split())
    if wanted == given:
        return 1.0
    precisions: list[float] = []
    recalls: list[float] = []
    for size in range(1, _LONGEST + 1):
        had, has = _grams(wanted, size), _grams(given, size)
        if had and has:
            common = (had & has).total()
            precisions.append(common / has.total())
            recalls.append(common / had.total())
    if not any(precisions):
        return 0.0
    precision, recall = (sum(each) / len(each) for each in (precisions, recalls))
    return (1 + _BETA**2) * precision * recall / (_BETA**2 * precision + recall)


def _grams(text: str, size: int) -> Counter[str]:
    return Counter(text[at : at + size] for at in range(len(text) - size + 1))
