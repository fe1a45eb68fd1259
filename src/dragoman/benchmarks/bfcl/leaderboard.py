"""BFCL's leaderboard: which categories make which aggregate, and how many tasks they have."""

import functools
import importlib.resources
import tomllib

import msgspec

from dragoman.core.aggregates import Leaderboard


@functools.cache
def leaderboard() -> Leaderboard:
    """Return the pinned version's leaderboard."""
    file = importlib.resources.files("dragoman.benchmarks.bfcl") / "leaderboard.toml"
    return msgspec.convert(tomllib.loads(file.read_text("utf-8")), Leaderboard)
