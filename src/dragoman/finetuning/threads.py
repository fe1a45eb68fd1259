"""How many threads a model computes with on a CPU."""

import torch

SMALL = 50_000_000
"""Parameters up to which one thread is faster than several, which wait for each other at each step."""


def take_threads(parameters: int) -> None:
    """Compute with one thread where a model is small; a larger one keeps what the machine has."""
    if parameters < SMALL:
        torch.set_num_threads(1)
