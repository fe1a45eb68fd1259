"""Finds the module for a term: `python tests/find.py "rate limiter"`.

It searches the paths of modules, the names of classes and functions, and the first lines of
docstrings. It prints at most five modules, best first. Words are compared by their stems, and rare
words count more than common ones.
"""

import argparse
import math
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src" / "dragoman"
MOST_SHOWN = 5

PATH, FIRST_LINE, NAME, MEMBER_LINE = 4.0, 3.0, 2.0, 1.0
"""Weights of the places where a word can occur."""

STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        """a an and any are as at be by can did do does for from given had has have how i if in into is
        it its not of on one or some that the their this to two was what when where which with""",
    )
)
"""Words that occur everywhere, so they distinguish no module."""

_REPLACED = {
    "iz": "ization isation ising izing ize",
    "y": "ies",
    "at": "ations ation ating ates ate",
    "": "ions ion ings ing ers er ors or ed es s e y",
}
ENDINGS = [(ending, rest) for rest, endings in _REPLACED.items() for ending in endings.split()]
"""Endings of words, each with its replacement; the first matching one is used."""

_NAME = re.compile(r"[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_DEFINITION = re.compile(r"^ *(?:class|(?:async )?def) (\w+)", re.MULTILINE)
_MODULE_LINE = re.compile(r'\A"""(.+?)(?:"""|$)', re.MULTILINE)
_MEMBER_LINE = re.compile(r':\n +"""(.+?)(?:"""|$)', re.MULTILINE)


@dataclass(frozen=True)
class Module:
    """One module with its searchable words.

    Attributes:
        path: The file, relative to the source folder.
        line: The first line of its docstring.
        weights: The largest weight of each stem. The number of occurrences does not count.
    """

    path: str
    line: str
    weights: dict[str, float]


@cache
def read_modules(source: Path = SOURCE) -> tuple[Module, ...]:
    """Return all modules under a folder."""
    return tuple(_read_module(path, source) for path in sorted(source.rglob("*.py")))


def find(term: str, modules: Sequence[Module]) -> list[Module]:
    """Return the modules that match a term, best first, at most five."""
    wanted = set(stems(term))
    counts = Counter(stem for module in modules for stem in module.weights)
    rarity = {stem: math.log(1 + len(modules) / counts[stem]) for stem in wanted if counts[stem]}

    def score(module: Module) -> float:
        matched = [stem for stem in rarity if stem in module.weights]
        total = sum(module.weights[stem] * rarity[stem] for stem in matched)
        return total * len(matched)

    scores = {module.path: score(module) for module in modules}
    found = [module for module in modules if scores[module.path] > 0]
    return sorted(found, key=lambda module: (-scores[module.path], len(module.path)))[:MOST_SHOWN]


def stems(text: str) -> Iterator[str]:
    """Yield the stems of the words in a text, a path or a name."""
    for name in _NAME.findall(text):
        yield from _stems_of_name(name)


@cache
def _stems_of_name(name: str) -> tuple[str, ...]:
    """Return its stems; `WebSocket`, `web_socket` and `web-socket` also have the stem `websocket`."""
    words = [part.lower() for part in _PART.findall(name)]
    whole = ["".join(words)] if len(words) > 1 else []
    return tuple(stem_of(word) for word in (*words, *whole) if word not in STOP_WORDS)


def stem_of(word: str) -> str:
    """Return a word without its ending."""
    if word.endswith("ss"):
        return word
    for ending, rest in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) + len(rest) >= 3:
            return word.removesuffix(ending) + rest
    return word


def _read_module(path: Path, source: Path) -> Module:
    text = path.read_text("utf-8")
    relative = path.relative_to(source)
    first = _MODULE_LINE.match(text)
    line = first[1] if first else ""
    places = {
        MEMBER_LINE: "\n".join(_MEMBER_LINE.findall(text)),
        NAME: "\n".join(_DEFINITION.findall(text)),
        FIRST_LINE: line,
        PATH: "\n".join(relative.with_suffix("").parts),
    }
    weights = {stem: weight for weight, words in places.items() for stem in stems(words)}
    return Module(relative.as_posix(), line, weights)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the modules for the term on the command line; return 1 if none is found."""
    parser = argparse.ArgumentParser("find.py", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("term", nargs="+", help='words in any spelling, such as "rate limiter"')
    term = " ".join(parser.parse_args(arguments).term)
    found = find(term, read_modules())
    for module in found:
        sys.stdout.write(f"src/dragoman/{module.path}\n    {module.line}\n")
    if not found:
        sys.stderr.write(f"find.py: no module matches {term!r}: try other words\n")
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main())
