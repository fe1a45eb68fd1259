"""Tokens drawn by a seed for each conversation, so that who shares a batch changes nothing."""

from collections.abc import Sequence
from typing import Any

import torch
from transformers import LogitsProcessor, TopPLogitsWarper

from dragoman.finetuning.local.spec import Sampling


class SeededDraws(LogitsProcessor):  # type: ignore[misc]  # the library has no types here
    """Adds each row's own noise, so that the likeliest token is one drawn (the Gumbel-max trick).

    Args:
        seeds: One for each row.
        sampling: Temperature, above 0, and `top_p`.
    """

    def __init__(self, seeds: Sequence[int], sampling: Sampling) -> None:
        self._noise = [torch.Generator().manual_seed(seed % 2**63) for seed in seeds]
        self._temperature = sampling.temperature
        self._top = TopPLogitsWarper(sampling.top_p) if sampling.top_p < 1 else None

    def __call__(self, input_ids: Any, scores: Any) -> Any:  # noqa: ANN401 - no types
        """Return the scores of the next token with noise."""
        scores = scores.float() / self._temperature
        if self._top is not None:
            scores = self._top(input_ids, scores)
        width = scores.shape[-1]
        rows = [torch.empty(width).exponential_(generator=each) for each in self._noise]
        return scores - torch.stack(rows).log().to(scores.device)
