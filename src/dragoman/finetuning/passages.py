"""What many prompts share word for word: lines of instructions, and functions on offer.

A tiny tokenizer may have a token for each. A prompt of some 5,500 letters is then a few dozen tokens,
and a model of half a million parameters learns on a CPU which function is meant; what a passage says is
learnt by heart, so that functions which no row offers stay as many tokens as they have words.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from dragoman.core.training_examples import TrainingExample

_SHORTEST = 40
_MOST = 2_000
_BETWEEN = re.compile(r"\n|(?<=\}),\s*(?=\{)")


def passages_of(rows: Sequence[TrainingExample]) -> list[str]:
    """Return what stands in at least eight rows and a hundredth of them, the most frequent first."""
    counted = Counter(piece for row in rows for piece in set(_pieces(row)))
    fewest = max(8, len(rows) // 100)
    return [piece for piece, count in counted.most_common(_MOST) if count >= fewest]


def without(texts: Iterable[str], passages: Sequence[str]) -> Iterator[str]:
    """Yield what else stands in texts: words of passages are no words to learn pieces of."""
    known = set(passages)
    for text in texts:
        yield "\n".join(piece for piece in _BETWEEN.split(text) if _bare(piece) not in known)


def _pieces(row: TrainingExample) -> Iterator[str]:
    for message in row.messages:
        if message.get("role") in {"system", "developer"}:
            yield from _cut(str(message.get("content") or ""))
    for tool in row.tools:
        yield json.dumps(tool.get("function"), ensure_ascii=False)


def _cut(text: str) -> Iterator[str]:
    for piece in _BETWEEN.split(text):
        if len(bare := _bare(piece)) >= _SHORTEST:
            yield bare


def _bare(piece: str) -> str:
    return piece.strip().removeprefix("[").removesuffix("]") if "{" in piece else piece.strip()
