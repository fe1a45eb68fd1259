"""Which operations look like others, so that an agent has to read closely."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from dragoman.core.apis.documents import Operation

_WORD = re.compile(r"[^\W_]+")
_GRAM = 3


class Likeness:
    """How much operations look like each other.

    It is the share of common features of name, description, parameters and category, rare ones
    counting more; scripts without blanks are compared by three characters at a time.

    Args:
        known: The operations, by id.
    """

    def __init__(self, known: Mapping[str, Operation]) -> None:
        self._features = {name: _features(operation) for name, operation in known.items()}
        self._with: defaultdict[str, list[str]] = defaultdict(list)
        for name, features in self._features.items():
            for feature in features:
                self._with[feature].append(name)
        self._weights = {
            name: sum(1 / len(self._with[feature]) for feature in features)
            for name, features in self._features.items()
        }

    def like(self, used: Sequence[str]) -> Iterator[str]:
        """Yield the ids of other operations, those most like the used ones first; ties go by id."""
        wanted = frozenset[str]().union(*(self._features[name] for name in used))
        weight = sum(1 / len(self._with[feature]) for feature in wanted)
        shared: defaultdict[str, float] = defaultdict(float)
        # In a fixed order: sums of fractions depend on theirs.
        for feature in sorted(wanted):
            for name in self._with[feature]:
                shared[name] += 1 / len(self._with[feature])
        scores = {
            name: round(common / (weight + self._weights[name] - common), 9)
            for name, common in shared.items()
        }
        rest = (name for name in sorted(self._features) if name not in scores)
        for name in (*sorted(scores, key=lambda name: (-scores[name], name)), *rest):
            if name not in used:
                yield name


def _features(operation: Operation) -> frozenset[str]:
    texts = (operation.name, operation.description, operation.category)
    words = [word.casefold() for text in texts for word in _WORD.findall(text)]
    names = [f"parameter {each.name.casefold()}" for each in operation.parameters]
    return frozenset([*(gram for word in words for gram in _grams(word)), *names])


def _grams(word: str) -> Iterator[str]:
    if word.isascii() or len(word) <= _GRAM:
        yield word
        return
    for at in range(len(word) - _GRAM + 1):
        yield word[at : at + _GRAM]
