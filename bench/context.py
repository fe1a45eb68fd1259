"""Size of the longest request of a suite: `python -m bench.context ROWS.jsonl...`.

The rows come from the agent that plays the reference plan. Its conversations are about the shortest
ones that pass:

    dragoman run courier --agent gold --out runs/gold
    dragoman rows runs/gold --only all --out courier.jsonl
    python -m bench.context courier.jsonl

A row holds all messages of a conversation and the functions on offer, as its last request does. The
size in characters is that of the request's JSON; `--chars-per-token` converts it to tokens. With
`--tokenize URL`, the address of a llama.cpp server, the N longest requests of each file
(`--counted`) are counted in tokens of the served model: figures and ids take more tokens than their
number of characters suggests.
"""

import argparse
import heapq
import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.request import Request, urlopen


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for each file; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m bench.context", description=__doc__)
    parser.add_argument("rows", nargs="+", type=Path)
    parser.add_argument("--tokenize", default="", metavar="URL")
    parser.add_argument("--counted", type=int, default=8, metavar="N")
    parser.add_argument("--chars-per-token", type=float, default=3.0)
    given = parser.parse_args(arguments)
    for path in given.rows:
        longest = heapq.nlargest(given.counted, requests_in(path), key=len)
        characters = len(longest[0])
        rule = math.ceil(characters / given.chars_per_token)
        reported = f"{path.stem}: {characters:,} characters, {rule:,} tokens by the rule"
        if given.tokenize:
            most = max(tokens_of(each, given.tokenize) for each in longest)
            reported += f", {most:,} tokens counted"
        print(reported, flush=True)
    return 0


def requests_in(path: Path) -> Iterator[str]:
    """Yield the messages and functions of every row, as a request's JSON writes them."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            sent = {"messages": row["messages"], "tools": row.get("tools") or []}
            yield json.dumps(sent, ensure_ascii=False, separators=(",", ":"))


def tokens_of(text: str, url: str) -> int:
    """Return the number of tokens that a llama.cpp server counts in a text."""
    asked = Request(  # noqa: S310 - an address that was typed
        f"{url.rstrip('/')}/tokenize",
        json.dumps({"content": text}).encode(),
        {"Content-Type": "application/json"},
    )
    with urlopen(asked, timeout=120) as answer:  # noqa: S310 - the same
        return len(json.load(answer)["tokens"])


if __name__ == "__main__":
    raise SystemExit(main())
