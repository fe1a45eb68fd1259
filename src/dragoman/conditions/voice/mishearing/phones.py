"""How alike phones sound: the table beside this module, and distances between strings of them."""

import importlib.resources
from collections.abc import Mapping, Sequence
from functools import cache

import msgspec
import numpy as np
from numpy.typing import NDArray

Phones = tuple[str, ...]

Features = tuple[float, ...]


class Costs(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"category": "class"}):
    """What mishearing costs beside features: see the table."""

    other: float
    category: float
    lost: float
    weak_lost: float
    tone_lost: float
    weak: frozenset[str]


class PhoneFeatures(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table as it is written."""

    weights: dict[str, float]
    costs: Costs
    consonants: dict[str, Features]
    vowels: dict[str, Features]
    tones: dict[str, Features]


class PhoneTable(msgspec.Struct, frozen=True):
    """Costs by the numbers of phones: of hearing one for another, and of losing or adding one."""

    numbers: Mapping[str, int]
    between: NDArray[np.float64]
    lost: NDArray[np.float64]

    def coded(self, phones: Sequence[str]) -> NDArray[np.int64]:
        """Return phones as their numbers."""
        return np.array([self.numbers[phone] for phone in phones], np.int64)

    def distances(
        self, phones: NDArray[np.int64], others: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return what it costs to hear each of several strings of one length for a string.

        Args:
            phones: The string that is said.
            others: One string that may be heard in each row.
        """
        rows, length = others.shape
        above = np.zeros((length + 1, rows))
        above[1:] = np.cumsum(self.lost[others], axis=1).T
        for phone in phones.tolist():
            own = np.empty_like(above)
            own[0] = above[0] + self.lost[phone]
            for column in range(length):
                heard = others[:, column]
                own[column + 1] = np.minimum(
                    above[column] + self.between[phone][heard],
                    np.minimum(
                        above[column + 1] + self.lost[phone], own[column] + self.lost[heard]
                    ),
                )
            above = own
        result: NDArray[np.float64] = above[length]
        return result

    def per_phone(self, phones: Phones, other: Phones) -> float:
        """Return the distance between two strings for each phone of the longer one; 0 sounds alike."""
        longer = max(len(phones), len(other))
        if not longer:
            return 0.0
        cost = self.distances(self.coded(phones), self.coded(other)[None, :])
        return float(cost[0]) / longer


@cache
def phone_table() -> PhoneTable:
    """Return the costs of the shipped table."""
    content = importlib.resources.files(__package__).joinpath("phones.toml").read_bytes()
    features = msgspec.toml.decode(content, type=PhoneFeatures)
    weights, costs = features.weights, features.costs
    kinds = (
        (features.consonants, ("place", "manner", "voice", "breath"), costs.lost),
        (features.vowels, ("height", "back", "round"), costs.lost),
        (features.tones, ("pitch", "pitch"), costs.tone_lost),
    )
    names = [name for group, _, _ in kinds for name in group]
    between = np.full((len(names), len(names)), costs.category)
    lost = np.empty(len(names))
    start = 0
    for group, axes, cost in kinds:
        place = slice(start, start + len(group))
        scaled = np.array(list(group.values())) * np.array([weights[axis] for axis in axes])
        apart = np.abs(scaled[:, None] - scaled[None]).sum(axis=-1)
        between[place, place] = np.minimum(costs.other + apart, costs.category)
        lost[place] = [costs.weak_lost if name in costs.weak else cost for name in group]
        start = place.stop
    np.fill_diagonal(between, 0.0)
    return PhoneTable({name: at for at, name in enumerate(names)}, between, lost)
