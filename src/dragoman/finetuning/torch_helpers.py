"""Helpers around torch and transformers: silent libraries and threads on a CPU."""

import warnings

import datasets
import torch
from transformers.utils import logging


def silence_libraries() -> None:
    """Silence progress bars and notes; errors are raised all the same."""
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    datasets.disable_progress_bars()
    # The pinned peft asks the pinned transformers by an old name.
    warnings.filterwarnings("ignore", "`is_gradient_checkpointing`", FutureWarning)


SMALL = 50_000_000
"""Maximum number of parameters for which one thread is faster than several.

Several threads wait for each other at each step.
"""


def set_thread_count(parameters: int) -> None:
    """Compute with one thread where a model is small; a larger one keeps what the machine has."""
    if parameters < SMALL:
        torch.set_num_threads(1)
