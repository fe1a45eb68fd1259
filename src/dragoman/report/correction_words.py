"""The correction of p-values in words: for how many comparisons, of which families."""

from collections.abc import Iterable, Mapping

from dragoman.analysis.comparison import Comparison, Family
from dragoman.report import formatting

_FAMILIES: Mapping[Family, tuple[str, str]] = {
    "baseline": ("comparison with the baseline", "comparisons with the baseline"),
    "layer": ("further drop along one layer", "further drops along one layer"),
    "condition": ("other pair of conditions", "other pairs of conditions"),
    "agent": ("pair of agents", "pairs of agents"),
    "run": ("pair of cells of two runs", "pairs of cells of two runs"),
    "other": ("other comparison", "other comparisons"),
}
"""The comparisons of each family, one and several."""


def family_sizes(comparisons: Iterable[Comparison]) -> dict[Family, int]:
    """Return the number of comparisons in each family of tested comparisons."""
    found = {entry.family: entry.corrected_for for entry in comparisons if entry.p is not None}
    return {family: found[family] for family in _FAMILIES if family in found}


def corrected_for_words(comparisons: Iterable[Comparison]) -> str:
    """Return for how many comparisons the p-values are corrected, by family if there are several.

    The result is empty if nothing was tested.
    """
    sizes = family_sizes(comparisons)
    if len(sizes) < 2:  # noqa: PLR2004 - one family needs no name
        return "".join(formatting.format_count(size, "comparison") for size in sizes.values())
    *first, last = (f"{size:,} {_FAMILIES[family][size != 1]}" for family, size in sizes.items())
    return f"{', '.join(first)} and {last}"


def not_significant_words(found: Comparison) -> str:
    """Return the statement that a difference is not significant after its correction."""
    if found.corrected_for == 1:
        return "not significant"
    many = formatting.format_count(found.corrected_for, "comparison")
    return f"not significant after correction for {many}"


def seems_to_contradict(found: Comparison) -> bool:
    """Return whether an interval excludes 0 although the corrected p is not significant."""
    if not found.gaps or found.is_significant:
        return False
    interval = found.gaps[0].interval
    return interval.low > 0 or interval.high < 0


def p_words(found: Comparison) -> str:
    """Return the corrected p; where the interval excludes 0, also that it is not significant.

    The statement prevents that interval and p seem to contradict each other.
    """
    p = formatting.p_value(found.adjusted_p)
    shown = f"p{p}" if p.startswith("<") else f"p={p}"
    return f"{shown}, {not_significant_words(found)}" if seems_to_contradict(found) else shown
