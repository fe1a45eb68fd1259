"""Libraries that say nothing of their own: what a person is told comes from one place."""

import warnings

import datasets
from transformers.utils import logging


def quieted() -> None:
    """Silence progress bars and notes; errors are raised all the same."""
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    datasets.disable_progress_bars()
    # The pinned peft asks the pinned transformers by an old name.
    warnings.filterwarnings("ignore", "`is_gradient_checkpointing`", FutureWarning)
