"""Which tools are in which language where several languages share them."""

import random
from collections.abc import Iterable, Mapping, Sequence

TOOLS_PER_LANGUAGE = 3
"""How many tools each language after the first is dealt, as SEATauBench deals them."""

MOST_LANGUAGES = 5


def deal_tools(names: Iterable[str], languages: Sequence[str], seed: int) -> Mapping[str, str]:
    """Return the language of each tool, by name in order.

    The tools are shuffled by the seed. The second language takes the first three, the third the
    next three, and so on; the first language keeps the rest. One language has them all.

    Args:
        names: The tools.
        languages: One to five, without repetition.
        seed: Shuffles the tools.
    """
    ordered = sorted(names)
    shuffled = list(ordered)
    random.Random(seed).shuffle(shuffled)  # noqa: S311 - deals tools, keeps no secret
    base, *added = languages
    dealt = {
        tool: language
        for at, language in enumerate(added)
        for tool in shuffled[at * TOOLS_PER_LANGUAGE : (at + 1) * TOOLS_PER_LANGUAGE]
    }
    return {tool: dealt.get(tool, base) for tool in ordered}
